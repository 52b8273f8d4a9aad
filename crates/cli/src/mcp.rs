//! `codewhale mcp`, and which MCP servers the user has.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Subcommand;
use codewhale_config::{Config, Environment};
use codewhale_mcp_client::{Origin, Phase, Place, Servers, Settings, add, init, remove};
use codewhale_policy::HostVerdict;
use codewhale_sandbox::Walls;
use serde_json::{Value, json};

use crate::args::Global;
use crate::compose;

#[derive(Subcommand)]
pub(crate) enum Mcp {
    /// Write presets for well-known servers, all of them disabled.
    Init,
    /// List the configured servers.
    List,
    /// Add a server: a program with its arguments, or an address.
    Add {
        /// Its name.
        name: String,
        /// The address of a server that runs elsewhere.
        #[arg(long, value_name = "URL", conflicts_with = "command")]
        url: Option<String>,
        /// The program and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Remove a server.
    Remove {
        /// Its name.
        name: String,
    },
    /// Start a server and tell what it offers.
    Test {
        /// Its name.
        name: String,
    },
}

pub(crate) fn run(global: &Global, command: Mcp) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &global.plain_flags(), &known)?;
    let file = file_of(&config);
    let text = text_of(&file)?;
    match command {
        Mcp::Init => put(&file, &init(&text)?)?,
        Mcp::Add { name, url, command } => {
            let entry = entry(url, command)?;
            put(&file, &add(&text, &name, entry)?)?;
        }
        Mcp::Remove { name } => put(&file, &remove(&text, &name)?)?,
        Mcp::List => list(&configured(&config, &environment)?),
        Mcp::Test { name } => {
            let mut settings = configured(&config, &environment)?;
            settings.servers.retain(|server, _| *server == name);
            let Some(server) = settings.servers.get_mut(&name) else {
                bail!(
                    "there is no MCP server named {name:?} in {}",
                    file.display()
                );
            };
            server.enabled = true;
            return test(settings, &config, &environment);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The servers that the user has configured, and those of their plugins. A plugin that is broken is
/// left out.
pub(crate) fn configured(config: &Config, environment: &Environment) -> anyhow::Result<Settings> {
    let mut servers = settings(&text_of(&file_of(config))?, environment)?;
    let variable = |name: &str| environment.get(name).map(str::to_owned);
    for plugin in compose::plugins(config) {
        let file = plugin.join("mcp.json");
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        match servers.clone().with_plugin(&plugin, &text, &variable) {
            Ok((with, warnings)) => {
                servers = with;
                warn(warnings);
            }
            Err(error) => warn(vec![format!("{}: {error}", file.display())]),
        }
    }
    Ok(servers)
}

fn warn(warnings: Vec<String>) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}

/// Ends them and removes what they left.
async fn stop(servers: Servers, config: &Config) {
    servers.stop().await;
    let _ = fs::remove_dir_all(pipes_of(config));
}

pub(crate) fn file_of(config: &Config) -> PathBuf {
    config.home.value.join("mcp.json")
}

fn pipes_of(config: &Config) -> PathBuf {
    let name = format!("pipes-{}", std::process::id());
    config.home.value.join("run").join(name)
}

fn text_of(file: &Path) -> anyhow::Result<String> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok("{}".to_owned()),
        Err(error) => Err(error).with_context(|| format!("could not read {}", file.display())),
    }
}

fn put(file: &Path, text: &str) -> anyhow::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(directory).and_then(|()| {
        let fresh = file.with_extension("json.new");
        fs::write(&fresh, text)?;
        fs::rename(&fresh, file)
    });
    written.with_context(|| format!("could not write {}", file.display()))?;
    println!("wrote {}", file.display());
    Ok(())
}

fn settings(text: &str, environment: &Environment) -> anyhow::Result<Settings> {
    let variable = |name: &str| environment.get(name).map(str::to_owned);
    let (settings, warnings) = Settings::read(text, Origin::User, &variable)?;
    warn(warnings);
    Ok(settings)
}

fn place(config: &Config, environment: &Environment, workspace: &Path) -> anyhow::Result<Place> {
    let rules = compose::rules(config)?;
    Ok(Place {
        workspace: workspace.to_owned(),
        environment: config.child_environment(environment).into(),
        walls: Walls::Open,
        pipes: pipes_of(config),
        is_shut: Arc::new(move |host| {
            let verdict = rules.law().network().judge(host);
            matches!(verdict, HostVerdict::Deny(_))
        }),
    })
}

fn entry(url: Option<String>, command: Vec<String>) -> anyhow::Result<Value> {
    match (url, command.split_first()) {
        (Some(url), _) => Ok(json!({ "url": url })),
        (None, Some((program, arguments))) => Ok(json!({ "command": program, "args": arguments })),
        (None, None) => bail!("give a program to start, or --url with an address"),
    }
}

fn list(settings: &Settings) {
    for (name, server) in &settings.servers {
        let state = if server.enabled {
            "enabled"
        } else {
            "disabled"
        };
        println!("{name:<24} {state}");
    }
}

fn test(
    settings: Settings,
    config: &Config,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let workspace = std::env::current_dir().context("the current directory cannot be read")?;
    let place = place(config, environment, &workspace)?;
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    tokio.block_on(async {
        let servers = Servers::start(settings, place, |_| {});
        servers.settled().await;
        let is_ready = servers
            .health()
            .iter()
            .all(|health| health.phase == Phase::Ready);
        for health in servers.health() {
            let problem = health
                .error
                .map(|error| format!(": {error}"))
                .unwrap_or_default();
            let (server, phase, tools) = (health.server, health.phase, health.tools);
            println!("{server}: {phase:?}, {tools} tools{problem}");
        }
        for tool in servers.tools() {
            println!("  {}", tool.spec().name);
        }
        stop(servers, config).await;
        Ok(match is_ready {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    })
}
