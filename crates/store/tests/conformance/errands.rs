//! Requests of one process for another.

use codewhale_protocol::runtime::{ErrandId, OwnerId};
use codewhale_store::{Guard, Lease};
use serde_json::{Value, json};

use crate::world::{self, World};

fn waiting(world: &World, to: &OwnerId) -> Vec<(String, Value)> {
    let found = world.store.read(|reader| reader.errands::<Value>(to, 2));
    let found = found.unwrap().into_iter();
    found
        .map(|(id, request)| (id.to_string(), request))
        .collect()
}

#[tokio::test]
async fn an_errand_waits_until_it_is_answered_and_is_there_until_it_is_taken_away() {
    for engine in world::engines() {
        let world = engine.world();
        let (me, other) = (OwnerId::from("owner_a"), OwnerId::from("owner_b"));
        let mut batch = world.batch();
        for (id, to) in [("1", &other), ("2", &me), ("3", &other), ("4", &other)] {
            batch.put_errand(&ErrandId::from(id), (&me, to), &json!({ "do": id }));
        }
        world.commit(batch).await;
        let first = ("1".to_owned(), json!({ "do": "1" }));
        let third = ("3".to_owned(), json!({ "do": "3" }));
        assert_eq!(
            waiting(&world, &other),
            [first, third.clone()],
            "{}",
            engine.name
        );

        let one = ErrandId::from("1");
        let answer = |id: &ErrandId| {
            let answer = world.store.read(|reader| reader.errand_answer::<Value>(id));
            answer.unwrap()
        };
        assert_eq!(answer(&one), None);
        let mut batch = world.batch();
        batch.answer_errand(&one, &json!("done"));
        world.commit(batch).await;
        assert_eq!(answer(&one), Some(json!("done")));
        assert_eq!(waiting(&world, &other)[0], third);

        let mut batch = world.batch();
        batch.drop_errand(&one);
        // Nobody waits any more.
        batch.answer_errand(&one, &json!("late"));
        world.commit(batch).await;
        assert_eq!(answer(&one), None);

        let mut batch = world.batch();
        batch.drop_errands_of(&me);
        world.commit(batch).await;
        assert_eq!(waiting(&world, &other), []);
        assert_eq!(waiting(&world, &me), []);
    }
}

#[tokio::test]
async fn a_process_is_asked_only_while_it_runs_something() {
    for engine in world::engines() {
        let world = engine.world();
        let owner = OwnerId::from("owner_b");
        let ask = || {
            let mut batch = world.batch();
            let owner = owner.clone();
            batch.guard(Guard::Leasing { owner });
            batch
        };
        world::guard_failed(world.store.commit(ask()).await);
        let mut batch = world.batch();
        batch.take_lease(Lease {
            thread: "thr_a".into(),
            owner: owner.clone(),
            epoch: 1,
        });
        world.commit(batch).await;
        world.commit(ask()).await;
        let mut batch = world.batch();
        batch.release_lease(&"thr_a".into());
        world.commit(batch).await;
        world::guard_failed(world.store.commit(ask()).await);
    }
}
