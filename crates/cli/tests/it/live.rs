//! Commands that are watched while they run.

use codewhale_protocol::runtime::{ItemStatus, ThreadId};
use codewhale_testkit::app::{Follower, Seen};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::held::HeldCommand;
use crate::outline::outline;
use crate::scene::{Scene, program};

/// What is told of one command at the most, in bytes.
const PRINTED_BYTES_MAX: usize = 128 * 1024;

async fn thread(scene: &Scene) -> (ThreadId, Follower) {
    let body = json!({ "allow_shell": true, "permission_posture": "full_access" });
    scene.thread(body).await
}

fn printed(event: &Seen) -> Option<&str> {
    let is_printed = event.event == "item.delta" && event.payload["kind"] == "tool_call";
    event.payload["delta"].as_str().filter(|_| is_printed)
}

#[tokio::test]
async fn what_a_command_prints_is_seen_before_it_is_over() {
    let scene = Scene::new().await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_1", "exec_shell", &command.arguments());
    scene.model.push(call).push(Reply::says("Done."));
    let (thread, mut events) = thread(&scene).await;
    scene.app.start_turn(&thread, "run it").await;
    let mut running = command.running().await;
    running.print("first\n").await;
    let first = events.until_one(|it| printed(it).is_some()).await;
    assert_eq!(printed(&first), Some("first\n"));
    let item = scene.app.snapshot(&thread).await.items.remove(1);
    assert_eq!(Some(&item.id), first.item_id.as_ref());
    assert_eq!(item.status, ItemStatus::InProgress);
    assert_eq!(item.detail, Some(command.arguments()));
    running.print("second\n").await;
    running.release();
    events.until("turn.completed").await;
    let all: String = events.seen().iter().filter_map(printed).collect();
    assert_eq!(all, "first\nsecond\ndone\n");
    let item = scene.app.snapshot(&thread).await.items.remove(1);
    assert_eq!(item.detail, Some(format!("{all}[exit code 0]")));
}

#[tokio::test]
async fn a_command_that_prints_without_measure_costs_no_more_than_the_bound() {
    let scene = Scene::new().await;
    let command = json!({ "command": "head -c 100000000 /dev/zero | tr '\\0' 'x'; echo end" });
    let call = Reply::calls("call_1", "exec_shell", &command.to_string());
    scene.model.push(call).push(Reply::says("Done."));
    let (thread, mut events) = thread(&scene).await;
    let before = scene.app.resident_kib();
    scene.app.start_turn(&thread, "run it").await;
    events.until("turn.completed").await;
    let all: String = events.seen().iter().filter_map(printed).collect();
    let (told, last_words) = all.split_at(PRINTED_BYTES_MAX);
    assert!(told.bytes().all(|byte| byte == b'x'));
    assert!(
        last_words.starts_with("\n[... it prints more"),
        "{last_words}"
    );
    let item = scene.app.snapshot(&thread).await.items.remove(1);
    let detail = item.detail.unwrap();
    assert!(detail.ends_with("xend\n[exit code 0]"), "{}", detail.len());
    let grown = scene.app.resident_kib().saturating_sub(before);
    assert!(
        grown < 32 * 1024,
        "{grown} KiB for a command that only prints"
    );
}

#[tokio::test]
async fn a_watched_command_that_is_cut_off_by_a_kill_keeps_what_it_kept_before() {
    let scene = Scene::new().await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_1", "exec_shell", &command.arguments());
    scene.model.push(call);
    let (thread, mut events) = thread(&scene).await;
    scene.app.start_turn(&thread, "run it").await;
    let mut running = command.running().await;
    running.print("first\n").await;
    events.until_one(|it| printed(it).is_some()).await;
    scene.app.kill().await;
    running.killed().await;
    let app = program(&scene.home).serve().await;
    let detail = app.snapshot(&thread).await;
    let told = detail.items[1].detail.as_deref().unwrap();
    assert!(
        told.starts_with("The call was cut off before it gave a result."),
        "{told}"
    );
    let history = app.history(&thread).await;
    assert!(outline(&history).contains(&"item.delta tool_call \"first\\n\"".to_owned()));
    // Events tell the same as the record.
    let view = codewhale_testkit::app::fold(&history);
    assert_eq!(view.items[1].detail, detail.items[1].detail);
}

#[tokio::test]
async fn one_call_is_stopped_from_any_process_and_its_turn_goes_on() {
    let scene = Scene::new().await;
    let other = program(&scene.home).serve().await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_1", "exec_shell", &command.arguments());
    scene.model.push(call).push(Reply::says("Then not."));
    let (thread, mut events) = thread(&scene).await;
    scene.app.start_turn(&thread, "run it").await;
    let mut running = command.running().await;
    running.print("first\n").await;
    let first = events.until_one(|it| printed(it).is_some()).await;
    let item = first.item_id.clone().unwrap();
    let stop = format!("/v1/threads/{thread}/items/{item}/stop");
    let stopped: Value = other.post(&stop, json!({})).await.read(200);
    assert_eq!(stopped["id"], item.as_str());
    running.killed().await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    let item = scene.app.snapshot(&thread).await.items.remove(1);
    assert_eq!(item.status, ItemStatus::Failed);
    let told = item.detail.unwrap();
    assert!(
        told.starts_with("first\n[stopped before its end]\n[A person"),
        "{told}"
    );
    assert_eq!(other.post(&stop, json!({})).await.status, 409);
    let nothing = format!("/v1/threads/{thread}/items/item_none/stop");
    assert_eq!(other.post(&nothing, json!({})).await.status, 404);
}

/// The same through the pipes of another program is in `stdio/turns.rs`, and that lines of `exec` do
/// not take it for the answer in `exec/forms.rs`.
#[tokio::test]
async fn the_one_shot_stream_does_not_take_it_for_the_answer() {
    let scene = Scene::configured("[permissions]\nallow_shell = true\n").await;
    let command = json!({ "command": "echo printed" });
    let call = Reply::calls("call_1", "exec_shell", &command.to_string());
    scene.model.push(call).push(Reply::says("Done."));
    let body = json!({ "prompt": "run it", "allow_shell": true, "auto_approve": true });
    let request = scene.app.request("POST", "/v1/stream").json(&body);
    let answer = scene.app.send(request).await;
    let text = answer.text();
    let said =
        |line: &str| -> Option<Value> { serde_json::from_str(line.strip_prefix("data: ")?).ok() };
    let content: String = text
        .lines()
        .filter_map(said)
        .filter_map(|it| it["content"].as_str().map(str::to_owned))
        .collect();
    assert!(!content.contains("printed"), "{text}");
}
