//! Servers that a workspace brings along.

use std::path::Path;

use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::ModelServer;
use serde_json::{Value, json};

use super::{Task, offered, script, served};

/// Puts a server named `local` into a workspace. It says `words`, where it runs and whether it can
/// write where it should not.
fn put_server(workspace: &Path, words: &str, outside: &Path) {
    let body = format!(
        r#"
    hello(m, [tool("where")])
    if m["method"] == "tools/call":
        try: open({outside:?}, "w").close(); held = "free"
        except OSError: held = "held"
        text(m, "{words} " + os.getcwd() + " " + held)"#
    );
    let directory = workspace.join(".codewhale");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(
        directory.join("server.py"),
        script(&body, r#"open("ended", "w").close()"#),
    )
    .unwrap();
    let server = json!({
        "command": "/usr/bin/python3", "args": [".codewhale/server.py"], "required": true,
        "trust": true,
    });
    let document = json!({ "servers": { "local": server } });
    std::fs::write(directory.join("mcp.json"), document.to_string()).unwrap();
}

async fn trust(task: &Task, workspace: &Path, trusted: bool) {
    let target = format!("/v1/workspace/trust?workspace={}", workspace.display());
    let found = task.scene.app.get(&target).await.json();
    let body = json!({
        "workspace": workspace, "trusted": trusted, "digest": found["digest"],
    });
    let answer = task.scene.app.post("/v1/workspace/trust", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

async fn place_of(task: &mut Task) -> String {
    task.script([("mcp_local_where", json!({}))], "There.");
    let done = task.run("where", "allow").await;
    assert_eq!(done.status, "completed", "{}", done.said);
    task.results().pop().unwrap()
}

/// Another thread, in another workspace.
async fn moved(task: Task, workspace: &Path) -> Task {
    let settings: Value = json!({ "workspace": workspace });
    let (thread, events) = task.scene.thread(settings).await;
    Task {
        thread,
        events,
        ..task
    }
}

#[tokio::test]
async fn servers_of_a_workspace_run_for_it_alone_held_and_while_it_is_trusted() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    // In the system's own place for temporary files a held process has one of its own.
    let elsewhere = tempfile::tempdir_in("/var/tmp").unwrap();
    let (one, outside) = (home.workspace(), elsewhere.path().join("outside"));
    let two = one.with_file_name("two");
    put_server(&one, "one", &outside);
    put_server(&two, "two", &outside);
    let mut task = served(home, model, json!({})).await;
    assert!(offered(&mut task).await.is_empty());

    trust(&task, &one, true).await;
    // Looking tells of them, and starts nothing.
    let listed = task.scene.app.get("/v1/apps/mcp/servers").await.json();
    assert_eq!(listed["servers"][0]["name"], "local");
    assert_eq!(listed["servers"][0]["status"], "stopped");
    assert_eq!(offered(&mut task).await, ["mcp_local_where"]);
    let place = place_of(&mut task).await;
    assert_eq!(place, format!("one {} held", one.display()));

    let mut task = moved(task, &two).await;
    assert!(offered(&mut task).await.is_empty());
    trust(&task, &two, true).await;
    let place = place_of(&mut task).await;
    assert_eq!(place, format!("two {} held", two.display()));

    // The yes is taken back: its server ends, the other one's does not.
    trust(&task, &two, false).await;
    assert!(two.join("ended").exists() && !one.join("ended").exists());
    assert!(offered(&mut task).await.is_empty());

    // What was trusted is not what lies there now.
    let mut task = moved(task, &one).await;
    std::fs::write(one.join(".codewhale/more"), "x").unwrap();
    assert!(offered(&mut task).await.is_empty());
    assert!(one.join("ended").exists());
    assert!(!outside.exists());
}
