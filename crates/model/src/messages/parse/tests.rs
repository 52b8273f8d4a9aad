use codewhale_protocol::runtime;

use super::*;
use crate::exchange::check::{self, CALLS, STOP, called, said, thought, used};
use crate::{Chunk, ErrorKind};

fn parse() -> MessagesParse {
    MessagesParse::new(Arc::default(), "m", 3)
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

const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":1}}}"#;
const TEXT: &str =
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
const HI: &str =
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#;
const END: &str = r#"{"type":"content_block_stop","index":0}"#;
const DONE: &str = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":7}}"#;
const STOPPED: &str = r#"{"type":"message_stop"}"#;

fn used_with_cache() -> Chunk {
    Chunk::Usage(runtime::Usage {
        input_tokens: 325,
        output_tokens: 7,
        prompt_cache_hit_tokens: Some(300),
        prompt_cache_miss_tokens: Some(5),
        prompt_cache_write_tokens: Some(20),
        reasoning_tokens: None,
    })
}

#[test]
fn a_plain_answer_is_read() {
    let ping = r#"{"type": "ping"}"#;
    let more = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" \"Grüße\" \ud83d\udc0b\n"}}"#;
    let unknown = r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"a":1}}}"#;
    let new = r#"{"type":"something_new","index":0,"payload":[1,2]}"#;
    let answer = events(&[
        START, TEXT, ping, HI, unknown, more, END, new, DONE, STOPPED,
    ]);
    let expect = [said("Hi"), said(" \"Grüße\" 🐋\n"), used_with_cache(), STOP];
    check(&answer, &expect);
}

#[test]
fn thoughts_are_shown_and_kept_with_the_calls_they_led_to() {
    let answer = events(&[
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"think."}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2lnbm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Vk"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"aGlkZGVu"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"list_dir","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":" \".\"}"}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"now","input":{"zone":"UTC"}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"zone\":\"UTC\"}"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
        STOPPED,
    ]);
    let memory = Arc::new(Memory::default());
    let expect = [
        thought("Let me "),
        thought("think."),
        called("toolu_1", "list_dir", r#"{"path": "."}"#),
        called("toolu_2", "now", r#"{"zone":"UTC"}"#),
        used(0, 9),
        CALLS,
    ];
    check::chunks(
        || MessagesParse::new(memory.clone(), "m", 0),
        &answer,
        &expect,
    );
    let kept = memory.recall("m", "toolu_1", "Let me think.").unwrap();
    let signed = json!({"type": "thinking", "thinking": "Let me think.", "signature": "c2lnbmVk"});
    let hidden = json!({"type": "redacted_thinking", "data": "aGlkZGVu"});
    assert_eq!(*kept, [signed, hidden]);
}

#[test]
fn every_reason_for_the_end_is_understood() {
    let cases = [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("refusal", FinishReason::ContentFilter),
        ("pause_turn", FinishReason::Other("pause_turn".into())),
    ];
    for (reason, expect) in cases {
        let done = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        check(
            &events(&[TEXT, HI, &done, STOPPED]),
            &[said("Hi"), Chunk::Finished(expect)],
        );
    }
}

#[test]
fn the_end_may_come_in_many_ways() {
    let expect = [said("Hi"), used(0, 7), STOP];
    check(&events(&[TEXT, HI, DONE]), &expect);
    check(events(&[TEXT, HI, DONE]).trim_end(), &expect);
    check(
        &format!("{}data: {{\"type\":\n\n", events(&[HI, DONE])),
        &expect,
    );
    check(
        &events(&[TEXT, HI, STOPPED, "{\"type\":\"late\"}"]),
        &[said("Hi"), STOP],
    );
    check(
        &format!("{}data: [DONE]\n\n", events(&[HI])),
        &[said("Hi"), STOP],
    );
    let without_names: String = [HI, DONE].map(|data| format!("data: {data}\n\n")).concat();
    check(&without_names, &expect);
}

#[test]
fn half_a_call_is_handed_out_only_with_a_reason_for_the_end() {
    let half = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"write","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"te"}}"#,
    ];
    let broken = "deepseek broke off the answer before its end";
    check_error(&events(&half), &[], ErrorKind::Transient, broken);
    let cut = r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#;
    let finished = Chunk::Finished(FinishReason::Length);
    check(
        &events(&[half[0], half[1], cut]),
        &[called("a", "write", "{\"te"), finished],
    );
    let nameless =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a"}}"#;
    let message = "deepseek sent a tool call without a name";
    check_error(&events(&[nameless, DONE]), &[], ErrorKind::Garbled, message);
}

#[test]
fn an_answer_without_an_end_is_an_error() {
    let message = "deepseek broke off the answer before its end";
    let cases = [
        (String::new(), vec![]),
        (events(&[START]), vec![]),
        (events(&[START, STOPPED]), vec![]),
        (events(&[START, TEXT, HI, END]), vec![said("Hi")]),
        (format!("{}data: {{\"ty", events(&[HI])), vec![said("Hi")]),
        ("{\"type\":\"mess".to_owned(), vec![]),
    ];
    for (answer, before) in cases {
        check_error(&answer, &before, ErrorKind::Transient, message);
    }
}

#[test]
fn an_error_in_the_stream_ends_it_at_once() {
    let limited = ErrorKind::RateLimited { retry_after: None };
    let cases = [
        ("overloaded_error", ErrorKind::Transient, "failed: No."),
        ("api_error", ErrorKind::Transient, "failed: No."),
        ("rate_limit_error", limited, "asks to slow down: No."),
        (
            "authentication_error",
            ErrorKind::Auth,
            "refused the key: No.. Check the key.",
        ),
        (
            "invalid_request_error",
            ErrorKind::Rejected,
            "refused the request: No.",
        ),
    ];
    for (word, kind, message) in cases {
        let error = format!(r#"{{"type":"error","error":{{"type":"{word}","message":"No."}}}}"#);
        let answer = events(&[TEXT, HI, &error, HI, DONE]);
        check_error(&answer, &[said("Hi")], kind, &format!("deepseek {message}"));
        check_error(&error, &[], kind, &format!("deepseek {message}"));
    }
}

#[test]
fn an_answer_may_come_whole() {
    let answer = r#"{"id":"msg_1","type":"message","role":"assistant","content":[
        {"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"Hi"},
        {"type":"tool_use","id":"a","name":"now","input":{"zone":"UTC"}}],
        "stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}"#;
    let call = called("a", "now", r#"{"zone":"UTC"}"#);
    check(
        answer,
        &[thought("Hm."), said("Hi"), call, used(1, 2), CALLS],
    );
}

#[test]
fn something_else_than_an_answer_is_an_error() {
    let cases = [
        "<html>Hello</html>",
        r#"{"ok":true}"#,
        "[1]",
        r#"{"content":5}"#,
    ];
    for answer in cases {
        let message = format!("deepseek sent something else than an answer: {answer}");
        check_error(answer, &[], ErrorKind::Garbled, &message);
    }
    let hi = events(&[HI]);
    for piece in ["hello", "{\"delta\": sk-secret}", "5", "{\"index\":\"x\"}"] {
        let shown = piece.replace("sk-secret", "[key]");
        let message = format!("deepseek sent a piece of the answer that does not read: {shown}");
        let answer = format!("{hi}data: {piece}\n\n{hi}");
        check_error(&answer, &[said("Hi")], ErrorKind::Garbled, &message);
    }
}
