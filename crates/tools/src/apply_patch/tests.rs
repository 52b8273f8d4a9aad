use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::testing::Bench;

async fn call(bench: &Bench, patch: &str) -> Output {
    bench.call("apply_patch", json!({"patch": patch})).await
}

/// Patches `a.txt`, which holds `before`, and compares what becomes of it.
async fn check(before: &str, patch: &str, after: &str) {
    let bench = Bench::new();
    bench.write("a.txt", before);
    let output = call(&bench, patch).await;
    assert!(output.success, "{}", output.text);
    assert_eq!(bench.read("a.txt"), after, "{patch}");
}

/// Patches `a.txt`, which must fail and leave it as it is.
async fn failure(before: &str, patch: &str) -> String {
    let bench = Bench::new();
    bench.write("a.txt", before);
    let output = call(&bench, patch).await;
    assert!(!output.success, "{}", output.text);
    assert_eq!(bench.read("a.txt"), before);
    output.text
}

fn unified(hunks: &str) -> String {
    format!("--- a/a.txt\n+++ b/a.txt\n{hunks}")
}

fn envelope(body: &str) -> String {
    format!("*** Begin Patch\n*** Update File: a.txt\n{body}*** End Patch\n")
}

#[tokio::test]
async fn a_unified_diff_is_applied() {
    let patch = unified("@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -5,2 +5,3 @@\n 5\n+5b\n 6\n");
    check("1\n2\n3\n4\n5\n6\n", &patch, "1\ntwo\n3\n4\n5\n5b\n6\n").await;
    let text = unified("@@ -1 +1 @@\n-old\n+new\n") + "-- \n2.47.3\n\n";
    check("old\n", &text, "new\n").await;
}

#[tokio::test]
async fn the_other_form_is_applied() {
    let patch = envelope("@@\n 1\n-2\n+two\n 3\n");
    check("1\n2\n3\n", &patch, "1\ntwo\n3\n").await;
    let patch = envelope(" 1\n-2\n+two\n@@ fn b()\n-x\n+y\n");
    check(
        "1\n2\nfn a()\nx\nfn b()\nx\n",
        &patch,
        "1\ntwo\nfn a()\nx\nfn b()\ny\n",
    )
    .await;
    check("1\n", &envelope("@@\n+2\n"), "1\n2\n").await;
    check(
        "x\nx\n",
        &envelope("@@\n-x\n+y\n*** End of File\n"),
        "x\ny\n",
    )
    .await;
}

#[tokio::test]
async fn hunks_find_their_place_when_lines_moved() {
    let patch = unified("@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -3,2 +3,2 @@\n c\n-d\n+D\n");
    let bench = Bench::new();
    bench.write("a.txt", "new\nnew\na\nb\nc\nd\n");
    let output = call(&bench, &patch).await;
    assert_eq!(bench.read("a.txt"), "new\nnew\na\nB\nc\nD\n");
    assert!(
        output
            .text
            .contains("`a.txt`: hunk 1 went to line 3 instead of 1"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn wrong_counts_and_lost_spaces_are_forgiven() {
    let patch = unified("@@ -1,9 +1,1 @@\n a\n-b\n+B\n\n c\n");
    check("a\nb\n\nc\n", &patch, "a\nB\n\nc\n").await;
    check(
        "a  \nb\n",
        &unified("@@ -1,2 +1,2 @@\n a\n-b\n+B\n"),
        "a  \nB\n",
    )
    .await;
    check("a\nb\n", &unified("@@ @@\n a\n-b\n+B\n"), "a\nB\n").await;
}

#[tokio::test]
async fn fuzz_lets_the_edges_of_a_hunk_differ_when_asked() {
    let bench = Bench::new();
    bench.write("a.txt", "edge\nkeep\nold\nkeep\nedge\n");
    let patch = unified("@@ -1,5 +1,5 @@\n other\n keep\n-old\n+new\n keep\n other\n");
    assert!(!call(&bench, &patch).await.success);
    let input = json!({"patch": patch, "fuzz": 1});
    let output = bench.call("apply_patch", input).await;
    assert!(
        output.success && output.text.contains("fits only loosely"),
        "{}",
        output.text
    );
    assert_eq!(bench.read("a.txt"), "edge\nkeep\nnew\nkeep\nedge\n");
}

#[tokio::test]
async fn what_does_not_fit_names_file_hunk_and_what_is_there() {
    let patch = unified("@@ -1,1 +1,1 @@\n-let x = 1;\n+let x = 2;\n@@ -9,1 +9,1 @@\n-zzz\n+y\n");
    let text = failure("let x = 1;\nlet y = 3;\n", &patch).await;
    assert!(
        text.starts_with("`a.txt`: hunk 2 of 2 (@@ -9,1 +9,1 @@) does not apply"),
        "{text}"
    );
    assert!(text.contains("Nothing was written"));
    let text = failure(
        "let total = sum(&x);\n",
        &envelope("-let total = sum(x);\n+1\n"),
    )
    .await;
    assert!(
        text.contains("The nearest lines are:\n1: let total = sum(&x);"),
        "{text}"
    );
    let text = failure("x\n-\nx\n", &envelope("-x\n+y\n")).await;
    assert!(
        text.contains("is ambiguous: it fits at the lines 1 and 3"),
        "{text}"
    );
    let text = failure("x\n", &envelope("@@ fn gone\n-x\n+y\n")).await;
    assert!(text.contains("there is no line \"fn gone\""), "{text}");
}

#[tokio::test]
async fn files_are_created_deleted_and_renamed() {
    let bench = Bench::new();
    bench.write("old.txt", "1\n2\n");
    bench.write("gone.txt", "x\n");
    let run_mode = Permissions::from_mode(0o755);
    fs::set_permissions(bench.workspace.join("old.txt"), run_mode).unwrap();
    let patch = "diff --git a/old.txt b/deep/new.txt\nsimilarity index 50%\nrename from old.txt\n\
                 rename to deep/new.txt\nindex 1..2 100644\n--- a/old.txt\n+++ b/deep/new.txt\n\
                 @@ -1,2 +1,2 @@\n 1\n-2\n+two\n\
                 diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n\
                 +++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                 diff --git a/made.txt b/made.txt\nnew file mode 100644\n--- /dev/null\n\
                 +++ b/made.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n";
    let output = call(&bench, patch).await;
    assert!(output.success, "{}", output.text);
    assert_eq!(bench.read("deep/new.txt"), "1\ntwo\n");
    let mode = fs::metadata(bench.workspace.join("deep/new.txt"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(bench.read("made.txt"), "a\nb");
    assert!(
        !bench.workspace.join("old.txt").exists() && !bench.workspace.join("gone.txt").exists()
    );
    let files = output.metadata.unwrap()["files"].as_array().unwrap().len();
    assert_eq!(files, 4);
}

#[tokio::test]
async fn the_other_form_creates_deletes_and_moves_too() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n");
    bench.write("gone.txt", "x\n");
    let patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-1\n+one\n\
                 *** Add File: sub/c.txt\n+c\n+\n*** Delete File: gone.txt\n*** End Patch";
    let output = call(&bench, patch).await;
    assert!(output.success, "{}", output.text);
    assert_eq!(
        (bench.read("b.txt"), bench.read("sub/c.txt")),
        ("one\n".into(), "c\n\n".into())
    );
    assert!(!bench.workspace.join("a.txt").exists() && !bench.workspace.join("gone.txt").exists());
}

#[tokio::test]
async fn one_file_that_does_not_fit_stops_all() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n");
    bench.write("b.txt", "1\n");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n\
                 --- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-zzz\n+2\n";
    let output = call(&bench, patch).await;
    assert!(
        output.text.starts_with("`b.txt`: hunk 1"),
        "{}",
        output.text
    );
    assert_eq!(bench.read("a.txt"), "1\n");
}

#[tokio::test]
async fn a_file_that_is_named_twice_is_changed_twice() {
    let patch = envelope("-1\n+one\n*** Update File: a.txt\n-2\n+two\n");
    check("1\n2\n", &patch, "one\ntwo\n").await;
}

#[tokio::test]
async fn line_endings_are_kept() {
    let patch = unified("@@ -1,2 +1,3 @@\n 1\n-2\n+two\n+three\n");
    check("1\r\n2\r\n", &patch, "1\r\ntwo\r\nthree\r\n").await;
    check("1\n2\n", &patch.replace('\n', "\r\n"), "1\ntwo\nthree\n").await;
    let with_cr = unified("@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+two\r\n");
    check("1\r\n2\r\n", &with_cr, "1\r\ntwo\r\n").await;
}

#[tokio::test]
async fn the_newline_at_the_end_is_kept_unless_the_patch_says_otherwise() {
    check("1\n2", &envelope("-2\n+two\n"), "1\ntwo").await;
    check("1\n2", &envelope(" 2\n+3\n"), "1\n2\n3").await;
    check(
        "1\n2",
        &unified("@@ -1,2 +1,2 @@\n 1\n-2\n+two\n"),
        "1\ntwo",
    )
    .await;
    let adds = "@@ -2 +2 @@\n-2\n\\ No newline at end of file\n+2\n";
    check("1\n2", &unified(adds), "1\n2\n").await;
    let takes = "@@ -2 +2 @@\n-2\n+2\n\\ No newline at end of file\n";
    check("1\n2\n", &unified(takes), "1\n2").await;
}

#[tokio::test]
async fn bytes_that_are_not_utf8_stay() {
    let bench = Bench::new();
    bench.write("a.txt", b"caf\xe9\n1\n");
    assert!(
        call(&bench, &unified("@@ -2 +2 @@\n-1\n+2\n"))
            .await
            .success
    );
    assert_eq!(
        fs::read(bench.workspace.join("a.txt")).unwrap(),
        b"caf\xe9\n2\n"
    );
    bench.write("a.txt", b"a\0b\n1\n");
    let output = call(&bench, &unified("@@ -2 +2 @@\n-1\n+2\n")).await;
    assert!(
        output.text.contains("is not text that can be patched"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn whole_files_are_replaced_together() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n");
    for member in ["replace", "changes"] {
        let files = json!([{"path": "a.txt", "content": member}, {"path": "b/c", "content": "x"}]);
        let output = bench.call("apply_patch", json!({member: files})).await;
        assert!(output.success, "{}", output.text);
        assert_eq!(
            (bench.read("a.txt"), bench.read("b/c")),
            (member.into(), "x".into())
        );
    }
}

#[tokio::test]
async fn a_patch_without_names_belongs_to_the_path_beside_it() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n");
    let input = json!({"patch": "@@ -1 +1 @@\n-1\n+2\n", "path": "a.txt"});
    assert!(bench.call("apply_patch", input).await.success);
    assert_eq!(bench.read("a.txt"), "2\n");
    let input = json!({"patch": "@@ -0,0 +1 @@\n+1\n", "path": "new", "create_if_missing": true});
    assert!(bench.call("apply_patch", input).await.success);
    assert_eq!(bench.read("new"), "1\n");
}

#[tokio::test]
async fn what_is_no_patch_says_what_one_is() {
    for (input, why) in [
        (json!({}), "give either `patch` or `replace`"),
        (json!({"patch": "x", "replace": []}), "give either"),
        (json!({"replace": []}), "there is no file in it"),
        (json!({"patch": ""}), "there is no file in it"),
        (json!({"patch": "hello"}), "it needs `--- a/path`"),
        (
            json!({"patch": "@@ -1 +1 @@\n-1\n+2\n"}),
            "a hunk stands before any",
        ),
        (
            json!({"patch": "*** Begin Patch\n*** Add File: b\n+x\n"}),
            "it may have been cut off",
        ),
        (
            json!({"patch": "*** Begin Patch\nhello\n*** End Patch"}),
            "\"hello\" stands where",
        ),
        (
            json!({"patch": envelope("*bad\n")}),
            "begins neither with a space",
        ),
        (json!({"patch": envelope("")}), "changes nothing"),
        (
            json!({"patch": "*** Begin Patch\n*** Add File: b\nx\n*** End Patch"}),
            "not begin with `+`",
        ),
        (
            json!({"patch": "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch"}),
            "exists already",
        ),
        (
            json!({"patch": "*** Begin Patch\n*** Delete File: b\n*** End Patch"}),
            "does not exist",
        ),
        (
            json!({"patch": unified("@@ -1,2 +1,2 @@\n 1\n#2\n")}),
            "begins neither",
        ),
        (
            json!({"patch": unified("@@ -1 +1 @@\n 1\n")}),
            "this content already",
        ),
        (
            json!({"patch": "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-1\n+2\n"}),
            "`b` does not exist",
        ),
        (
            json!({"patch": "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n"}),
            "does not apply",
        ),
        (
            json!({"patch": "Binary files a/x and b/x differ\n"}),
            "binary file",
        ),
        (
            json!({"patch": "x".repeat(PATCH_BYTES_MAX + 1)}),
            "is longer than",
        ),
    ] {
        let bench = Bench::new();
        bench.write("a.txt", "1\n");
        let output = bench.call("apply_patch", input.clone()).await;
        let input = input.to_string();
        let input = &input[..input.len().min(200)];
        assert!(
            !output.success && output.text.contains(why),
            "{input}: {}",
            output.text
        );
        assert_eq!(bench.read("a.txt"), "1\n");
    }
}

#[tokio::test]
async fn a_quoted_name_and_a_name_with_a_time_are_read() {
    let bench = Bench::new();
    bench.write("grüße.txt", "1\n");
    let patch = "--- \"a/gr\\303\\274\\303\\237e.txt\"\n+++ \"b/gr\\303\\274\\303\\237e.txt\"\n\
                 @@ -1 +1 @@\n-1\n+2\n";
    assert!(call(&bench, patch).await.success);
    let patch = "--- grüße.txt.orig\t2026-01-01 00:00:00\n+++ grüße.txt\t2026-01-01 00:00:00\n\
                 @@ -1 +1 @@\n-2\n+3\n";
    assert!(call(&bench, patch).await.success);
    assert_eq!(bench.read("grüße.txt"), "3\n");
}

#[tokio::test]
async fn an_expected_hash_is_for_one_file() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n");
    let patch = unified("@@ -1 +1 @@\n-1\n+2\n");
    let input = json!({"patch": patch, "expected_hash": sha256_hex(b"else")});
    let output = bench.call("apply_patch", input).await;
    assert!(
        output.text.contains("is not what was expected"),
        "{}",
        output.text
    );
    let two = format!("{patch}--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+1\n");
    let input = json!({"patch": two, "expected_hash": sha256_hex(b"1\n")});
    let output = bench.call("apply_patch", input).await;
    assert!(
        output.text.contains("for a patch of one file"),
        "{}",
        output.text
    );
    let input = json!({"patch": patch, "expected_hash": sha256_hex(b"1\n")});
    assert!(bench.call("apply_patch", input).await.success);
}

#[tokio::test]
async fn a_person_sees_the_whole_change_and_all_files_are_asked_for() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n");
    let patch = "*** Begin Patch\n*** Update File: a.txt\n-1\n+one\n*** Add File: ../outside/b\n+b\n\
                 *** End Patch";
    let prepared = bench
        .prepare("apply_patch", json!({"patch": patch}))
        .await
        .unwrap();
    let outside = bench.outside.join("b");
    let diff = prepared.preview.diff.clone().unwrap();
    assert!(
        diff.contains("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+one\n"),
        "{diff}"
    );
    assert!(
        diff.contains(&format!("--- /dev/null\n+++ b/{}\n", outside.display())),
        "{diff}"
    );
    let files = [
        File {
            path: outside,
            inside: false,
        },
        File {
            path: bench.workspace.join("a.txt"),
            inside: true,
        },
    ];
    assert_eq!(prepared.demand, Demand::Write(files.into()));
}

#[tokio::test]
async fn files_outside_tell_nothing_before_permission() {
    let bench = Bench::new();
    bench.write(bench.outside.join("secret"), "the secret word is fish\n");
    symlink(&bench.outside, bench.workspace.join("exit")).unwrap();
    for path in ["exit/secret", "../outside/secret"] {
        let hunk = "@@ -1 +1 @@\n-the secret word was\n+x\n";
        let patch = format!("--- a/{path}\n+++ b/{path}\n{hunk}");
        let prepared = bench
            .prepare("apply_patch", json!({"patch": patch}))
            .await
            .unwrap();
        assert!(prepared.demand.is_outside());
        assert!(!format!("{prepared:?}").contains("fish"));
        assert!(prepared.run(bench.context()).await.text.contains("fish"));
    }
}

#[tokio::test]
async fn a_file_that_changed_after_the_approval_stops_all() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n");
    let patch = unified("@@ -1 +1 @@\n-1\n+2\n") + "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+1\n";
    let prepared = bench
        .prepare("apply_patch", json!({"patch": patch}))
        .await
        .unwrap();
    bench.write("b", "theirs");
    let output = prepared.run(bench.context()).await;
    assert!(output.text.contains("`b` changed since"), "{}", output.text);
    assert_eq!(bench.read("a.txt"), "1\n");
}

#[tokio::test]
async fn a_cancelled_turn_patches_nothing() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n");
    bench.cancel.cancel();
    let output = call(&bench, &unified("@@ -1 +1 @@\n-1\n+2\n")).await;
    assert!(output.text.contains("interrupted"));
    assert_eq!(bench.read("a.txt"), "1\n");
}

/// Whatever the text, the parsers answer, and what they cannot read changes nothing.
#[tokio::test]
async fn a_patch_cut_at_any_byte_is_refused_or_applies_whole() {
    let bench = Bench::new();
    let whole = "*** Begin Patch\n*** Update File: a.txt\n@@ x\n 1\n-2\n+zwei ü\n*** End of File\n\
                 *** Add File: b\n+b\n*** End Patch";
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        bench.write("a.txt", "x\n1\n2\n");
        let output = call(&bench, &whole[..end]).await;
        assert!(!output.success, "{end}: {}", output.text);
        assert_eq!(bench.read("a.txt"), "x\n1\n2\n");
    }
    assert!(call(&bench, whole).await.success);
}

/// A small generator, so that a failure can be found again by its number.
fn lines(seed: &mut u64) -> String {
    let mut next = |bound: u64| {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % bound
    };
    let words = ["a", "b", "", "fn x() {", "}", "  indented", "ü"];
    let count = next(12);
    let mut text = String::new();
    for _ in 0..count {
        text.push_str(words[next(7) as usize]);
        text.push('\n');
    }
    if next(3) == 0 {
        text.pop();
    }
    text
}

#[tokio::test]
async fn a_diff_of_any_two_texts_makes_one_of_the_other() {
    let bench = Bench::new();
    for seed in 0..400 {
        let mut state = seed;
        let (before, after) = (lines(&mut state), lines(&mut state));
        if before == after {
            continue;
        }
        let made = change("a.txt", Some(before.as_bytes()), Some(after.as_bytes())).unwrap();
        bench.write("a.txt", &before);
        let output = call(&bench, &made.diff).await;
        assert!(
            output.success,
            "seed {seed}: {}\n{}",
            output.text, made.diff
        );
        assert_eq!(bench.read("a.txt"), after, "seed {seed}\n{}", made.diff);
        bench.write("a.txt", before.replace('\n', "\r\n"));
        if before.contains('\n') {
            let output = call(&bench, &made.diff).await;
            assert!(output.success, "seed {seed} with CR: {}", output.text);
            let expected = after.replace('\n', "\r\n");
            assert_eq!(bench.read("a.txt"), expected, "seed {seed} with CR");
        }
    }
}
