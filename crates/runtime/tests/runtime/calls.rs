//! Stopping one call: the turn goes on, and its agent reads who stopped what.

use std::sync::{Arc, Mutex};

use codewhale_protocol::lent::{Lender, Lent, Watcher};
use codewhale_protocol::operations::CallsStop;
use codewhale_protocol::runtime::{
    ItemId, ItemStatus, ThreadDetail, ThreadId, TurnItemRecord, TurnStatus,
};
use codewhale_protocol::{ErrorBody, ErrorCode};
use serde_json::json;

use crate::model::{says, wants};
use crate::world::World;

async fn stop(
    world: &World,
    thread: &ThreadId,
    item: &ItemId,
) -> Result<TurnItemRecord, ErrorBody> {
    let params = json!({ "thread_id": thread, "item_id": item });
    world.call::<CallsStop>(params).await
}

/// A thread on which a call runs for a minute.
async fn busy(world: &World) -> (ThreadId, ItemId) {
    let thread = world.thread(json!({})).await;
    let input = json!({ "prints": ["begun\n"], "secs": 60 });
    world.model.then(wants("call_1", "look", &input));
    world.start(&thread, "look").await.unwrap();
    let runs = |_: &ThreadDetail| !world.ran().is_empty();
    let item = world.until(&thread, runs).await.items.remove(1);
    (thread, item.id)
}

#[tokio::test(start_paused = true)]
async fn a_stopped_call_ends_at_once_and_its_turn_goes_on() {
    let world = World::new().await;
    let (thread, item) = busy(&world).await;
    world.model.then(says("Then not."));
    let begun = tokio::time::Instant::now();
    let answer = stop(&world, &thread, &item).await.unwrap();
    assert_eq!(
        (answer.id, answer.status),
        (item.clone(), ItemStatus::InProgress)
    );
    // To say it twice is to say it.
    stop(&world, &thread, &item).await.ok();
    let turn = world.ended(&thread).await;
    assert!(begun.elapsed().as_secs() < 1, "{:?}", begun.elapsed());
    assert_eq!(turn.status, TurnStatus::Completed);
    let detail = world.detail(&thread).await;
    let call = &detail.items[1];
    assert_eq!(call.status, ItemStatus::Failed);
    let told = call.detail.as_deref().unwrap();
    assert!(told.contains("[A person stopped this call."), "{told}");
    let by = call.metadata.as_ref().unwrap()["stopped_by"].as_str();
    assert!(by.unwrap().starts_with("act_"), "{by:?}");
    let read = format!("{:?}", world.model.last_request());
    assert!(read.contains("A person stopped this call."), "{read}");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_running_call_is_not_stopped() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.model.then(wants("call_1", "note", &json!({})));
    world.start(&thread, "write").await.unwrap();
    let approval = world.asked(&thread).await;
    let detail = world.detail(&thread).await;
    // What somebody said, and a call that waits for its approval.
    for item in &detail.items {
        let refused = stop(&world, &thread, &item.id).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::Conflict, "{item:?}");
    }
    let nothing = stop(&world, &thread, &"item_none".into())
        .await
        .unwrap_err();
    assert_eq!(nothing.code, ErrorCode::NotFound);
    world.decide(&approval.id, "allow").await.unwrap();
    world.ended(&thread).await;
    let over = stop(&world, &thread, &detail.items[1].id)
        .await
        .unwrap_err();
    assert_eq!(over.code, ErrorCode::Conflict);
    // An item of another thread is none of this one.
    let other = world.thread(json!({})).await;
    let elsewhere = stop(&world, &other, &detail.items[1].id).await.unwrap_err();
    assert_eq!(elsewhere.code, ErrorCode::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_a_person_is_not_stopped_behind_their_back() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let options = json!([
        { "label": "left", "description": "one" }, { "label": "right", "description": "other" },
    ]);
    let question =
        json!({ "header": "Way", "id": "way", "question": "Which?", "options": options });
    let input = json!({ "questions": [question] });
    world
        .model
        .then(wants("call_1", "request_user_input", &input));
    let turn = world.start(&thread, "ask").await.unwrap();
    let asks = |detail: &ThreadDetail| !detail.pending_user_inputs.is_empty();
    let item = world.until(&thread, asks).await.items.remove(1);
    let refused = stop(&world, &thread, &item.id).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    world.interrupt(&thread, &turn).await.unwrap();
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Interrupted);
}

#[tokio::test]
async fn a_call_is_stopped_from_another_process() {
    let home = tempfile::tempdir().unwrap();
    let runs = World::at(home.path()).await;
    let asks = World::at(home.path()).await;
    let (thread, item) = busy(&runs).await;
    stop(&asks, &thread, &item).await.unwrap();
    assert_eq!(runs.ended(&thread).await.status, TurnStatus::Completed);
    let told = asks.detail(&thread).await.items[1].detail.clone().unwrap();
    assert!(told.contains("[A person stopped this call."), "{told}");
}

/// Remembers which calls it was told of.
#[derive(Default)]
struct Heard(Mutex<Vec<ItemId>>);

impl Watcher for Heard {
    fn runs(&self, item: &ItemId) {
        self.0.lock().unwrap().push(item.clone());
    }
}

#[tokio::test(start_paused = true)]
async fn who_watches_a_thread_hears_of_calls_that_run_and_of_no_others() {
    let world = World::new().await;
    let (thread, other) = (world.thread(json!({})).await, world.thread(json!({})).await);
    let heard = Arc::new(Heard::default());
    let lent = Lent {
        watcher: Some(Arc::clone(&heard) as Arc<dyn Watcher>),
        ..Lent::default()
    };
    world.runtime.lend(&thread, lent).await.unwrap();
    for (number, decision) in ["deny", "allow"].into_iter().enumerate() {
        let id = format!("call_{number}");
        world.model.then(wants(&id, "note", &json!({})));
        world.start(&thread, "write").await.unwrap();
        let approval = world.asked(&thread).await;
        assert_eq!(heard.0.lock().unwrap().len(), 0, "it waits");
        world.decide(&approval.id, decision).await.unwrap();
        world.ended(&thread).await;
    }
    world.model.then(wants("call_2", "look", &json!({})));
    world.turn(&other, "look").await;
    let items = world.detail(&thread).await.items;
    let ran = items.iter().filter(|it| it.kind.is_tool()).nth(1);
    assert_eq!(*heard.0.lock().unwrap(), [ran.unwrap().id.clone()]);
    world.runtime.take_back(&thread).await;
}
