//! Requests with a key: one effect and one answer, however often they are sent.

use std::task::Poll;
use std::time::Duration;

use codewhale_protocol::operations::{
    Op, Operation, ThreadsCreate, ThreadsFork, ThreadsList, ThreadsRetry, ThreadsUndo, TurnsStart,
    TurnsSteer,
};
use codewhale_protocol::runtime::ThreadId;
use codewhale_protocol::{Call, Caller, ErrorBody, ErrorCode, Service};
use codewhale_runtime::SnapshotSettings;
use codewhale_store::{Shown, ThreadQuery};
use serde_json::{Value, json};

use crate::model::{Piece, says};
use crate::workspace::Lab;
use crate::world::World;

async fn send<O: Operation>(
    world: &World,
    caller: &Caller,
    key: &str,
    params: Value,
) -> Result<Value, ErrorBody> {
    let call = Call {
        op: O::OP,
        params,
        key: Some(key.to_owned()),
    };
    let reply = world.runtime.call(caller, call).await?;
    Ok(serde_json::from_str(reply.get()).unwrap())
}

/// How many threads there are.
async fn threads(world: &World) -> usize {
    let all = json!({ "include_archived": true, "limit": 500 });
    world.call::<ThreadsList>(all).await.unwrap().len()
}

#[tokio::test(start_paused = true)]
async fn the_same_key_gives_the_same_answer_and_makes_one_thing() {
    let world = World::new().await;
    let me = world.operator.clone();
    let params = json!({ "title": "one" });
    let first = send::<ThreadsCreate>(&world, &me, "k", params.clone()).await;
    let again = send::<ThreadsCreate>(&world, &me, "k", params.clone()).await;
    assert_eq!(first, again);
    assert_eq!(threads(&world).await, 1);
    let id = first.unwrap()["id"].clone();
    let fork = json!({ "thread_id": id });
    let first = send::<ThreadsFork>(&world, &me, "k", fork.clone()).await;
    assert_ne!(
        first.clone().unwrap()["id"],
        id,
        "the key counts by operation"
    );
    assert_eq!(send::<ThreadsFork>(&world, &me, "k", fork).await, first);
    assert_eq!(threads(&world).await, 2);
    send::<ThreadsCreate>(&world, &me, "other", params)
        .await
        .unwrap();
    assert_eq!(threads(&world).await, 3);
}

#[tokio::test(start_paused = true)]
async fn the_same_key_with_something_else_is_a_conflict() {
    let world = World::new().await;
    let me = world.operator.clone();
    let one = json!({ "title": "one" });
    send::<ThreadsCreate>(&world, &me, "k", one).await.unwrap();
    let other = send::<ThreadsCreate>(&world, &me, "k", json!({ "title": "two" })).await;
    let error = other.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert!(error.message.contains("another request"), "{error}");
    for key in ["", "a b", "ä", &"k".repeat(256)] {
        let error = send::<ThreadsCreate>(&world, &me, key, json!({})).await;
        assert_eq!(error.unwrap_err().code, ErrorCode::InvalidParams, "{key}");
    }
    assert_eq!(threads(&world).await, 1);
}

#[tokio::test(start_paused = true)]
async fn what_was_refused_may_be_sent_again_under_its_key() {
    let world = World::new().await;
    let me = world.operator.clone();
    let thread = world.thread(json!({})).await;
    let hold = Piece::Wait(Duration::from_secs(5));
    world.model.then(vec![Piece::Text("first"), hold]);
    world.start(&thread, "busy").await.unwrap();
    let params = json!({ "thread_id": thread, "prompt": "next" });
    let error = send::<TurnsStart>(&world, &me, "k", params.clone()).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::Conflict);
    world.ended(&thread).await;
    world.model.then(says("second"));
    let started = send::<TurnsStart>(&world, &me, "k", params.clone()).await;
    world.ended(&thread).await;
    let again = send::<TurnsStart>(&world, &me, "k", params).await;
    assert_eq!(started.unwrap(), again.unwrap());
    assert_eq!(world.detail(&thread).await.turns.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_turn_and_what_is_added_to_it_are_there_once_even_when_sent_at_the_same_time() {
    let world = World::new().await;
    let me = world.operator.clone();
    let thread = world.thread(json!({})).await;
    let hold = Piece::Wait(Duration::from_secs(5));
    world.model.then(vec![Piece::Text("busy"), hold]);
    let start = json!({ "thread_id": thread, "prompt": "go" });
    let (one, two) = tokio::join!(
        send::<TurnsStart>(&world, &me, "k", start.clone()),
        send::<TurnsStart>(&world, &me, "k", start.clone())
    );
    let turn = one.clone().unwrap()["turn"]["id"].clone();
    assert_eq!(one, two);
    let add = json!({ "thread_id": thread, "turn_id": turn, "prompt": "and this" });
    let (one, two) = tokio::join!(
        send::<TurnsSteer>(&world, &me, "k", add.clone()),
        send::<TurnsSteer>(&world, &me, "k", add.clone())
    );
    assert_eq!(one.clone().unwrap()["steer_count"], 1);
    assert_eq!(one, two);
    world.ended(&thread).await;
    assert_eq!(world.detail(&thread).await.turns.len(), 1);
    // Long after the turn there is nothing to add to, and still this was.
    assert_eq!(send::<TurnsSteer>(&world, &me, "k", add).await, one);
}

#[tokio::test(start_paused = true)]
async fn the_key_of_someone_else_is_another_one_and_rights_are_asked_for_each_time() {
    let world = World::new().await;
    let me = world.operator.clone();
    let made = send::<ThreadsCreate>(&world, &me, "k", json!({})).await;
    let id = made.unwrap()["id"].clone();
    let fork = json!({ "thread_id": id });
    send::<ThreadsFork>(&world, &me, "k", fork.clone())
        .await
        .unwrap();
    let stranger = Caller {
        principal: "prn_stranger".into(),
        ..me.clone()
    };
    let error = send::<ThreadsFork>(&world, &stranger, "k", fork.clone()).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::NotFound);
    let looks = Caller {
        scopes: codewhale_protocol::Scopes::of(&[codewhale_protocol::Scope::Read]),
        ..me
    };
    let error = send::<ThreadsFork>(&world, &looks, "k", fork).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::Forbidden);
}

#[tokio::test(start_paused = true)]
async fn a_key_is_forgotten_after_a_day() {
    let world = World::new().await;
    let me = world.operator.clone();
    let first = send::<ThreadsCreate>(&world, &me, "k", json!({})).await;
    tokio::time::advance(Duration::from_secs(24 * 60 * 60 - 1)).await;
    let again = send::<ThreadsCreate>(&world, &me, "k", json!({})).await;
    assert_eq!(first, again);
    tokio::time::advance(Duration::from_secs(2)).await;
    let late = send::<ThreadsCreate>(&world, &me, "k", json!({})).await;
    assert_ne!(first, late);
    assert_eq!(threads(&world).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_key_on_what_is_not_done_once_changes_nothing() {
    let world = World::new().await;
    let me = world.operator.clone();
    send::<ThreadsList>(&world, &me, "not a key", json!({}))
        .await
        .unwrap();
}

#[tokio::test]
async fn undo_and_retry_move_files_and_make_threads_once() {
    let lab = Lab::new();
    lab.write("a", "1");
    let process = lab.process(SnapshotSettings::at_once()).await;
    let world = &process.world;
    let me = world.operator.clone();
    let thread = process.thread().await;
    process
        .turn(&thread, "change it", &[("a", Some("2"))])
        .await;
    let params = json!({ "thread_id": thread });
    let undone = send::<ThreadsUndo>(world, &me, "k", params.clone()).await;
    assert_eq!(lab.read("a").as_deref(), Some("1"));
    lab.write("a", "3");
    let again = send::<ThreadsUndo>(world, &me, "k", params.clone()).await;
    assert_eq!(undone.unwrap(), again.unwrap());
    assert_eq!(lab.read("a").as_deref(), Some("3"), "nothing moved again");
    assert_eq!(threads(world).await, 2);
    lab.write("a", "2");
    world.model.then(says("once more"));
    let retried = send::<ThreadsRetry>(world, &me, "k", params.clone())
        .await
        .unwrap();
    let again = send::<ThreadsRetry>(world, &me, "k", params).await.unwrap();
    assert_eq!(retried, again);
    assert_eq!(retried["patch_result"]["files"], json!(["a"]));
    assert_eq!(threads(world).await, 3);
}

#[tokio::test]
async fn a_retry_that_was_cut_off_between_its_halves_goes_on_where_it_was() {
    let lab = Lab::new();
    lab.write("a", "1");
    let process = lab.process(SnapshotSettings::at_once()).await;
    let world = &process.world;
    let me = world.operator.clone();
    let thread = process.thread().await;
    process
        .turn(&thread, "change it", &[("a", Some("2"))])
        .await;
    let params = json!({ "thread_id": thread });
    let query = ThreadQuery {
        principal: me.principal.as_str(),
        shown: Shown::All,
        limit: 10,
        search: None,
    };
    let listed = || world.store.read(|reader| reader.threads(&query)).unwrap();
    // Whoever asks leaves at the moment at which the copy is there and its turn is not.
    let has_copy = std::future::poll_fn(|_| match listed().len() {
        1 => Poll::Pending,
        _ => Poll::Ready(()),
    });
    tokio::select! {
        biased;
        () = has_copy => {}
        answer = send::<ThreadsRetry>(world, &me, "k", params.clone()) => panic!("{answer:?}"),
    }
    assert!(
        listed()
            .iter()
            .all(|it| it.latest_turn_status.is_none_or(|it| it.is_terminal()))
    );
    assert_eq!(lab.read("a").as_deref(), Some("1"));
    lab.write("a", "by hand");
    world.model.then(says("once more"));
    let retried = send::<ThreadsRetry>(world, &me, "k", params).await.unwrap();
    assert_eq!(retried["patch_result"]["files"], json!(["a"]));
    assert_eq!(
        lab.read("a").as_deref(),
        Some("by hand"),
        "nothing moved again"
    );
    assert_eq!(listed().len(), 2);
    let copy = ThreadId::from(retried["thread"]["id"].as_str().unwrap());
    assert_eq!(process.asked(&copy).await, ["change it"]);
}

/// What the table calls done once must know how.
#[tokio::test(start_paused = true)]
async fn every_operation_that_is_done_once_takes_a_key() {
    let world = World::new().await;
    for op in Op::ALL.iter().filter(|op| op.row().once) {
        let call = Call {
            op: *op,
            params: json!({ "thread_id": world.thread(json!({})).await, "turn_id": "turn_none",
                "snapshot_id": "none", "prompt": "go" }),
            key: Some("k".to_owned()),
        };
        if let Err(error) = world.runtime.call(&world.operator, call).await {
            assert!(!error.message.contains("takes no"), "{op:?}: {error}");
        }
    }
}
