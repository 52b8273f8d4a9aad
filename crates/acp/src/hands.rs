//! What an editor lends to the threads of its sessions: files with unsaved text, and MCP servers.

use std::path::Path;
use std::sync::Arc;

use codewhale_protocol::lent::{Buffers, Lent, LentServers};
use codewhale_protocol::service::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::error::RpcError;
use crate::limits::FILE_WAIT;
use crate::peer::Unanswered;
use crate::session::{Link, Session};
use crate::wire::{McpServer, Pair};

/// The files of a session, as its editor has them.
struct Files {
    link: Arc<Link>,
    session: String,
}

#[derive(Deserialize)]
struct Content {
    content: String,
}

impl Files {
    async fn ask<A: serde::de::DeserializeOwned>(
        &self,
        method: &str,
        params: Value,
    ) -> Result<A, String> {
        let gone = &self.link.gone;
        let asked = self.link.peer.ask(method, params, gone);
        match timeout(FILE_WAIT, asked).await {
            Ok(answer) => answer.map_err(|error: Unanswered| error.to_string()),
            Err(_) => Err(format!(
                "it did not answer within {} seconds",
                FILE_WAIT.as_secs()
            )),
        }
    }
}

impl Buffers for Files {
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let params = json!({ "sessionId": self.session, "path": path });
            let answer = self.ask::<Content>("fs/read_text_file", params).await;
            // It does not have every file; the disk has the others.
            answer.ok().map(|answer| answer.content)
        })
    }

    fn write<'a>(&'a self, path: &'a Path, text: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let params = json!({ "sessionId": self.session, "path": path, "content": text });
            let written: Result<Value, String> = self.ask("fs/write_text_file", params).await;
            written.map(drop)
        })
    }
}

/// What the editor lends to a session.
pub(crate) fn lent(
    link: &Arc<Link>,
    session: &str,
    servers: &[McpServer],
) -> Result<Lent, RpcError> {
    let buffers = link.can().lends_files().then(|| {
        let session = session.to_owned();
        let link = Arc::clone(link);
        Arc::new(Files { link, session }) as Arc<dyn Buffers>
    });
    let servers = match servers {
        [] => None,
        servers => Some(LentServers(document(servers)?)),
    };
    Ok(Lent {
        buffers,
        servers,
        watcher: None,
    })
}

impl Session {
    /// Hands what the editor lends to the thread of the session.
    pub(crate) async fn lend(&self) -> Result<(), RpcError> {
        let Some(lender) = &self.link.options.lender else {
            return Ok(());
        };
        let problems = lender.lend(&self.thread(), self.lent.clone()).await?;
        for problem in problems {
            tracing::warn!(problem, "an MCP server of the editor is left out");
        }
        Ok(())
    }

    /// Takes it back.
    pub(crate) async fn take_back(&self) {
        if let Some(lender) = &self.link.options.lender {
            lender.take_back(&self.thread()).await;
        }
    }
}

/// The servers in the form of `mcp.json`.
fn document(servers: &[McpServer]) -> Result<String, RpcError> {
    let mut entries = Map::new();
    for server in servers {
        let (name, entry) = (&server.name, entry(server)?);
        if entries.insert(name.clone(), entry).is_some() {
            let message = format!("two MCP servers are called {name:?}");
            return Err(RpcError::invalid_params(message));
        }
    }
    Ok(json!({ "mcpServers": entries }).to_string())
}

fn entry(server: &McpServer) -> Result<Value, RpcError> {
    let name = &server.name;
    let lacks = |what: &str| {
        let message = format!("the MCP server {name:?} has no `{what}`");
        RpcError::invalid_params(message)
    };
    match server.wire.as_deref() {
        None | Some("stdio") => {
            let command = server.command.as_ref().ok_or_else(|| lacks("command"))?;
            Ok(json!({ "command": command, "args": server.args, "env": object(&server.env) }))
        }
        Some(wire @ ("http" | "sse")) => {
            let url = server.url.as_ref().ok_or_else(|| lacks("url"))?;
            let mut entry = json!({ "url": url, "headers": object(&server.headers) });
            // The other one is what is tried first.
            if wire == "sse" {
                entry["transport"] = json!(wire);
            }
            Ok(entry)
        }
        Some(other) => {
            let message =
                format!("the MCP server {name:?} is of type {other:?}: use stdio, http or sse");
            Err(RpcError::invalid_params(message))
        }
    }
}

fn object(pairs: &[Pair]) -> Map<String, Value> {
    let pairs = pairs.iter();
    pairs.map(|it| (it.name.clone(), json!(it.value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(servers: Value, expected: Result<Value, i64>) {
        let servers: Vec<McpServer> = serde_json::from_value(servers).unwrap();
        let written = document(&servers).map_err(|error| error.code);
        let written = written.map(|text| serde_json::from_str::<Value>(&text).unwrap());
        assert_eq!(written, expected);
    }

    #[test]
    fn servers_of_the_editor_are_written_as_those_of_the_user() {
        let stdio = json!({
            "name": "a", "command": "/bin/a", "args": ["-x"],
            "env": [{ "name": "KEY", "value": "v" }],
        });
        let http = json!({
            "type": "http", "name": "b", "url": "https://example.com/mcp",
            "headers": [{ "name": "X", "value": "y" }],
        });
        let expected = json!({ "mcpServers": {
            "a": { "command": "/bin/a", "args": ["-x"], "env": { "KEY": "v" } },
            "b": { "url": "https://example.com/mcp", "headers": { "X": "y" } },
        }});
        check(json!([stdio, http]), Ok(expected));
    }

    #[test]
    fn servers_that_cannot_be_reached_are_refused() {
        check(json!([{ "name": "a" }]), Err(-32602));
        check(json!([{ "type": "acp", "name": "a" }]), Err(-32602));
        let twice = json!({ "name": "a", "command": "/bin/a" });
        check(json!([twice, twice]), Err(-32602));
    }
}
