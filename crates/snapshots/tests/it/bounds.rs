//! What is too much, too old, or in use.

use std::fs;
use std::time::Duration;

use codewhale_snapshots::{Bounds, Error, SideRepository};

use crate::lab::{Lab, listing};

#[tokio::test]
async fn a_workspace_that_holds_too_much_gets_no_snapshot() {
    let bounds = Bounds {
        workspace_bytes_max: 100,
        entries_max: 3,
        ..Bounds::default()
    };
    let lab = Lab::with(bounds);
    lab.write("a", "x".repeat(60));
    let visit = lab.enter().await;
    visit.take("fits", "", 1).await.unwrap();
    lab.write("b", "x".repeat(60));
    let error = visit.take("large", "", 1).await.unwrap_err();
    assert!(
        matches!(error, Error::TooLarge { bytes_max: 100 }),
        "{error}"
    );
    for name in ["b", "c", "d"] {
        lab.write(name, "");
    }
    let error = visit.take("many", "", 1).await.unwrap_err();
    assert!(
        matches!(error, Error::TooMany { entries_max: 3 }),
        "{error}"
    );
}

#[tokio::test]
async fn a_very_large_file_is_left_out_also_when_it_was_small() {
    let bounds = Bounds {
        file_bytes_max: 10,
        ..Bounds::default()
    };
    let lab = Lab::with(bounds);
    lab.write("grows", "small");
    let small = lab.take("small").await;
    lab.write("grows", "now it is large");
    let large = lab.take("large").await;
    lab.write("grows", "now it is larger");
    let larger = lab.take("larger").await;
    assert_eq!(lab.changed(&small, &large).await.len(), 1);
    assert!(lab.changed(&large, &larger).await.is_empty());
}

#[tokio::test]
async fn the_home_of_a_person_and_the_root_of_the_system_are_no_projects() {
    let lab = Lab::new();
    let person = lab.settings.no_projects[0].clone();
    let above = person.parent().unwrap().to_owned();
    for path in [person, above, "/".into()] {
        let refused = SideRepository::of(&lab.settings, &path, &path);
        assert!(
            matches!(refused, Err(Error::NoProject { .. })),
            "{}",
            path.display()
        );
    }
}

#[tokio::test]
async fn only_the_newest_and_not_too_old_ones_are_kept() {
    let bounds = Bounds {
        snapshots_max: 3,
        age_max: Duration::from_secs(100),
        ..Bounds::default()
    };
    let lab = Lab::with(bounds);
    let visit = lab.enter().await;
    for at in [0, 1, 2, 3] {
        visit.take(&format!("at {at}"), "", at).await.unwrap();
    }
    let labels = |list: Vec<codewhale_snapshots::Snapshot>| -> Vec<String> {
        list.into_iter().map(|it| it.label).collect()
    };
    assert_eq!(
        labels(visit.list(9).await.unwrap()),
        ["at 3", "at 2", "at 1"]
    );
    visit.take("later", "", 103).await.unwrap();
    assert_eq!(labels(visit.list(9).await.unwrap()), ["later", "at 3"]);
}

#[tokio::test]
async fn the_disk_is_freed_of_the_oldest_when_it_is_too_much() {
    let bounds = Bounds {
        disk_bytes_high: 60_000,
        disk_bytes_low: 30_000,
        ..Bounds::default()
    };
    let lab = Lab::with(bounds);
    let visit = lab.enter().await;
    for round in 0..8_u32 {
        let noise: Vec<u8> = (0..10_000_u64)
            .map(|at| {
                let mixed = (u64::from(round) << 32 | at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                (mixed >> 56) as u8
            })
            .collect();
        lab.write("noise", noise);
        visit.take(&format!("round {round}"), "", 1).await.unwrap();
    }
    visit.tidy().await.unwrap();
    let left = visit.list(99).await.unwrap();
    assert_eq!(left[0].label, "round 7");
    assert!(left.len() < 8, "{left:?}");
    let objects = listing(&lab.settings.directory);
    let bytes: u64 = objects
        .iter()
        .map(|path| fs::metadata(path).unwrap().len())
        .sum();
    assert!(bytes < 60_000, "{bytes}");
}

#[tokio::test]
async fn visitors_wait_for_each_other_and_what_was_cut_off_does_not_stop_the_next() {
    let lab = Lab::new();
    lab.write("a", "1");
    let first = lab.enter().await;
    let side = lab.side();
    let mut second = Box::pin(async move { side.enter().await.map(drop) });
    assert!(futures_util::poll!(&mut second).is_pending());
    first.take("first", "", 1).await.unwrap();
    assert_eq!(lab.side().list(9).await.unwrap().len(), 1);
    assert!(futures_util::poll!(&mut second).is_pending());
    drop(first);
    second.await.unwrap();
    // A process was killed while it wrote the index.
    let git = listing(&lab.settings.directory)
        .into_iter()
        .find(|path| path.ends_with(".git/index"))
        .unwrap();
    fs::write(&git, "half an ind").unwrap();
    fs::write(git.with_extension("lock"), "").unwrap();
    lab.write("a", "2");
    lab.take("second").await;
}

#[tokio::test]
async fn what_a_killed_process_left_behind_is_cleared_away() {
    let lab = Lab::new();
    lab.write("a", "1");
    let first = lab.take("first").await;
    let before = listing(&lab.settings.directory);
    let git = before.iter().find(|path| path.ends_with(".git/HEAD"));
    let git = git.unwrap().parent().unwrap();
    let object = before
        .iter()
        .find(|path| path.to_string_lossy().contains("/objects/"));
    let half = object.unwrap().with_file_name("tmp_obj_half");
    fs::write(half, "half").unwrap();
    let left = git.with_file_name("tmp");
    fs::write(left.join("answer"), "half").unwrap();
    fs::create_dir(left.join("stage")).unwrap();
    fs::write(left.join("stage/file"), "half").unwrap();
    let visit = lab.enter().await;
    visit.tidy().await.unwrap();
    assert!(visit.has(&first).await.unwrap());
    drop(visit);
    assert_eq!(listing(&lab.settings.directory), before);
}
