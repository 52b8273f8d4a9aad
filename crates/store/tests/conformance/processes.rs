//! Several processes on one home, played by several stores: each has its own connections and its
//! own memory of the log, and they meet only in the file.

use codewhale_protocol::runtime::{ErrandId, Seq, StreamId, ThreadId};
use codewhale_protocol::service::Cursor;
use codewhale_store::{Guard, Lease, Verified};

use crate::world::{World, guard_failed, home_world};

#[tokio::test]
async fn two_processes_write_one_log_with_one_numbering() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (home_world(dir.path()), home_world(dir.path()));
    let mut seqs = Vec::new();
    for n in 0..40 {
        let world = if n % 2 == 0 { &a } else { &b };
        let thread = if n % 3 == 0 {
            "thr_shared"
        } else {
            "thr_other"
        };
        seqs.push(world.commit(world.note(thread)).await.last().unwrap());
    }
    assert!(seqs.is_sorted_by(|one, next| one < next), "{seqs:?}");
    for thread in ["thr_shared", "thr_other"] {
        let stream = StreamId::Thread(thread.into());
        for world in [&a, &b] {
            let found = world.store.read(|reader| reader.verify(&stream)).unwrap();
            assert!(matches!(found, Verified::Intact { .. }), "{found:?}");
        }
    }
}

#[tokio::test]
async fn a_follower_sees_what_another_process_commits() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (home_world(dir.path()), home_world(dir.path()));
    let stream = StreamId::Thread("thr_a".into());
    let mut follower = a.store.subscribe(stream, Cursor::after(Seq::ZERO)).unwrap();
    for _ in 0..3 {
        let seq = b.commit(b.note("thr_a")).await.last().unwrap();
        assert_eq!(follower.next().await.unwrap().last, seq);
    }
}

#[tokio::test]
async fn a_process_is_told_what_another_asks_and_answers() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (home_world(dir.path()), home_world(dir.path()));
    let (mut to_a, mut to_b) = (a.store.errand_news(), b.store.errand_news());
    for id in ["errand_1", "errand_2"].map(ErrandId::from) {
        let mut batch = b.note("thr_a");
        batch.put_errand(&id, (b.store.owner(), a.store.owner()), &"do it");
        b.commit(batch).await;
        to_a.next().await;
        let mut batch = a.note("thr_a");
        batch.answer_errand(&id, &"done");
        a.commit(batch).await;
        to_b.next().await;
    }
}

#[tokio::test]
async fn a_stale_process_cannot_write_over_what_another_did() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (home_world(dir.path()), home_world(dir.path()));
    let stream = StreamId::Thread("thr_a".into());
    let head = a.commit(a.new_thread("thr_a", 1)).await.last().unwrap();
    b.commit(b.note("thr_a")).await;
    let mut stale = a.note("thr_a");
    stale.guard(Guard::Head { stream, seq: head });
    guard_failed(a.store.commit(stale).await);
}

#[tokio::test]
async fn text_for_a_thread_that_another_process_has_taken_over_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (home_world(dir.path()), home_world(dir.path()));
    let thread = ThreadId::from("thr_a");
    let take = |world: &World, epoch| {
        let mut batch = world.note("thr_a");
        let owner = world.store.owner().clone();
        batch.take_lease(Lease {
            thread: thread.clone(),
            owner,
            epoch,
        });
        world.store.commit(batch)
    };
    take(&a, 1).await.unwrap();
    let ids = (&thread, &"turn_1".into(), &"item_1".into());
    let kind = codewhale_protocol::runtime::ItemKind::AgentMessage;
    let mut writer = a.store.delta_writer(ids, kind, &a.stamp.id);
    let mut settled = String::new();
    writer.push(
        codewhale_protocol::runtime::Timestamp::from_ms(1),
        "mine",
        &mut settled,
    );
    a.commit(a.note("thr_x")).await;
    writer.check().unwrap();
    take(&b, 2).await.unwrap();
    writer.push(
        codewhale_protocol::runtime::Timestamp::from_ms(1),
        "no more",
        &mut settled,
    );
    a.commit(a.note("thr_x")).await;
    assert!(writer.check().is_err());
    let deltas = b
        .events("thr_a")
        .iter()
        .filter(|event| event.event == "item.delta")
        .count();
    assert_eq!(deltas, 1);
}

#[tokio::test]
async fn the_end_of_a_process_is_known_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (home_world(dir.path()), home_world(dir.path()));
    let gone = b.store.owner().clone();
    assert!(a.store.is_alive(&gone));
    assert_eq!(a.store.other_owners(), [(gone.clone(), true)]);
    drop(b);
    assert!(!a.store.is_alive(&gone));
}

#[tokio::test]
async fn one_process_closing_does_not_make_the_others_end_look_clean() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (home_world(dir.path()), home_world(dir.path()));
    b.store.close().unwrap();
    drop(b);
    drop(a);
    assert!(home_world(dir.path()).store.ended_uncleanly());
}

#[tokio::test]
async fn sixteen_writers_never_meet_a_lock_they_cannot_wait_for() {
    let dir = tempfile::tempdir().unwrap();
    let worlds: Vec<World> = (0..16).map(|_| home_world(dir.path())).collect();
    let mut tickets = Vec::new();
    for _ in 0..20 {
        for (number, world) in worlds.iter().enumerate() {
            let thread = format!("thr_{}", number % 5);
            tickets.push(world.store.commit(world.note(&thread)));
        }
    }
    let mut seqs = Vec::new();
    for ticket in tickets {
        seqs.extend(ticket.await.unwrap().seqs);
    }
    seqs.sort_unstable();
    seqs.dedup();
    assert_eq!(seqs.len(), 320);
    for number in 0..5 {
        let stream = StreamId::Thread(format!("thr_{number}").as_str().into());
        let found = worlds[0]
            .store
            .read(|reader| reader.verify(&stream))
            .unwrap();
        assert!(matches!(found, Verified::Intact { .. }), "{found:?}");
    }
}
