//! Fleets through the door: workers are the program itself, models are scripted.

mod crashes;
mod line;
mod routes;

use codewhale_testkit::app::{App, within};
use codewhale_testkit::model_server::{ModelServer, Reply, Request};
use serde_json::{Value, json};
use std::time::Duration;

/// A run of these tasks.
fn body(tasks: &[&str]) -> Value {
    let tasks = tasks.iter().map(|id| {
        json!({
            "id": id, "name": format!("task {id}"), "worker": { "role": "builder" },
            "instructions": format!("write {id}.txt"),
            "retry_policy": { "max_attempts": 9, "initial_backoff_seconds": 0 },
        })
    });
    json!({
        "target": "this_computer", "roles": [{ "name": "builder" }], "max_workers": 2,
        "workflow": { "id": "flow", "kind": "parallel", "tasks": tasks.collect::<Vec<_>>() },
    })
}

/// A model that writes the file it is told to, and is done then.
fn writes(model: &ModelServer) {
    model.answer_with(|request: &Request| {
        let has_written = request.messages().iter().any(|it| it["role"] == "tool");
        match (has_written, file_of(request)) {
            (false, Some(file)) => {
                let arguments = json!({ "path": file, "content": "here\n" });
                Reply::calls("call_1", "write_file", &arguments.to_string())
            }
            _ => Reply::says("Written."),
        }
    });
}

/// The file that the worker is to write.
fn file_of(request: &Request) -> Option<String> {
    let said = request.said().join("\n");
    let behind = said.split("write ").nth(1)?;
    let file: String = behind.chars().take_while(|c| !c.is_whitespace()).collect();
    Some(file)
}

async fn create(app: &App, body: Value) -> String {
    let created: Value = app.post("/v1/fleet/runs", body).await.read(201);
    created["run"]["id"].as_str().unwrap().to_owned()
}

async fn start(app: &App, run: &str) {
    let target = format!("/v1/fleet/runs/{run}/start");
    let started: Value = app.send(app.request("POST", &target)).await.read(202);
    assert_eq!(started["execution"], "scheduled");
}

async fn look(app: &App, run: &str) -> Value {
    app.get(&format!("/v1/fleet/runs/{run}")).await.read(200)
}

/// The run, as soon as it is as wanted.
async fn until(app: &App, run: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let wait = async {
        loop {
            let detail = look(app, run).await;
            if wanted(&detail) {
                return detail;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within("the run to be as wanted", wait).await
}

async fn ended(app: &App, run: &str) -> Value {
    let is_over = |detail: &Value| {
        let stands = detail["lifecycle_status"].as_str().unwrap();
        matches!(stands, "completed" | "failed" | "cancelled")
    };
    until(app, run, is_over).await
}
