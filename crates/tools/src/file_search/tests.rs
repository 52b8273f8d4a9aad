use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::*;
use crate::testing::Bench;

fn project() -> Bench {
    let bench = Bench::new();
    for path in [
        "src/parser.rs",
        "src/model/parser_tests.rs",
        "src/parsers/mod.rs",
        "docs/Parser Guide.md",
        "target/parser.o",
        ".github/parser.yml",
        ".git/parser",
    ] {
        bench.write(path, "");
    }
    bench.write(".gitignore", "target/\n");
    bench
}

async fn check(bench: &Bench, input: Value, paths: &[&str]) {
    let output = bench.call("file_search", input.clone()).await;
    assert!(output.success, "{}", output.text);
    let found: Vec<&str> = output.text.lines().collect();
    assert_eq!(found, paths, "{input}");
}

#[tokio::test]
async fn the_best_match_comes_first_and_ignored_files_do_not_come() {
    let bench = project();
    let all = [
        "src/parser.rs",
        ".github/parser.yml",
        "docs/Parser Guide.md",
        "src/model/parser_tests.rs",
        "src/parsers/mod.rs",
    ];
    check(&bench, json!({"query": "PARSER"}), &all).await;
    check(
        &bench,
        json!({"query": "parser", "path": "src"}),
        &[all[0], all[3], all[4]],
    )
    .await;
    check(
        &bench,
        json!({"query": "mdlpars"}),
        &["src/model/parser_tests.rs"],
    )
    .await;
    check(
        &bench,
        json!({"query": "./src/parser.rs"}),
        &["src/parser.rs"],
    )
    .await;
}

#[tokio::test]
async fn patterns_extensions_and_exclusions_narrow_it() {
    let bench = project();
    let rust = [
        "src/parser.rs",
        "src/parsers/mod.rs",
        "src/model/parser_tests.rs",
    ];
    check(&bench, json!({"query": "*.rs"}), &rust).await;
    check(&bench, json!({"query": "src/*/*.rs"}), &rust[1..]).await;
    let input = json!({"query": "parser", "extensions": [".rs"], "exclude": "model"});
    check(&bench, input, &["src/parser.rs", "src/parsers/mod.rs"]).await;
}

#[tokio::test]
async fn nothing_found_says_so() {
    let text = "[no file below `.` fits \"zebra\"; ignored files do not count]";
    check(&project(), json!({"query": "zebra"}), &[text]).await;
}

#[tokio::test]
async fn more_than_the_limit_is_counted() {
    let bench = Bench::new();
    (0..30).for_each(|number| bench.write(format!("f{number:02}"), ""));
    let paths = ["f00", "f01", "[28 more of 30 are not listed]"];
    check(&bench, json!({"query": "f", "limit": 2}), &paths).await;
}

#[tokio::test]
async fn links_are_not_followed_out_of_the_workspace() {
    let bench = Bench::new();
    bench.write(bench.outside.join("secret.txt"), "");
    symlink(&bench.outside, bench.workspace.join("exit")).unwrap();
    symlink(
        bench.outside.join("secret.txt"),
        bench.workspace.join("link.txt"),
    )
    .unwrap();
    bench.write("own.txt", "");
    check(&bench, json!({"query": "txt"}), &["own.txt"]).await;
    let input = json!({"query": "txt", "path": "exit"});
    let prepared = bench.prepare("file_search", input).await.unwrap();
    assert!(prepared.demand.is_outside());
}

#[tokio::test]
async fn what_cannot_be_searched_says_what_to_do() {
    let bench = Bench::new();
    for (input, why) in [
        (json!({"query": " "}), "the query is empty"),
        (json!({"query": "a["}), "is not a pattern"),
        (json!({"query": "a", "exclude": ["{"]}), "is not a pattern"),
        (json!({"query": "a", "path": "none"}), "does not exist"),
        (
            json!({"query": "a", "extensions": 7}),
            "a text or a list of texts",
        ),
    ] {
        let output = bench.call("file_search", input).await;
        assert!(
            !output.success && output.text.contains(why),
            "{}",
            output.text
        );
    }
    fs::remove_dir_all(&bench.workspace).unwrap();
    let output = bench.call("file_search", json!({"query": "a"})).await;
    assert!(output.text.contains("the workspace"), "{}", output.text);
}

#[tokio::test]
async fn a_cancelled_turn_searches_nothing() {
    let bench = project();
    bench.cancel.cancel();
    let output = bench.call("file_search", json!({"query": "a"})).await;
    assert!(!output.success && output.text.contains("interrupted"));
}
