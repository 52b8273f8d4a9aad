//! Requests that a process leaves for another which does not answer.

use std::path::Path;
use std::time::Duration;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::runtime::{PendingApproval, ThreadId};
use serde_json::{Value, json};

use crate::model::wants;
use crate::processes::Process;
use crate::world::World;

/// A process in which a question waits and nothing moves.
fn asking(home: &Path) -> (Process, ThreadId, PendingApproval) {
    let process = Process::start(home);
    let world = &process.world;
    let (thread, asked) = process.tokio.block_on(async {
        let thread = world.thread(json!({})).await;
        world.model.then(wants("call_1", "note", &json!({})));
        world.start(&thread, "write").await.unwrap();
        let asked = world.asked(&thread).await;
        (thread, asked)
    });
    (process, thread, asked)
}

fn waiting_for(world: &World) -> usize {
    let me = world.store.owner();
    let waiting = world.store.read(|reader| reader.errands::<Value>(me, 10));
    waiting.unwrap().len()
}

/// Goes on with something until it waits for that process.
async fn until_left(asking: &mut (impl Future + Unpin), world: &World) {
    while waiting_for(world) == 0 {
        assert!(futures_util::poll!(&mut *asking).is_pending());
        tokio::task::yield_now().await;
    }
}

#[test]
fn what_was_asked_of_a_process_that_dies_is_answered_as_it_left_things() {
    let home = tempfile::tempdir().unwrap();
    let (busy, _, asked) = asking(home.path());
    let other = Process::start(home.path());
    let mut decided = Box::pin(other.world.decide(&asked.id, "allow"));
    other.tokio.block_on(until_left(&mut decided, &busy.world));
    busy.kill(home.path());
    let error = other.tokio.block_on(decided).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(error.data.unwrap()["status"], json!("expired"));
}

#[test]
fn who_waits_no_more_takes_the_request_back() {
    let home = tempfile::tempdir().unwrap();
    let (busy, thread, asked) = asking(home.path());
    let other = Process::start(home.path());
    other.tokio.block_on(async {
        let mut decided = Box::pin(other.world.decide(&asked.id, "allow"));
        until_left(&mut decided, &busy.world).await;
    });
    assert_eq!(waiting_for(&busy.world), 0);
    busy.tokio.block_on(async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        let waiting = busy.world.detail(&thread).await.pending_approvals;
        assert_eq!(waiting.len(), 1);
    });
}
