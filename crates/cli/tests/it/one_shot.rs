//! `POST /v1/stream`: a prompt in, its events out, and the connection ends with the turn.

use codewhale_protocol::frame::Decoder;
use codewhale_testkit::app::{Body, within};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::Scene;

/// The stream of one prompt.
struct OneShot {
    body: Body,
    decoder: Decoder,
    told: Vec<(String, Value)>,
}

impl OneShot {
    async fn open(scene: &Scene, body: Value) -> Self {
        let request = scene.app.request("POST", "/v1/stream").json(&body);
        let body = scene.app.open(request).await;
        assert_eq!(body.status, 200);
        assert_eq!(body.header("content-type"), Some("text/event-stream"));
        Self {
            body,
            decoder: Decoder::new(),
            told: Vec::new(),
        }
    }

    /// The next frame; `None` at the end of the answer.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some(frame) = self.decoder.next_frame().unwrap() {
                assert_eq!(frame.id, None, "there is nothing to resume");
                let data = serde_json::from_str(&frame.data).unwrap();
                self.told.push((frame.event.unwrap(), data));
                return self.told.last().cloned();
            }
            match within("more of the stream", self.body.next()).await {
                Some(bytes) => self.decoder.push(&bytes.unwrap()),
                None => return None,
            }
        }
    }

    async fn until(&mut self, name: &str) -> Value {
        loop {
            let (event, data) = self.next().await.unwrap();
            if event == name {
                return data;
            }
        }
    }

    /// Reads to the end.
    async fn rest(&mut self) {
        while self.next().await.is_some() {}
    }

    /// The names in order; text is one line, however it was cut.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.told.iter().map(|(name, _)| name.as_str()).collect();
        names.dedup_by(|a, b| *a == "message.delta" && a == b);
        names
    }

    fn data(&self, name: &str) -> Vec<&Value> {
        let told = self.told.iter().filter(|(event, _)| event == name);
        told.map(|(_, data)| data).collect()
    }
}

#[tokio::test]
async fn a_prompt_is_answered_and_the_answer_ends() {
    let scene = Scene::new().await;
    scene.model.push(
        Reply::new()
            .reasoning("Hm.")
            .deltas(["Hel", "lo."])
            .usage(5, 2),
    );
    let mut shot = OneShot::open(&scene, json!({ "prompt": " greet " })).await;
    shot.rest().await;
    assert_eq!(
        shot.names(),
        ["turn.started", "message.delta", "turn.completed", "done"]
    );
    let started = shot.data("turn.started")[0];
    let thread = started["thread_id"].as_str().unwrap();
    assert_eq!(
        *started,
        json!({
            "thread_id": thread, "turn_id": started["turn_id"], "model": "scripted",
            "mode": "agent", "workspace": scene.home.workspace(),
        })
    );
    let text: String = shot
        .data("message.delta")
        .iter()
        .map(|data| data["content"].as_str().unwrap())
        .collect();
    assert_eq!(text, "Hello.");
    let usage = json!({ "usage": { "input_tokens": 5, "output_tokens": 2 } });
    assert_eq!(shot.data("turn.completed"), [&usage]);
    assert_eq!(shot.data("done"), [&json!({})]);
    assert_eq!(scene.model.last_request().last_user_text(), Some("greet"));
}

#[tokio::test]
async fn its_thread_is_kept_but_archived() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Hello."));
    let mut shot = OneShot::open(&scene, json!({ "prompt": "greet" })).await;
    shot.rest().await;
    let thread = shot.data("turn.started")[0]["thread_id"]
        .as_str()
        .unwrap()
        .into();
    let snapshot = scene.app.snapshot(&thread).await;
    assert!(snapshot.thread.archived);
    assert_eq!(snapshot.turns[0].status.as_str(), "completed");
    assert_eq!(scene.app.get("/v1/threads").await.json(), json!([]));
}

#[tokio::test]
async fn calls_and_approvals_are_told_with_ids_that_fit_together() {
    let scene = Scene::new().await;
    scene.model.push(Reply::calls("call_1", "list_dir", "{}"));
    let write = r#"{"path":"a.txt","content":"a"}"#;
    scene
        .model
        .push(Reply::calls("call_2", "write_file", write));
    scene.model.push(Reply::says("Done."));
    let mut shot = OneShot::open(&scene, json!({ "prompt": "write it" })).await;
    let required = shot.until("approval.required").await;
    let approval = required["approval_id"].as_str().unwrap().into();
    assert_eq!(scene.app.decide(&approval, "allow").await.status, 200);
    shot.rest().await;
    assert_eq!(
        shot.names(),
        [
            "turn.started",
            "tool.started",
            "tool.completed",
            "tool.started",
            "approval.required",
            "approval.decided",
            "tool.completed",
            "message.delta",
            "turn.completed",
            "done",
        ]
    );
    let started = shot.data("tool.started");
    assert_eq!(
        *started[0],
        json!({ "id": "call_1", "name": "list_dir", "input": {} })
    );
    assert_eq!(
        (&started[1]["id"], &started[1]["name"]),
        (&json!("call_2"), &json!("write_file"))
    );
    for (completed, id) in shot
        .data("tool.completed")
        .into_iter()
        .zip(["call_1", "call_2"])
    {
        assert_eq!(
            (&completed["id"], &completed["success"]),
            (&json!(id), &json!(true))
        );
        assert!(!completed["output"].as_str().unwrap().is_empty());
    }
    let turn = shot.data("turn.started")[0];
    let ids = |data: &Value| (data["thread_id"].clone(), data["turn_id"].clone());
    assert_eq!(ids(&required), ids(turn));
    assert_eq!(
        (&required["id"], &required["tool_name"]),
        (&json!(approval), &json!("write_file"))
    );
    let decided = shot.data("approval.decided")[0];
    let (thread_id, turn_id) = ids(turn);
    assert_eq!(
        *decided,
        json!({
            "id": approval, "approval_id": approval, "thread_id": thread_id, "turn_id": turn_id,
            "decision": "allow", "remember": false, "auto": null, "timeout": null,
        })
    );
}

#[tokio::test]
async fn a_failure_is_told_before_the_end() {
    let scene = Scene::new().await;
    let busy = json!({ "error": { "message": "overloaded" } });
    scene.model.push(Reply::new().status(503).json(&busy));
    scene.model.push(
        Reply::new()
            .status(400)
            .json(&json!({ "error": { "message": "no" } })),
    );
    let mut shot = OneShot::open(&scene, json!({ "prompt": "go" })).await;
    shot.rest().await;
    assert_eq!(
        shot.names(),
        ["turn.started", "status", "error", "turn.completed", "done"]
    );
    let status = shot.data("status")[0]["message"].as_str().unwrap();
    assert!(status.contains("trying again"), "{status}");
    let error = shot.data("error")[0]["message"].as_str().unwrap();
    assert!(error.contains("refused the request"), "{error}");
}

#[tokio::test]
async fn a_call_that_fails_is_told_as_such() {
    let scene = Scene::new().await;
    scene.model.push(Reply::calls(
        "call_1",
        "read_file",
        r#"{"path":"none.txt"}"#,
    ));
    scene.model.push(Reply::says("There is none."));
    let mut shot = OneShot::open(&scene, json!({ "prompt": "read it" })).await;
    shot.rest().await;
    let completed = shot.data("tool.completed")[0];
    assert_eq!(
        (&completed["id"], &completed["success"]),
        (&json!("call_1"), &json!(false))
    );
}

#[tokio::test]
async fn its_settings_are_those_of_a_thread() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Planned."));
    let body = json!({ "prompt": "plan", "mode": "plan", "workspace": scene.home.path() });
    let mut shot = OneShot::open(&scene, body).await;
    shot.rest().await;
    let started = shot.data("turn.started")[0];
    assert_eq!(
        (&started["mode"], &started["workspace"]),
        (&json!("plan"), &json!(scene.home.path()))
    );
    let request = scene.model.last_request();
    let offered = request.tool_names();
    assert!(offered.contains(&"read_file"), "{offered:?}");
    assert!(!offered.contains(&"write_file"), "{offered:?}");
}

#[tokio::test]
async fn a_stream_that_cannot_begin_is_refused_and_leaves_no_thread() {
    let scene = Scene::new().await;
    for (body, status) in [
        (json!({ "prompt": " " }), 400),
        (json!({}), 422),
        (json!({ "prompt": 1 }), 422),
        (json!({ "prompt": "x", "mode": "swim" }), 400),
        (json!({ "prompt": "x", "workspace": "relative" }), 400),
        (json!({ "prompt": "x", "allow_shell": "yes" }), 422),
    ] {
        let answer = scene.app.post("/v1/stream", body).await;
        assert_eq!(answer.status, status, "{}", answer.text());
        assert_eq!(answer.json()["error"]["status"], status);
    }
    let all = scene.app.get("/v1/threads?include_archived=true").await;
    assert_eq!(all.json(), json!([]));
}

#[tokio::test]
async fn the_turn_goes_on_when_its_reader_leaves() {
    let scene = Scene::new().await;
    let gate = codewhale_testkit::model_server::Gate::new();
    scene
        .model
        .push(Reply::says("One").hold(&gate).text(", two."));
    let mut shot = OneShot::open(&scene, json!({ "prompt": "count" })).await;
    let started = shot.until("turn.started").await;
    shot.until("message.delta").await;
    drop(shot);
    gate.open();
    let thread = started["thread_id"].as_str().unwrap().into();
    let mut events = scene
        .app
        .follow(&thread, codewhale_protocol::runtime::Seq::ZERO)
        .await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
}
