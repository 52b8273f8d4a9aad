//! Recordings of other programs: whose they are, and what becomes of them.

use std::path::Path;

use codewhale_protocol::operations::{
    SessionsDelete, SessionsGet, SessionsList, SessionsPatch, SessionsResume,
};
use codewhale_protocol::runtime::{ItemStatus, ThreadId};
use codewhale_protocol::{Caller, ErrorCode};
use codewhale_store::{Place, Writing};
use serde_json::json;

use crate::model::says;
use crate::world::{World, open};

async fn world(directory: &Path) -> World {
    let recording = json!({
        "metadata": { "id": "roses", "title": "Roses", "workspace": "/gone" },
        "messages": [
            { "role": "assistant", "content": "Hello." },
            { "role": "user", "content": [{ "type": "text", "text": "Plant roses." }] },
            { "role": "assistant", "content": [
                { "type": "tool_use", "id": "t1", "name": "dig", "input": {} },
                { "type": "tool_use", "id": "t2", "name": "dig", "input": {} },
            ] },
            { "role": "tool", "content": [
                { "type": "tool_result", "tool_use_id": "t1", "content": "a stone", "is_error": true },
            ] },
        ]
    });
    std::fs::write(directory.join("roses.json"), recording.to_string()).unwrap();
    let store = open(Place::Memory, Writing::Inline);
    let directories = vec![directory.to_owned()];
    World::fitted(store, |options| options.old_sessions = directories).await
}

async fn listed(world: &World, caller: &Caller) -> Vec<ThreadId> {
    let list = world.call_as::<SessionsList>(caller, json!({})).await;
    let sessions = list.unwrap().sessions.into_iter();
    sessions.map(|it| it.id).collect()
}

async fn resume(world: &World) -> ThreadId {
    let named = json!({ "session_id": "roses" });
    let resumed = world.call::<SessionsResume>(named).await;
    resumed.unwrap().thread_id
}

#[tokio::test(start_paused = true)]
async fn recordings_are_the_operators_alone() {
    let directory = tempfile::tempdir().unwrap();
    let world = world(directory.path()).await;
    let stranger = Caller {
        principal: "prn_stranger".into(),
        ..world.operator.clone()
    };
    assert_eq!(listed(&world, &world.operator).await, ["roses".into()]);
    assert_eq!(listed(&world, &stranger).await, []);
    let get = async |id: &str| {
        let named = json!({ "session_id": id });
        let got = world.call_as::<SessionsGet>(&stranger, named).await;
        got.unwrap_err()
    };
    assert_eq!(get("roses").await, get("tulips").await);
    let change = json!({ "session_id": "roses", "title": "Mine" });
    let error = world.call::<SessionsPatch>(change).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
}

#[tokio::test(start_paused = true)]
async fn a_thread_is_made_of_a_recording_and_the_model_reads_it() {
    let directory = tempfile::tempdir().unwrap();
    let world = world(directory.path()).await;
    let thread = resume(&world).await;
    assert_eq!(resume(&world).await, thread);
    let now = listed(&world, &world.operator).await;
    assert_eq!(now.iter().collect::<Vec<_>>(), [&thread]);
    let detail = world.detail(&thread).await;
    assert_eq!(
        detail.thread.workspace, "/",
        "a directory that is gone is left"
    );
    assert_eq!(detail.turns.len(), 2);
    let ends: Vec<ItemStatus> = detail.items.iter().map(|it| it.status).collect();
    assert_eq!(ends[2..], [ItemStatus::Failed, ItemStatus::Interrupted]);
    world.model.then(says("Yes."));
    world.turn(&thread, "And now?").await;
    let read = format!("{:?}", world.model.last_request());
    for words in ["Hello.", "Plant roses.", "a stone", "And now?"] {
        assert!(read.contains(words), "{words}: {read}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_recording_whose_thread_was_deleted_can_be_gone_on_with_again() {
    let directory = tempfile::tempdir().unwrap();
    let world = world(directory.path()).await;
    let first = resume(&world).await;
    let named = json!({ "session_id": first });
    world.call::<SessionsDelete>(named).await.unwrap();
    assert_eq!(listed(&world, &world.operator).await, ["roses".into()]);
    let second = resume(&world).await;
    assert_ne!(second, first);
    assert_eq!(listed(&world, &world.operator).await, [second]);
}
