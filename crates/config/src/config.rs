//! The configuration as a whole, and how it is put together.

use std::path::{Path, PathBuf};
use std::time::Duration;

use codewhale_protocol::Secret;

use crate::check;
use crate::children;
use crate::env;
use crate::file::Document;
use crate::flags::{self, Flags, Given};
use crate::home::{self, Places};
use crate::hooks::{self, HookSettings};
use crate::layers::{self, Layers};
use crate::mcp_server::{self, McpServer};
use crate::pricing::{self, Pricing};
use crate::providers::{self, KnownProvider};
use crate::schema;
use crate::{Environment, Error, Fallback, KeyFile, Origin, ProviderSettings, Setting, Warning};

/// Everything the user has set, and the defaults for the rest.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The data directory. The only one that is written to.
    pub home: Setting<PathBuf>,
    /// Its predecessor, read when `home` lacks something; none when the user named a home.
    pub legacy_home: Option<PathBuf>,
    /// The configuration file that was read.
    pub file: Option<PathBuf>,
    /// The profile that was laid over it.
    pub profile: Option<Setting<String>>,
    /// All configured providers. None at all means: work offline.
    pub providers: Vec<ProviderSettings>,
    /// The provider to use when none is asked for: the chosen one, else the first of the list.
    /// Nothing when none is configured.
    pub default_provider: Option<Setting<String>>,
    /// The model of that provider. Already part of its [`ProviderSettings`].
    pub model: Option<Setting<String>>,
    /// Who may answer instead of providers that name nobody themselves.
    pub fallbacks: Vec<Fallback>,
    /// How hard models are asked to think; left to them when nobody says.
    pub reasoning_effort: Option<Setting<String>>,
    /// Prices of one's own.
    pub pricing: Vec<Pricing>,
    /// Whether threads get a shell when nobody says.
    pub allow_shell: Setting<bool>,
    /// Whether keys and conversations may travel unencrypted to other machines.
    pub allow_insecure_http: Setting<bool>,
    /// What is logged: a level, or directives by module.
    pub log_level: Option<Setting<String>>,
    /// The Runtime API.
    pub runtime_api: RuntimeApi,
    /// What happens after a failed model call.
    pub retry: Retry,
    /// How long to wait for models.
    pub stream: Stream,
    /// How the log is written.
    pub store: Store,
    /// Files as they were, for undo.
    pub snapshots: Snapshots,
    /// Questions to a person.
    pub approvals: Approvals,
    /// How far trees of agents may grow.
    pub subagents: Subagents,
    /// How goals are pursued.
    pub goal: GoalPursuit,
    /// What agents may do, apart from the settings of a thread.
    pub permissions: Permissions,
    /// Whether agents remember things for later threads.
    pub memory: Setting<bool>,
    /// One more directory of skills.
    pub skills_dir: Option<Setting<String>>,
    /// Logins at MCP servers.
    pub mcp_oauth: McpOauth,
    /// The MCP server that this program is to others.
    pub mcp_server: McpServer,
    /// What runs when something happens: the profile's, else the file's.
    pub hooks: Vec<HookSettings>,
    /// What to tell the user at the start.
    pub warnings: Vec<Warning>,
    secrets: Vec<Secret>,
}

/// How the Runtime API is protected.
#[derive(Clone, PartialEq, Debug)]
pub struct RuntimeApi {
    /// The token that requests must carry.
    pub auth_token: Option<Setting<Secret>>,
    /// Web pages that may call it, besides the built-in ones.
    pub cors_origins: Vec<Setting<String>>,
    /// Names under which it is reached, besides its own addresses.
    pub allowed_hosts: Setting<Vec<String>>,
}

/// What happens after a failed model call.
#[derive(Clone, PartialEq, Debug)]
pub struct Retry {
    /// Whether it is tried again.
    pub enabled: Setting<bool>,
    /// How often.
    pub max_retries: Setting<u32>,
    /// The wait before the first retry.
    pub initial_delay: Setting<Duration>,
    /// The longest wait.
    pub max_delay: Setting<Duration>,
    /// By what each wait is longer than the one before.
    pub exponential_base: Setting<f64>,
}

/// How long to wait for models.
#[derive(Clone, PartialEq, Debug)]
pub struct Stream {
    /// In the middle of an answer.
    pub idle_timeout: Setting<Duration>,
    /// For its beginning.
    pub open_timeout: Setting<Duration>,
}

/// How the log is written.
#[derive(Clone, PartialEq, Debug)]
pub struct Store {
    /// Whether deltas that pile up behind a commit become one event.
    pub merge_deltas: Setting<bool>,
}

/// Files as they were, for undo.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshots {
    /// Whether they are kept.
    pub enabled: Setting<bool>,
    /// For how many days.
    pub max_age_days: Setting<u64>,
    /// How much a workspace may hold, in gigabytes.
    pub max_workspace_gb: Setting<f64>,
}

/// Questions to a person.
#[derive(Clone, PartialEq, Debug)]
pub struct Approvals {
    /// How long they stay open.
    pub timeout: Setting<Duration>,
}

/// Where logins at MCP servers come back to.
#[derive(Clone, PartialEq, Debug)]
pub struct McpOauth {
    /// The port on this machine.
    pub callback_port: Option<Setting<u16>>,
    /// The address that leads to it, where it is not the port itself.
    pub callback_url: Option<Setting<String>>,
}

/// How far trees of agents may grow.
#[derive(Clone, PartialEq, Debug)]
pub struct Subagents {
    /// How many of a thread may be at work at once.
    pub max_concurrent: Setting<u64>,
    /// How many a thread may ever have.
    pub max_admitted: Setting<u64>,
    /// How far below it they may be.
    pub max_depth: Setting<u64>,
    /// How many tokens they may cost together.
    pub token_budget: Option<Setting<u64>>,
}

/// How goals are pursued.
#[derive(Clone, PartialEq, Debug)]
pub struct GoalPursuit {
    /// Turns that follow each other by themselves; 0 for as many as is wise.
    pub max_continuations: Setting<u64>,
    /// How long each waits.
    pub continuation_delay: Setting<Duration>,
}

/// What agents may do, apart from the settings of a thread.
#[derive(Clone, PartialEq, Debug)]
pub struct Permissions {
    /// The widest walls that commands get.
    pub sandbox_mode: Option<Setting<String>>,
    /// When a person is asked.
    pub approval_policy: Option<Setting<String>>,
    /// What becomes of hosts that no list names. A word that means nothing means: ask.
    pub network_default: Option<Setting<String>>,
    /// Hosts that are spoken to without asking.
    pub network_allow: Setting<Vec<String>>,
    /// Hosts that are never spoken to.
    pub network_deny: Setting<Vec<String>>,
    /// The file of typed rules, beside the configuration file. It need not exist.
    pub rules_file: PathBuf,
}

impl Config {
    /// Puts the configuration together. Reads at most one file and the keys, and writes nothing.
    pub fn load(
        environment: &Environment,
        flags: &Flags,
        known: &[KnownProvider],
    ) -> Result<Config, Error> {
        let places = home::places(environment)?;
        let document = home::document(environment, flags, &places)?;
        Self::of_document(environment, flags, known, places, document)
    }

    /// The same for a file that has been read.
    pub(crate) fn of_document(
        environment: &Environment,
        flags: &Flags,
        known: &[KnownProvider],
        places: Places,
        document: Option<Document>,
    ) -> Result<Config, Error> {
        let findings = document.as_ref().map(check::check).transpose()?;
        let findings = findings.unwrap_or_default();
        let profile = layers::profile(environment, flags);
        let layers = Layers::new(
            environment,
            document.as_ref(),
            profile.as_ref(),
            &KeyFile::of(&places.home.value),
        )?;
        let providers = providers::resolve(&layers, flags, known)?;
        let runtime_api = runtime_api(&layers, flags)?;

        let mut warnings = findings.warnings;
        warnings.extend(deprecated(&runtime_api));
        warnings.extend(providers.warnings);
        Ok(Config {
            model: layers.find(&schema::MODEL, flags.model())?,
            reasoning_effort: layers.find(&schema::REASONING_EFFORT, Given::NOTHING)?,
            pricing: pricing::read(&layers)?,
            fallbacks: providers.fallbacks,
            allow_shell: layers.get(&schema::ALLOW_SHELL)?,
            allow_insecure_http: layers.get(&schema::ALLOW_INSECURE_HTTP)?,
            log_level: layers.find(&schema::LOG_LEVEL, flags.log_level())?,
            retry: retry(&layers)?,
            stream: Stream {
                idle_timeout: layers.get(&schema::STREAM_IDLE)?,
                open_timeout: layers.get(&schema::STREAM_OPEN)?,
            },
            store: Store {
                merge_deltas: layers.get(&schema::MERGE_DELTAS)?,
            },
            snapshots: Snapshots {
                enabled: layers.get(&schema::SNAPSHOTS_ENABLED)?,
                max_age_days: layers.get(&schema::SNAPSHOTS_MAX_AGE_DAYS)?,
                max_workspace_gb: layers.get(&schema::SNAPSHOTS_MAX_WORKSPACE_GB)?,
            },
            approvals: Approvals {
                timeout: layers.get(&schema::APPROVALS_TIMEOUT)?,
            },
            subagents: Subagents {
                max_concurrent: layers.get(&schema::SUBAGENTS_MAX)?,
                max_admitted: layers.get(&schema::SUBAGENTS_ADMITTED)?,
                max_depth: layers.get(&schema::SUBAGENTS_DEPTH)?,
                token_budget: layers.find(&schema::SUBAGENTS_BUDGET, Given::NOTHING)?,
            },
            goal: GoalPursuit {
                max_continuations: layers.get(&schema::GOAL_CONTINUATIONS)?,
                continuation_delay: layers.get(&schema::GOAL_DELAY)?,
            },
            hooks: hooks(&layers, document.as_ref())?,
            memory: layers.get(&schema::MEMORY)?,
            skills_dir: layers.find(&schema::SKILLS_DIR, Given::NOTHING)?,
            mcp_oauth: McpOauth {
                callback_port: layers.find(&schema::MCP_OAUTH_CALLBACK_PORT, Given::NOTHING)?,
                callback_url: layers.find(&schema::MCP_OAUTH_CALLBACK_URL, Given::NOTHING)?,
            },
            mcp_server: mcp_server::read(&layers, &places)?,
            permissions: Permissions {
                sandbox_mode: layers.find(&schema::SANDBOX_MODE, Given::NOTHING)?,
                approval_policy: layers.find(&schema::APPROVAL_POLICY, Given::NOTHING)?,
                network_default: layers.find(&schema::NETWORK_DEFAULT, Given::NOTHING)?,
                network_allow: layers.get(&schema::NETWORK_ALLOW)?,
                network_deny: layers.get(&schema::NETWORK_DENY)?,
                rules_file: rules_file(
                    document.as_ref().map(|it| it.path.as_path()),
                    &places.home.value,
                ),
            },
            secrets: children::secrets(findings.secrets, &layers, flags, known),
            home: places.home,
            legacy_home: places.legacy_home,
            file: document.as_ref().map(|document| document.path.clone()),
            profile,
            providers: providers.list,
            default_provider: providers.default,
            runtime_api,
            warnings,
        })
    }

    /// The configuration file: the one that was read, or where it would be.
    pub fn path(&self) -> PathBuf {
        let usual = || home::config_file(&self.home.value);
        self.file.clone().unwrap_or_else(usual)
    }

    /// Every secret that was seen, used or not, for the redactor.
    pub fn secrets(&self) -> &[Secret] {
        &self.secrets
    }
}

fn hooks(layers: &Layers<'_>, document: Option<&Document>) -> Result<Vec<HookSettings>, Error> {
    let node = layers
        .files
        .iter()
        .find_map(|layer| layer.node(hooks::HOOKS));
    let (Some(node), Some(document)) = (node, document) else {
        return Ok(Vec::new());
    };
    let read = hooks::read(&document.path, hooks::HOOKS, node)?;
    hooks::at_home(read.hooks, layers.environment)
}

fn retry(layers: &Layers<'_>) -> Result<Retry, Error> {
    Ok(Retry {
        enabled: layers.get(&schema::RETRY_ENABLED)?,
        max_retries: layers.get(&schema::RETRY_MAX)?,
        initial_delay: layers.get(&schema::RETRY_INITIAL_DELAY)?,
        max_delay: layers.get(&schema::RETRY_MAX_DELAY)?,
        exponential_base: layers.get(&schema::RETRY_BASE)?,
    })
}

fn runtime_api(layers: &Layers<'_>, flags: &Flags) -> Result<RuntimeApi, Error> {
    Ok(RuntimeApi {
        auth_token: layers.find(&schema::AUTH_TOKEN, flags.auth_token())?,
        cors_origins: cors_origins(layers, flags)?,
        allowed_hosts: layers.get(&schema::ALLOWED_HOSTS)?,
    })
}

/// Unlike other keys, each source adds to the ones before. Each origin is listed once.
fn cors_origins(layers: &Layers<'_>, flags: &Flags) -> Result<Vec<Setting<String>>, Error> {
    let key = &schema::CORS_ORIGINS;
    let mut sources: Vec<_> = layers.by_files(key).into_iter().collect();
    sources.extend(layers.by_variables(key, key.variables)?);
    for origin in &flags.cors_origins {
        let given = Given::new(flags::CORS_ORIGIN, Some(origin));
        sources.extend(layers::by_option(key, given)?);
    }
    let mut origins: Vec<Setting<String>> = Vec::new();
    for source in sources {
        for value in source.value {
            if !origins.iter().any(|seen| seen.value == value) {
                origins.push(Setting::new(value, source.origin.clone()));
            }
        }
    }
    Ok(origins)
}

/// A token that came by an old name still works, but the name will go.
fn deprecated(runtime_api: &RuntimeApi) -> Option<Warning> {
    let Origin::Env(used) = &runtime_api.auth_token.as_ref()?.origin else {
        return None;
    };
    let (variable, instead) = env::DEPRECATED.iter().find(|(old, _)| old == used)?;
    Some(Warning::DeprecatedVariable { variable, instead })
}
/// The typed rules stand beside the configuration file, or where it would be.
fn rules_file(file: Option<&Path>, home: &Path) -> PathBuf {
    let directory = file.and_then(Path::parent).unwrap_or(home);
    directory.join("permissions.toml")
}
