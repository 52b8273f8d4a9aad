//! Calls that need a yes.

use codewhale_protocol::runtime::{ApprovalId, ThreadView};
use codewhale_testkit::app::{Follower, Seen, fold};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::outline::outline;
use crate::scene::Scene;

const WRITE: &str = r#"{"path":"a.txt","content":"a\n"}"#;

/// A model that wants to write a file, and then says that it is done.
fn script_a_write(scene: &Scene) {
    scene
        .model
        .push(Reply::calls("call_1", "write_file", WRITE));
    scene.model.push(Reply::says("Done."));
}

/// What happened from the call on.
fn from_call(events: &Follower) -> Vec<String> {
    outline(&events.seen()[5..])
}

fn approval_of(required: &Seen) -> ApprovalId {
    required.payload["approval_id"].as_str().unwrap().into()
}

/// What the model was told of the call.
fn result_told(scene: &Scene) -> String {
    let request = scene.model.last_request();
    let result = request.messages().last().unwrap();
    result["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_allowed_call_runs() {
    let scene = Scene::new().await;
    script_a_write(&scene);
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    let approval = approval_of(&required);
    assert_eq!(scene.home.read("a.txt"), None);
    let answer = scene.app.decide(&approval, "allow").await;
    assert_eq!(
        answer.read::<Value>(200),
        json!({ "ok": true, "approval_id": approval, "decision": "allow", "delivered": true })
    );
    events.until("turn.completed").await;
    assert_eq!(
        from_call(&events),
        [
            "item.started file_change",
            "approval.required write_file",
            "approval.decided allow",
            "item.completed file_change",
            "item.started agent_message",
            "item.delta agent_message \"Done.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
    assert_eq!(scene.home.read("a.txt").as_deref(), Some("a\n"));
}

#[tokio::test]
async fn a_question_shows_what_would_happen_and_waits_in_the_snapshot() {
    let scene = Scene::new().await;
    script_a_write(&scene);
    let (thread, mut events) = scene.thread(json!({})).await;
    let turn = scene.app.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    let mut shown = required.payload.clone();
    for varying in ["digest", "expires_at", "reason", "description"] {
        assert!(shown[varying].as_str().is_some_and(|text| !text.is_empty()));
        shown.as_object_mut().unwrap().remove(varying);
    }
    let approval = approval_of(&required);
    assert_eq!(
        shown,
        json!({
            "id": approval, "approval_id": approval,
            "tool_name": "write_file", "call_id": "call_1", "intent_summary": null,
            "path": scene.home.workspace().join("a.txt"), "diff": "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+a\n",
            "matched_rule": "builtin:ask-before-write",
            "remembered_as": format!("tool=write_file path={0}/a.txt workspace={0}", scene.home.workspace().display()),
            "available_decisions": [
                { "type": "approved" }, { "type": "approved_for_session" },
                { "type": "denied" }, { "type": "abort" },
            ],
        })
    );
    let snapshot = scene.app.snapshot(&thread).await;
    assert_eq!(snapshot.pending_approvals.len(), 1);
    assert_eq!(snapshot.pending_approvals[0].id, approval);
    assert_eq!(snapshot.pending_approvals[0].turn_id, turn.id);
    assert_eq!(fold(events.seen()), ThreadView::from(snapshot));
    scene.app.decide(&approval, "deny").await;
    events.until("turn.completed").await;
    assert!(
        scene
            .app
            .snapshot(&thread)
            .await
            .pending_approvals
            .is_empty()
    );
}

#[tokio::test]
async fn a_denied_call_fails_and_the_model_is_told() {
    let scene = Scene::new().await;
    script_a_write(&scene);
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    scene.app.decide(&approval_of(&required), "deny").await;
    events.until("turn.completed").await;
    assert_eq!(
        from_call(&events)[1..4],
        [
            "approval.required write_file",
            "approval.decided deny",
            "item.failed file_change",
        ]
    );
    assert_eq!(
        from_call(&events).last().unwrap(),
        "turn.completed completed"
    );
    assert!(result_told(&scene).contains("The call was refused: the user said no."));
    assert_eq!(scene.home.read("a.txt"), None);
}

#[tokio::test]
async fn a_question_nobody_answers_counts_as_denied() {
    let scene = Scene::configured("[approvals]\ntimeout_secs = 1").await;
    script_a_write(&scene);
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write it").await;
    events.until("turn.completed").await;
    assert_eq!(
        from_call(&events)[1..5],
        [
            "approval.required write_file",
            "approval.timeout",
            "approval.decided deny auto timeout",
            "item.failed file_change",
        ]
    );
    let timeout = events
        .seen()
        .iter()
        .find(|event| event.event == "approval.timeout");
    assert_eq!(timeout.unwrap().payload["timeout_secs"], 1);
    assert!(result_told(&scene).contains("nobody answered within 1 seconds"));
    assert_eq!(scene.home.read("a.txt"), None);
}

#[tokio::test]
async fn full_access_records_the_question_and_its_answer_back_to_back() {
    let scene = Scene::new().await;
    script_a_write(&scene);
    let (thread, mut events) = scene
        .thread(json!({ "permission_posture": "full_access" }))
        .await;
    scene.app.start_turn(&thread, "write it").await;
    events.until("turn.completed").await;
    assert_eq!(
        from_call(&events)[..4],
        [
            "item.started file_change",
            "approval.required write_file",
            "approval.decided allow auto",
            "item.completed file_change",
        ]
    );
    assert_eq!(events.seen()[7].payload["posture"], "full_access");
    assert_eq!(scene.home.read("a.txt").as_deref(), Some("a\n"));
}

#[tokio::test]
async fn auto_review_denies_what_it_cannot_prove_safe_without_asking() {
    let scene = Scene::new().await;
    script_a_write(&scene);
    let (thread, mut events) = scene
        .thread(json!({ "permission_posture": "auto_review" }))
        .await;
    scene.app.start_turn(&thread, "write it").await;
    events.until("turn.completed").await;
    assert_eq!(
        from_call(&events)[..4],
        [
            "item.started file_change",
            "approval.required write_file",
            "approval.decided deny auto",
            "item.failed file_change",
        ]
    );
    assert_eq!(events.seen()[7].payload["posture"], "auto_review");
    assert_eq!(scene.home.read("a.txt"), None);
}

#[tokio::test]
async fn plan_mode_neither_offers_writing_nor_asks_about_it() {
    let scene = Scene::new().await;
    script_a_write(&scene);
    let (thread, mut events) = scene.thread(json!({ "mode": "plan" })).await;
    scene.app.start_turn(&thread, "write it").await;
    events.until("turn.completed").await;
    assert_eq!(
        from_call(&events)[..2],
        ["item.started file_change", "item.failed file_change"]
    );
    let request = scene.model.last_request();
    let offered = request.tool_names();
    assert!(offered.contains(&"read_file"), "{offered:?}");
    for tool in ["apply_patch", "edit_file", "exec_shell", "write_file"] {
        assert!(!offered.contains(&tool), "{offered:?}");
    }
    assert!(result_told(&scene).contains("plan mode"));
    assert_eq!(scene.home.read("a.txt"), None);
}

#[tokio::test]
async fn a_call_allowed_for_the_session_is_not_asked_about_again() {
    let scene = Scene::new().await;
    for call in ["call_1", "call_2"] {
        scene.model.push(Reply::calls(
            call,
            "exec_shell",
            r#"{"command":"touch a.txt"}"#,
        ));
    }
    scene.model.push(Reply::says("Done."));
    let (thread, mut events) = scene.thread(json!({ "allow_shell": true })).await;
    scene.app.start_turn(&thread, "run it twice").await;
    let required = events.until("approval.required").await;
    scene
        .app
        .decide(&approval_of(&required), "approved_for_session")
        .await;
    events.until("turn.completed").await;
    let decisions: Vec<_> = from_call(&events)
        .into_iter()
        .filter(|line| line.starts_with("approval.decided"))
        .collect();
    assert_eq!(
        decisions,
        ["approval.decided allow", "approval.decided allow auto"]
    );
}

#[tokio::test]
async fn an_answer_can_end_the_whole_turn() {
    let scene = Scene::new().await;
    script_a_write(&scene);
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    let answer = scene.app.decide(&approval_of(&required), "abort").await;
    assert_eq!(answer.read::<Value>(200)["decision"], "deny");
    events.until("turn.completed").await;
    assert_eq!(
        from_call(&events),
        [
            "item.started file_change",
            "approval.required write_file",
            "approval.decided deny",
            "turn.interrupt_requested",
            "item.failed file_change",
            "turn.completed interrupted",
        ]
    );
    assert_eq!(scene.model.request_count(), 1);
}

#[tokio::test]
async fn several_calls_of_one_answer_are_asked_about_one_after_the_other() {
    let scene = Scene::new().await;
    let other = r#"{"path":"b.txt","content":"b\n"}"#;
    let both = Reply::calls("call_1", "write_file", WRITE).call("call_2", "write_file", other);
    scene.model.push(both);
    scene.model.push(Reply::says("One of two."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write both").await;
    let first = events.until("approval.required").await;
    scene.app.decide(&approval_of(&first), "deny").await;
    let second = events.until("approval.required").await;
    scene.app.decide(&approval_of(&second), "allow").await;
    events.until("turn.completed").await;
    assert_eq!(
        from_call(&events)[..8],
        [
            "item.started file_change",
            "approval.required write_file",
            "approval.decided deny",
            "item.failed file_change",
            "item.started file_change",
            "approval.required write_file",
            "approval.decided allow",
            "item.completed file_change",
        ]
    );
    let request = scene.model.last_request();
    let results = request
        .messages()
        .iter()
        .filter(|message| message["role"] == "tool");
    let results: Vec<_> = results
        .map(|message| message["tool_call_id"].clone())
        .collect();
    assert_eq!(results, ["call_1", "call_2"]);
    assert_eq!(
        (scene.home.read("a.txt"), scene.home.read("b.txt")),
        (None, Some("b\n".into()))
    );
}

#[tokio::test]
async fn an_answer_that_is_to_be_remembered_is_told_so_and_opens_nothing_else() {
    let scene = Scene::new().await;
    script_a_write(&scene);
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    let path = format!("/v1/approvals/{}", approval_of(&required));
    let answer = scene
        .app
        .post(&path, json!({ "decision": "allow", "remember": true }))
        .await;
    assert_eq!(answer.status, 200);
    let decided = events.until("approval.decided").await;
    assert_eq!(decided.payload["remember"], true);
    events.until("turn.completed").await;
    let thread = scene.app.snapshot(&thread).await.thread;
    assert_eq!(thread.permission_posture.unwrap().as_str(), "ask");
}
