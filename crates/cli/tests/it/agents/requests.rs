//! Requests by hand: bodies without a kind, bodies that do not fit, the same request twice, clients
//! that leave.

use codewhale_testkit::app::{Answer, App, Request};
use codewhale_testkit::model_server::{Gate, Reply};
use serde_json::{Value, json};

use crate::scene::Scene;

fn asks(text: &str) -> Value {
    json!({
        "agent_name": "codewhale-agent",
        "input": [{ "role": "user", "parts": [{ "content": text }] }],
        "mode": "async",
    })
}

/// A request without a Content-Type, as the official client sends it.
fn runs(app: &App, body: &Value) -> Request {
    app.request("POST", "/acp/runs").body(body.to_string())
}

async fn rested(app: &App, run: &str) -> Value {
    loop {
        let run = app.get(&format!("/acp/runs/{run}")).await.json();
        match run["status"].as_str().unwrap() {
            "created" | "in-progress" | "cancelling" => {}
            _ => return run,
        }
    }
}

fn run_id(answer: &Answer) -> String {
    let run = answer.json()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(answer.header("run-id"), Some(run.as_str()));
    run
}

#[tokio::test]
async fn a_body_needs_no_kind_and_the_answer_names_the_run() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Hello."));
    let answer = scene.app.send(runs(&scene.app, &asks("hi"))).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let run = rested(&scene.app, &run_id(&answer)).await;
    assert_eq!(run["status"], "completed");
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_starts_nothing() {
    let scene = Scene::new().await;
    let with = |name: &str, value: Value| {
        let mut body = asks("hi");
        body[name] = value;
        body
    };
    let (one, other) = (uuid(1), uuid(2));
    let mut mismatch = with("session_id", json!(one));
    mismatch["session"] = json!({ "id": other, "history": [], "state": null });
    let image = json!([{ "parts": [{ "content": "x", "content_type": "image/png" }] }]);
    let cases = [
        (
            with("agent_name", json!("nobody")),
            404,
            "Agent nobody not found",
        ),
        (
            with(
                "agent_name",
                json!(format!("thread-{}", one.replace('-', ""))),
            ),
            404,
            "not found",
        ),
        (mismatch, 400, "Session ID mismatch"),
        (with("session_id", json!("no-uuid")), 422, "no UUID"),
        (with("mode", json!("sometimes")), 422, "does not fit"),
        (with("input", json!([])), 422, "says nothing"),
        (with("input", image), 422, "image/png"),
        (json!([]), 422, "does not fit"),
    ];
    for (body, status, words) in cases {
        let answer = scene.app.send(runs(&scene.app, &body)).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        assert!(answer.text().contains(words), "{body}: {}", answer.text());
    }
    let broken = scene.app.request("POST", "/acp/runs").body("{");
    assert_eq!(scene.app.send(broken).await.status, 422);
    let threads = scene.app.get("/v1/threads?include_archived=true").await;
    assert_eq!(threads.json(), json!([]));
    assert_eq!(scene.model.request_count(), 0);
}

fn uuid(number: u8) -> String {
    format!("019a86c4-f2b0-7d3e-8c5a-1b9d4e6f70{number:02}")
}

#[tokio::test]
async fn the_same_request_under_a_key_starts_one_run() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Hello."));
    let ask = || runs(&scene.app, &asks("hi")).header("Idempotency-Key", "once");
    let first = run_id(&scene.app.send(ask()).await);
    rested(&scene.app, &first).await;
    assert_eq!(run_id(&scene.app.send(ask()).await), first);
    assert_eq!(scene.model.request_count(), 1);
}

#[tokio::test]
async fn a_session_that_is_busy_says_so() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Hello").stall());
    let mut body = asks("hi");
    body["session_id"] = json!(uuid(3));
    let first = run_id(&scene.app.send(runs(&scene.app, &body)).await);
    let second = scene.app.send(runs(&scene.app, &body)).await;
    assert_eq!(
        (second.status, &second.json()["code"]),
        (409, &json!("server_error"))
    );
    let cancel = format!("/acp/runs/{first}/cancel");
    assert_eq!(
        scene
            .app
            .send(scene.app.request("POST", &cancel))
            .await
            .status,
        202
    );
    assert_eq!(rested(&scene.app, &first).await["status"], "cancelled");
}

#[tokio::test]
async fn a_run_goes_on_when_the_reader_of_its_stream_leaves() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    scene
        .model
        .push(Reply::says("Hello").hold(&gate).text(", you."));
    let mut body = asks("hi");
    body["mode"] = json!("stream");
    let mut stream = scene.app.open(runs(&scene.app, &body)).await;
    let run = stream.header("run-id").unwrap().to_owned();
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    let mut told = String::new();
    while !told.contains("message.part") {
        let bytes = stream.next().await.unwrap().unwrap();
        told.push_str(std::str::from_utf8(&bytes).unwrap());
    }
    assert!(
        told.lines()
            .all(|line| line.is_empty() || line.starts_with("data: "))
    );
    drop(stream);
    gate.open();
    let run = rested(&scene.app, &run).await;
    assert_eq!(run["output"][0]["parts"][0]["content"], "Hello, you.");
}
