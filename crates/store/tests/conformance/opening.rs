//! Opening: what is refused, what is kept, and how numbering continues.

use std::fs;

use codewhale_protocol::runtime::StreamId;
use codewhale_store::{OpenError, Place, Verified, Writing};

use crate::world::{self, World, home_world, open};

fn open_error(home: &std::path::Path) -> OpenError {
    match open(Place::Home(home.to_owned()), Writing::Threaded) {
        Ok(_) => panic!("the store opened"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn everything_is_there_again_after_a_clean_end_and_seq_goes_on_without_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let world = home_world(dir.path());
    let first = world.commit(world.new_thread("thr_a", 1)).await;
    world.store.close().unwrap();
    drop(world);
    let world = home_world(dir.path());
    assert!(!world.store.ended_uncleanly());
    let second = world.commit(world.note("thr_a")).await;
    assert_eq!(second.last().unwrap().0, first.last().unwrap().0 + 1);
    assert_eq!(world.events("thr_a").len(), 2);
}

#[tokio::test]
async fn after_an_unclean_end_numbering_continues_above_everything_handed_out() {
    let dir = tempfile::tempdir().unwrap();
    let world = home_world(dir.path());
    let first = world.commit(world.new_thread("thr_a", 1)).await;
    drop(world);
    // Events that power loss took away must not be numbered again: pretend the last one is gone.
    let database = rusqlite::Connection::open(dir.path().join("runtime.db")).unwrap();
    database
        .execute_batch("DELETE FROM event; DELETE FROM stream;")
        .unwrap();
    drop(database);
    let world = home_world(dir.path());
    assert!(world.store.ended_uncleanly());
    let next = world.commit(world.new_thread("thr_b", 1)).await;
    assert!(next.last() > first.last(), "{next:?} {first:?}");
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    home_world(dir.path()).store.close().unwrap();
    let path = dir.path().join("runtime.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute(
            "UPDATE meta SET value = '99' WHERE key = 'schema_version'",
            [],
        )
        .unwrap();
    drop(database);
    let error = open_error(dir.path());
    assert!(
        matches!(error, OpenError::Newer { found: 99, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("update codewhale"), "{error}");
    assert!(path.exists());
}

#[test]
fn a_damaged_file_is_set_aside_and_never_silently_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("runtime.db");
    fs::write(
        &path,
        "this is no database, and long enough to be read as a header".repeat(20),
    )
    .unwrap();
    let error = open_error(dir.path());
    let OpenError::Corrupt { set_aside, .. } = &error else {
        panic!("{error}")
    };
    assert!(set_aside.exists() && !path.exists());
    let again = open_error(dir.path());
    assert!(matches!(&again, OpenError::Corrupt { .. }), "{again}");
    assert!(!path.exists(), "nothing was made in its place");
    fs::remove_file(set_aside).unwrap();
    home_world(dir.path());
}

#[test]
fn a_home_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = open_error(&file.join("home"));
    assert!(matches!(error, OpenError::Directory { .. }), "{error}");
    assert!(error.to_string().contains("CODEWHALE_HOME"), "{error}");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_look_into_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let _world = home_world(&home);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home), 0o700);
    for file in ["runtime.db", "runtime.db-wal", "runtime.db-shm"] {
        assert_eq!(mode(&home.join(file)), 0o600, "{file}");
    }
}

#[tokio::test]
async fn a_closed_store_says_so_and_has_written_what_was_handed_in() {
    for engine in world::engines() {
        let world: World = engine.world();
        for _ in 0..100 {
            drop(world.store.commit(world.note("thr_a")));
        }
        world.store.close().unwrap();
        assert!(
            world.store.commit(world.note("thr_a")).await.is_err(),
            "{}",
            engine.name
        );
        assert_eq!(world.events("thr_a").len(), 100, "{}", engine.name);
        let found = world
            .store
            .read(|reader| reader.verify(&StreamId::Thread("thr_a".into())));
        assert!(matches!(
            found.unwrap(),
            Verified::Intact { events: 100, .. }
        ));
    }
}
