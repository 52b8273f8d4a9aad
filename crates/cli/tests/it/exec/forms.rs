//! What is printed: text, a summary, lines.

use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Bench, WRITE, of_type, only, types};

#[tokio::test]
async fn text_is_the_answer_alone_and_the_rest_is_told_beside() {
    let bench = Bench::new().await;
    bench.home.write("a.txt", "words");
    let call = Reply::says("I look.").call("call_1", "read_file", r#"{"path":"a.txt"}"#);
    bench.model.push(call);
    bench
        .model
        .push(Reply::new().reasoning("Hm.").deltas(["It has ", "words."]));
    let ended = bench.run(["what", "is in it?"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout, "I look.\nIt has words.\n");
    assert_eq!(
        bench.model.requests()[0].last_user_text(),
        Some("what is in it?")
    );
    assert!(
        ended.stderr.contains("tool: read_file ("),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("tool read_file completed: "));
    assert!(ended.stderr.contains("session: thr_"));
}

#[tokio::test]
async fn the_summary_is_one_object() {
    let bench = Bench::new().await;
    bench.home.write("a.txt", "words");
    bench
        .model
        .push(Reply::calls("call_1", "read_file", r#"{"path":"a.txt"}"#).usage(7, 3));
    bench.model.push(Reply::says("Words.").usage(9, 1));
    let ended = bench.run(["--json", "read it"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let mut summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    let id = summary["session_id"].as_str().unwrap().to_owned();
    assert!(
        summary["tools"][0]["output"]
            .as_str()
            .unwrap()
            .contains("words")
    );
    summary["tools"][0]["output"] = Value::Null;
    assert_eq!(
        summary,
        json!({
            "mode": "agent", "provider": "custom", "model": "scripted",
            "prompt": "read it", "output": "Words.",
            "tools": [{ "name": "read_file", "success": true, "output": null }],
            "outcomes": [], "status": "completed", "termination_reason": "resolved",
            "error_category": null, "error": null, "session_id": id,
            "resume_command": format!("codewhale exec --resume {id}"),
            "usage": { "input_tokens": 16, "output_tokens": 4 },
        })
    );
}

#[tokio::test]
async fn lines_tell_everything_in_order_and_end_with_the_receipt() {
    let bench = Bench::new().await;
    bench.home.write("a.txt", "words");
    let read = Reply::says("I look.").call("call_1", "read_file", r#"{"path":"a.txt"}"#);
    bench.model.push(read.usage(7, 3));
    bench.model.push(Reply::says("Words.").usage(9, 1));
    let (ended, lines) = bench.lines(["read it"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(
        types(&lines),
        [
            "thread",
            "content",
            "turn_usage",
            "tool_use",
            "tool_result",
            "content",
            "turn_usage",
            "session_capture",
            "metadata",
            "done",
        ]
    );
    let thread = lines[0]["thread_id"].as_str().unwrap();
    assert!(lines[0]["turn_id"].as_str().unwrap().starts_with("turn_"));
    let tool = only(&lines, "tool_use");
    assert_eq!(
        (&tool["name"], &tool["id"], &tool["input"]),
        (
            &json!("read_file"),
            &json!("call_1"),
            &json!({ "path": "a.txt" })
        )
    );
    assert!(tool["started_at"].is_string());
    let result = only(&lines, "tool_result");
    assert_eq!(
        (&result["id"], &result["status"]),
        (&json!("call_1"), &json!("success"))
    );
    assert!(result["duration_ms"].is_u64() && result["error_category"].is_null());
    let usages = of_type(&lines, "turn_usage");
    let told = |usage: &Value| {
        let member = |name: &str| usage[name].as_u64();
        (
            member("turn"),
            member("input_tokens"),
            member("output_tokens"),
        )
    };
    assert_eq!(told(usages[0]), (Some(1), Some(7), Some(3)));
    assert_eq!(told(usages[1]), (Some(2), Some(9), Some(1)));
    assert_eq!(only(&lines, "session_capture")["content"], thread);
    let meta = &only(&lines, "metadata")["meta"];
    for (name, value) in [
        ("receipt_kind", json!("terminal")),
        ("model", json!("scripted")),
        ("provider_id", json!("script")),
        ("status", json!("completed")),
        ("termination_reason", json!("resolved")),
        ("input_tokens", json!(16)),
        ("approval_posture", json!("ask")),
        ("sandbox_posture", json!("configured_default")),
        ("session_id", json!(thread)),
        ("workspace", json!(bench.home.workspace())),
        ("visible_final_answer_chars", json!(6)),
        ("message_count", json!(4)),
    ] {
        assert_eq!(meta[name], value, "{name}");
    }
}

#[tokio::test]
async fn what_a_command_prints_is_its_result_and_no_content() {
    let bench = Bench::new().await;
    let command = json!({ "command": "echo printed" }).to_string();
    bench
        .model
        .push(Reply::calls("call_1", "exec_shell", &command));
    bench.model.push(Reply::says("Done."));
    let (ended, lines) = bench.lines(["--auto", "run it"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let content: String = of_type(&lines, "content")
        .iter()
        .filter_map(|line| line["content"].as_str())
        .collect();
    assert_eq!(content, "Done.");
    let result = only(&lines, "tool_result");
    assert_eq!(result["output"], "printed\n[exit code 0]");
}

#[tokio::test]
async fn what_needs_an_approval_is_refused_and_the_exit_code_says_so() {
    let bench = Bench::new().await;
    bench
        .model
        .push(Reply::calls("call_1", "write_file", WRITE));
    bench.model.push(Reply::says("I may not."));
    let (ended, lines) = bench.lines(["write it"]).await;
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert_eq!(bench.home.read("a.txt"), None);
    let result = only(&lines, "tool_result");
    assert_eq!(
        (
            &result["status"],
            &result["error_category"],
            &result["side_effect_status"]
        ),
        (
            &json!("error"),
            &json!("permission_denied"),
            &json!("not_started")
        )
    );
    let output = result["output"].as_str().unwrap();
    assert!(output.contains("no_approver"), "{output}");
    let meta = &only(&lines, "metadata")["meta"];
    assert_eq!(
        (&meta["status"], &meta["exit_code"]),
        (&json!("completed"), &json!(3))
    );
}

#[tokio::test]
async fn auto_answers_yes_and_opens_no_walls() {
    let bench = Bench::new().await;
    bench
        .model
        .push(Reply::calls("call_1", "write_file", WRITE));
    let leave =
        r#"{"command":"true","sandbox_permissions":"danger-full-access","justification":"x"}"#;
    bench
        .model
        .push(Reply::calls("call_2", "exec_shell", leave));
    bench.model.push(Reply::says("Done."));
    let (ended, lines) = bench.lines(["--auto", "write it"]).await;
    assert_eq!(bench.home.read("a.txt").as_deref(), Some("a"));
    let results = of_type(&lines, "tool_result");
    assert_eq!(results[0]["status"], "success", "{}", results[0]);
    assert_eq!(
        results[1]["error_category"], "permission_denied",
        "{}",
        results[1]
    );
    let denied = only(&lines, "sandbox_denied");
    assert_eq!(
        (&denied["tool_id"], &denied["outcome"]),
        (&json!("call_2"), &json!("approval_required"))
    );
    assert_eq!(ended.code, Some(3));
    assert!(
        ended.stderr.contains("--allow-sandbox-elevation"),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn walls_are_left_where_that_was_allowed() {
    let bench = Bench::new().await;
    let leave =
        r#"{"command":"echo out","sandbox_permissions":"danger-full-access","justification":"x"}"#;
    bench
        .model
        .push(Reply::calls("call_1", "exec_shell", leave));
    bench.model.push(Reply::says("Done."));
    let (ended, lines) = bench
        .lines(["--auto", "--allow-sandbox-elevation", "run it"])
        .await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(only(&lines, "tool_result")["status"], "success");
    assert!(of_type(&lines, "sandbox_denied").is_empty());
}

#[tokio::test]
async fn a_sub_agent_is_told_and_its_questions_are_answered_here() {
    let bench = Bench::new().await;
    bench.model.answer_with(|request| {
        let said = request.said().join("\n");
        let results = request.messages().iter().filter(|it| it["role"] == "tool");
        match (said.contains("You are the child"), results.count()) {
            (true, 0) => Reply::calls("call_c", "write_file", WRITE),
            (true, _) => Reply::says("Written."),
            (false, 0) => {
                let start = r#"{"action":"start","prompt":"You are the child: write it"}"#;
                Reply::calls("call_1", "agent", start)
            }
            (false, 1) => Reply::calls("call_2", "agent", r#"{"action":"wait","until":"all"}"#),
            (false, _) => Reply::says("All done."),
        }
    });
    let (ended, lines) = bench.lines(["--auto", "let someone write it"]).await;
    let spawned = of_type(&lines, "agent_spawned");
    assert_eq!(spawned.len(), 1, "{}\n{}", ended.stdout, ended.stderr);
    assert_eq!(spawned[0]["spawn_depth"], 1);
    assert_eq!(spawned[0]["model"], "scripted");
    assert_eq!(
        bench.home.read("a.txt").as_deref(),
        Some("a"),
        "{}",
        ended.stdout
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}
