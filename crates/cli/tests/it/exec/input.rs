//! What comes in: prompts by other ways, and lines that prompt, answer and interrupt.

use codewhale_testkit::model_server::Reply;
use serde_json::json;

use super::{Bench, WRITE, lines_of, of_type};

const LINES: [&str; 4] = [
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
];

#[tokio::test]
async fn a_prompt_comes_by_standard_input_or_from_a_file() {
    let bench = Bench::new().await;
    bench.model.default_reply(Reply::says("Yes."));
    for arguments in [&["-"][..], &[]] {
        let ended = bench
            .exec(arguments.iter().copied())
            .run_with("from a pipe\n")
            .await;
        assert_eq!(ended.stdout, "Yes.\n", "{}", ended.stderr);
        assert_eq!(
            bench.model.last_request().last_user_text(),
            Some("from a pipe")
        );
    }
    bench.home.write("prompt.txt", "from a file");
    let ended = bench.run(["--prompt-file", "prompt.txt"]).await;
    assert_eq!(ended.stdout, "Yes.\n", "{}", ended.stderr);
    assert_eq!(
        bench.model.last_request().last_user_text(),
        Some("from a file")
    );
}

#[tokio::test]
async fn lines_prompt_and_answer_and_the_end_of_input_ends_the_run() {
    let bench = Bench::new().await;
    bench
        .model
        .push(Reply::calls("call_1", "write_file", WRITE));
    bench.model.push(Reply::says("Written."));
    bench.model.push(Reply::says("Bye."));
    let mut started = bench.exec(LINES).begin_heard();
    started.say("not json\n").await;
    started.until_said("a line of input does not read").await;
    started
        .say("{\"type\":\"user\",\"content\":\"write it\"}\n")
        .await;
    let told = started
        .until_said("\"type\":\"approval_required\"}\n")
        .await;
    let told = lines_of(&told[..=told.rfind('\n').unwrap()]);
    let id = &of_type(&told, "approval_required")[0]["id"];
    let answer = json!({ "type": "approval", "id": id, "decision": "allow" });
    started.say(&format!("{answer}\n")).await;
    started.until_said("\"turn_completed\"").await;
    started
        .say("{\"type\":\"user\",\"content\":\"bye\"}\n")
        .await;
    started.until_said("Bye.").await;
    started.hang_up();
    let ended = started.ended().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(bench.home.read("a.txt").as_deref(), Some("a"));
    let lines = lines_of(&ended.stdout);
    let turns = of_type(&lines, "thread");
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[0]["thread_id"], turns[1]["thread_id"]);
    assert_eq!(of_type(&lines, "turn_completed").len(), 2);
    assert_eq!(of_type(&lines, "done").len(), 1);
}

#[tokio::test]
async fn a_line_interrupts_and_the_end_of_input_does_not() {
    let bench = Bench::new().await;
    bench.model.push(Reply::says("Hello").stall());
    let mut started = bench.exec(LINES).arguments(["go"]).begin_heard();
    started.until_said("Hello").await;
    started.say("{\"type\":\"interrupt\"}\n").await;
    started.until_said("\"turn_completed\"").await;
    started.hang_up();
    let ended = started.ended().await;
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);

    let gate = codewhale_testkit::model_server::Gate::new();
    bench
        .model
        .push(Reply::says("One").hold(&gate).text(", two."));
    let mut started = bench.exec(LINES).arguments(["count"]).begin_heard();
    started.until_said("One").await;
    started.hang_up();
    gate.open();
    let ended = started.ended().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains(", two."));
}

#[tokio::test]
async fn an_input_without_a_prompt_leaves_nothing() {
    let bench = Bench::new().await;
    let ended = bench.exec(LINES).run_with("").await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("before a user line"),
        "{}",
        ended.stderr
    );
    assert_eq!(bench.threads().await, [""; 0]);
}
