//! A disk that is full for a moment: what it could not take never appears, and what the log tells is
//! what the rows show.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codewhale_protocol::runtime::{AgentRunStatus, FailureClass, ItemKind, ThreadView, TurnStatus};
use codewhale_runtime::Options;
use codewhale_store::{Place, Writing};
use codewhale_tools::Registry;
use serde_json::json;
use tokio::sync::Notify;

use crate::input::write_all;
use crate::model::{Piece, wants};
use crate::world::{World, open};

#[tokio::test(start_paused = true)]
async fn an_item_that_could_not_begin_does_not_appear_at_its_end() {
    let home = tempfile::tempdir().unwrap();
    let store = open(Place::Home(home.path().to_owned()), Writing::ByHand);
    let (world, ()) = tokio::join!(World::on(store.clone()), write_all(&store));
    let (thread, ()) = tokio::join!(world.thread(json!({})), write_all(&store));
    let (before, ()) = tokio::join!(world.detail(&thread), write_all(&store));
    let [speak, end] = [(); 2].map(|()| Arc::new(Notify::new()));
    world.model.then(vec![
        Piece::Gate(Arc::clone(&speak)),
        Piece::Text("Half of it."),
        Piece::Gate(Arc::clone(&end)),
        Piece::Text(" The rest."),
    ]);
    let (turn, ()) = tokio::join!(world.start(&thread, "first"), write_all(&store));
    let turn = turn.unwrap();
    // The answer begins, and the disk does not take that.
    speak.notify_one();
    store.queued().await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    store.refuse_queued();
    // Something else begins meanwhile, and the answer ends behind it.
    let (steered, ()) = tokio::join!(world.steer(&thread, &turn, "second"), write_all(&store));
    steered.unwrap();
    end.notify_one();
    let (turn, ()) = tokio::join!(world.ended(&thread), write_all(&store));
    assert_eq!(turn.status, TurnStatus::Failed);
    assert_eq!(turn.failure_class, Some(FailureClass::Storage));

    let (detail, ()) = tokio::join!(world.detail(&thread), write_all(&store));
    let kinds: Vec<ItemKind> = detail.items.iter().map(|item| item.kind).collect();
    assert_eq!(
        kinds,
        [
            ItemKind::UserMessage,
            ItemKind::UserMessage,
            ItemKind::AgentMessage,
            ItemKind::Error,
        ]
    );
    let mut view = ThreadView::from(before);
    for envelope in world.envelopes(&thread) {
        view.apply(&envelope).unwrap();
    }
    assert_eq!(view.into_detail().unwrap(), detail);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_was_not_told_is_not_in_the_record_either() {
    let home = tempfile::tempdir().unwrap();
    let store = open(Place::Home(home.path().to_owned()), Writing::ByHand);
    let (world, ()) = tokio::join!(World::on(store.clone()), write_all(&store));
    let (thread, ()) = tokio::join!(world.thread(json!({})), write_all(&store));
    let (before, ()) = tokio::join!(world.detail(&thread), write_all(&store));
    let end = Arc::new(Notify::new());
    world.model.then(vec![Piece::Gate(Arc::clone(&end))]);
    let accepted = async {
        store.queued().await;
        tokio::time::sleep(Duration::from_millis(5)).await;
        store.step();
    };
    let (turn, ()) = tokio::join!(world.start(&thread, "first"), accepted);
    store.queued().await;
    store.refuse_queued();
    let steered = world.steer(&thread, turn.as_ref().unwrap(), "second");
    let (steered, ()) = tokio::join!(steered, write_all(&store));
    let steered = steered.unwrap();
    assert_eq!(steered.started_at, Some(steered.created_at));
    let (detail, ()) = tokio::join!(world.detail(&thread), write_all(&store));
    let mut view = ThreadView::from(before);
    for envelope in world.envelopes(&thread) {
        view.apply(&envelope).unwrap();
    }
    assert_eq!(view.into_detail().unwrap(), detail);
    end.notify_one();
    let (turn, ()) = tokio::join!(world.ended(&thread), write_all(&store));
    assert_eq!(turn.failure_class, Some(FailureClass::Storage));
}

#[tokio::test(start_paused = true)]
async fn a_sub_agent_that_could_not_begin_ends_with_the_turn_that_made_it() {
    let home = tempfile::tempdir().unwrap();
    let store = open(Place::Home(home.path().to_owned()), Writing::ByHand);
    let builtin = |options: &mut Options| options.tools = Registry::builtin();
    let (world, ()) = tokio::join!(World::fitted(store.clone(), builtin), write_all(&store));
    let (thread, ()) = tokio::join!(
        world.thread(json!({ "auto_approve": true, "workspace": home.path() })),
        write_all(&store)
    );
    let task = json!({ "action": "start", "prompt": "look around", "type": "scout" });
    world.model.then(wants("call_1", "agent", &task));
    let refused = AtomicUsize::new(0);
    let disk = async {
        loop {
            store.queued().await;
            let made = store.read(|reader| reader.stranded_runs()).unwrap();
            // Neither its start nor that it failed finds room.
            match made.is_empty() || refused.load(Ordering::Relaxed) == 2 {
                true => store.step(),
                false => {
                    refused.fetch_add(1, Ordering::Relaxed);
                    store.refuse_queued();
                }
            }
        }
    };
    let turn = tokio::select! {
        turn = world.turn(&thread, "have it looked at") => turn,
        () = disk => unreachable!("the disk works on"),
    };
    assert_eq!(refused.load(Ordering::Relaxed), 2);
    assert_eq!(turn.failure_class, Some(FailureClass::Storage));
    let runs = store.read(|reader| reader.agent_runs_of(&thread)).unwrap();
    let states: Vec<_> = runs.iter().map(|stored| stored.run.status).collect();
    assert_eq!(states, [AgentRunStatus::Interrupted]);
}
