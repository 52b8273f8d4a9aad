//! Input: what people say reaches the model, in order, once, whatever else happens meanwhile.

use std::sync::Arc;
use std::time::Duration;

use codewhale_model::Message;
use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::ThreadsResume;
use codewhale_protocol::runtime::{ThreadDetail, ThreadId, TurnStatus};
use codewhale_store::{Place, Store, Writing};
use serde_json::json;
use tokio::sync::Notify;

use crate::model::{Piece, call, says};
use crate::world::{World, open};

fn said(text: &str) -> Message {
    Message::user(text)
}

#[tokio::test(start_paused = true)]
async fn what_is_added_while_the_model_speaks_is_read_before_the_turn_ends() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let gate = Arc::new(Notify::new());
    world
        .model
        .then(vec![Piece::Gate(Arc::clone(&gate)), Piece::Text("One.")]);
    world.model.then(says("Two."));
    let turn = world.start(&thread, "first").await.unwrap();
    world
        .until(&thread, |_| !world.model.requests().is_empty())
        .await;
    let steered = world.steer(&thread, &turn, " second ").await.unwrap();
    assert_eq!(steered.steer_count, 1);
    gate.notify_one();
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    let requests = world.model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[1].first(), Some(&said("first")));
    assert_eq!(requests[1].last(), Some(&said("second")));
}

/// Lets the disk do what is waiting, until nothing is.
pub(crate) async fn write_all(store: &Store) {
    while tokio::time::timeout(Duration::from_millis(5), store.queued())
        .await
        .is_ok()
    {
        store.step();
    }
}

#[tokio::test(start_paused = true)]
async fn an_addition_that_is_being_written_when_the_answer_ends_is_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let store = open(Place::Home(home.path().to_owned()), Writing::ByHand);
    let (world, ()) = tokio::join!(World::on(store.clone()), write_all(&store));
    let (thread, ()) = tokio::join!(world.thread(json!({})), write_all(&store));
    let gate = Arc::new(Notify::new());
    world
        .model
        .then(vec![Piece::Text("One."), Piece::Gate(Arc::clone(&gate))]);
    world.model.then(says("Two."));
    let (turn, ()) = tokio::join!(world.start(&thread, "first"), write_all(&store));
    let turn = turn.unwrap();
    let last_moment = async {
        // The addition has reached the thread, and the disk has not taken it yet.
        tokio::time::sleep(Duration::from_millis(1)).await;
        gate.notify_one();
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(
            world.model.requests().len(),
            1,
            "nothing is asked without it"
        );
        write_all(&store).await;
    };
    let (steered, ()) = tokio::join!(world.steer(&thread, &turn, "second"), last_moment);
    steered.unwrap();
    let (turn, ()) = tokio::join!(world.ended(&thread), write_all(&store));
    assert_eq!(turn.status, TurnStatus::Completed);
    let requests = world.model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[1].last(), Some(&said("second")));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_has_ended_cannot_be_added_to() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let turn = world.turn(&thread, "go").await;
    let error = world.steer(&thread, &turn.id, "more").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(error.data.unwrap()["active_turn_id"], json!(null));
    let gate = Arc::new(Notify::new());
    world.model.then(vec![Piece::Gate(gate)]);
    let running = world.start(&thread, "wait").await.unwrap();
    let error = world.steer(&thread, &turn.id, "more").await.unwrap_err();
    assert_eq!(error.data.unwrap()["active_turn_id"], json!(running));
    let error = world.start(&thread, "another").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(error.data.unwrap()["active_turn_id"], json!(running));
}

#[tokio::test(start_paused = true)]
async fn more_requests_at_once_than_a_thread_takes_are_told_to_come_back() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let resume = || world.call::<ThreadsResume>(json!({ "thread_id": thread }));
    let answers = futures_util::future::join_all((0..70).map(|_| resume())).await;
    let codes: Vec<_> = answers.iter().map(|it| it.as_ref().err()).collect();
    assert!(codes[..64].iter().all(Option::is_none));
    for error in &codes[64..] {
        assert_eq!(error.unwrap().code, ErrorCode::Overloaded);
    }
    resume().await.unwrap();
}

/// A turn with everything a conversation can hold.
async fn rich_turn(world: &World, thread: &ThreadId) {
    world.model.then(vec![
        Piece::Reasoning("Hm."),
        Piece::Text("I look."),
        call("call_1", "look", &json!({ "at": "a" })),
        call("call_2", "look", &json!({ "at": "b" })),
    ]);
    world
        .model
        .then(vec![Piece::Reasoning("So."), Piece::Text("Seen.")]);
    assert_eq!(
        world.turn(thread, "look").await.status,
        TurnStatus::Completed
    );
}

fn rich_conversation(messages: &[Message]) {
    let calls: Vec<&str> = match &messages[1] {
        Message::Assistant {
            reasoning,
            text,
            calls,
        } => {
            assert_eq!((reasoning.as_str(), text.as_str()), ("Hm.", "I look."));
            calls.iter().map(|call| call.id.as_str()).collect()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(calls, ["call_1", "call_2"]);
    let output = |at: &str| format!("did {}", json!({ "at": at }));
    let result = |call_id: &str, output| Message::Tool {
        call_id: call_id.to_owned(),
        output,
        success: true,
        attachments: Vec::new(),
    };
    assert_eq!(messages[0], said("look"));
    assert_eq!(messages[2], result("call_1", output("a")));
    assert_eq!(messages[3], result("call_2", output("b")));
    assert_eq!(messages[5], said("and now?"));
    assert_eq!(messages.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_was_unloaded_knows_its_whole_conversation() {
    let world = World::new().await;
    let (kept, unloaded) = (world.thread(json!({})).await, world.thread(json!({})).await);
    rich_turn(&world, &unloaded).await;
    tokio::time::sleep(Duration::from_secs(125)).await;
    rich_turn(&world, &kept).await;

    world.turn(&kept, "and now?").await;
    let expected = world.model.last_request();
    rich_conversation(&expected);
    world.turn(&unloaded, "and now?").await;
    assert_eq!(world.model.last_request(), expected);
}

#[tokio::test(start_paused = true)]
async fn the_next_process_knows_the_whole_conversation() {
    let home = tempfile::tempdir().unwrap();
    let world = World::at(home.path()).await;
    let thread = world.thread(json!({})).await;
    rich_turn(&world, &thread).await;
    world.runtime.shutdown().await.unwrap();
    drop(world);
    let world = World::at(home.path()).await;
    world.turn(&thread, "and now?").await;
    rich_conversation(&world.model.last_request());
}

#[tokio::test(start_paused = true)]
async fn after_an_interrupt_the_model_is_told_what_was_cut_off() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let slow = json!({ "secs": 60 });
    world
        .model
        .then(vec![Piece::Text("I look."), call("call_1", "look", &slow)]);
    let turn = world.start(&thread, "look").await.unwrap();
    let works = |detail: &ThreadDetail| detail.items.len() == 3;
    world.until(&thread, works).await;
    world.interrupt(&thread, &turn).await.unwrap();
    world.ended(&thread).await;
    world.turn(&thread, "go on").await;
    let messages = world.model.last_request();
    assert!(
        matches!(&messages[2], Message::Tool { output, success: false, .. } if output.contains("cut off")),
        "{messages:#?}"
    );
    assert_eq!(messages.last(), Some(&said("go on")));
}
