//! Turns that someone stops.

use codewhale_protocol::runtime::TurnRecord;
use codewhale_testkit::model_server::Reply;
use serde_json::json;

use crate::held::HeldCommand;
use crate::outline::outline;
use crate::scene::Scene;

#[tokio::test]
async fn a_turn_stopped_in_the_middle_of_its_text_keeps_what_was_said() {
    let scene = Scene::new().await;
    let (turn, mut events) = scene.stalled_turn().await;
    let answer = scene.app.interrupt(&turn).await;
    let answered: TurnRecord = answer.read(200);
    assert_eq!(answered.status.as_str(), "in_progress");
    let end = events.until("turn.completed").await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.started agent_message",
            "item.delta agent_message \"Hello\"",
            "turn.interrupt_requested",
            "item.interrupted agent_message",
            "turn.completed interrupted",
        ]
    );
    assert_eq!(events.seen()[8].payload["item"]["detail"], "Hello");
    assert_eq!(end.payload["turn"]["failure_class"], "interrupted");
    scene.model.wait_for_abandoned(1).await;
}

#[tokio::test]
async fn a_turn_stopped_while_it_waits_for_an_approval_ends_at_once() {
    let scene = Scene::new().await;
    let write = r#"{"path":"a.txt","content":"a"}"#;
    scene
        .model
        .push(Reply::calls("call_1", "write_file", write));
    let (thread, mut events) = scene.thread(json!({})).await;
    let turn = scene.app.start_turn(&thread, "write it").await;
    events.until("approval.required").await;
    assert_eq!(scene.app.interrupt(&turn).await.status, 200);
    events.until("turn.completed").await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.started file_change",
            "approval.required write_file",
            "turn.interrupt_requested",
            "approval.decided deny auto",
            "item.failed file_change",
            "turn.completed interrupted",
        ]
    );
    assert_eq!(scene.home.read("a.txt"), None);
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
async fn a_turn_stopped_while_a_command_runs_takes_the_command_with_it() {
    let scene = Scene::new().await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_1", "exec_shell", &command.arguments());
    scene.model.push(call);
    let body = json!({ "allow_shell": true, "permission_posture": "full_access" });
    let (thread, mut events) = scene.thread(body).await;
    let turn = scene.app.start_turn(&thread, "run it").await;
    let running = command.running().await;
    assert_eq!(scene.app.interrupt(&turn).await.status, 200);
    events.until("turn.completed").await;
    running.killed().await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.started command_execution",
            "approval.required exec_shell",
            "approval.decided allow auto",
            "turn.interrupt_requested",
            "item.failed command_execution",
            "turn.completed interrupted",
        ]
    );
}

#[tokio::test]
async fn stopping_a_turn_twice_is_accepted_and_told_once() {
    let scene = Scene::new().await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_1", "exec_shell", &command.arguments());
    scene.model.push(call);
    let body = json!({ "allow_shell": true, "permission_posture": "full_access" });
    let (thread, mut events) = scene.thread(body).await;
    let turn = scene.app.start_turn(&thread, "run it").await;
    let running = command.running().await;
    let (first, second) = tokio::join!(scene.app.interrupt(&turn), scene.app.interrupt(&turn));
    assert_eq!(first.status, 200);
    // The second may come when the turn is already over.
    assert!([200, 409].contains(&second.status), "{}", second.text());
    events.until("turn.completed").await;
    running.killed().await;
    let requested = events.seen().iter();
    let requested = requested.filter(|event| event.event == "turn.interrupt_requested");
    assert_eq!(requested.count(), 1);
}

#[tokio::test]
async fn a_turn_stopped_before_the_model_says_anything_ends_at_once() {
    let scene = Scene::new().await;
    scene.model.push(Reply::silence());
    let (thread, mut events) = scene.thread(json!({})).await;
    let turn = scene.app.start_turn(&thread, "go").await;
    scene.model.wait_for_requests(1).await;
    assert_eq!(scene.app.interrupt(&turn).await.status, 200);
    events.until("turn.completed").await;
    assert_eq!(
        outline(&events.seen()[4..]),
        [
            "turn.lifecycle in_progress",
            "turn.interrupt_requested",
            "turn.completed interrupted",
        ]
    );
}

#[tokio::test]
async fn a_turn_stopped_while_it_waits_to_try_again_ends_at_once() {
    let scene = Scene::new().await;
    let busy = Reply::new().status(503);
    scene.home.configure(&config_with_long_waits(&scene));
    let app = crate::scene::program(&scene.home).serve().await;
    scene
        .model
        .push(busy.json(&json!({ "error": { "message": "overloaded" } })));
    let thread = app.create_thread(json!({})).await.id;
    let mut events = app
        .follow(&thread, codewhale_protocol::runtime::Seq::ZERO)
        .await;
    let turn = app.start_turn(&thread, "go").await;
    let status = events
        .until_one(|event| event.payload["item"]["kind"] == "status")
        .await;
    let words = status.payload["item"]["detail"].as_str().unwrap();
    assert!(words.contains("trying again in 600 s"), "{words}");
    assert_eq!(app.interrupt(&turn).await.status, 200);
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "interrupted");
    assert_eq!(scene.model.request_count(), 1);
}

/// A program that would wait ten minutes before it asks a provider again.
fn config_with_long_waits(scene: &Scene) -> String {
    let config = codewhale_testkit::app::config_for(&scene.model, "");
    config
        .replace("initial_delay = 0.01", "initial_delay = 600")
        .replace("max_delay = 0.02", "max_delay = 600")
}

#[tokio::test]
async fn the_turn_after_a_stopped_one_works() {
    let scene = Scene::new().await;
    let (turn, mut events) = scene.stalled_turn().await;
    scene.app.interrupt(&turn).await;
    events.until("turn.completed").await;
    scene.model.push(Reply::says("Back."));
    scene.app.start_turn(&turn.thread_id, "again").await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
}
