use codewhale_protocol::runtime;

use super::*;
use crate::exchange::check::{self, CALLS, STOP, called, said, thought, used};
use crate::{Chunk, ErrorKind};

fn parse() -> ResponsesParse {
    ResponsesParse::new(Arc::default(), "m", 3)
}

fn check(answer: &str, expect: &[Chunk]) {
    check::chunks(parse, answer, expect);
}

fn check_error(answer: &str, before: &[Chunk], kind: ErrorKind, message: &str) {
    check::error(parse, answer, before, kind, message);
}

/// Events with their names, as the provider sends them.
fn events(data: &[&str]) -> String {
    let event = |data: &&str| {
        let value: Value = serde_json::from_str(data).unwrap();
        format!(
            "event: {}\ndata: {data}\n\n",
            value["type"].as_str().unwrap()
        )
    };
    data.iter().map(event).collect()
}

const CREATED: &str = r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"output":[],"usage":null}}"#;
const HI: &str = r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hi","logprobs":[]}"#;
const COMPLETED: &str = r#"{"type":"response.completed","response":{"id":"resp_1","status":"completed","error":null,"incomplete_details":null,"output":[],"usage":{"input_tokens":5,"output_tokens":7}}}"#;

#[test]
fn a_plain_answer_is_read() {
    let answer = events(&[
        CREATED,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}"#,
        r#"{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}}"#,
        HI,
        r#"{"type":"response.output_text.delta","output_index":0,"delta":" \"Grüße\" \ud83d\udc0b\n"}"#,
        r#"{"type":"response.output_text.done","output_index":0,"text":"Hi \"Grüße\" 🐋\n"}"#,
        r#"{"type":"response.something.new","delta":{"an":"object"}}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi \"Grüße\" 🐋\n","annotations":[]}]}}"#,
        r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}],"usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":32},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":59}}}"#,
    ]);
    let usage = Chunk::Usage(runtime::Usage {
        input_tokens: 50,
        output_tokens: 9,
        prompt_cache_hit_tokens: Some(32),
        prompt_cache_miss_tokens: Some(18),
        prompt_cache_write_tokens: None,
        reasoning_tokens: Some(4),
    });
    check(&answer, &[said("Hi"), said(" \"Grüße\" 🐋\n"), usage, STOP]);
}

#[test]
fn thoughts_are_shown_and_kept_with_the_calls_they_led_to() {
    let answer = events(&[
        CREATED,
        r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}"#,
        r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}"#,
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"One."}"#,
        r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1,"part":{"type":"summary_text","text":""}}"#,
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"Two."}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"One."},{"type":"summary_text","text":"Two."}],"encrypted_content":"gAAA"}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_a","name":"list_dir"}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{\"path\":"}"#,
        r#"{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_2","type":"function_call","arguments":"","call_id":"call_b","name":"now"}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"\".\"}"}"#,
        r#"{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":1,"arguments":"{\"path\":\".\"}"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_1","type":"function_call","arguments":"{\"path\":\".\"}","call_id":"call_a","name":"list_dir"}}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_2","type":"function_call","arguments":"{\"z\":1}","call_id":"call_b","name":"now"}}"#,
        COMPLETED,
    ]);
    let memory = Arc::new(Memory::default());
    let expect = [
        thought("One."),
        thought("\n\n"),
        thought("Two."),
        called("call_a", "list_dir", r#"{"path":"."}"#),
        called("call_b", "now", r#"{"z":1}"#),
        used(5, 7),
        CALLS,
    ];
    check::chunks(
        || ResponsesParse::new(memory.clone(), "m", 0),
        &answer,
        &expect,
    );
    let kept = memory.recall("m", "call_a", "One.\n\nTwo.").unwrap();
    assert_eq!(kept[0]["encrypted_content"], "gAAA");
    assert_eq!(kept[0]["summary"][1]["text"], "Two.");
    assert_eq!(kept.len(), 1);
}

#[test]
fn every_reason_for_the_end_is_understood() {
    let cases = [
        ("max_output_tokens", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("other", FinishReason::Other("other".into())),
    ];
    for (reason, expect) in cases {
        let end = format!(
            r#"{{"type":"response.incomplete","response":{{"status":"incomplete","incomplete_details":{{"reason":"{reason}"}}}}}}"#
        );
        check(&events(&[HI, &end]), &[said("Hi"), Chunk::Finished(expect)]);
    }
    let refusal = r#"{"type":"response.refusal.delta","output_index":0,"delta":"No."}"#;
    check(
        &events(&[refusal, COMPLETED]),
        &[said("No."), used(5, 7), STOP],
    );
}

#[test]
fn the_end_may_come_in_many_ways() {
    let expect = [said("Hi"), used(5, 7), STOP];
    check(&events(&[HI, COMPLETED]), &expect);
    check(events(&[HI, COMPLETED]).trim_end(), &expect);
    check(
        &format!("{}data: [DONE]\n\n", events(&[HI, COMPLETED])),
        &expect,
    );
    check(
        &format!("{}data: [DONE]\n\n", events(&[HI])),
        &[said("Hi"), STOP],
    );
    let without_names: String = [HI, COMPLETED]
        .map(|data| format!("data: {data}\n\n"))
        .concat();
    check(&without_names, &expect);
    let only_whole = r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","call_id":"a","name":"now","arguments":"{}"}]}}"#;
    check(
        &events(&[only_whole]),
        &[said("Hi"), called("a", "now", "{}"), CALLS],
    );
}

#[test]
fn an_answer_without_an_end_is_an_error() {
    let message = "deepseek broke off the answer before its end";
    let half =
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"te"}"#;
    let cancelled = r#"{"type":"response.cancelled","response":{"status":"cancelled"}}"#;
    let cases = [
        (String::new(), vec![]),
        (events(&[CREATED]), vec![]),
        (format!("{}data: [DONE]\n\n", events(&[CREATED])), vec![]),
        (events(&[CREATED, HI]), vec![said("Hi")]),
        (events(&[CREATED, HI, half]), vec![said("Hi")]),
        (events(&[HI, cancelled]), vec![said("Hi")]),
        (format!("{}data: {{\"ty", events(&[HI])), vec![said("Hi")]),
        ("{\"object\":\"resp".to_owned(), vec![]),
    ];
    for (answer, before) in cases {
        check_error(&answer, &before, ErrorKind::Transient, message);
    }
    let nameless = "deepseek sent a tool call without a name";
    check_error(
        &events(&[half, COMPLETED]),
        &[],
        ErrorKind::Garbled,
        nameless,
    );
}

#[test]
fn an_error_in_the_stream_ends_it_at_once() {
    let limited = ErrorKind::RateLimited { retry_after: None };
    let cases = [
        ("server_error", ErrorKind::Transient, "failed: No."),
        ("rate_limit_exceeded", limited, "asks to slow down: No."),
        (
            "invalid_prompt",
            ErrorKind::Rejected,
            "refused the request: No.",
        ),
    ];
    for (code, kind, message) in cases {
        let message = format!("deepseek {message}");
        let failed = format!(
            r#"{{"type":"response.failed","response":{{"status":"failed","error":{{"code":"{code}","message":"No."}}}}}}"#
        );
        let error = format!(r#"{{"type":"error","code":"{code}","message":"No.","param":null}}"#);
        let whole = format!(r#"{{"status":"failed","error":{{"code":"{code}","message":"No."}}}}"#);
        check_error(
            &events(&[HI, &failed, HI, COMPLETED]),
            &[said("Hi")],
            kind,
            &message,
        );
        check_error(
            &events(&[HI, &error, HI, COMPLETED]),
            &[said("Hi")],
            kind,
            &message,
        );
        check_error(&whole, &[], kind, &message);
    }
}

#[test]
fn an_answer_may_come_whole() {
    let answer = r#"{"id":"resp_1","object":"response","status":"completed","error":null,"output":[
        {"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}]},
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]},
        {"type":"function_call","call_id":"a","name":"now","arguments":"{}"}],
        "usage":{"input_tokens":1,"output_tokens":2}}"#;
    let call = called("a", "now", "{}");
    check(
        answer,
        &[thought("Hm."), said("Hi"), call, used(1, 2), CALLS],
    );
}

#[test]
fn something_else_than_an_answer_is_an_error() {
    for answer in [
        "<html>Hello</html>",
        r#"{"ok":true}"#,
        "[1]",
        r#"{"output":5}"#,
    ] {
        let message = format!("deepseek sent something else than an answer: {answer}");
        check_error(answer, &[], ErrorKind::Garbled, &message);
    }
    let hi = events(&[HI]);
    let wrong = r#"{"type":"response.output_text.delta","delta":5}"#;
    for piece in ["hello", "{\"delta\": sk-secret}", "5", wrong] {
        let shown = piece.replace("sk-secret", "[key]");
        let message = format!("deepseek sent a piece of the answer that does not read: {shown}");
        let answer = format!("{hi}data: {piece}\n\n{hi}");
        check_error(&answer, &[said("Hi")], ErrorKind::Garbled, &message);
    }
}
