//! Editors: the real program spoken to over Agent Client Protocol, by a client of our own and by those
//! that others have written. Every message is held against the published schema.

mod acpx;
mod asking;
mod bad_input;
mod crashes;
mod ending;
mod foreign;
mod lending;
mod options;
mod pictures;
mod registry;
mod sessions;
mod terminals;
mod turns;

use std::path::{Path, PathBuf};

use codewhale_testkit::app::{Editor, Home, config_for, within};
use codewhale_testkit::model_server::ModelServer;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scene::program;

/// A home with a scripted model, and an editor that has opened the program in its workspace.
struct Desk {
    editor: Editor,
    model: ModelServer,
    home: Home,
}

impl Desk {
    async fn new() -> Self {
        Self::of_client(json!({})).await
    }

    /// With an editor that can do this.
    async fn of_client(capabilities: Value) -> Self {
        let model = ModelServer::start().await;
        let home = Home::new();
        let config = config_for(&model, "");
        // So that how full it is can be told.
        let window = "model = \"scripted\"\ncontext_window = 100000";
        home.configure(&config.replace("model = \"scripted\"", window));
        let editor = opened(&home, capabilities).await;
        Self {
            editor,
            model,
            home,
        }
    }

    fn workspace(&self) -> String {
        self.home.workspace().to_str().unwrap().to_owned()
    }

    /// A new session in the workspace.
    async fn session(&mut self) -> String {
        let params = json!({ "cwd": self.workspace(), "mcpServers": [] });
        let made = self.editor.ask("session/new", params).await;
        made["sessionId"].as_str().unwrap().to_owned()
    }

    /// Sends a prompt, and gives the id of the request.
    async fn prompt(&mut self, session: &str, text: &str) -> Value {
        self.editor
            .begin("session/prompt", prompt(session, text))
            .await
    }
}

/// An editor that has opened the program.
async fn opened(home: &Home, capabilities: Value) -> Editor {
    let mut editor = program(home).edit();
    let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
    let opened = editor.ask("initialize", params).await;
    assert_eq!(opened["protocolVersion"], 1);
    editor
}

fn prompt(session: &str, text: &str) -> Value {
    json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] })
}

/// A newer node than Debian's, which some clients want.
pub(crate) fn newer_node() -> PathBuf {
    let arch = match cfg!(target_arch = "aarch64") {
        true => "arm64",
        false => "x64",
    };
    part(&format!("npm/node_modules/node-linux-{arch}/bin/node"))
}

/// A file of the parts that `cargo xtask test` installs.
pub(crate) fn part(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(".xtask").join(path);
    assert!(
        path.exists(),
        "{} is missing: run `cargo xtask test`",
        path.display()
    );
    path
}

/// Runs a program of others to its good end; gives what it said.
async fn run(command: &mut Command) -> String {
    run_to(0, command).await
}

/// Runs a program of others to an end with this code; gives what it said.
async fn run_to(code: i32, command: &mut Command) -> String {
    command.kill_on_drop(true);
    let output = within("a program of others to end", command.output())
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}\n{complaints}");
    said
}
