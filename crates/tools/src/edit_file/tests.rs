use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::Value;

use super::*;
use crate::testing::Bench;

/// Edits `before` and compares what becomes of it.
async fn check(before: &[u8], input: Value, after: &[u8]) {
    let bench = Bench::new();
    bench.write("a.txt", before);
    let output = bench.call("edit_file", with_path(input)).await;
    assert!(output.success, "{}", output.text);
    assert_eq!(fs::read(bench.workspace.join("a.txt")).unwrap(), after);
}

/// Edits `before`, which must fail and leave it as it is.
async fn failure(before: &[u8], input: Value) -> String {
    let bench = Bench::new();
    bench.write("a.txt", before);
    let output = bench.call("edit_file", with_path(input)).await;
    assert!(!output.success, "{}", output.text);
    assert_eq!(fs::read(bench.workspace.join("a.txt")).unwrap(), before);
    output.text
}

fn with_path(mut input: Value) -> Value {
    input["path"] = json!("a.txt");
    input
}

fn edits(pairs: &[(&str, &str)]) -> Value {
    let edit = |(old, new): &(&str, &str)| json!({"oldText": old, "newText": new});
    json!({"edits": pairs.iter().map(edit).collect::<Vec<_>>()})
}

#[tokio::test]
async fn one_piece_is_replaced_and_the_answer_says_where_it_stands() {
    let bench = Bench::new();
    bench.write("a.txt", "one\ntwo\nthree\n");
    let input = json!({"path": "a.txt", "search": "two\n", "replace": "2\n2b\n"});
    let output = bench.call("edit", input).await;
    let hash = sha256_hex(b"one\n2\n2b\nthree\n");
    let text = format!(
        "edited `a.txt` in 1 place (+2 -1 lines); its SHA-256 is now {}",
        &hash[..12]
    );
    assert_eq!((output.success, output.text), (true, text));
    assert_eq!(output.metadata.unwrap()["sha256"], hash);
    assert_eq!(bench.read("a.txt"), "one\n2\n2b\nthree\n");
}

#[tokio::test]
async fn several_edits_are_made_against_one_snapshot() {
    // The second old text must not be looked for in what the first one brought.
    check(
        b"a b c",
        edits(&[("a", "b b"), ("b", "x"), ("c", "")]),
        b"b b x ",
    )
    .await;
    check(b"1 2 3", edits(&[("3", "1"), ("1", "3")]), b"3 2 1").await;
}

#[tokio::test]
async fn edits_that_overlap_are_refused() {
    let text = failure(b"abcd", edits(&[("cd", "1"), ("bc", "2")])).await;
    assert_eq!(text, "edits 1 and 2 overlap; make one edit of them");
    check(b"abcd", edits(&[("cd", "1"), ("ab", "2")]), b"21").await;
}

#[tokio::test]
async fn a_text_that_occurs_twice_is_refused_unless_all_are_meant() {
    let twice = json!({"search": "x\n", "replace": "y\n"});
    let text = failure(b"x\n-\nx\n", twice).await;
    assert!(
        text.contains("occurs more than once in `a.txt`, first in the lines 1 and 3"),
        "{text}"
    );
    let all = json!({"search": "x\n", "replace": "y\n", "replace_all": true});
    check(b"x\n-\nx\n", all, b"y\n-\ny\n").await;
    let text = failure(b"aaa", json!({"search": "aa", "replace": "b"})).await;
    assert!(text.contains("more than once"), "{text}");
}

#[tokio::test]
async fn one_edit_that_fails_leaves_the_file_as_it_is() {
    let text = failure(b"one\ntwo\n", edits(&[("one", "1"), ("tow", "2")])).await;
    assert_eq!(
        text,
        "the oldText of edit 2 is not in `a.txt`; nothing was written. Nothing in it comes near; \
         read the file again"
    );
}

#[tokio::test]
async fn a_text_that_is_not_there_shows_what_is() {
    let input = json!({"search": "let total = sum(items);", "replace": "x"});
    let text = failure(b"fn f() {\n    let total = sum(&items);\n}\n", input).await;
    assert!(
        text.ends_with("The nearest lines are:\n2:     let total = sum(&items);"),
        "{text}"
    );
}

#[tokio::test]
async fn line_endings_are_kept() {
    let input = || json!({"search": "two\n", "replace": "2\n2b\n"});
    check(b"one\r\ntwo\r\nthree", input(), b"one\r\n2\r\n2b\r\nthree").await;
    let one_line = json!({"search": "one", "replace": "1\n1b"});
    check(b"one\r\ntwo\r\n", one_line, b"1\r\n1b\r\ntwo\r\n").await;
    check(b"one\ntwo\r\nthree\n", input(), b"one\n2\r\n2b\r\nthree\n").await;
    let dos = json!({"search": "one\r\ntwo", "replace": "1\r\n2"});
    check(b"one\ntwo\n", dos, b"1\n2\n").await;
}

#[tokio::test]
async fn a_mark_at_the_start_and_a_missing_newline_at_the_end_are_kept() {
    let input = json!({"search": "one", "replace": "1"});
    check(
        "\u{feff}one\ntwo".as_bytes(),
        input,
        "\u{feff}1\ntwo".as_bytes(),
    )
    .await;
}

#[tokio::test]
async fn bytes_that_are_not_utf8_stay_and_get_no_company() {
    let input = json!({"search": "plain", "replace": "simple"});
    check(b"caf\xe9 plain\n", input, b"caf\xe9 simple\n").await;
    let text = failure(
        b"caf\xe9 plain\n",
        json!({"search": "plain", "replace": "é"}),
    )
    .await;
    assert!(text.contains("only plain ASCII"), "{text}");
    let text = failure(b"\xff\xfeh\0i\0", json!({"search": "h", "replace": "x"})).await;
    assert!(text.contains("UTF-16"), "{text}");
    let text = failure(b"a\0b", json!({"search": "a", "replace": "x"})).await;
    assert!(text.contains("is not text that can be edited"), "{text}");
}

#[tokio::test]
async fn a_wrong_input_says_what_to_give() {
    for (input, why) in [
        (json!({}), "give either `search` and `replace`, or `edits`"),
        (json!({"search": "a"}), "needs `replace`"),
        (
            json!({"search": "a", "replace": "b", "edits": []}),
            "give either",
        ),
        (json!({"edits": []}), "`edits` is empty"),
        (
            json!({"edits": [{"oldText": "a"}]}),
            "missing field `newText`",
        ),
        (
            json!({"search": "", "replace": "b"}),
            "is empty; give the text",
        ),
        (json!({"search": "a", "replace": "a"}), "are equal"),
        (
            json!({"search": "a", "replace": "b", "expected_hash": "xyz"}),
            "not a SHA-256",
        ),
        (
            edits(&vec![("a", "b"); EDITS_MAX + 1]),
            "more than 200 edits",
        ),
    ] {
        let text = failure(b"a\n", input).await;
        assert!(text.contains(why), "{text}");
    }
}

#[tokio::test]
async fn what_cannot_be_edited_says_what_to_do() {
    let bench = Bench::new();
    bench.write("dir/file", "");
    bench.write("big", vec![b'x'; CONTENT_BYTES_MAX + 1]);
    bench.write("grow", "x".repeat(1000));
    let huge = "y".repeat(CONTENT_BYTES_MAX / 500);
    for (path, replace, why) in [
        ("dir", "", "is a directory"),
        ("dir/fil", "", "there is `file`"),
        ("big", "", "longer than 10485760 bytes"),
        ("grow", huge.as_str(), "would become longer"),
        ("~/a", "", "not expanded"),
    ] {
        let input = json!({"path": path, "search": "x", "replace": replace, "replace_all": true});
        let output = bench.call("edit_file", input).await;
        assert!(
            !output.success && output.text.contains(why),
            "{path}: {}",
            output.text
        );
    }
}

#[tokio::test]
async fn an_expected_hash_must_be_the_files() {
    let input = |hash: &str| json!({"search": "a", "replace": "b", "expected_hash": hash});
    let text = failure(b"a\n", input(&sha256_hex(b"else"))).await;
    assert!(text.contains("is not what was expected"), "{text}");
    check(b"a\n", input(&sha256_hex(b"a\n")), b"b\n").await;
    check(
        b"a\n",
        input(&format!("sha256:{}", &sha256_hex(b"a\n")[..16])),
        b"b\n",
    )
    .await;
}

#[tokio::test]
async fn a_file_that_changed_after_the_approval_is_left_alone() {
    let bench = Bench::new();
    bench.write("a.txt", "one\n");
    let input = json!({"path": "a.txt", "search": "one", "replace": "1"});
    let prepared = bench.prepare("edit_file", input).await.unwrap();
    assert!(
        prepared
            .preview
            .diff
            .as_ref()
            .unwrap()
            .contains("-one\n+1\n")
    );
    bench.write("a.txt", "one more\n");
    let output = prepared.run(bench.context()).await;
    assert!(
        output.text.contains("changed since this call was prepared"),
        "{}",
        output.text
    );
    assert_eq!(bench.read("a.txt"), "one more\n");
}

#[tokio::test]
async fn a_link_stays_a_link_and_the_mode_stays() {
    let bench = Bench::new();
    bench.write("real.sh", "one\n");
    let real = bench.workspace.join("real.sh");
    fs::set_permissions(&real, Permissions::from_mode(0o755)).unwrap();
    symlink("real.sh", bench.workspace.join("link")).unwrap();
    let input = json!({"path": "link", "search": "one", "replace": "1"});
    assert!(bench.call("edit_file", input).await.success);
    assert!(bench.workspace.join("link").is_symlink());
    assert_eq!(bench.read("real.sh"), "1\n");
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o755
    );
}

#[tokio::test]
async fn a_file_outside_tells_nothing_before_permission() {
    let bench = Bench::new();
    bench.write(bench.outside.join("secret"), "the secret word is fish\n");
    symlink(&bench.outside, bench.workspace.join("exit")).unwrap();
    for path in ["../outside/secret", "exit/secret", "exit/none"] {
        let input = json!({"path": path, "search": "the secret word is", "replace": ""});
        let prepared = bench.prepare("edit_file", input).await.unwrap();
        assert!(prepared.demand.is_outside(), "{path}");
    }
    let input = json!({"path": "exit/secret", "search": "the secret word was", "replace": ""});
    let prepared = bench.prepare("edit_file", input).await.unwrap();
    assert!(!format!("{prepared:?}").contains("fish"));
    assert!(prepared.run(bench.context()).await.text.contains("fish"));
}

#[tokio::test]
async fn a_cancelled_turn_edits_nothing() {
    let bench = Bench::new();
    bench.write("a.txt", "one");
    bench.cancel.cancel();
    let input = json!({"path": "a.txt", "search": "one", "replace": "1"});
    assert!(
        bench
            .call("edit_file", input)
            .await
            .text
            .contains("interrupted")
    );
    assert_eq!(bench.read("a.txt"), "one");
}
