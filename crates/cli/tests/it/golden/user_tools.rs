//! Tools that the user or a repository adds.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use codewhale_testkit::app::{App, Home};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::Task;
use crate::scene::{Scene, program};

/// Puts a tool that greets into a directory.
fn put_tool(directory: &Path, name: &str, words: &str) {
    fs::create_dir_all(directory).unwrap();
    let manifest = json!({
        "name": name, "description": "Greets whoever is named.", "executable": "greet.sh",
        "input_schema": { "type": "object", "properties": { "who": { "type": "string" } } },
        "effect": "read",
    });
    fs::write(directory.join("greet.json"), manifest.to_string()).unwrap();
    let tool = directory.join("greet.sh");
    fs::write(&tool, format!("#!/bin/sh\necho {words}; cat\n")).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
}

async fn task_with(home: Home, model: ModelServer) -> Task {
    let app = program(&home).serve().await;
    let scene = Scene { app, model, home };
    let (thread, events) = scene.thread(json!({ "allow_shell": true })).await;
    Task {
        scene,
        thread,
        events,
        asked: Vec::new(),
    }
}

#[tokio::test]
async fn a_tool_the_user_added_is_offered_asked_about_and_run() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    put_tool(&home.path().join("tools"), "greet", "good day");
    let mut task = task_with(home, model).await;
    task.script([("greet", json!({ "who": "whale" }))], "Greeted.");
    let done = task.run("greet the whale", "allow").await;
    assert_eq!(done.said, "Greeted.");
    assert_eq!(task.asked, ["greet: allow"]);
    let results = task.results();
    assert!(
        results[0].contains("good day") && results[0].contains("whale"),
        "{results:?}"
    );
}

#[tokio::test]
async fn a_result_that_is_too_long_is_kept_and_read_piece_by_piece() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let numbers = "; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); echo line $i; done";
    put_tool(
        &home.path().join("tools"),
        "count",
        &format!("begin{numbers}"),
    );
    let mut task = task_with(home, model).await;
    task.script([("count", json!({}))], "Long.");
    task.run("count", "allow").await;
    let result = task.results().remove(0);
    assert!(result.len() < 100_000 && !result.contains("line 15000\n"));
    let (_, reference) = result
        .split_once("ref \"")
        .expect("the result names what was kept");
    let reference = reference.split('"').next().unwrap();
    let query = json!({ "ref": reference, "mode": "query", "query": "line 15000" });
    task.script([("retrieve_tool_result", query)], "Read.");
    task.run("read the middle", "deny").await;
    let read = task.results().pop().unwrap();
    assert!(read.contains("line 15000"), "{read}");
}

async fn offered(task: &mut Task) -> Vec<String> {
    task.scene.model.push(Reply::says("Nothing."));
    task.run("what can you do", "deny").await;
    let request = task.scene.model.last_request();
    request
        .tool_names()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

async fn trust(app: &App, body: Value) -> (u16, Value) {
    let answer = app.post("/v1/workspace/trust", body).await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn tools_of_a_repository_are_inert_until_they_are_trusted_and_again_when_they_change() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let tools = home.workspace().join(".codewhale/tools");
    put_tool(&tools, "greet_here", "hello");
    let mut task = task_with(home, model).await;
    let is_offered = |names: Vec<String>| names.contains(&"greet_here".to_owned());
    assert!(!is_offered(offered(&mut task).await));

    let looked = task.scene.app.get("/v1/workspace/trust").await.json();
    assert_eq!(looked["trusted"], false);
    let files = [".codewhale/tools/greet.json", ".codewhale/tools/greet.sh"];
    assert_eq!(looked["files"], json!(files));
    let (status, refused) =
        trust(&task.scene.app, json!({ "trusted": true, "digest": "00" })).await;
    assert_eq!(
        (status, &refused["error"]["data"]["digest"]),
        (409, &looked["digest"])
    );
    let yes = json!({ "trusted": true, "digest": looked["digest"] });
    assert_eq!(trust(&task.scene.app, yes.clone()).await.0, 200);
    assert!(is_offered(offered(&mut task).await));

    put_tool(&tools, "greet_here", "something else");
    assert!(!is_offered(offered(&mut task).await));
    assert_eq!(trust(&task.scene.app, yes).await.0, 409);
    assert_eq!(
        trust(&task.scene.app, json!({ "trusted": false })).await.0,
        200
    );
}
