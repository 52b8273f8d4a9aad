//! `kill -9` at known moments.

use codewhale_protocol::runtime::Seq;
use codewhale_testkit::app::Seen;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{CAUSE, check_cut_off, check_survived, open};
use crate::held::HeldCommand;
use crate::outline::outline;
use crate::scene::{Scene, program};

/// Kills the program and starts it again.
async fn crash(scene: Scene) -> Scene {
    let Scene { app, model, home } = scene;
    let ended = app.kill().await;
    assert_eq!(ended.signal, Some(9));
    let app = program(&home).serve().await;
    Scene { app, model, home }
}

/// Runs one more turn on a thread to its good end.
async fn check_next_turn(scene: &Scene, history: &[Seen]) {
    let last = history.last().unwrap();
    scene.model.push(Reply::says("Going on."));
    let mut events = scene.app.follow(&last.thread_id, last.seq).await;
    scene.app.start_turn(&last.thread_id, "go on").await;
    let first = events.next().await;
    assert_eq!(first.previous_seq, Some(last.seq));
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
}

#[tokio::test]
async fn a_turn_killed_in_the_middle_of_its_text_keeps_what_was_said() {
    let scene = Scene::new().await;
    let (turn, events) = scene.stalled_turn().await;
    let seen = events.into_seen();
    let scene = crash(scene).await;
    let history = check_survived(&scene.app, &turn.thread_id, &seen).await;
    assert_eq!(
        outline(&history[seen.len()..]),
        [
            "item.interrupted agent_message",
            "turn.completed interrupted recovered"
        ]
    );
    check_cut_off(&history, &seen);
    let item = &history[seen.len()].payload["item"];
    assert_eq!(item["detail"], "Hello");
    assert_eq!(item["metadata"]["error"], CAUSE);
    check_next_turn(&scene, &history).await;
    let told = scene.model.last_request();
    assert_eq!(told.said(), ["say hello", "Hello", "go on"]);
}

#[tokio::test]
async fn a_command_that_ran_when_the_process_died_is_told_as_of_unknown_outcome() {
    let scene = Scene::new().await;
    let command = HeldCommand::new().await;
    let calls = Reply::calls("call_1", "exec_shell", &command.arguments());
    scene.model.push(calls.usage(70, 5));
    let body = json!({ "allow_shell": true, "permission_posture": "full_access" });
    let (thread, mut events) = scene.thread(body).await;
    scene.app.start_turn(&thread, "run it").await;
    let running = command.running().await;
    events.until("approval.decided").await;
    let seen = events.into_seen();
    let scene = crash(scene).await;
    running.release();
    let history = check_survived(&scene.app, &thread, &seen).await;
    assert_eq!(
        outline(&history[seen.len()..]),
        [
            "item.interrupted command_execution",
            "turn.completed interrupted recovered"
        ]
    );
    check_cut_off(&history, &seen);
    let turn = &history.last().unwrap().payload["turn"];
    assert_eq!(turn["outcome_unknown"], 1);
    // What was paid for counts.
    let usage = &turn["usage"];
    assert_eq!(
        (&usage["input_tokens"], &usage["output_tokens"]),
        (&json!(70), &json!(5))
    );
    check_next_turn(&scene, &history).await;
    // The model is told that the call got no result, and nothing ran again.
    let request = scene.model.last_request();
    let result = request.messages().iter().find(|it| it["role"] == "tool");
    let result = result.unwrap()["content"].as_str().unwrap();
    assert!(result.contains("is not known"), "{result}");
}

#[tokio::test]
async fn a_question_that_waited_when_the_process_died_is_settled_as_expired() {
    let scene = Scene::new().await;
    let write = r#"{"path":"a.txt","content":"a"}"#;
    scene
        .model
        .push(Reply::calls("call_1", "write_file", write));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    let seen = events.into_seen();
    let scene = crash(scene).await;
    let history = check_survived(&scene.app, &thread, &seen).await;
    assert_eq!(
        outline(&history[seen.len()..]),
        [
            "approval.decided deny auto expired",
            "item.interrupted file_change",
            "turn.completed interrupted recovered",
        ]
    );
    check_cut_off(&history, &seen);
    let turn = &history.last().unwrap().payload["turn"];
    assert_eq!(turn["outcome_unknown"], Value::Null);
    let approval = required.payload["id"].as_str().unwrap().into();
    let late = scene.app.decide(&approval, "allow").await;
    assert_eq!(late.status, 409);
    let recorded = &late.json()["error"]["data"];
    assert_eq!(
        (&recorded["status"], &recorded["decision"]),
        (&json!("expired"), &json!("deny"))
    );
    check_next_turn(&scene, &history).await;
    assert_eq!(scene.home.read("a.txt"), None);
}

#[tokio::test]
async fn a_process_that_dies_between_turns_leaves_nothing_to_mend() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Done."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    events.until("turn.completed").await;
    let before = scene.app.snapshot(&thread).await;
    let seen = events.into_seen();
    let scene = crash(scene).await;
    let history = check_survived(&scene.app, &thread, &seen).await;
    assert_eq!(history, seen);
    assert_eq!(scene.app.snapshot(&thread).await, before);
    check_next_turn(&scene, &history).await;
}

#[tokio::test]
async fn several_turns_of_a_dead_process_are_all_ended_at_the_next_start() {
    let scene = Scene::new().await;
    let mut cut = Vec::new();
    for _ in 0..3 {
        let (turn, events) = scene.stalled_turn().await;
        cut.push((turn.thread_id, events.into_seen()));
    }
    let scene = crash(scene).await;
    for (thread, seen) in &cut {
        let history = check_survived(&scene.app, thread, seen).await;
        check_cut_off(&history, seen);
    }
    // Once is enough.
    let scene = crash(scene).await;
    for (thread, seen) in &cut {
        let history = check_survived(&scene.app, thread, seen).await;
        assert_eq!(history.len(), seen.len() + 2);
    }
    let Scene { app, home, .. } = scene;
    app.kill().await;
    let store = open(&home);
    for (thread, seen) in &cut {
        store.check_chain(thread, seen.len() + 2);
    }
}

#[tokio::test]
async fn a_reader_that_comes_back_after_a_crash_goes_on_where_it_was() {
    let scene = Scene::new().await;
    let (turn, events) = scene.stalled_turn().await;
    let last = events.last();
    let scene = crash(scene).await;
    let mut events = scene.app.follow(&turn.thread_id, last).await;
    let first = events.next().await;
    assert_eq!(
        (first.event.as_str(), first.previous_seq),
        ("item.interrupted", Some(last))
    );
    events.until("turn.completed").await;
    let all = scene.app.history(&turn.thread_id).await;
    assert!(all.iter().all(|event| event.seq > Seq::ZERO));
}
