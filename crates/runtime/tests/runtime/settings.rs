//! Settings: what a thread and a turn may do, copies, workspaces, and how full the window is.

use std::sync::Arc;
use std::time::Duration;

use codewhale_model::Message;
use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::{ThreadsCreate, ThreadsFork, TurnsStart};
use codewhale_protocol::runtime::{
    CoherenceState, Effort, Event, ItemStatus, PermissionPosture, ThreadDetail, ThreadView,
    TurnStatus,
};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::model::{Piece, call, says, wants};
use crate::world::{WINDOW, World};

#[tokio::test(start_paused = true)]
async fn a_change_during_a_turn_holds_from_its_next_call_on() {
    let world = World::new().await;
    let thread = world.thread(json!({ "auto_approve": true })).await;
    let gate = Arc::new(Notify::new());
    world
        .model
        .then(wants("call_1", "note", &json!({ "n": 1 })));
    world.model.then(vec![
        Piece::Gate(Arc::clone(&gate)),
        call("call_2", "note", &json!({ "n": 2 })),
    ]);
    world.start(&thread, "write twice").await.unwrap();
    world
        .until(&thread, |_| world.model.requests().len() == 2)
        .await;
    assert_eq!(world.ran().len(), 1);
    let patched = world
        .patch(&thread, json!({ "auto_approve": false }))
        .await
        .unwrap();
    assert_eq!(patched.permission_posture, Some(PermissionPosture::Ask));
    gate.notify_one();
    let asked = world.asked(&thread).await;
    assert_eq!(asked.detail.call_id, "call_2");
    world.decide(&asked.id, "deny").await.unwrap();
    world.ended(&thread).await;
    assert_eq!(world.ran().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_turn_was_given_for_itself_stays_whatever_the_thread_becomes() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let gate = Arc::new(Notify::new());
    world.model.then(vec![
        Piece::Gate(Arc::clone(&gate)),
        call("call_1", "note", &json!({ "n": 1 })),
    ]);
    let params = json!({ "thread_id": thread, "prompt": "write", "auto_approve": true });
    let started = world.call::<TurnsStart>(params).await.unwrap();
    assert_eq!(
        started.turn.permission_posture,
        Some(PermissionPosture::FullAccess)
    );
    assert_eq!(
        started.thread.permission_posture,
        Some(PermissionPosture::Ask)
    );
    world
        .patch(&thread, json!({ "permission_posture": "auto_review" }))
        .await
        .unwrap();
    gate.notify_one();
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    assert_eq!(world.ran().len(), 1, "the turn has full access of its own");

    world
        .model
        .then(wants("call_2", "note", &json!({ "n": 2 })));
    world.turn(&thread, "write again").await;
    assert_eq!(
        world.ran().len(),
        1,
        "the next one works under the thread's settings"
    );
}

#[tokio::test(start_paused = true)]
async fn a_turn_thinks_as_hard_as_it_is_told_else_as_its_thread_else_as_the_configuration() {
    let world = World::new().await;
    let params = json!({ "reasoning_effort": " Low " });
    let made = world.call::<ThreadsCreate>(params).await.unwrap();
    assert_eq!(made.reasoning_effort, Some(Effort::Low));
    let thread = made.id;
    let effort = async |more: Value| {
        world.model.then(says("Thought."));
        let mut params = json!({ "thread_id": thread, "prompt": "think" });
        params.as_object_mut().unwrap().extend(object(more));
        world.call::<TurnsStart>(params).await.unwrap();
        world.ended(&thread).await.reasoning_effort
    };
    assert_eq!(effort(json!({})).await, Some(Effort::Low));
    let own = json!({ "reasoning_effort": "off" });
    assert_eq!(effort(own).await, Some(Effort::Off));
    let fork = json!({ "thread_id": thread });
    let copy = world.call::<ThreadsFork>(fork).await.unwrap();
    assert_eq!(copy.reasoning_effort, Some(Effort::Low));
    let more = json!({ "reasoning_effort": "xhigh" });
    let patched = world.patch(&thread, more).await.unwrap();
    assert_eq!(patched.reasoning_effort, Some(Effort::Max));
    assert_eq!(effort(json!({})).await, Some(Effort::Max));
    // What is left to the provider is not told.
    let auto = json!({ "reasoning_effort": "auto" });
    let patched = world.patch(&thread, auto).await.unwrap();
    assert_eq!(patched.reasoning_effort, Some(Effort::Auto));
    assert_eq!(effort(json!({})).await, None);
    let nothing = json!({ "reasoning_effort": "" });
    let cleared = world.patch(&thread, nothing).await.unwrap();
    assert_eq!(cleared.reasoning_effort, None);
    let unknown = json!({ "reasoning_effort": "lots" });
    let error = world.patch(&thread, unknown).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
}

#[tokio::test(start_paused = true)]
async fn the_directory_of_a_thread_stays_while_a_turn_works_in_it() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let gate = Arc::new(Notify::new());
    world
        .model
        .then(vec![Piece::Gate(Arc::clone(&gate)), Piece::Text("Ready.")]);
    let turn = world.start(&thread, "wait").await.unwrap();
    let elsewhere = json!({ "workspace": std::env::temp_dir() });
    let error = world.patch(&thread, elsewhere.clone()).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(error.data.unwrap()["active_turn_id"], json!(turn));
    gate.notify_one();
    world.ended(&thread).await;
    world.patch(&thread, elsewhere).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_directory_must_exist_when_it_is_named_and_may_be_gone_later() {
    let world = World::new().await;
    let place = tempfile::tempdir().unwrap();
    let missing = place.path().join("missing");
    for bad in [json!(missing), json!("here"), json!("/etc/hostname")] {
        let create = json!({ "workspace": bad });
        let error = world.call::<ThreadsCreate>(create).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidParams, "{bad}");
        assert!(error.message.contains("workspace"), "{}", error.message);
    }
    let thread = world.thread(json!({ "workspace": place.path() })).await;
    let error = world.patch(&thread, json!({ "workspace": missing })).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::InvalidParams);
    drop(place);
    // Talking needs no directory; what a file tool says then is the tool's own affair.
    assert_eq!(
        world.turn(&thread, "hello").await.status,
        TurnStatus::Completed
    );
}

#[tokio::test(start_paused = true)]
async fn a_copy_of_a_running_thread_has_what_was_there_and_goes_its_own_way() {
    let world = World::new().await;
    let thread = world.thread(json!({ "title": "source" })).await;
    world.model.then(says("First answer."));
    world.turn(&thread, "first").await;
    let gate = Arc::new(Notify::new());
    world.model.then(vec![
        Piece::Text("Half an"),
        Piece::Gate(Arc::clone(&gate)),
        Piece::Text(" answer."),
    ]);
    world.start(&thread, "second").await.unwrap();
    let half = |detail: &ThreadDetail| {
        let last = detail.items.last();
        last.is_some_and(|item| item.detail.as_deref() == Some("Half an"))
    };
    let source = world.until(&thread, half).await;
    let params = json!({ "thread_id": thread });
    let copy = world.call::<ThreadsFork>(params).await.unwrap();
    let copied = world.detail(&copy.id).await;
    assert_eq!(
        world.detail(&thread).await,
        source,
        "the source is not touched"
    );
    assert_eq!((copied.turns.len(), copied.items.len()), (2, 4));
    assert_eq!(copied.turns[1].status, TurnStatus::Interrupted);
    assert_eq!(copied.items[3].status, ItemStatus::Interrupted);
    let texts = |detail: &ThreadDetail| -> Vec<_> {
        detail
            .items
            .iter()
            .map(|item| item.detail.clone())
            .collect()
    };
    assert_eq!(texts(&copied), texts(&source));
    let ids = |detail: &ThreadDetail| -> Vec<_> {
        detail.items.iter().map(|item| item.id.clone()).collect()
    };
    assert!(ids(&copied).iter().all(|id| !ids(&source).contains(id)));
    let names: Vec<String> = world.story(&copy.id);
    assert_eq!(names, ["thread.forked"]);

    world.turn(&copy.id, "in the copy").await;
    let told = world.model.last_request();
    let user = |text: &str| Message::user(text);
    assert_eq!(told.first(), Some(&user("first")));
    assert_eq!(told.last(), Some(&user("in the copy")));
    assert!(told.iter().any(|message| matches!(
        message,
        Message::Assistant { text, .. } if text == "Half an"
    )));
    let mut view = ThreadView::from(copied);
    for envelope in world.envelopes(&copy.id) {
        view.apply(&envelope).unwrap();
    }
    assert_eq!(view.into_detail().unwrap(), world.detail(&copy.id).await);

    gate.notify_one();
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    assert_eq!(
        world.detail(&thread).await.items[3].detail.as_deref(),
        Some("Half an answer.")
    );
}

#[tokio::test(start_paused = true)]
async fn a_thread_tells_when_its_conversation_fills_the_window() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let mut states = Vec::new();
    for used in [10, WINDOW * 6 / 10, WINDOW * 6 / 10 + 10, WINDOW - 10, 20] {
        world
            .model
            .then(vec![Piece::Usage(used), Piece::Text("Yes.")]);
        world.turn(&thread, "go").await;
        states.push(world.detail(&thread).await.thread.coherence_state);
    }
    use CoherenceState::{GettingCrowded, Healthy};
    assert_eq!(
        states,
        [Healthy, Healthy, GettingCrowded, GettingCrowded, Healthy]
    );
    let told = world.envelopes(&thread).into_iter();
    let told = told.filter_map(|it| match it.decode().unwrap().unwrap() {
        Event::CoherenceChanged(changed) => Some(changed.state),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [GettingCrowded, Healthy]);
    assert_eq!(world.story(&thread).last().unwrap(), "turn.completed");
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_down_for_a_moment_is_asked_again_and_the_wait_is_shown() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let fail = Piece::Fail(codewhale_model::ErrorKind::Transient);
    world.model.then(vec![Piece::Text("Hel"), fail]);
    world.model.then(says("Hello."));
    let before = tokio::time::Instant::now();
    assert_eq!(
        world.turn(&thread, "hi").await.status,
        TurnStatus::Completed
    );
    assert!(before.elapsed() >= Duration::from_secs(1));
    assert_eq!(
        world.story(&thread),
        [
            "item.started",
            "item.failed",
            "item.completed",
            "item.started",
            "item.completed",
            "turn.completed"
        ]
    );
}

fn object(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}
