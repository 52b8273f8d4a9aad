use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::Results;
use crate::testing::{Bench, Shelf};

async fn retrieve(text: &str, mut input: Value) -> Output {
    let bench = Bench::new();
    let shelf = Arc::new(Shelf::default());
    let reference = shelf.keep(text).unwrap();
    if input.get("ref").is_none() {
        input["ref"] = json!(reference);
    }
    match bench.prepare("retrieve_tool_result", input).await {
        Ok(prepared) => {
            assert_eq!(prepared.demand, Demand::Inward);
            prepared.run(bench.context().with_results(shelf)).await
        }
        Err(failure) => failure,
    }
}

#[tokio::test]
async fn each_mode_gives_its_part() {
    let text = "one\ntwo\nthree é\nTwo again\nlast";
    for (input, expected) in [
        (json!({"mode": "metadata"}), "[31 bytes, 5 lines]"),
        (json!({"mode": "head", "max_lines": 2}), "one\ntwo"),
        (json!({"mode": "tail", "max_lines": 2}), "Two again\nlast"),
        (
            json!({"mode": "lines", "start_line": 2, "max_lines": 2}),
            "two\nthree é",
        ),
        (
            json!({"mode": "query", "query": "TWO"}),
            "2: two\n4: Two again",
        ),
        (
            json!({"mode": "query", "query": "two", "max_lines": 1}),
            "2: two\n[1 more lines contain it]",
        ),
        (
            json!({"mode": "query", "query": "four"}),
            "[no line contains it]",
        ),
        (
            json!({"mode": "bytes", "offset": 4, "max_bytes": 3}),
            "two\n[read on with offset 7]",
        ),
        (json!({"mode": "bytes", "offset": 27}), "last"),
        (
            json!({"mode": "bytes", "offset": 15, "max_bytes": 1}),
            "é\n[read on with offset 16]",
        ),
    ] {
        let output = retrieve(text, input.clone()).await;
        assert_eq!(
            (output.success, output.text.as_str()),
            (true, expected),
            "{input}"
        );
    }
    let summary = retrieve(text, json!({})).await.text;
    assert!(
        summary.starts_with("[31 bytes, 5 lines; it begins]\none\n"),
        "{summary}"
    );
    assert!(summary.ends_with("Two again\nlast"), "{summary}");
}

#[tokio::test]
async fn no_part_is_longer_than_an_answer_may_be() {
    let long = format!("{}\n", "€".repeat(100_000)).repeat(20);
    for input in [
        json!({}),
        json!({"mode": "head", "max_lines": 1_000_000}),
        json!({"mode": "tail"}),
        json!({"mode": "lines", "start_line": 3}),
        json!({"mode": "query", "query": "€", "max_lines": 1_000_000}),
        json!({"mode": "bytes", "max_bytes": 10_000_000}),
    ] {
        let output = retrieve(&long, input.clone()).await;
        assert!(
            output.success && output.text.len() < 2 * READ_BYTES_MAX + 500,
            "{input}"
        );
    }
}

#[tokio::test]
async fn what_is_not_there_says_what_to_do() {
    for (input, why) in [
        (json!({"ref": "result-7"}), "repeat the call that made it"),
        (json!({"ref": "../secret"}), "is no reference"),
        (json!({"ref": "a/b"}), "is no reference"),
        (json!({"ref": ""}), "is no reference"),
        (json!({"mode": "query"}), "needs a `query`"),
        (
            json!({"mode": "lines", "start_line": 9}),
            "has only 1 lines",
        ),
        (json!({"mode": "bytes", "offset": 9}), "has only 3 bytes"),
        (json!({"mode": "all"}), "unknown variant `all`"),
    ] {
        let output = retrieve("one", input).await;
        assert!(
            !output.success && output.text.contains(why),
            "{}",
            output.text
        );
    }
}
