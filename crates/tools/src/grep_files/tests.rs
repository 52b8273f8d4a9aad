use std::os::unix::fs::symlink;

use serde_json::Value;

use super::*;
use crate::limits::{FOUND_BYTES_MAX, LINE_BYTES_MAX};
use crate::testing::Bench;

async fn check(bench: &Bench, input: Value, text: &str) {
    let output = bench.call("grep_files", input.clone()).await;
    assert_eq!(
        (output.success, output.text.as_str()),
        (true, text),
        "{input}"
    );
}

fn project() -> Bench {
    let bench = Bench::new();
    bench.write("src/a.rs", "fn one() {}\nfn two() {}\n\n// One\n");
    bench.write("src/b.rs", "let one = 1;\r\nlet two = 2;\r\n");
    bench.write("notes.md", "one\n");
    bench.write("target/out.rs", "fn one() {}\n");
    bench.write(".gitignore", "target\n");
    bench
}

#[tokio::test]
async fn matching_lines_come_with_path_and_number() {
    let bench = project();
    let text = "notes.md:1:one\nsrc/a.rs:1:fn one() {}\nsrc/b.rs:1:let one = 1;\n";
    check(&bench, json!({"pattern": "one"}), text).await;
    check(
        &bench,
        json!({"pattern": r"^fn \w+\(\)", "path": "src"}),
        "src/a.rs:1:fn one() {}\nsrc/a.rs:2:fn two() {}\n",
    )
    .await;
    check(
        &bench,
        json!({"pattern": "2;$", "path": "src/b.rs"}),
        "src/b.rs:2:let two = 2;\n",
    )
    .await;
}

#[tokio::test]
async fn include_exclude_and_case_narrow_or_widen_it() {
    let bench = project();
    let input = json!({"pattern": "one", "include": ["*.rs"], "exclude": "src/b.*"});
    check(&bench, input, "src/a.rs:1:fn one() {}\n").await;
    let input = json!({"pattern": "ONE", "include": "a.rs", "case_insensitive": true});
    check(&bench, input, "src/a.rs:1:fn one() {}\nsrc/a.rs:4:// One\n").await;
    let output = bench.call("grep_files", json!({"pattern": "ONE"})).await;
    assert_eq!(output.text, "[no line matches in the 4 files searched]");
}

#[tokio::test]
async fn lines_around_a_match_are_shown_and_gaps_marked() {
    let bench = Bench::new();
    bench.write("a", "1\nx\n3\n4\n5\n6\nx\n");
    let text = "a-1-1\na:2:x\na-3-3\n--\na-6-6\na:7:x\n";
    check(&bench, json!({"pattern": "x", "context_lines": 1}), text).await;
}

#[tokio::test]
async fn results_are_bounded_by_count_and_size() {
    let bench = Bench::new();
    bench.write("a", "x\n".repeat(30));
    let output = bench
        .call("grep_files", json!({"pattern": "x", "max_results": 2}))
        .await;
    assert!(
        output
            .text
            .starts_with("a:1:x\na:2:x\n[stopped at 2 matching lines; narrow")
    );
    assert_eq!(output.metadata.unwrap()["truncated"], true);
    let exact = bench
        .call("grep_files", json!({"pattern": "x", "max_results": 30}))
        .await;
    assert_eq!(exact.metadata.unwrap()["truncated"], false);
    bench.write("a", format!("{}\n", "x".repeat(400)).repeat(900));
    let output = bench
        .call("grep_files", json!({"pattern": "x", "max_results": 1000}))
        .await;
    assert!(output.text.len() < FOUND_BYTES_MAX + 300);
    assert!(output.text.contains("[stopped at "));
}

#[tokio::test]
async fn a_long_line_is_cut_between_characters() {
    let bench = Bench::new();
    bench.write("a", "é".repeat(LINE_BYTES_MAX));
    let text = format!("a:1:{}[... 500 bytes]\n", "é".repeat(LINE_BYTES_MAX / 2));
    check(&bench, json!({"pattern": "éé"}), &text).await;
}

#[tokio::test]
async fn binary_files_are_left_out_and_other_encodings_are_not() {
    let bench = Bench::new();
    bench.write("binary", b"needle\n\0\nneedle\n");
    let filler = b"-\n".repeat(200_000);
    bench.write("late", [&b"needle\n"[..], &filler, b"\0\n"].concat());
    bench.write("latin", b"caf\xe9 needle\n");
    let wide: Vec<u8> = "\u{feff}needle"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    bench.write("wide", wide);
    let input = json!({"pattern": "needle"});
    check(&bench, input, "latin:1:caf\u{fffd} needle\nwide:1:needle\n").await;
}

#[tokio::test]
async fn links_are_not_followed() {
    let bench = Bench::new();
    bench.write(bench.outside.join("secret"), "needle\n");
    symlink(&bench.outside, bench.workspace.join("exit")).unwrap();
    symlink(bench.outside.join("secret"), bench.workspace.join("link")).unwrap();
    check(
        &bench,
        json!({"pattern": "needle"}),
        "[no line matches in the 0 files searched]",
    )
    .await;
    for path in ["exit", "link", "../outside", "/etc"] {
        let input = json!({"pattern": "x", "path": path});
        let prepared = bench.prepare("grep_files", input).await.unwrap();
        assert!(prepared.demand.is_outside(), "{path}");
    }
}

#[tokio::test]
async fn what_cannot_be_searched_says_what_to_do() {
    let bench = Bench::new();
    for (input, why) in [
        (json!({"pattern": ""}), "the pattern is empty"),
        (json!({"pattern": "f("}), "Escape characters"),
        (json!({"pattern": "a\nb"}), "line by line"),
        (json!({"pattern": "(?=x)"}), "the pattern cannot be used"),
        (
            json!({"pattern": "(a{1000}){1000}"}),
            "the pattern cannot be used",
        ),
        (json!({"pattern": "a", "path": "none"}), "does not exist"),
        (
            json!({"pattern": "a", "include": ["["]}),
            "is not a pattern",
        ),
    ] {
        let output = bench.call("grep_files", input).await;
        assert!(
            !output.success && output.text.contains(why),
            "{}",
            output.text
        );
    }
}

#[tokio::test]
async fn a_cancelled_turn_searches_nothing() {
    let bench = project();
    bench.cancel.cancel();
    let output = bench.call("grep_files", json!({"pattern": "one"})).await;
    assert!(!output.success && output.text.contains("interrupted"));
}
