//! The hash chain: intact as written, broken by any later hand.

use codewhale_protocol::runtime::{Seq, StreamId};
use codewhale_store::Verified;

use crate::world;

#[tokio::test]
async fn every_stream_verifies_and_ends_at_its_own_hash() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        for _ in 0..10 {
            world.commit(world.note("thr_a")).await;
            world.commit(world.note("thr_b")).await;
        }
        let verify = |id: &str| {
            world
                .store
                .read(|reader| reader.verify(&StreamId::Thread(id.into())))
                .unwrap()
        };
        let (a, b) = (verify("thr_a"), verify("thr_b"));
        let Verified::Intact {
            events: 11,
            head: head_a,
        } = a
        else {
            panic!("{a:?}")
        };
        let Verified::Intact {
            events: 10,
            head: head_b,
        } = b
        else {
            panic!("{b:?}")
        };
        assert_ne!(head_a, head_b, "{}", engine.name);
        let Verified::Intact { events: 0, .. } = verify("thr_none") else {
            panic!()
        };
    }
}

#[tokio::test]
async fn a_changed_a_dropped_and_a_cut_off_event_all_show() {
    let tampering = [
        "UPDATE event SET body = replace(body, '\"no\"', '\"ok\"') WHERE seq = (SELECT seq FROM event ORDER BY seq LIMIT 1 OFFSET 2)",
        "DELETE FROM event WHERE seq = (SELECT seq FROM event ORDER BY seq LIMIT 1 OFFSET 2)",
        "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)",
        "UPDATE event SET hash = upper(hash) WHERE seq = (SELECT min(seq) FROM event)",
    ];
    for sql in tampering {
        let dir = tempfile::tempdir().unwrap();
        let world = world::home_world(dir.path());
        world.commit(world.new_thread("thr_a", 1)).await;
        for _ in 0..4 {
            world.commit(world.note("thr_a")).await;
        }
        let database = rusqlite::Connection::open(dir.path().join("runtime.db")).unwrap();
        assert_eq!(database.execute(sql, []).unwrap(), 1);
        let found = world
            .store
            .read(|reader| reader.verify(&StreamId::Thread("thr_a".into())))
            .unwrap();
        assert!(
            matches!(found, Verified::Broken { at } if at > Seq::ZERO),
            "{sql}: {found:?}"
        );
    }
}
