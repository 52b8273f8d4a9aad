//! Moving files: only those that are meant, only if they are as expected, never elsewhere.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use codewhale_snapshots::Moved;

use crate::lab::Lab;

#[tokio::test]
async fn a_move_is_taken_step_by_step_and_back() {
    let lab = Lab::new();
    lab.write("changed", "1");
    lab.write("deep/gone", "1");
    let before = lab.take("before").await;
    lab.write("changed", "2");
    fs::remove_dir_all(lab.path("deep")).unwrap();
    lab.write("new/file", "2");
    let after = lab.take("after").await;
    let moving = lab.moving(&after, &before).await;
    for done in 0..=moving.steps() {
        for step in 0..done {
            assert_eq!(moving.forward(step).unwrap(), Moved::Done);
        }
        for step in (0..moving.steps()).rev() {
            moving.back(step).unwrap();
        }
        assert_eq!(lab.read("changed").unwrap(), b"2");
        assert!(!lab.path("deep").exists(), "after {done} steps and back");
        assert_eq!(lab.read("new/file").unwrap(), b"2");
    }
}

#[tokio::test]
async fn what_a_person_changed_meanwhile_is_left_alone() {
    let lab = Lab::new();
    lab.write("a", "1");
    lab.write("b", "1");
    let before = lab.take("before").await;
    lab.write("a", "2");
    lab.write("b", "2");
    let after = lab.take("after").await;
    let moving = lab.moving(&after, &before).await;
    lab.write("b", "mine");
    let moved: Vec<_> = (0..2).map(|step| moving.forward(step).unwrap()).collect();
    assert_eq!(moved, [Moved::Done, Moved::Changed]);
    assert_eq!(lab.read("b").unwrap(), b"mine");
    // Taken twice it changes nothing more.
    assert_eq!(moving.forward(0).unwrap(), Moved::Done);
}

#[tokio::test]
async fn a_directory_that_became_a_link_leads_nowhere() {
    let lab = Lab::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a"), "2").unwrap();
    lab.write("d/a", "1");
    let before = lab.take("before").await;
    lab.write("d/a", "2");
    let after = lab.take("after").await;
    let moving = lab.moving(&after, &before).await;
    fs::remove_dir_all(lab.path("d")).unwrap();
    symlink(outside.path(), lab.path("d")).unwrap();
    assert_eq!(moving.forward(0).unwrap(), Moved::Changed);
    assert_eq!(fs::read(outside.path().join("a")).unwrap(), b"2");
}

#[tokio::test]
async fn parts_of_several_snapshots_make_one() {
    let lab = Lab::new();
    lab.write("a", "1");
    lab.write("b", "1");
    let old = lab.take("old").await;
    lab.write("a", "2");
    lab.write("b", "2");
    lab.write("c", "2");
    let new = lab.take("new").await;
    let visit = lab.enter().await;
    let changes = visit.changes(&old, &new).await.unwrap();
    let parts: Vec<_> = changes.into_iter().map(|it| (it.path, it.before)).collect();
    let wanted: Vec<_> = parts
        .iter()
        .filter(|it| it.0 != *Path::new("b"))
        .cloned()
        .collect();
    let plan = visit.compose(&new, &wanted, 5).await.unwrap();
    let left = visit.changes(&old, &plan).await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].path, PathBuf::from("b"));
    visit.tidy().await.unwrap();
    assert!(visit.has(&plan).await.unwrap());
    visit.let_go(&plan).await.unwrap();
    visit.tidy().await.unwrap();
    assert!(!visit.has(&plan).await.unwrap());
}

#[tokio::test]
async fn a_replaced_file_stays_as_private_as_it_was_and_half_written_ones_go() {
    let lab = Lab::new();
    lab.write("key", "1");
    let before = lab.take("before").await;
    lab.write("key", "2");
    fs::set_permissions(lab.path("key"), PermissionsExt::from_mode(0o600)).unwrap();
    let after = lab.take("after").await;
    lab.write(".codewhale-1-1.tmp", "half");
    let moving = lab.moving(&after, &before).await;
    moving.forward(0).unwrap();
    let mode = fs::metadata(lab.path("key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    moving.clear();
    assert!(lab.read(".codewhale-1-1.tmp").is_none());
}
