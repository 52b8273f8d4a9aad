//! Snapshots and what they belong to; moves of files that are under way.

use codewhale_protocol::ActorId;
use codewhale_protocol::runtime::{ThreadId, Timestamp};
use codewhale_store::{Error, Guard, Restoration, SnapshotKind, SnapshotRow};

use crate::world::{self, SECRET, World};

fn row(world: &World, id: &str, thread: &str, is_copy: bool) -> SnapshotRow {
    SnapshotRow {
        id: id.to_owned(),
        thread: thread.into(),
        turn: Some("turn_1".into()),
        workspace: "/w".to_owned(),
        kind: SnapshotKind::PreTurn,
        label: world.batch().seal(&format!("pre-turn:1: {SECRET}")),
        at: Timestamp::from_ms(7),
        created_by: ActorId::from("agt_1"),
        is_copy,
    }
}

#[tokio::test]
async fn a_snapshot_is_found_by_its_thread_and_by_its_name_with_the_thread_it_was_taken_in() {
    for engine in world::engines() {
        let world = engine.world();
        let mut batch = world.batch();
        batch.put_snapshot(row(&world, "s1", "thr_a", true));
        batch.put_snapshot(row(&world, "s1", "thr_b", false));
        batch.put_snapshot(row(&world, "s2", "thr_b", false));
        world.commit(batch).await;
        let thread = ThreadId::from("thr_b");
        let (own, found, unknown) = world
            .store
            .read(|reader| {
                let own = reader.snapshots(&thread)?;
                Ok((own, reader.snapshot("s1")?, reader.snapshot("s3")?))
            })
            .unwrap();
        let names: Vec<_> = own.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(names, ["s1", "s2"], "{}", engine.name);
        let found = found.unwrap();
        assert_eq!(found.thread, thread, "{}", engine.name);
        assert_eq!(found.kind, SnapshotKind::PreTurn);
        assert!(!found.label.contains(SECRET), "{}", found.label);
        assert_eq!(unknown, None);
    }
}

#[tokio::test]
async fn while_files_move_no_turn_begins_there_and_no_other_move() {
    for engine in world::engines() {
        let world = engine.world();
        let restoration = Restoration {
            id: "r1".to_owned(),
            owner: world.store.owner().clone(),
            workspace: "/w/inner".to_owned(),
            from: "s1".to_owned(),
            to: "s2".to_owned(),
            begun_at: Timestamp::from_ms(7),
        };
        let mut batch = world.batch();
        batch.begin_restoration(restoration.clone());
        world.commit(batch).await;
        let open = world.store.read(|reader| reader.open_restorations());
        assert_eq!(open.unwrap(), [restoration], "{}", engine.name);
        for (workspace, is_free) in [("/w", false), ("/w/inner/most", false), ("/w/inn", true)] {
            for guard in [
                Guard::FilesSettled {
                    workspace: workspace.to_owned(),
                },
                Guard::WorkspaceStill {
                    workspace: workspace.to_owned(),
                },
            ] {
                let mut batch = world.batch();
                batch.guard(guard.clone());
                match world.store.commit(batch).await {
                    Ok(_) => assert!(is_free, "{guard:?} on {}", engine.name),
                    Err(Error::Guard(failed)) => assert_eq!((failed, is_free), (guard, false)),
                    Err(error) => panic!("{error}"),
                }
            }
        }
        let mut batch = world.batch();
        batch.end_restoration("r1");
        world.commit(batch).await;
        assert!(world.store.read(|reader| reader.is_still("/w")).unwrap());
    }
}

#[tokio::test]
async fn where_a_turn_runs_files_do_not_move() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        let thread = ThreadId::from("thr_a");
        let record = world.store.read(|reader| reader.thread(&thread)).unwrap();
        let workspace = record.unwrap().record.workspace;
        let still = || {
            world
                .store
                .read(|reader| reader.is_still(&workspace))
                .unwrap()
        };
        assert!(still(), "{}", engine.name);
        let mut batch = world.batch();
        let actor = codewhale_protocol::Actor::system("test");
        let at = Timestamp::from_ms(5);
        let turn = codewhale_protocol::runtime::TurnRecord::new("turn_1".into(), thread, at, actor);
        batch.put_turn(0, &turn);
        world.commit(batch).await;
        assert!(!still(), "{}", engine.name);
    }
}
