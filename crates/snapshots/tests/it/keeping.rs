//! What a snapshot keeps, to the byte, and what it leaves out.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::lab::{Lab, listing};

/// A repository can ask git to convert, to expand and to run programs.
const HOSTILE: &str =
    "* text=auto eol=lf ident filter=evil working-tree-encoding=UTF-16 diff=evil\n";

#[tokio::test]
async fn bytes_come_back_as_they_were_whatever_attributes_say() {
    let lab = Lab::new();
    let content: &[u8] = b"one\r\ntwo\n$Id$\r\n\xff\xfe\0";
    lab.write("a.txt", content);
    lab.write(".gitattributes", HOSTILE);
    let ours = format!(
        "[filter \"evil\"]\n\tclean = touch {0}/ran\n\tsmudge = touch {0}/ran\n",
        lab.root.display()
    );
    lab.write(".git/config", ours);
    let before = lab.take("before").await;
    lab.write("a.txt", "other\r\n");
    lab.go_to(&before).await;
    assert_eq!(lab.read("a.txt").unwrap(), content);
    assert!(lab.read("ran").is_none(), "a filter of the repository ran");
}

#[tokio::test]
async fn names_that_are_no_text_links_and_permission_to_run_survive() {
    let lab = Lab::new();
    let names: [&[u8]; 5] = [
        b"b\xff\xfe",
        b"with\nline",
        b" -x",
        b"a\\b",
        b"tab\tquote\"",
    ];
    for name in names {
        lab.write(name, name);
    }
    lab.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(lab.path("run.sh"), PermissionsExt::from_mode(0o750)).unwrap();
    symlink("nowhere/at all", lab.path("link")).unwrap();
    let before = lab.take("before").await;
    for path in listing(&lab.root) {
        fs::remove_file(path).unwrap();
    }
    lab.go_to(&before).await;
    for name in names {
        assert_eq!(lab.read(name).as_deref(), Some(name));
    }
    let mode = fs::metadata(lab.path("run.sh"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o100, 0o100);
    let leads_to = fs::read_link(lab.path("link")).unwrap();
    assert_eq!(leads_to, Path::new("nowhere/at all"));
}

#[tokio::test]
async fn what_is_ignored_or_filled_by_tools_is_neither_kept_nor_touched() {
    let lab = Lab::new();
    lab.write(".gitignore", "*.log\n");
    lab.write("kept", "1");
    for name in [
        "a.log",
        "node_modules/x",
        "target/y",
        "sub/dist/z",
        ".git/HEAD",
    ] {
        lab.write(name, "old");
    }
    let before = lab.take("before").await;
    for name in [
        "a.log",
        "node_modules/x",
        "target/y",
        "sub/dist/z",
        ".git/HEAD",
    ] {
        lab.write(name, "new");
    }
    lab.write("kept", "2");
    let after = lab.take("after").await;
    assert_eq!(lab.changed(&before, &after).await, [PathBuf::from("kept")]);
    lab.go_to(&before).await;
    for name in [
        "a.log",
        "node_modules/x",
        "target/y",
        "sub/dist/z",
        ".git/HEAD",
    ] {
        assert_eq!(lab.read(name).unwrap(), b"new");
    }
}

#[tokio::test]
async fn the_repository_of_the_workspace_is_not_touched_and_its_settings_do_not_count() {
    let lab = Lab::new();
    lab.write(".git/HEAD", "ref: refs/heads/main\n");
    lab.write(
        ".git/config",
        "[core]\n\tworktree = /\n\tfsmonitor = touch ran\n",
    );
    lab.write(".git/info/exclude", "*\n");
    lab.write("a", "1");
    let before = listing(&lab.root);
    let first = lab.take("first").await;
    lab.write("a", "2");
    let second = lab.take("second").await;
    assert_eq!(lab.changed(&first, &second).await, [PathBuf::from("a")]);
    assert_eq!(listing(&lab.root), before);
}

#[tokio::test]
async fn a_repository_inside_the_workspace_and_what_is_no_file_are_left_out() {
    let lab = Lab::new();
    lab.write("inner/.git/HEAD", "ref: refs/heads/main\n");
    lab.write("inner/.git/objects/x", "");
    lab.write("inner/.git/refs/x", "");
    lab.write("inner/code", "1");
    rustix::fs::mkfifoat(rustix::fs::CWD, lab.path("pipe"), 0o600.into()).unwrap();
    lab.write("a", "1");
    let first = lab.take("first").await;
    lab.write("inner/code", "2");
    lab.write("a", "2");
    let second = lab.take("second").await;
    assert_eq!(lab.changed(&first, &second).await, [PathBuf::from("a")]);
}

#[tokio::test]
async fn a_file_becomes_a_directory_a_link_a_pipe_and_all_come_back() {
    let lab = Lab::new();
    lab.write("a", "file");
    lab.write("b/c", "inside");
    let first = lab.take("first").await;
    fs::remove_file(lab.path("a")).unwrap();
    lab.write("a/x/y", "deep");
    fs::remove_dir_all(lab.path("b")).unwrap();
    symlink("/", lab.path("b")).unwrap();
    let second = lab.take("second").await;
    fs::remove_dir_all(lab.path("a")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, lab.path("a"), 0o600.into()).unwrap();
    lab.take("third").await;
    fs::remove_file(lab.path("a")).unwrap();
    lab.go_to(&first).await;
    assert_eq!(lab.read("a").unwrap(), b"file");
    assert_eq!(lab.read("b/c").unwrap(), b"inside");
    lab.go_to(&second).await;
    assert_eq!(lab.read("a/x/y").unwrap(), b"deep");
    assert_eq!(fs::read_link(lab.path("b")).unwrap(), Path::new("/"));
}

#[tokio::test]
async fn the_list_is_newest_first_with_labels_and_moments() {
    let lab = Lab::new();
    assert!(!lab.side().exists());
    let visit = lab.enter().await;
    for (label, at) in [
        ("pre-turn:1: ask\nmore", 50),
        ("post-turn:1", 50),
        ("third", 49),
    ] {
        visit.take(label, label, at).await.unwrap();
    }
    let list = visit.list(2).await.unwrap();
    let lines: Vec<_> = list.iter().map(|it| (it.label.as_str(), it.at)).collect();
    assert_eq!(lines, [("third", 49), ("post-turn:1", 50)]);
    assert_eq!(
        visit.list(9).await.unwrap()[2].label,
        "pre-turn:1: ask more"
    );
    assert!(lab.side().exists());
}

#[tokio::test]
async fn the_same_files_at_the_same_moment_give_the_same_name_only_for_the_same_note() {
    let lab = Lab::new();
    lab.write("a", "1");
    let visit = lab.enter().await;
    let one = visit.take("label", "turn_1", 7).await.unwrap();
    let same = visit.take("label", "turn_1", 7).await.unwrap();
    let other = visit.take("label", "turn_2", 7).await.unwrap();
    assert_eq!(one, same);
    assert_ne!(one, other);
    assert!(visit.changes(&one, &other).await.unwrap().is_empty());
}

#[tokio::test]
async fn more_files_than_git_looks_at_in_one_go_are_all_kept() {
    let lab = Lab::new();
    for index in 0..4_100 {
        lab.write(format!("d{}/f{index}", index % 7), "1");
    }
    let before = lab.take("before").await;
    fs::remove_dir_all(lab.path("d3")).unwrap();
    lab.write("d4/f4", "2");
    let after = lab.take("after").await;
    let changed = lab.changed(&before, &after).await;
    assert_eq!(
        changed.len(),
        (0..4_100).filter(|index| index % 7 == 3).count() + 1
    );
    lab.go_to(&before).await;
    assert_eq!(lab.read("d3/f3").unwrap(), b"1");
}
