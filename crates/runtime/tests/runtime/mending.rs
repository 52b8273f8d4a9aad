//! Items that lost their end: given one once, and told the same ever after.

use codewhale_model::Message;
use codewhale_protocol::operations::ThreadsResume;
use codewhale_protocol::runtime::{ItemStatus, StreamId, TurnStatus};
use codewhale_store::{Durability, Guard};
use serde_json::json;

use crate::model::{says, wants};
use crate::world::World;

#[tokio::test(start_paused = true)]
async fn a_call_without_an_end_gets_one_in_the_log_and_is_told_the_same_ever_after() {
    let home = tempfile::tempdir().unwrap();
    let world = World::at(home.path()).await;
    let thread = world.thread(json!({ "auto_approve": true })).await;
    world
        .model
        .then(wants("call_1", "note", &json!({ "n": 1 })));
    world.turn(&thread, "write").await;

    // The end of the call is taken out of the store, as if it had been lost.
    let items = world.store.read(|reader| reader.items(&thread, 0)).unwrap();
    let mut call = items
        .into_iter()
        .find(|item| item.record.kind.is_tool())
        .unwrap();
    call.record.status = ItemStatus::InProgress;
    call.record.ended_at = None;
    let mut batch = world.store.batch(Durability::Synced);
    batch.guard(Guard::LeaseFree {
        thread: thread.clone(),
    });
    batch.put_item(&thread, call.ordinal, &call.record);
    world.store.commit(batch).await.unwrap();
    world.runtime.shutdown().await.unwrap();

    let mut told: Vec<Vec<Message>> = Vec::new();
    let mut lengths = Vec::new();
    for _ in 0..2 {
        let world = World::at(home.path()).await;
        world.model.then(says("Well."));
        let params = json!({ "thread_id": thread });
        world.call::<ThreadsResume>(params).await.unwrap();
        let detail = world.detail(&thread).await;
        let mended = detail.items.iter().find(|item| item.id == call.record.id);
        let mended = mended.unwrap();
        assert_eq!(mended.status, ItemStatus::Interrupted);
        assert!(mended.detail.as_ref().unwrap().contains("not known"));
        let stream = StreamId::Thread(thread.clone());
        lengths.push(world.store.read(|reader| reader.head(&stream)).unwrap());
        let turn = world.turn(&thread, "go on").await;
        assert_eq!(turn.status, TurnStatus::Completed);
        told.push(world.model.last_request());
        world.runtime.shutdown().await.unwrap();
    }
    // The second process finds nothing to mend, and sends what the first sent and more.
    assert_eq!(told[1][..told[0].len()], told[0]);
    let result = |message: &Message| matches!(message, Message::Tool { output, success: false, .. } if output.contains("not known"));
    assert_eq!(told[1].iter().filter(|it| result(it)).count(), 1);
    let world = World::at(home.path()).await;
    let ends = world.envelopes(&thread).into_iter().filter(|it| {
        it.item_id.as_ref() == Some(&call.record.id) && it.event == "item.interrupted"
    });
    assert_eq!(ends.count(), 1);
}
