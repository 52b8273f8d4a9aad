//! Tools of an MCP server, from its configuration to its result.

use std::path::{Path, PathBuf};

use codewhale_testkit::app::{Home, within};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::json;

use super::Task;
use crate::scene::{Scene, program};

/// The reference server, as `cargo xtask setup` installs it.
fn server() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path =
        root.join(".xtask/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let path = path.canonicalize();
    path.expect("the MCP server is not installed; run: cargo xtask setup")
}

#[tokio::test]
async fn a_server_is_added_tried_offered_and_used() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let server = server();
    let add = [
        "mcp",
        "add",
        "every",
        "--",
        "node",
        server.to_str().unwrap(),
    ];
    let added = program(&home).arguments(add).run().await;
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let tried = program(&home)
        .arguments(["mcp", "test", "every"])
        .run()
        .await;
    assert_eq!(tried.code, Some(0), "{}{}", tried.stdout, tried.stderr);
    assert!(tried.stdout.contains("mcp_every_echo"), "{}", tried.stdout);

    let app = program(&home).serve().await;
    let scene = Scene { app, model, home };
    let (thread, events) = scene.thread(json!({})).await;
    let mut task = Task {
        scene,
        thread,
        events,
        asked: Vec::new(),
    };
    // The server comes up in the background; turns go on meanwhile.
    let offered = async {
        loop {
            task.scene.model.push(Reply::says("Not yet."));
            task.run("what can you do?", "deny").await;
            let request = task.scene.model.last_request();
            if request.tool_names().contains(&"mcp_every_echo") {
                break;
            }
        }
    };
    within("the tools of the server", offered).await;
    task.script(
        [("mcp_every_echo", json!({ "message": "ahoy" }))],
        "Echoed.",
    );
    let done = task.run("echo it", "allow").await;
    assert_eq!(done.said, "Echoed.");
    assert_eq!(task.asked, ["mcp_every_echo: allow"]);
    assert!(
        task.results().last().unwrap().contains("ahoy"),
        "{:?}",
        task.results()
    );
    let Scene { app, home, .. } = task.scene;
    assert_eq!(app.terminate().await.code, Some(143));
    let left = std::fs::read_dir(home.path().join("run"))
        .unwrap()
        .flatten();
    let left: Vec<_> = left
        .map(|it| it.file_name())
        .filter(|it| it != "opening")
        .collect();
    assert!(left.is_empty(), "{left:?} was left behind");
}
