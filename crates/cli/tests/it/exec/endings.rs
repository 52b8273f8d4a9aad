//! How runs end: each way has its number.

use codewhale_testkit::app::{Signal, within};
use codewhale_testkit::model_server::Reply;
use serde_json::json;

use super::{Bench, lines_of, only, types};

#[tokio::test]
async fn a_provider_that_cannot_be_reached_is_worth_another_try() {
    let bench = Bench::new().await;
    let (ended, lines) = bench
        .lines(["--base-url", "http://127.0.0.1:9/v1", "go"])
        .await;
    assert_eq!(ended.code, Some(75), "{}", ended.stderr);
    let meta = &only(&lines, "metadata")["meta"];
    assert_eq!(
        (
            &meta["status"],
            &meta["error_category"],
            &meta["termination_reason"]
        ),
        (&json!("failed"), &json!("network"), &json!("model_error"))
    );
    assert!(lines.iter().any(|line| line["type"] == "error"));
    assert_eq!(types(&lines).last(), Some(&"done"));
}

#[tokio::test]
async fn a_refusal_and_a_cut_answer_are_failures() {
    let bench = Bench::new().await;
    let no = json!({ "error": { "message": "no" } });
    bench.model.push(Reply::new().status(401).json(&no));
    let ended = bench.run(["go"]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    assert!(ended.stderr.contains("error: "), "{}", ended.stderr);
    bench
        .model
        .push(Reply::says("The beginning").finish("length"));
    let ended = bench.run(["go"]).await;
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.stdout, "The beginning\n");
}

#[tokio::test]
async fn a_model_that_does_not_come_to_an_end_is_stopped_after_so_many_calls() {
    let bench = Bench::new().await;
    bench
        .model
        .default_reply(Reply::calls("call_1", "list_dir", "{}"));
    let (ended, lines) = bench.lines(["--max-turns", "2", "go"]).await;
    assert_eq!(ended.code, Some(1));
    assert_eq!(bench.model.request_count(), 2);
    let meta = &only(&lines, "metadata")["meta"];
    assert_eq!(meta["termination_reason"], "budget_exhausted");
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_the_lines_are_whole() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let bench = Bench::new().await;
        bench.model.push(Reply::says("Hello").stall());
        let started = bench.exec(["--output-format", "stream-json", "go"]).begin();
        started.until_said("Hello").await;
        let ended = started.end_by(signal).await;
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        let lines = lines_of(&ended.stdout);
        let meta = &only(&lines, "metadata")["meta"];
        assert_eq!(
            (
                &meta["status"],
                &meta["termination_reason"],
                &meta["exit_code"]
            ),
            (&json!("interrupted"), &json!("canceled"), &json!(code))
        );
        assert_eq!(types(&lines).last(), Some(&"done"));
    }
}

#[tokio::test]
async fn a_reader_that_leaves_ends_the_run() {
    let bench = Bench::new().await;
    bench
        .model
        .default_reply(Reply::flood(20_000, "words and more words "));
    let script = "\"$0\" exec go | head -c 100 >/dev/null; exit ${PIPESTATUS[0]}";
    let piped = codewhale_testkit::app::Program::new("/bin/bash", &bench.home).arguments([
        "-c",
        script,
        crate::scene::BINARY,
    ]);
    let ended = within("the pipe to end", piped.run()).await;
    assert_eq!(ended.code, Some(141), "{}", ended.stderr);
    let thread = &bench.threads().await[0];
    let read = bench
        .exec([])
        .arguments(["--resume", thread.as_str(), "--max-turns", "1", "again"]);
    bench.model.push(Reply::says("Here."));
    let ended = read.run().await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Here.\n"));
}

#[tokio::test]
async fn bad_orders_are_refused_in_a_sentence_and_leave_no_thread() {
    let bench = Bench::new().await;
    for (arguments, code, words) in [
        (&["  "][..], 1, "the prompt is blank"),
        (&[], 1, "the prompt is blank"),
        (&["-"], 1, "the prompt is blank"),
        (
            &["--prompt-file", "/nowhere", "-C", "."],
            1,
            "cannot read /nowhere",
        ),
        (&["-C", "/nowhere", "go"], 1, "cannot work in /nowhere"),
        (&["--provider", "nonesuch", "go"], 1, "nonesuch"),
        (
            &["--resume", "thr_1", "go"],
            1,
            "there is no session \"thr_1\"",
        ),
        (&["--continue", "go"], 1, "there is no session in"),
        (
            &["--tool-authority-json", "{", "go"],
            2,
            "the authority does not read",
        ),
        (&["--max-turns", "0", "go"], 2, "0"),
        (&["--sandbox", "open", "go"], 2, "open"),
        (
            &["--json", "--output-format", "text", "go"],
            2,
            "cannot be used with",
        ),
        (
            &["--resume", "a", "--continue", "go"],
            2,
            "cannot be used with",
        ),
        (
            &["--resume", "a", "--tool-authority-json", ENVELOPE, "go"],
            2,
            "cannot be used with",
        ),
    ] {
        let ended = bench.run(arguments.iter().copied()).await;
        assert_eq!(ended.code, Some(code), "{arguments:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{arguments:?}");
        assert!(
            ended.stderr.contains(words),
            "{arguments:?}: {}",
            ended.stderr
        );
    }
    assert_eq!(bench.threads().await, [""; 0]);
    assert_eq!(bench.model.request_count(), 0);
}

const ENVELOPE: &str = r#"{"run_id":"r","task_id":"t","worker_id":"w","attempt":1}"#;

#[tokio::test]
async fn an_answer_that_must_fit_a_schema_is_asked_for_once_more() {
    let bench = Bench::new().await;
    bench
        .home
        .write("schema.json", r#"{"type":"object","required":["ok"]}"#);
    bench.model.push(Reply::says("Here it is!"));
    bench.model.push(Reply::says(r#"{"ok":true}"#));
    let ended = bench
        .run(["--output-schema", "schema.json", "answer"])
        .await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout, "{\"ok\":true}\n");
    let again = bench.model.last_request();
    assert!(
        again
            .last_user_text()
            .unwrap()
            .contains("does not fit the schema")
    );
    bench.model.push(Reply::says("{}")).push(Reply::says("[]"));
    let (ended, lines) = bench
        .lines(["--output-schema", "schema.json", "answer"])
        .await;
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let meta = &only(&lines, "metadata")["meta"];
    assert_eq!(
        (&meta["status"], &meta["error_category"]),
        (&json!("failed"), &json!("parse"))
    );
    bench.home.write("schema.json", r#"{"if":{}}"#);
    let ended = bench
        .run(["--output-schema", "schema.json", "answer"])
        .await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("\"if\""), "{}", ended.stderr);
}
