//! Putting the parts together: configuration into plain values for each of them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use anyhow::Context;
use codewhale_config::{Config, Environment, KnownProvider, Setting};
use codewhale_engine::RetryPolicy;
use codewhale_model::catalogue::prices::{PriceBook, Rates};
use codewhale_model::{
    Effort, Fallback, ProviderConfig, Routes, RoutesConfig, Timeouts, catalogue, limits,
};
use codewhale_policy::{Confinement, NetworkDefault, NetworkPolicy};
use codewhale_protocol::runtime::{MediaKind, OwnerId};
use codewhale_protocol::{AskForApproval, Redactor};
use codewhale_runtime::{
    AgentSettings, Env, FleetProgram, FleetSettings, GoalSettings, LibrarySettings, McpSettings,
    Options, Preferences, RuleBook, Runtime, Settings, SnapshotSettings, TimeZone, WallSettings,
};
use codewhale_snapshots::Bounds;
use codewhale_store::{OwnerRow, Place, Store, Writing};
use codewhale_tools::{Registry, user_tools};

use crate::hooks;

/// The version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit it was built from, when the builder said.
pub(crate) const COMMIT: &str = match option_env!("CODEWHALE_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// The providers the catalogue knows, as the configuration needs them.
pub(crate) fn known_providers() -> Vec<KnownProvider> {
    let known = |provider: &catalogue::Provider| KnownProvider {
        id: provider.id,
        aliases: provider.aliases,
        key_variables: provider.env,
        prefix: provider.prefix,
    };
    catalogue::PROVIDERS.iter().map(known).collect()
}

/// Opens the store of the configured home.
pub(crate) fn store(config: &Config, redactor: Arc<Redactor>) -> anyhow::Result<Store> {
    Ok(Store::open(codewhale_store::Options {
        merge_deltas: config.store.merge_deltas.value,
        ..store_options(&config.home.value, redactor)
    })?)
}

/// Opens the store of a home, to look into it.
pub(crate) fn store_at(home: &Path) -> anyhow::Result<Store> {
    // Nothing is written, so that there is nothing to mask.
    let options = store_options(home, Arc::new(Redactor::new([])));
    Ok(Store::open(options)?)
}

fn store_options(home: &Path, redactor: Arc<Redactor>) -> codewhale_store::Options {
    let env = Env::real();
    codewhale_store::Options {
        place: Place::Home(home.to_owned()),
        writing: Writing::Threaded,
        merge_deltas: true,
        redactor,
        owner: OwnerRow {
            id: OwnerId::new(env.uuid()),
            pid: std::process::id(),
            started_at: env.now(),
        },
    }
}

/// Starts the runtime on a store.
pub(crate) async fn runtime(
    store: Store,
    config: &Config,
    environment: &Environment,
    workspace: &Path,
    mcp: Option<McpSettings>,
    settings: Option<Arc<dyn Settings>>,
    workers: u8,
) -> anyhow::Result<Runtime> {
    let workspace = workspace
        .canonicalize()
        .with_context(|| format!("cannot work in {}", workspace.display()))?
        .into_os_string()
        .into_string()
        .map_err(|path| anyhow::anyhow!("the path {} is not text", path.display()))?;
    let preferences = preferences(config);
    let options = Options {
        env: Env::real(),
        workspace,
        routes: preferences.routes,
        prices: prices(config),
        effort: preferences.effort,
        tools: tools(config),
        child_environment: config.child_environment(environment).into(),
        allow_shell: preferences.allow_shell,
        retry: preferences.retry,
        mcp,
        settings,
        old_sessions: old_sessions(config),
        library: Some(library(config, environment)),
        hooks: hooks::settings(config, environment)?,
        walls: walls(config, environment),
        rules: rules(config)?,
        results: Some(config.home.value.join("tool_outputs")),
        snapshots: Some(snapshots(config, environment)),
        approval_timeout: config.approvals.timeout.value,
        agents: AgentSettings {
            depth_max: config.subagents.max_depth.value,
            live_max: config.subagents.max_concurrent.value,
            admitted_max: config.subagents.max_admitted.value,
            token_budget: config.subagents.token_budget.as_ref().map(|it| it.value),
            export: true,
        },
        fleet: Some(fleet(config, environment)?),
        workers: usize::from(workers),
        time_zone: LazyLock::new(TimeZone::system),
        goals: GoalSettings {
            continuations_max: config.goal.max_continuations.value,
            continuation_delay: config.goal.continuation_delay.value,
        },
        version: VERSION.to_owned(),
    };
    Ok(Runtime::start(store, options).await?)
}

/// Where other programs keep their sessions: in the home, and in the one before it.
fn old_sessions(config: &Config) -> Vec<PathBuf> {
    let homes = [Some(&config.home.value), config.legacy_home.as_ref()];
    let homes = homes.into_iter().flatten();
    homes.map(|home| home.join("sessions")).collect()
}

/// What may change while the program runs.
pub(crate) fn preferences(config: &Config) -> Preferences {
    Preferences {
        routes: routes(config),
        effort: effort(config),
        allow_shell: config.allow_shell.value,
        retry: retry(config),
    }
}

/// Workers of fleets are this program, with the home and the keys that were configured for it.
fn fleet(config: &Config, environment: &Environment) -> anyhow::Result<FleetSettings> {
    let program = std::env::current_exe().context("this program cannot find itself")?;
    let program = FleetProgram {
        program,
        environment: config
            .worker_environment(environment, &known_providers())
            .into(),
    };
    Ok(FleetSettings {
        workers: Arc::new(program),
        directory: Some(config.home.value.join("fleet")),
    })
}

/// What holds commands on this system.
pub(crate) fn sandbox_kind() -> Option<&'static str> {
    let support = codewhale_sandbox::probe();
    support.is_available().then(|| support.kind())
}

/// The directories of the plugins that the user installed, in order.
pub(crate) fn plugins(config: &Config) -> Vec<PathBuf> {
    let found = std::fs::read_dir(config.home.value.join("plugins"));
    let found = found.into_iter().flatten().flatten();
    let mut plugins: Vec<_> = found.map(|it| it.path()).collect();
    plugins.sort();
    plugins
}

/// The built-in tools and those the user added, alone or with a plugin.
fn tools(config: &Config) -> Registry {
    let home = &config.home.value;
    let plugins = plugins(config).into_iter().map(|it| it.join("tools"));
    let mut registry = Registry::builtin();
    if !config.memory.value {
        registry = registry.without(&["remember", "memory_search", "memory_get"]);
    }
    for directory in std::iter::once(home.join("tools")).chain(plugins) {
        let (tools, problems) = user_tools::load(&directory);
        for problem in problems {
            eprintln!("warning: {problem}");
        }
        let (more, taken) = registry.with(tools);
        registry = more;
        for name in taken {
            let directory = directory.display();
            eprintln!("warning: the tool {name} in {directory} has the name of another; left out");
        }
    }
    registry
}

fn library(config: &Config, environment: &Environment) -> LibrarySettings {
    LibrarySettings {
        home: config.home.value.clone(),
        person: environment.get("HOME").map(PathBuf::from),
        skills: config
            .skills_dir
            .as_ref()
            .map(|it| PathBuf::from(&it.value)),
        memory: config.memory.value,
    }
}

/// Capabilities that the configuration has turned off, as clients know them.
pub(crate) fn turned_off(config: &Config) -> Vec<&'static str> {
    let switches = [
        ("memory", config.memory.value),
        ("snapshots", config.snapshots.enabled.value),
    ];
    let off = switches.into_iter().filter(|(_, is_on)| !is_on);
    off.map(|(name, _)| name).collect()
}

fn snapshots(config: &Config, environment: &Environment) -> SnapshotSettings {
    let home = config.home.value.clone();
    let age_secs = config.snapshots.max_age_days.value * 24 * 60 * 60;
    let bytes = config.snapshots.max_workspace_gb.value * 1e9;
    let person = environment.get("HOME").map(PathBuf::from);
    SnapshotSettings {
        enabled: config.snapshots.enabled.value,
        sides: codewhale_snapshots::Settings {
            directory: home.join("snapshots"),
            no_projects: person.into_iter().chain([home]).collect(),
            environment: config.child_environment(environment),
            bounds: Bounds {
                age_max: Duration::from_secs(age_secs),
                workspace_bytes_max: bytes as u64,
                ..Bounds::default()
            },
        },
        before_step: SnapshotSettings::at_once(),
    }
}

/// Where people keep keys, below their home directory.
const KEYS: &[&str] = &[
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".docker/config.json",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".netrc",
    ".pypirc",
    ".ssh",
];

fn keys_of(environment: &Environment) -> Vec<PathBuf> {
    let home = environment.get("HOME").map(Path::new);
    let keys = |home: &Path| -> Vec<PathBuf> { KEYS.iter().map(|key| home.join(key)).collect() };
    home.map(keys).unwrap_or_default()
}

fn walls(config: &Config, environment: &Environment) -> WallSettings {
    let permissions = &config.permissions;
    let word = |setting: &Option<Setting<String>>| setting.as_ref().map(|it| it.value.clone());
    let widest = word(&permissions.sandbox_mode).map(|mode| match mode.as_str() {
        "read-only" => Confinement::ReadOnly,
        "workspace-write" => Confinement::WorkspaceWrite,
        _ => Confinement::FullAccess,
    });
    // `never` means that nobody is asked: what would need an answer is refused.
    let approval_policy = word(&permissions.approval_policy).and_then(|it| match it.as_str() {
        "untrusted" => Some(AskForApproval::UnlessTrusted),
        "on-failure" => Some(AskForApproval::OnFailure),
        "never" => Some(AskForApproval::Reject {
            sandbox_approval: true,
            rules: true,
            mcp_elicitations: true,
        }),
        _ => None,
    });
    WallSettings {
        widest,
        approval_policy,
        home: Some(config.home.value.clone()),
        hidden: keys_of(environment),
        can_confine: || sandbox_kind().is_some(),
    }
}

pub(crate) fn rules(config: &Config) -> anyhow::Result<RuleBook> {
    let permissions = &config.permissions;
    let default = permissions.network_default.as_ref();
    let network = NetworkPolicy {
        default: default.map_or(NetworkDefault::Prompt, |word| {
            NetworkDefault::read(&word.value)
        }),
        allow: permissions.network_allow.value.clone(),
        deny: permissions.network_deny.value.clone(),
    };
    Ok(RuleBook::open(permissions.rules_file.clone(), network)?)
}

/// What the words of the configuration mean; it has refused all others.
fn media_kinds(words: &[String]) -> Vec<MediaKind> {
    let kinds = [MediaKind::Image, MediaKind::Audio];
    let is_named = |kind: &MediaKind| words.iter().any(|word| word == kind.as_str());
    kinds.into_iter().filter(is_named).collect()
}

pub(crate) fn routes(config: &Config) -> Routes {
    let providers = config.providers.iter().map(|provider| ProviderConfig {
        base_url: provider.base_url.as_ref().map(|url| url.value.clone()),
        key: provider.key.as_ref().map(|key| key.value.clone()),
        model: provider.model.as_ref().map(|model| model.value.clone()),
        context_window: provider.context_window.as_ref().map(|window| window.value),
        input: provider.input.as_ref().map(|it| media_kinds(&it.value)),
        output_tokens_max: provider.max_output_tokens.as_ref().map(|it| it.value),
        wire: provider
            .wire
            .as_ref()
            .and_then(|wire| catalogue::Dialect::read(&wire.value)),
        headers: provider
            .http_headers
            .as_ref()
            .map(|headers| headers.value.0.clone())
            .unwrap_or_default(),
        fallbacks: provider.fallbacks.as_ref().map(|it| fallbacks(&it.value)),
        ..ProviderConfig::new(&provider.id, &provider.kind)
    });
    Routes::new(RoutesConfig {
        providers: providers.collect(),
        default_provider: config.default_provider.as_ref().map(|id| id.value.clone()),
        fallbacks: fallbacks(&config.fallbacks),
        default_model: config.model.as_ref().map(|model| model.value.clone()),
        timeouts: Timeouts {
            connect: limits::CONNECT,
            open: config.stream.open_timeout.value,
            idle: config.stream.idle_timeout.value,
        },
        allow_insecure_http: config.allow_insecure_http.value,
    })
}

fn fallbacks(declared: &[codewhale_config::Fallback]) -> Vec<Fallback> {
    let fallback = |it: &codewhale_config::Fallback| Fallback {
        provider: it.provider.clone(),
        model: it.model.clone(),
    };
    declared.iter().map(fallback).collect()
}

fn effort(config: &Config) -> Effort {
    let word = config.reasoning_effort.as_ref();
    let effort = word.and_then(|word| Effort::parse(&word.value).ok());
    effort.unwrap_or_default()
}

/// Prices of one's own, in the whole numbers that sums are made of.
fn prices(config: &Config) -> PriceBook {
    let own = config.pricing.iter().map(|price| {
        let input = Rates::of_dollars(price.input);
        let rates = Rates {
            input,
            cached: Rates::of_dollars(price.cached),
            output: Rates::of_dollars(price.output),
            write: input,
        };
        (price.model.clone(), rates)
    });
    PriceBook::new(own.collect())
}

fn retry(config: &Config) -> RetryPolicy {
    let retry = &config.retry;
    RetryPolicy {
        retries_max: if retry.enabled.value {
            retry.max_retries.value
        } else {
            0
        },
        initial: retry.initial_delay.value,
        longest: retry.max_delay.value.max(Duration::from_millis(1)),
        factor: retry.exponential_base.value,
    }
}
