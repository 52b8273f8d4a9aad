//! Batches: whole or not at all, in the order they were handed in.

use codewhale_protocol::runtime::*;
use codewhale_store::{Durability, Error, Guard, Lease, Place, ThreadWords, Writing};

use crate::world::{self, SECRET, World, guard_failed, open};

#[tokio::test]
async fn seqs_grow_over_all_streams_and_each_event_names_its_predecessor() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        world.commit(world.new_thread("thr_b", 1)).await;
        let last = world.commit(world.note("thr_a")).await;
        let places = |thread: &str| -> Vec<(u64, u64)> {
            let events = world.events(thread);
            events
                .iter()
                .map(|e| (e.seq.0, e.previous_seq.unwrap().0))
                .collect()
        };
        let (a, b) = (places("thr_a"), places("thr_b"));
        assert_eq!(a[0].1, 0, "{}", engine.name);
        assert!(
            a[0].0 < b[0].0 && b[0].0 < a[1].0,
            "{}: {a:?} {b:?}",
            engine.name
        );
        assert_eq!(a[1], (last.last().unwrap().0, a[0].0));
    }
}

#[tokio::test]
async fn a_batch_whose_guard_fails_leaves_no_trace_and_its_neighbours_go_through() {
    for engine in world::engines() {
        let world = engine.world();
        let made = world.commit(world.new_thread("thr_a", 1)).await;
        let stream = StreamId::Thread("thr_a".into());
        let head = made.last().unwrap();

        let mut stale = world.new_thread("thr_x", 1);
        stale.guard(Guard::Head {
            stream: stream.clone(),
            seq: Seq(head.0 + 100),
        });
        let mut fresh = world.note("thr_a");
        fresh.guard(Guard::Head { stream, seq: head });
        let (before, stale, fresh, after) = (
            world.store.commit(world.new_thread("thr_b", 1)),
            world.store.commit(stale),
            world.store.commit(fresh),
            world.store.commit(world.new_thread("thr_c", 1)),
        );
        before.await.unwrap();
        guard_failed(stale.await);
        fresh.await.unwrap();
        after.await.unwrap();
        assert!(world.events("thr_x").is_empty(), "{}", engine.name);
        let absent = world
            .store
            .read(|reader| reader.thread(&"thr_x".into()))
            .unwrap();
        assert_eq!(absent, None, "{}", engine.name);
        assert_eq!(world.events("thr_a").len(), 2);
    }
}

#[tokio::test]
async fn a_row_the_database_refuses_fails_its_own_batch_only() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        world.commit(world.new_turn("thr_a", "turn_1", 0)).await;
        let (second, note) = (
            world.store.commit(world.new_turn("thr_a", "turn_2", 1)),
            world.store.commit(world.note("thr_a")),
        );
        assert!(
            second.await.is_err(),
            "{}: two unfinished turns in one thread",
            engine.name
        );
        note.await.unwrap();
        let names: Vec<String> = world.events("thr_a").into_iter().map(|e| e.event).collect();
        assert_eq!(names, ["thread.started", "turn.started", "sandbox.denied"]);
    }
}

#[tokio::test]
async fn a_lease_lets_one_in_and_tells_takings_apart() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        let thread = ThreadId::from("thr_a");
        let lease = |epoch| Lease {
            thread: thread.clone(),
            owner: world.store.owner().clone(),
            epoch,
        };
        let mut take = world.note("thr_a");
        take.guard(Guard::LeaseFree {
            thread: thread.clone(),
        });
        take.take_lease(lease(1));
        world.commit(take).await;

        let mut second = world.note("thr_a");
        second.guard(Guard::LeaseFree {
            thread: thread.clone(),
        });
        guard_failed(world.store.commit(second).await);

        let mut stale = world.note("thr_a");
        stale.guard(Guard::LeaseHeld { lease: lease(0) });
        guard_failed(world.store.commit(stale).await);

        let mut held = world.note("thr_a");
        held.guard(Guard::LeaseHeld { lease: lease(1) });
        held.release_lease(&thread);
        world.commit(held).await;
        let state = world.store.read(|reader| reader.lease(&thread)).unwrap();
        assert_eq!((state.owner, state.epoch), (None, 1), "{}", engine.name);
    }
}

#[tokio::test]
async fn an_approval_is_settled_once_and_remembers_by_which_event() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        let mut approval = approval_record();
        let mut ask = world.note("thr_a");
        ask.put_approval(&approval);
        world.commit(ask).await;

        approval.status = ApprovalStatus::Decided;
        approval.decision = Some(ApprovalDecision::Allow);
        let answer = || {
            let mut batch = world.note("thr_a");
            batch.guard(Guard::ApprovalPending {
                id: approval.id.clone(),
            });
            batch.settle_approval(&approval);
            world.store.commit(batch)
        };
        let (first, second) = (answer(), answer());
        let seq = first.await.unwrap().last();
        guard_failed(second.await);
        let stored = world
            .store
            .read(|reader| reader.approval(&approval.id))
            .unwrap()
            .unwrap();
        assert_eq!(
            (stored.status, stored.decided_seq),
            (ApprovalStatus::Decided, seq)
        );
        let pending = world
            .store
            .read(|reader| reader.pending_approvals(&"thr_a".into()))
            .unwrap();
        assert!(pending.is_empty(), "{}", engine.name);
    }
}

#[tokio::test]
async fn an_item_that_did_not_begin_cannot_end() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        let item = world.item_record("turn_1", "item_1");
        let end = || {
            let mut batch = world.note("thr_a");
            batch.guard(Guard::ItemBegun {
                id: item.id.clone(),
            });
            batch.put_item(&"thr_a".into(), 0, &item);
            world.store.commit(batch)
        };
        guard_failed(end().await);
        let mut begin = world.note("thr_a");
        begin.put_item(&"thr_a".into(), 0, &item);
        world.commit(begin).await;
        end().await.unwrap();
    }
}

#[tokio::test]
async fn no_secret_reaches_a_row_or_an_event() {
    for engine in world::engines() {
        let world = engine.world();
        let mut thread = world.thread_record("thr_a", 1);
        thread.title = Some(format!("title {SECRET}"));
        thread.system_prompt = Some(format!("line\n{SECRET} and sk-abcdefgh12345678ij"));
        let words = ThreadWords {
            latest_input: Some(SECRET.into()),
            latest_message: Some(format!("see {SECRET}")),
        };
        let mut batch = world.store.batch(Durability::Fast);
        batch.put_thread(&thread, &words);
        world.event(
            &mut batch,
            "thr_a",
            &Event::ThreadStarted(ThreadStarted { thread }),
        );
        world.commit(batch).await;
        let stored = world
            .store
            .read(|reader| reader.thread(&"thr_a".into()))
            .unwrap()
            .unwrap();
        assert_eq!(stored.record.title.as_deref(), Some("title [redacted]"));
        let shown = format!("{stored:?} {:?}", world.events("thr_a"));
        assert!(
            !shown.contains(SECRET) && !shown.contains("abcdefgh12345678"),
            "{shown}"
        );
    }
}

fn approval_record() -> ApprovalRecord {
    ApprovalRecord {
        id: "appr_1".into(),
        thread_id: "thr_a".into(),
        turn_id: "turn_1".into(),
        detail: ApprovalDetail {
            tool_name: "exec_shell".into(),
            call_id: "call_1".into(),
            description: "run ls".into(),
            intent_summary: None,
            command: Some("ls".into()),
            cwd: None,
            path: None,
            diff: None,
            reason: "a command would run".into(),
            matched_rule: None,
            proposed_execpolicy_amendment: Vec::new(),
            proposed_network_policy_amendments: Vec::new(),
            wider_walls: false,
            remembered_as: None,
            digest: "d".into(),
            available_decisions: Vec::new(),
        },
        requested_by: codewhale_protocol::Actor::system("test"),
        needed_role: "approver".into(),
        needed_count: 1,
        taint: Vec::new(),
        created_at: Timestamp::from_ms(1),
        expires_at: Timestamp::from_ms(2),
        status: ApprovalStatus::Pending,
        decision: None,
        remember: false,
        decided_by: None,
        decided_at: None,
        decided_seq: None,
        decided_reason: None,
    }
}

#[tokio::test]
async fn by_hand_nothing_is_written_before_someone_does_and_a_full_disk_refuses() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::Home(dir.path().to_owned());
    let world = World::new(open(place, Writing::ByHand).unwrap());
    let (first, second) = (world.note("thr_a"), world.note("thr_a"));
    let first = world.store.commit(first);
    assert!(world.events("thr_a").is_empty());
    world.store.queued().await;
    world.store.step();
    first.await.unwrap();
    assert_eq!(world.events("thr_a").len(), 1);
    let second = world.store.commit(second);
    world.store.refuse_queued();
    assert!(matches!(second.await, Err(Error::DiskFull(_))));
    assert_eq!(world.events("thr_a").len(), 1);
    let last = world.store.commit(world.note("thr_a"));
    world.store.close().unwrap();
    last.await.unwrap();
    assert_eq!(
        world.events("thr_a").len(),
        2,
        "closing writes what is queued"
    );
}
