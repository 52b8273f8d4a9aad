//! Counters: written with the events, and the same when folded from the log again.

use codewhale_protocol::runtime::*;
use codewhale_store::SubjectState;

use crate::world;

#[tokio::test]
async fn the_counters_of_a_thread_follow_its_turns_and_equal_a_fold_of_its_events() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        let end = |id: &str, status| {
            let mut batch = world.batch();
            let turn = TurnRecord {
                status,
                ..world.turn_record("thr_a", id)
            };
            batch.put_turn(0, &turn);
            let completed = TurnCompleted {
                turn,
                recovered: false,
            };
            world.event(&mut batch, "thr_a", &Event::TurnCompleted(completed));
            batch
        };
        let state = || {
            world
                .store
                .read(|reader| reader.subject(&"thr_a".into()))
                .unwrap()
                .unwrap()
        };
        let counts =
            |state: SubjectState| [state.active, state.waiting, state.failed, state.completed];

        world.commit(world.new_turn("thr_a", "turn_1", 0)).await;
        assert_eq!(counts(state()), [1, 0, 0, 0], "{}", engine.name);
        world.commit(end("turn_1", TurnStatus::Failed)).await;
        assert_eq!(counts(state()), [0, 0, 1, 0], "{}", engine.name);
        world.commit(world.new_turn("thr_a", "turn_2", 1)).await;
        assert_eq!(
            counts(state()),
            [1, 0, 0, 0],
            "a new turn takes the failure away"
        );
        let last = world.commit(end("turn_2", TurnStatus::Completed)).await;
        assert_eq!(counts(state()), [0, 0, 0, 1], "{}", engine.name);
        assert_eq!(state().last_seq, last.last().unwrap());

        let mut folded = SubjectState::default();
        for envelope in world.events("thr_a") {
            let event = envelope.decode().unwrap().unwrap();
            let Some(change) = project(&event) else {
                continue;
            };
            folded.active += change.active;
            folded.waiting += change.waiting;
            match change.standing {
                None => {}
                Some(Standing::Open) => (folded.failed, folded.completed) = (0, 0),
                Some(Standing::Failed) => (folded.failed, folded.completed) = (1, 0),
                Some(Standing::Completed) => (folded.failed, folded.completed) = (0, 1),
            }
            folded.last_seq = envelope.seq;
        }
        assert_eq!(folded, state(), "{}", engine.name);
    }
}

#[tokio::test]
async fn in_a_batch_for_several_threads_each_counts_its_own_last_event() {
    for engine in world::engines() {
        let world = engine.world();
        for thread in ["thr_a", "thr_b"] {
            world.commit(world.new_thread(thread, 1)).await;
        }
        let mut batch = world.new_turn("thr_a", "turn_a", 0);
        let turn = world.turn_record("thr_b", "turn_b");
        batch.put_turn(0, &turn);
        let started = Event::TurnStarted(TurnStarted {
            turn,
            manual_compaction: false,
        });
        world.event(&mut batch, "thr_b", &started);
        let seqs = world.commit(batch).await.seqs;
        for (thread, seq) in ["thr_a", "thr_b"].into_iter().zip(seqs) {
            let state = world.store.read(|reader| reader.subject(&thread.into()));
            let state = state.unwrap().unwrap();
            assert_eq!((state.active, state.last_seq), (1, seq), "{}", engine.name);
        }
    }
}
