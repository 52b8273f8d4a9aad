//! Clients that others have built with the SDKs for Python and JavaScript, as processes.

use std::path::Path;

use codewhale_testkit::app::{Home, config_for};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::json;
use tokio::process::Command;

use super::{part, run};
use crate::scene::BINARY;

/// A model that writes a file, which wants a yes, and says so.
async fn scene() -> (ModelServer, Home) {
    let model = ModelServer::start().await;
    let home = Home::new();
    home.configure(&config_for(&model, ""));
    let input = json!({ "path": "a.txt", "content": "hello\n" });
    model.push(Reply::calls("c1", "write_file", &input.to_string()));
    model.push(Reply::says("It is written."));
    (model, home)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the tests run clients that others have written"
)]
async fn check(program: &Path, script: &str, more: &[&Path]) {
    let (_model, home) = scene().await;
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/editors");
    let mut command = Command::new(program);
    command
        .arg(scripts.join(script))
        .args(more)
        .arg(BINARY)
        .arg(home.workspace());
    command
        .env("CODEWHALE_HOME", home.path())
        .env("HOME", home.path());
    let said = run(&mut command).await;
    assert!(said.contains("It is written."), "{said}");
    assert!(said.contains("stopped: end_turn"), "{said}");
    assert_eq!(home.read("a.txt").as_deref(), Some("hello\n"));
}

#[tokio::test]
async fn the_python_sdk_drives_a_session() {
    check(&part("python/bin/python"), "client.py", &[]).await;
}

#[tokio::test]
async fn the_javascript_sdk_drives_a_session() {
    let sdk = part("npm/node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js");
    check(Path::new("node"), "client.mjs", &[&sdk]).await;
}
