//! `codewhale mcp connect`, `tools` and `validate`: servers that are started to see what they do.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use codewhale_config::{Config, Environment};
use codewhale_mcp_client::{Health, IsShut, ListedTool, Phase, Place, Servers, Settings, Vault};
use codewhale_policy::HostVerdict;
use codewhale_sandbox::Walls;

use crate::compose;

/// What is shown of a description: one line of a terminal.
const DESCRIPTION_CHARS_MAX: usize = 80;

/// Servers that were started for a look.
pub(super) struct Tried {
    servers: Servers,
    pipes: PathBuf,
}

/// The servers to try: all that are on, or one, even if it is off.
pub(super) fn chosen(mut settings: Settings, name: Option<&str>) -> anyhow::Result<Settings> {
    let Some(name) = name else {
        settings.servers.retain(|_, server| server.enabled);
        return Ok(settings);
    };
    settings.servers.retain(|server, _| server == name);
    match settings.servers.get_mut(name) {
        Some(server) => server.enabled = true,
        None => bail!(
            "there is no MCP server named {name:?}; `codewhale mcp list` shows those there are"
        ),
    }
    Ok(settings)
}

impl Tried {
    /// Starts them and waits until each was heard of.
    pub(super) async fn start(
        settings: Settings,
        config: &Config,
        environment: &Environment,
        vault: Arc<dyn Vault>,
    ) -> anyhow::Result<Self> {
        let workspace = std::env::current_dir().context("the current directory cannot be read")?;
        let name = format!("pipes-{}", std::process::id());
        let pipes = config.home.value.join("run").join(name);
        let place = Place {
            workspace,
            environment: config.child_environment(environment).into(),
            walls: Walls::Open,
            pipes: pipes.clone(),
            is_shut: is_shut(config)?,
            vault: Some(vault),
        };
        let servers = Servers::start(settings, place, |_| {});
        servers.settled().await;
        Ok(Self { servers, pipes })
    }

    /// Tells how each came up.
    pub(super) fn tell(&self) {
        let all = self.servers.health();
        if all.is_empty() {
            println!("no MCP server is enabled");
        }
        for health in all {
            println!("{}", line(&health));
        }
    }

    pub(super) fn tell_tools(&self) {
        for tool in self.servers.listed() {
            println!("  {}", tool_line(&tool));
        }
    }

    /// A failure when one did not come up that counts.
    pub(super) fn code(&self, counts: impl Fn(&Health) -> bool) -> ExitCode {
        let all = self.servers.health();
        let mut failed = all.iter().filter(|it| it.phase != Phase::Ready);
        match failed.any(counts) {
            true => ExitCode::FAILURE,
            false => ExitCode::SUCCESS,
        }
    }

    /// Ends them and removes what they left.
    pub(super) async fn stop(self) {
        self.servers.stop().await;
        let _ = fs::remove_dir_all(self.pipes);
    }
}

/// Whether the network policy of the user shuts a host.
pub(super) fn is_shut(config: &Config) -> anyhow::Result<IsShut> {
    let rules = compose::rules(config)?;
    Ok(Arc::new(move |host: &str| {
        let verdict = rules.law().network().judge(host);
        matches!(verdict, HostVerdict::Deny(_))
    }))
}

fn line(health: &Health) -> String {
    let problem = health.error.as_ref();
    let problem = problem.map(|error| format!(": {error}"));
    let (server, phase, tools) = (&health.server, health.phase.as_str(), health.tools);
    format!(
        "{server}: {phase}, {tools} tools{}",
        problem.unwrap_or_default()
    )
}

fn tool_line(tool: &ListedTool) -> String {
    let description = tool.description.as_deref().unwrap_or_default();
    let first = description.lines().next().unwrap_or_default();
    let short: String = first.chars().take(DESCRIPTION_CHARS_MAX).collect();
    format!("{}  {}", tool.shown, short.trim())
        .trim_end()
        .to_owned()
}
