//! Requests that named themselves: answered once, for a while, for whoever sent them.

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::Timestamp;
use codewhale_store::{Answered, Error, Guard, RequestId, RequestRow};

use crate::world::{self, World};

fn id(principal: &str, op: Op, key: &str) -> RequestId {
    RequestId {
        principal: principal.into(),
        op,
        key: key.to_owned(),
        part: "",
    }
}

/// A request of a moment; those of the ten milliseconds before it count, three at most.
fn row(world: &World, id: RequestId, answer: &str, at: i64) -> RequestRow {
    RequestRow {
        id,
        digest: "d".to_owned(),
        answer: world.store.redactor().seal(answer),
        at: Timestamp::from_ms(at),
        since: Timestamp::from_ms(at - 10),
        kept_max: 3,
    }
}

fn answer(world: &World, id: &RequestId, since: i64) -> Option<String> {
    let since = Timestamp::from_ms(since);
    let known = world.store.read(|reader| reader.answered(id, since));
    known.unwrap().map(|Answered { answer, .. }| answer)
}

#[tokio::test]
async fn a_request_is_written_once_and_with_all_that_it_did_or_nothing() {
    for engine in world::engines() {
        let world = engine.world();
        let mine = id("prn_a", Op::ThreadsCreate, "k");
        let mut batch = world.batch();
        batch.answer_request(row(&world, mine.clone(), "1", 100));
        world.commit(batch).await;
        let mut again = world.batch();
        again.set_trust("/w", Some("digest".to_owned()));
        again.answer_request(row(&world, mine.clone(), "2", 105));
        let refused = world.store.commit(again).await.unwrap_err();
        assert!(matches!(refused, Error::Guard(Guard::RequestNew { .. })));
        let trusted = world.store.read(|reader| reader.trust("/w")).unwrap();
        assert_eq!(trusted, None);
        assert_eq!(answer(&world, &mine, 90), Some("1".to_owned()));
        // The same key of someone else, or for something else, is another one.
        for other in [
            id("prn_b", Op::ThreadsCreate, "k"),
            id("prn_a", Op::ThreadsFork, "k"),
            RequestId {
                part: "first",
                ..mine.clone()
            },
        ] {
            assert_eq!(answer(&world, &other, 0), None, "{other:?}");
            let mut batch = world.batch();
            batch.answer_request(row(&world, other, "3", 105));
            world.commit(batch).await;
        }
    }
}

#[tokio::test]
async fn old_requests_count_no_more_and_of_many_the_newest_stay() {
    for engine in world::engines() {
        let world = engine.world();
        let put = async |key: &str, at| {
            let mut batch = world.batch();
            let id = id("prn_a", Op::ThreadsCreate, key);
            batch.answer_request(row(&world, id, key, at));
            world.commit(batch).await;
        };
        let kept = || {
            let keys = ["a", "b", "c", "d", "e"].into_iter();
            let known = keys.filter_map(|key| {
                let id = id("prn_a", Op::ThreadsCreate, key);
                answer(&world, &id, 0)
            });
            known.collect::<String>()
        };
        put("a", 100).await;
        let a = id("prn_a", Op::ThreadsCreate, "a");
        assert_eq!(answer(&world, &a, 101), None, "it is too old to count");
        put("b", 101).await;
        put("c", 102).await;
        assert_eq!(kept(), "abc");
        put("d", 103).await;
        assert_eq!(kept(), "bcd");
        put("a", 112).await;
        assert_eq!(kept(), "acd");
        put("e", 200).await;
        assert_eq!(kept(), "e");
    }
}
