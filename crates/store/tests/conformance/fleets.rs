//! Fleet runs with their tasks and workers.

use codewhale_protocol::Actor;
use codewhale_protocol::runtime::{FleetLifecycle, FleetRunId, PrincipalId, Timestamp};
use codewhale_store::{FleetRun, FleetSeat, FleetTask, Guard, StoredFleetRun};
use serde_json::json;

use crate::world::{self, SECRET, World};

fn run(world: &World, id: &str, version: u64) -> StoredFleetRun {
    StoredFleetRun {
        run: FleetRun {
            id: id.into(),
            name: SECRET.into(),
            lifecycle: FleetLifecycle::Pending,
            target: "this_computer".into(),
            workflow: serde_json::from_value(json!({ "id": "w", "kind": "parallel" })).unwrap(),
            roles: Vec::new(),
            labels: Default::default(),
            workspace: "/w".into(),
            stale_after_seconds: 300,
            created_by: Actor::system("test"),
            created_at: Timestamp::from_ms(1),
            updated_at: Timestamp::from_ms(1),
            completed_at: None,
        },
        room: world.room.clone(),
        principal: world.principal.clone(),
        owner: None,
        version,
    }
}

fn task(id: &str) -> FleetTask {
    serde_json::from_value(json!({
        "spec": { "id": id, "name": id, "instructions": "do it" }, "status": "enqueued",
        "leased_to": null, "attempt": 0, "tries": 0, "not_before": null, "wanted_by": null,
        "restarts": 0, "thread_id": null, "receipt": null,
    }))
    .unwrap()
}

fn seat(id: &str) -> FleetSeat {
    serde_json::from_value(json!({
        "spec": { "id": id, "name": id, "host": { "kind": "local" }, "labels": {},
            "capabilities": [], "max_concurrent_tasks": 1 },
        "view": { "worker_id": id, "task_id": null, "events": 0, "latest_heartbeat_at": null,
            "latest_event": null, "artifacts": [], "last_error": null, "runtime_state": null },
    }))
    .unwrap()
}

#[tokio::test]
async fn a_run_comes_back_whole_and_masked_with_its_parts_in_their_order() {
    for engine in world::engines() {
        let world = engine.world();
        world.join_room().await;
        let id = FleetRunId::from("run_1");
        let mut batch = world.batch();
        batch.put_fleet_run(&run(&world, "run_1", 1));
        for (place, name) in [(0, "z"), (1, "a")] {
            batch.put_fleet_task(&id, place, &task(name));
            batch.put_fleet_seat(&id, place, &seat(&format!("run_1.{name}")));
        }
        world.commit(batch).await;
        let fleet = world
            .store
            .read(|reader| reader.fleet(&id))
            .unwrap()
            .unwrap();
        assert!(
            !fleet.stored.run.name.contains(SECRET),
            "{}",
            fleet.stored.run.name
        );
        let tasks: Vec<&str> = fleet.tasks.iter().map(|it| it.spec.id.as_str()).collect();
        assert_eq!((tasks, fleet.seats.len()), (vec!["z", "a"], 2));
        let found = world.store.read(|reader| reader.fleet_of_worker("run_1.a"));
        assert_eq!(found.unwrap(), Some(id.clone()));
        let none = world.store.read(|reader| reader.fleet_of_worker("run_1.b"));
        assert_eq!(none.unwrap(), None);
        let listed = |who: &PrincipalId| world.store.read(|it| it.fleets(who, 10)).unwrap().len();
        assert_eq!(listed(&world.principal), 1);
        assert_eq!(listed(&"prn_stranger".into()), 0);
        assert_eq!(world.store.read(|it| it.driven_fleets()).unwrap(), []);
    }
}

#[tokio::test]
async fn of_two_changes_that_build_on_the_same_version_one_is_written() {
    for engine in world::engines() {
        let world = engine.world();
        let change = |version: u64, owner: &str| {
            let mut batch = world.batch();
            let run_id = FleetRunId::from("run_1");
            batch.guard(Guard::FleetRunAt {
                run: run_id,
                version: version - 1,
            });
            let mut run = run(&world, "run_1", version);
            run.owner = Some(owner.into());
            batch.put_fleet_run(&run);
            batch
        };
        world.commit(change(1, "owner_1")).await;
        world.commit(change(2, "owner_2")).await;
        world::guard_failed(world.store.commit(change(2, "owner_3")).await);
        let driven = world.store.read(|reader| reader.driven_fleets()).unwrap();
        assert_eq!(driven.len(), 1);
        assert_eq!(driven[0].owner, Some("owner_2".into()));
    }
}
