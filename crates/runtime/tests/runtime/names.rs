//! Threads under a name that their maker chose, and turns that are found by their name alone.

use codewhale_protocol::operations::{SessionsDelete, ThreadsCreate, ThreadsGet, TurnsGet};
use codewhale_protocol::{Caller, ErrorCode};
use serde_json::json;

use crate::model::{says, wants};
use crate::world::World;

const NAME: &str = "thr_0123456789abcdef0123456789abcdef";

#[tokio::test(start_paused = true)]
async fn of_two_who_make_a_thread_under_one_name_one_gets_it() {
    let world = World::new().await;
    let make = || world.call::<ThreadsCreate>(json!({ "id": NAME }));
    let (one, other) = tokio::join!(make(), make());
    let refused = match (one, other) {
        (Ok(made), Err(refused)) | (Err(refused), Ok(made)) => {
            assert_eq!(made.id.as_str(), NAME);
            refused
        }
        both => panic!("{both:?}"),
    };
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert_eq!(make().await.unwrap_err().code, ErrorCode::Conflict);
    let read = world.call::<ThreadsGet>(json!({ "thread_id": NAME })).await;
    assert_eq!(
        read.unwrap().latest_seq,
        world.envelopes(&NAME.into())[0].seq
    );
}

#[tokio::test(start_paused = true)]
async fn a_name_reads_like_those_that_are_drawn() {
    let world = World::new().await;
    for id in [
        "",
        "mine",
        "thr_1",
        &NAME.to_uppercase(),
        "turn_0123456789abcdef0123456789abcdef",
    ] {
        let made = world.call::<ThreadsCreate>(json!({ "id": id })).await;
        assert_eq!(made.unwrap_err().code, ErrorCode::InvalidParams, "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_read_by_its_name_alone_as_its_thread_shows_it() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.model.then(says("first"));
    world.turn(&thread, "one").await;
    world.model.then(wants("call_1", "note", &json!({})));
    let id = world.start(&thread, "two").await.unwrap();
    world.asked(&thread).await;
    let read = world
        .call::<TurnsGet>(json!({ "turn_id": id }))
        .await
        .unwrap();
    let shown = world.detail(&thread).await;
    assert_eq!(Some(&read.turn), shown.turns.last());
    assert_eq!(read.thread, shown.thread);
    assert_eq!(read.pending_approvals, shown.pending_approvals);
    assert_eq!(read.latest_seq, shown.latest_seq);
    let items = shown.items.into_iter().filter(|item| item.turn_id == id);
    assert_eq!(read.items, items.collect::<Vec<_>>());
    // Its events stand behind that place, and those of the turn before do not.
    for event in world.envelopes(&thread) {
        let is_its = event.turn_id.as_ref() == Some(&id);
        assert_eq!(event.seq > read.since_seq, is_its, "{}", event.event);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_someone_may_not_see_is_unknown() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.model.then(says("done"));
    let turn = world.turn(&thread, "go").await.id;
    let stranger = Caller {
        principal: "prn_stranger".into(),
        ..world.operator.clone()
    };
    let read = |caller, turn: &str| world.call_as::<TurnsGet>(caller, json!({ "turn_id": turn }));
    let unknown = read(&world.operator, "turn_none").await.unwrap_err();
    assert_eq!(unknown.code, ErrorCode::NotFound);
    assert_eq!(read(&stranger, turn.as_str()).await.unwrap_err(), unknown);
    let session = json!({ "session_id": thread });
    world.call::<SessionsDelete>(session).await.unwrap();
    assert_eq!(
        read(&world.operator, turn.as_str()).await.unwrap_err(),
        unknown
    );
}
