//! Servers for the tests, and what is needed to watch them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codewhale_mcp_client::{Health, Origin, Phase, Place, Servers, Settings, Startup, Vault};
use codewhale_sandbox::Walls;
use codewhale_tools::{Context, Output, Tool};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Longer than any server here needs; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Lab {
    pub(crate) directory: TempDir,
    pub(crate) servers: Servers,
    pub(crate) heard: Arc<Mutex<Vec<Startup>>>,
}

impl Lab {
    /// Starts these servers in a directory of their own.
    pub(crate) fn new(servers: Value) -> Self {
        Self::in_directory(TempDir::new().unwrap(), servers)
    }

    pub(crate) fn in_directory(directory: TempDir, servers: Value) -> Self {
        let text = json!({"servers": servers}).to_string();
        let (settings, warnings) = Settings::read(&text, Origin::User, &|_| None).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        Self::with(directory, settings, Walls::Open, std::env::temp_dir())
    }

    /// Starts these servers for somebody who may be logged in.
    pub(crate) fn logged_in(settings: Settings, vault: Arc<dyn Vault>) -> Self {
        let (directory, pipes) = (TempDir::new().unwrap(), std::env::temp_dir());
        Self::start(directory, settings, Walls::Open, pipes, Some(vault))
    }

    pub(crate) fn with(
        directory: TempDir,
        settings: Settings,
        walls: Walls,
        pipes: PathBuf,
    ) -> Self {
        Self::start(directory, settings, walls, pipes, None)
    }

    fn start(
        directory: TempDir,
        settings: Settings,
        walls: Walls,
        pipes: PathBuf,
        vault: Option<Arc<dyn Vault>>,
    ) -> Self {
        let place = Place {
            workspace: directory.path().to_owned(),
            environment: environment(),
            walls,
            pipes,
            is_shut: Arc::new(|host| host == "shut.example.org"),
            vault,
        };
        let heard = Arc::new(Mutex::new(Vec::new()));
        let to = heard.clone();
        let servers = Servers::start(settings, place, move |step| to.lock().unwrap().push(step));
        Self {
            directory,
            servers,
            heard,
        }
    }

    /// Waits until a server is as it should be.
    pub(crate) async fn wait(&self, server: &str, is: impl Fn(&Health) -> bool) -> Health {
        let mut changes = self.servers.changes();
        let reached = async {
            loop {
                let health = self.health(server);
                if is(&health) {
                    return health;
                }
                changes.changed().await.unwrap();
            }
        };
        let reached = tokio::time::timeout(PATIENCE, reached).await;
        reached.unwrap_or_else(|_| panic!("it never came to that: {:?}", self.health(server)))
    }

    pub(crate) async fn ready(&self, server: &str) -> Health {
        self.wait(server, |health| health.phase == Phase::Ready)
            .await
    }

    pub(crate) fn health(&self, server: &str) -> Health {
        let mut all = self.servers.health().into_iter();
        all.find(|health| health.server == server).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let tools = self.servers.tools();
        tools
            .iter()
            .map(|tool| tool.spec().name.to_string())
            .collect()
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let mut tools = self.servers.tools().into_iter();
        let found = tools.find(|tool| tool.spec().name == name);
        found.unwrap_or_else(|| panic!("no {name} among {:?}", self.names()))
    }

    pub(crate) fn context(&self) -> Context {
        let cancel = CancellationToken::new();
        Context::new(self.directory.path(), environment(), cancel)
    }

    pub(crate) async fn call(&self, name: &str, input: Value) -> Output {
        self.call_in(name, input, self.context()).await
    }

    pub(crate) async fn call_in(&self, name: &str, input: Value, context: Context) -> Output {
        let prepared = self.tool(name).prepare(input, &context).await.unwrap();
        prepared.run(context).await
    }
}

pub(crate) fn environment() -> Arc<[(String, String)]> {
    [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/tmp")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

/// A program that `cargo xtask setup` installs.
pub(crate) fn installed(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.xtask");
    let program = root.join(path);
    assert!(
        program.exists(),
        "{path} is not installed; run `cargo xtask setup`"
    );
    program
}

/// A server from npm by its name.
pub(crate) fn npm(server: &str) -> PathBuf {
    installed(&format!(
        "npm/node_modules/@modelcontextprotocol/{server}/dist/index.js"
    ))
}

/// A server of our own: its body decides what it does with a request `m`, and answers with
/// `say(id, result)`.
pub(crate) fn script(body: &str) -> Value {
    let program = format!(
        r#"
import json, os, sys, time
def say(id, result):
    print(json.dumps({{"jsonrpc": "2.0", "id": id, "result": result}}), flush=True)
def tool(name, schema={{"type": "object"}}, **more):
    return dict(name=name, description="d", inputSchema=schema, **more)
def hello(m, tools):
    if m["method"] == "initialize":
        say(m["id"], {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}},
            "serverInfo": {{"name": "own", "version": "1"}}}})
    elif m["method"] == "tools/list":
        say(m["id"], {{"tools": tools}})
def text(m, words):
    say(m["id"], {{"content": [{{"type": "text", "text": words}}]}})
for line in sys.stdin:
    m = json.loads(line)
{body}
"#
    );
    json!({"command": "/usr/bin/python3", "args": ["-c", program]})
}
