use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use super::*;
use crate::testing::Bench;

async fn check(bench: &Bench, input: Value, text: &str) {
    let output = bench.call("write_file", input).await;
    assert_eq!((output.success, output.text.as_str()), (true, text));
}

async fn failure(bench: &Bench, input: Value) -> String {
    let output = bench.call("write_file", input).await;
    assert!(!output.success, "{}", output.text);
    output.text
}

async fn preview(bench: &Bench, path: &str, content: &str) -> (String, Option<String>) {
    let input = json!({"path": path, "content": content});
    let preview = bench.prepare("write_file", input).await.unwrap().preview;
    (preview.description, preview.diff)
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[tokio::test]
async fn a_file_is_created_with_the_directories_on_the_way() {
    let bench = Bench::new();
    let input = json!({"path": "new/grüße/a.txt", "content": "one\r\ntwo"});
    check(&bench, input, "created `new/grüße/a.txt`, 8 bytes").await;
    assert_eq!(bench.read("new/grüße/a.txt"), "one\r\ntwo");
    assert_eq!(names_in(&bench.workspace.join("new/grüße")), ["a.txt"]);
}

#[tokio::test]
async fn a_file_is_replaced_whole_and_keeps_its_mode() {
    let bench = Bench::new();
    bench.write("run.sh", "a much longer content than before\n");
    let path = bench.workspace.join("run.sh");
    fs::set_permissions(&path, Permissions::from_mode(0o750)).unwrap();
    check(
        &bench,
        json!({"path": "run.sh", "content": "short\n"}),
        "replaced `run.sh`, 6 bytes",
    )
    .await;
    assert_eq!(bench.read("run.sh"), "short\n");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o7777,
        0o750
    );
    assert_eq!(names_in(&bench.workspace), ["run.sh"]);
}

#[tokio::test]
async fn a_new_file_gets_the_mode_that_any_program_would_give_it() {
    let bench = Bench::new();
    bench.write("by-others", "");
    bench
        .call("write_file", json!({"path": "by-us", "content": ""}))
        .await;
    let mode = |name| {
        fs::metadata(bench.workspace.join(name))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("by-us"), mode("by-others"));
}

#[tokio::test]
async fn the_same_content_changes_nothing() {
    let bench = Bench::new();
    bench.write("a.txt", "same\n");
    let before = fs::metadata(bench.workspace.join("a.txt")).unwrap();
    let input = json!({"path": "a.txt", "content": "same\n"});
    check(&bench, input, "`a.txt` has this content already").await;
    let after = fs::metadata(bench.workspace.join("a.txt")).unwrap();
    assert_eq!(after.ino(), before.ino());
    let shown = preview(&bench, "a.txt", "same\n").await;
    assert_eq!(
        shown,
        (
            "Leave a.txt as it is: it has this content already".into(),
            None
        )
    );
}

#[tokio::test]
async fn a_person_sees_the_change_before_it_is_made() {
    let bench = Bench::new();
    bench.write("a.txt", "one\ntwo\n");
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    let shown = preview(&bench, "a.txt", "one\n2\n").await;
    assert_eq!(
        shown,
        ("Change a.txt (+1 -1 lines)".into(), Some(diff.into()))
    );

    let diff = "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+one\n";
    let shown = preview(&bench, "b.txt", "one\n").await;
    assert_eq!(
        shown,
        ("Create b.txt (+1 -0 lines)".into(), Some(diff.into()))
    );

    bench.write("blob", b"\0\x01");
    let shown = preview(&bench, "blob", "text").await;
    assert_eq!(shown, ("Change blob (not text, 4 bytes)".into(), None));
    assert_eq!(bench.read("a.txt"), "one\ntwo\n");
}

#[tokio::test]
async fn what_changed_since_it_was_shown_is_not_overwritten() {
    let bench = Bench::new();
    let path = bench.workspace.join("a.txt");
    let prepare = async || {
        bench
            .prepare("write_file", json!({"path": "a.txt", "content": "ours"}))
            .await
    };

    let create = prepare().await.unwrap();
    bench.write("a.txt", "theirs");
    let replace = prepare().await.unwrap();
    let replace_gone = prepare().await.unwrap();
    for (prepared, now) in [
        (create, Some("theirs")),
        (replace, Some("more")),
        (replace_gone, None),
    ] {
        match now {
            Some(now) => bench.write("a.txt", now),
            None => fs::remove_file(&path).unwrap(),
        }
        let output = prepared.run(bench.context()).await;
        assert!(
            !output.success && output.text.contains("changed since"),
            "{}",
            output.text
        );
        assert!(output.text.contains("Read it again"));
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), now);
    }
}

#[tokio::test]
async fn content_that_went_and_came_back_is_the_same_content() {
    let bench = Bench::new();
    bench.write("a.txt", "old");
    let input = json!({"path": "a.txt", "content": "new"});
    let prepared = bench.prepare("write_file", input).await.unwrap();
    bench.write("a.txt", "else");
    bench.write("a.txt", "old");
    assert!(prepared.run(bench.context()).await.success);
    assert_eq!(bench.read("a.txt"), "new");
}

#[tokio::test]
async fn a_link_stays_a_link_and_its_target_changes() {
    let bench = Bench::new();
    bench.write("real.txt", "old");
    symlink("real.txt", bench.workspace.join("link")).unwrap();
    check(
        &bench,
        json!({"path": "link", "content": "new"}),
        "replaced `real.txt`, 3 bytes",
    )
    .await;
    assert!(bench.workspace.join("link").is_symlink());
    assert_eq!(bench.read("real.txt"), "new");
}

#[tokio::test]
async fn a_file_outside_asks_for_more() {
    let bench = Bench::new();
    symlink(bench.outside.join("new"), bench.workspace.join("dangling")).unwrap();
    symlink(&bench.outside, bench.workspace.join("exit")).unwrap();
    let absolute = bench.outside.join("x").display().to_string();
    for (path, is_outside) in [
        ("a", false),
        ("exit/../workspace/a", false),
        ("../outside/x", true),
        (&absolute, true),
        ("exit/x", true),
        ("dangling", true),
    ] {
        let input = json!({"path": path, "content": ""});
        let prepared = bench.prepare("write_file", input).await.unwrap();
        assert_eq!(prepared.demand.act(), Act::Write);
        assert_eq!(prepared.demand.is_outside(), is_outside, "{path}");
    }
    assert!(names_in(&bench.outside).is_empty());
}

#[tokio::test]
async fn a_link_put_in_the_way_after_the_approval_writes_nothing() {
    let bench = Bench::new();
    let input = json!({"path": "sub/a.txt", "content": "ours"});
    let prepared = bench.prepare("write_file", input).await.unwrap();
    symlink(&bench.outside, bench.workspace.join("sub")).unwrap();
    let output = prepared.run(bench.context()).await;
    assert!(output.text.contains("leads elsewhere"), "{}", output.text);
    assert!(names_in(&bench.outside).is_empty());
}

#[tokio::test]
async fn what_cannot_be_written_says_what_to_do() {
    let bench = Bench::new();
    bench.write("dir/file", "");
    bench.write("locked", "");
    bench.write("big", vec![b'x'; CONTENT_BYTES_MAX + 1]);
    symlink("circle", bench.workspace.join("circle")).unwrap();
    let locked = Permissions::from_mode(0o444);
    fs::set_permissions(bench.workspace.join("locked"), locked).unwrap();
    for (path, why) in [
        ("dir", "`dir` is a directory"),
        ("dir/file/x", "Not a directory"),
        ("locked", "write-protected"),
        ("big", "longer than 10485760 bytes and is not replaced"),
        ("/dev/null", "neither a file nor a directory"),
        ("circle", "go round in a circle"),
        ("", "the path is empty"),
    ] {
        let text = failure(&bench, json!({"path": path, "content": "x"})).await;
        assert!(text.contains(why), "{path}: {text}");
    }
    let huge = "x".repeat(CONTENT_BYTES_MAX + 1);
    let text = failure(&bench, json!({"path": "huge", "content": huge})).await;
    assert!(text.contains("the content is longer than"), "{text}");
    assert!(!bench.workspace.join("huge").exists());
}

#[tokio::test]
async fn a_cancelled_turn_writes_nothing() {
    let bench = Bench::new();
    bench.cancel.cancel();
    let text = failure(&bench, json!({"path": "a", "content": "x"})).await;
    assert!(text.contains("interrupted"));
    assert!(!bench.workspace.join("a").exists());
}

#[tokio::test]
async fn the_digest_covers_path_content_and_what_is_replaced() {
    let bench = Bench::new();
    let digest = async |path: &str, content: &str| {
        let input = json!({"path": path, "content": content});
        bench.prepare("write_file", input).await.unwrap().digest
    };
    let first = digest("a", "x").await;
    assert_eq!(digest("./b/../a", "x").await, first);
    assert_ne!(digest("b", "x").await, first);
    assert_ne!(digest("a", "y").await, first);
    bench.write("a", "old");
    assert_ne!(digest("a", "x").await, first);
}

#[tokio::test]
async fn an_expected_hash_guards_against_what_was_not_read() {
    let bench = Bench::new();
    bench.write("a", "old");
    let hash = sha256_hex(b"old");
    let input = |hash: &str| json!({"path": "a", "content": "new", "expected_hash": hash});
    let text = failure(&bench, input(&sha256_hex(b"older"))).await;
    assert!(text.contains("is not what was expected"), "{text}");
    assert_eq!(bench.read("a"), "old");
    check(&bench, input(&hash[..12]), "replaced `a`, 3 bytes").await;
    let none = json!({"path": "b", "content": "new", "expected_hash": hash});
    assert!(failure(&bench, none).await.contains("does not exist"));
}
