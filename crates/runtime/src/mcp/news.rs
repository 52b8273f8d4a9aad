//! What those who watch a thread are told about its MCP servers: how each comes up, and once the sum.

use std::collections::BTreeMap;

use codewhale_mcp_client::{Health, Phase, Startup};
use codewhale_protocol::{
    McpStartupCompleteEvent, McpStartupFailure, McpStartupStatus, McpStartupUpdateEvent,
};
use serde_json::{Value, json};

/// What was told on a thread.
#[derive(Default)]
pub(crate) struct News {
    told: BTreeMap<String, McpStartupStatus>,
    is_summed_up: bool,
}

impl News {
    /// What is new. A server that is ready at the first look is told with the sum only.
    pub(crate) fn look(&mut self, servers: &[Health]) -> Vec<Startup> {
        let steps: Vec<_> = servers.iter().filter_map(step).collect();
        let mut news = Vec::new();
        for (server, status) in &steps {
            if self.is_news(server, status) {
                news.push(Startup::Update(McpStartupUpdateEvent {
                    server_name: server.clone(),
                    status: status.clone(),
                }));
            }
            if *status != McpStartupStatus::Starting || !self.told.contains_key(server) {
                self.told.insert(server.clone(), status.clone());
            }
        }
        let is_over =
            |(_, status): &(String, McpStartupStatus)| *status != McpStartupStatus::Starting;
        if !self.is_summed_up && !steps.is_empty() && steps.iter().all(is_over) {
            self.is_summed_up = true;
            news.push(Startup::Complete(sum(steps)));
        }
        news
    }

    fn is_news(&self, server: &str, status: &McpStartupStatus) -> bool {
        match (self.told.get(server), status) {
            (None, McpStartupStatus::Ready | McpStartupStatus::Cancelled) => false,
            (None, McpStartupStatus::Starting | McpStartupStatus::Failed { .. }) => true,
            // It is started again and again; how that ends is the news.
            (Some(_), McpStartupStatus::Starting) => false,
            (
                Some(told),
                McpStartupStatus::Ready
                | McpStartupStatus::Failed { .. }
                | McpStartupStatus::Cancelled,
            ) => told != status,
        }
    }
}

/// How far a server has come, in the words of the protocol; nothing for one that is off.
fn step(health: &Health) -> Option<(String, McpStartupStatus)> {
    let status = match health.phase {
        Phase::Disabled => return None,
        Phase::Starting => McpStartupStatus::Starting,
        Phase::Ready => McpStartupStatus::Ready,
        Phase::Stopped => McpStartupStatus::Cancelled,
        Phase::Slow | Phase::Disconnected | Phase::NeedsAuth | Phase::Failed => {
            McpStartupStatus::Failed {
                error: health.error.clone().unwrap_or_default(),
            }
        }
    };
    Some((health.server.clone(), status))
}

fn sum(steps: Vec<(String, McpStartupStatus)>) -> McpStartupCompleteEvent {
    let mut sum = McpStartupCompleteEvent {
        ready: Vec::new(),
        failed: Vec::new(),
        cancelled: Vec::new(),
    };
    for (server_name, status) in steps {
        match status {
            McpStartupStatus::Ready => sum.ready.push(server_name),
            McpStartupStatus::Failed { error } => {
                sum.failed.push(McpStartupFailure { server_name, error });
            }
            McpStartupStatus::Starting | McpStartupStatus::Cancelled => {
                sum.cancelled.push(server_name);
            }
        }
    }
    sum
}

/// A step as a line for people and as a value for programs.
pub(crate) fn told(startup: &Startup) -> (String, Value) {
    match startup {
        Startup::Update(update) => {
            let server = &update.server_name;
            let line = match &update.status {
                McpStartupStatus::Starting => format!("MCP server {server}: starting"),
                McpStartupStatus::Ready => format!("MCP server {server}: ready"),
                McpStartupStatus::Failed { error } => format!("MCP server {server}: {error}"),
                McpStartupStatus::Cancelled => format!("MCP server {server}: stopped"),
            };
            (line, json!({ "mcp_startup_update": update }))
        }
        Startup::Complete(sum) => {
            let failed: Vec<_> = sum.failed.iter().map(|it| it.server_name.clone()).collect();
            let parts = [("ready", &sum.ready), ("not ready", &failed)];
            let parts = parts.iter().filter(|(_, servers)| !servers.is_empty());
            let parts = parts.map(|(word, servers)| format!("{word}: {}", servers.join(", ")));
            let line = format!("MCP servers {}", parts.collect::<Vec<_>>().join("; "));
            (line, json!({ "mcp_startup_complete": sum }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health(server: &str, phase: Phase, error: &str) -> Health {
        Health {
            server: server.to_owned(),
            transport: "stdio",
            command: None,
            url: None,
            filter: codewhale_mcp_client::Filter::default(),
            enabled: true,
            required: false,
            phase,
            error: (!error.is_empty()).then(|| error.to_owned()),
            peer: None,
            restarts: 0,
            tools: 0,
            quarantined: 0,
            resources: 0,
            prompts: 0,
            timeouts_s: [0.0; 3],
        }
    }

    #[test]
    fn each_change_is_told_once_and_the_sum_when_nothing_is_on_its_way() {
        let mut news = News::default();
        let mut look = |a: (Phase, &str), b: (Phase, &str)| -> Vec<String> {
            let servers = [health("a", a.0, a.1), health("b", b.0, b.1)];
            news.look(&servers).iter().map(|it| told(it).0).collect()
        };
        let (starting, ready) = ((Phase::Starting, ""), (Phase::Ready, ""));
        let gone = (Phase::Disconnected, "gone");
        assert_eq!(look(ready, starting), ["MCP server b: starting"]);
        assert!(look(ready, starting).is_empty());
        assert_eq!(
            look(ready, gone),
            ["MCP server b: gone", "MCP servers ready: a; not ready: b"]
        );
        assert!(look(ready, starting).is_empty());
        assert!(look(ready, gone).is_empty());
        assert_eq!(look(ready, ready), ["MCP server b: ready"]);
    }

    #[test]
    fn servers_that_are_off_are_no_news() {
        let off = [health("a", Phase::Disabled, "")];
        assert!(News::default().look(&off).is_empty());
    }
}
