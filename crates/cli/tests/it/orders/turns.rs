//! Threads and turns when nothing gets in the way.

use codewhale_protocol::runtime::{Seq, ThreadView};
use codewhale_testkit::app::{continue_from, fold};
use codewhale_testkit::model_server::{Gate, Reply};
use serde_json::json;

use crate::outline::outline;
use crate::scene::Scene;

#[tokio::test]
async fn a_thread_is_in_the_log_before_its_creation_is_answered() {
    let scene = Scene::new().await;
    let thread = scene.app.create_thread(json!({ "title": "One" })).await;
    let snapshot = scene.app.snapshot(&thread.id).await;
    let history = scene.app.history(&thread.id).await;
    assert_eq!(outline(&history), ["thread.started"]);
    assert_eq!(history[0].previous_seq, Some(Seq::ZERO));
    assert_eq!(history[0].seq, snapshot.latest_seq);
    assert_eq!(snapshot.thread, thread);
    assert_eq!(fold(&history).thread, Some(thread));
}

#[tokio::test]
async fn a_turn_tells_its_blocks_in_the_order_the_model_makes_them() {
    let scene = Scene::new().await;
    let blocks = Reply::new()
        .reasoning("Let me ")
        .reasoning("think.")
        .text("First. ")
        .reasoning("Hm.")
        .text("Second.");
    scene.model.push(blocks.usage_with_cache(10, 4, 3));
    let (thread, mut events) = scene.thread(json!({})).await;
    let turn = scene.app.start_turn(&thread, "go").await;
    let end = events.until("turn.completed").await;
    assert_eq!(
        outline(events.seen()),
        [
            "thread.started",
            "turn.started in_progress",
            "item.started user_message",
            "item.completed user_message",
            "turn.lifecycle in_progress",
            "item.started agent_reasoning",
            "item.delta agent_reasoning \"Let me think.\"",
            "item.completed agent_reasoning",
            "item.started agent_message",
            "item.delta agent_message \"First. \"",
            "item.completed agent_message",
            "item.started agent_reasoning",
            "item.delta agent_reasoning \"Hm.\"",
            "item.completed agent_reasoning",
            "item.started agent_message",
            "item.delta agent_message \"Second.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
    assert_eq!(end.turn_id, Some(turn.id));
    assert_eq!(
        end.payload["turn"]["usage"],
        json!({
            "input_tokens": 10, "output_tokens": 3,
            "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 6,
        })
    );
}

#[tokio::test]
async fn the_beginning_of_a_turn_is_in_the_log_before_its_start_is_answered() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    scene.model.push(Reply::says("Done.").hold_head(&gate));
    let (thread, _) = scene.thread(json!({})).await;
    let before = scene.app.snapshot(&thread).await.latest_seq;
    let turn = scene.app.start_turn(&thread, "go").await;
    let after = scene.app.snapshot(&thread).await;
    // A client that knew the end of the log, asked, and then follows, misses nothing.
    let mut events = scene.app.follow(&thread, before).await;
    let first = [
        events.next().await,
        events.next().await,
        events.next().await,
    ];
    assert_eq!(
        outline(&first),
        [
            "turn.started in_progress",
            "item.started user_message",
            "item.completed user_message",
        ]
    );
    assert_eq!(first[0].previous_seq, Some(before));
    assert!(after.latest_seq >= first[2].seq);
    assert_eq!(after.turns[0].item_ids, turn.item_ids);
    assert_eq!(after.items[0].id, turn.item_ids[0]);
    gate.open();
    events.until("turn.completed").await;
}

#[tokio::test]
async fn a_call_that_reads_runs_without_a_question_and_its_result_goes_to_the_model() {
    let scene = Scene::new().await;
    scene.home.write("notes.txt", "remember the milk\n");
    let call = Reply::says("I will look.").call("call_1", "read_file", r#"{"path":"notes.txt"}"#);
    scene.model.push(call.split_every(5));
    scene.model.push(Reply::says("Milk."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "what is in the notes?").await;
    events.until("turn.completed").await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.started agent_message",
            "item.delta agent_message \"I will look.\"",
            "item.completed agent_message",
            "item.started tool_call",
            "item.completed tool_call",
            "item.started agent_message",
            "item.delta agent_message \"Milk.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
    let started = events
        .seen()
        .iter()
        .find(|event| event.payload["tool"] != json!(null));
    assert_eq!(
        started.unwrap().payload["tool"],
        json!({ "id": "call_1", "name": "read_file", "input": { "path": "notes.txt" } })
    );
    let result = &scene
        .model
        .last_request()
        .messages()
        .last()
        .unwrap()
        .clone();
    assert_eq!(result["role"], "tool");
    assert_eq!(result["tool_call_id"], "call_1");
    assert!(
        result["content"]
            .as_str()
            .unwrap()
            .contains("remember the milk")
    );
}

#[tokio::test]
async fn a_second_turn_is_told_what_was_said_in_the_first() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("One."));
    scene.model.push(Reply::says("Two."));
    let (thread, mut events) = scene.thread(json!({})).await;
    for prompt in ["first", "second"] {
        scene.app.start_turn(&thread, prompt).await;
        events.until("turn.completed").await;
    }
    let request = scene.model.last_request();
    let roles = request.messages()[1..].iter().map(|it| it["role"].as_str());
    let roles: Vec<_> = roles.flatten().collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(request.said(), ["first", "One.", "second"]);
    let day = request.messages()[1]["content"].as_str().unwrap();
    assert!(day.contains("\n\n<turn_meta>\nlocal_date: "), "{day}");
}

#[tokio::test]
async fn a_turn_goes_on_when_the_client_that_started_it_leaves() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    scene
        .model
        .push(Reply::says("Still here.").hold_head(&gate));
    let (thread, events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    drop(events);
    gate.open();
    let mut events = scene.app.follow(&thread, Seq::ZERO).await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
}

#[tokio::test]
async fn turns_of_different_threads_run_at_the_same_time() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    scene.model.push(Reply::says("Late.").hold_head(&gate));
    scene.model.push(Reply::says("Early."));
    let (slow, mut slow_events) = scene.thread(json!({})).await;
    let (quick, mut quick_events) = scene.thread(json!({})).await;
    scene.app.start_turn(&slow, "wait").await;
    scene.model.wait_for_requests(1).await;
    scene.app.start_turn(&quick, "go").await;
    quick_events.until("turn.completed").await;
    assert_eq!(
        scene.app.snapshot(&slow).await.turns[0].status.as_str(),
        "in_progress"
    );
    gate.open();
    slow_events.until("turn.completed").await;
}

#[tokio::test]
async fn what_the_events_tell_is_what_the_snapshot_shows() {
    let scene = Scene::new().await;
    scene
        .model
        .push(Reply::new().reasoning("Hm.").text("Done."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    events.until("turn.completed").await;
    let snapshot = ThreadView::from(scene.app.snapshot(&thread).await);
    assert_eq!(fold(events.seen()), snapshot);
    assert_eq!(continue_from(snapshot.clone(), events.seen()), snapshot);
}

#[tokio::test]
async fn settings_changed_during_a_turn_hold_from_its_next_call_on() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    scene.model.push(Reply::calls("call_1", "list_dir", "{}"));
    let write = Reply::calls("call_2", "write_file", r#"{"path":"a.txt","content":"a"}"#);
    scene.model.push(write.hold_head(&gate));
    scene.model.push(Reply::says("Done."));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write it").await;
    scene.model.wait_for_requests(2).await;
    let path = format!("/v1/threads/{thread}");
    let answer = scene
        .app
        .patch(&path, json!({ "permission_posture": "full_access" }))
        .await;
    assert_eq!(answer.status, 200);
    gate.open();
    events.until("turn.completed").await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.started tool_call",
            "item.completed tool_call",
            "thread.updated approval_policy auto_approve permission_posture sandbox_mode",
            "item.started file_change",
            "approval.required write_file",
            "approval.decided allow auto",
            "item.completed file_change",
            "item.started agent_message",
            "item.delta agent_message \"Done.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
    assert_eq!(scene.home.read("a.txt").as_deref(), Some("a"));
}

#[tokio::test]
async fn nothing_of_a_turn_comes_behind_its_end() {
    let scene = Scene::new().await;
    let (thread, mut events) = scene.thread(json!({})).await;
    let refused = json!({ "error": { "message": "no" } });
    scene.model.push(Reply::says("Done."));
    scene.model.push(Reply::new().status(400).json(&refused));
    scene.model.push(Reply::says("Hel").stall());
    for (round, status) in ["completed", "failed", "interrupted"].iter().enumerate() {
        let turn = scene.app.start_turn(&thread, "go").await;
        if *status == "interrupted" {
            events.until("item.delta").await;
            scene.app.interrupt(&turn).await;
        }
        let end = events.until("turn.completed").await;
        assert_eq!(end.payload["turn"]["status"], *status);
        let title = json!({ "title": format!("Round {round}") });
        let changed = scene
            .app
            .patch(&format!("/v1/threads/{thread}"), title)
            .await;
        assert_eq!(changed.status, 200);
        let next = events.next().await;
        assert_eq!(
            (next.event.as_str(), next.previous_seq),
            ("thread.updated", Some(end.seq))
        );
    }
    assert_eq!(
        fold(events.seen()),
        scene.app.snapshot(&thread).await.into()
    );
}

#[tokio::test]
async fn text_of_every_kind_comes_through_unchanged() {
    let scene = Scene::new().await;
    let odd = "nul \u{0} bell \u{7} line\u{2028}sep \r\n tab\t quote\" back\\slash </script> 🐋 עברית \u{feff}e\u{301}";
    scene
        .model
        .push(odd.split_inclusive(' ').fold(Reply::new(), Reply::text));
    let (thread, mut events) = scene
        .thread(json!({ "title": odd, "system_prompt": odd }))
        .await;
    scene.app.start_turn(&thread, odd).await;
    events.until("turn.completed").await;
    let snapshot = scene.app.snapshot(&thread).await;
    assert_eq!(snapshot.thread.title.as_deref(), Some(odd));
    let said: Vec<_> = snapshot
        .items
        .iter()
        .map(|item| item.detail.as_deref())
        .collect();
    assert_eq!(said, [Some(odd), Some(odd)]);
    assert_eq!(scene.model.last_request().last_user_text(), Some(odd));
    assert_eq!(fold(events.seen()), snapshot.into());
}
