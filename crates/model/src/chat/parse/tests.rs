use super::*;
use crate::exchange::check::{self, CALLS, STOP, called, said, thought, used};
use crate::{Chunk, ErrorKind};

fn check(answer: &str, expect: &[Chunk]) {
    check::chunks(|| ChatParse::new(3), answer, expect);
}

fn check_error(answer: &str, before: &[Chunk], kind: ErrorKind, message: &str) {
    check::error(|| ChatParse::new(3), answer, before, kind, message);
}

fn check_outcome(answer: &[u8], expect: &check::Outcome) {
    check::outcome(|| ChatParse::new(3), answer, expect);
}

#[test]
fn a_plain_answer_is_read() {
    let answer = r#": OPENROUTER PROCESSING

data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

data: {"id":"1","choices":[{"index":0,"delta":{"content":"Grüße, \"W"},"logprobs":null,"finish_reason":null}]}

: keep-alive

data: {"id":"1","choices":[{"index":0,"delta":{"content":"elt\" \ud83d\udc0b\n"},"finish_reason":null}]}

data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}

data: [DONE]

"#;
    check(
        answer,
        &[said("Grüße, \"W"), said("elt\" 🐋\n"), used(5, 7), STOP],
    );
}

#[test]
fn reasoning_and_null_content_are_read() {
    let answer = r#"data: {"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":""}}]}

data: {"choices":[{"delta":{"content":null,"reasoning_content":"Let me "}}]}

data: {"choices":[{"delta":{"reasoning":"think."}}]}

data: {"choices":[{"delta":{"reasoning_content":"Twice.","reasoning":"Twice."}}]}

data: {"choices":[{"delta":{"reasoning_content":"Last.","content":"Yes."}}]}

data: {"choices":[{"delta":{"content":"","reasoning_content":null},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}

data: [DONE]

"#;
    let finished = Chunk::Finished(FinishReason::Length);
    check(
        answer,
        &[
            thought("Let me "),
            thought("think."),
            thought("Twice."),
            thought("Last."),
            said("Yes."),
            used(1, 2),
            finished,
        ],
    );
}

#[test]
fn calls_are_put_together() {
    let answer = r#"data: {"choices":[{"delta":{"content":"Wait."}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"write_file","arguments":""}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"list_dir","arguments":"{\"path\""}},{"index":1,"function":{"arguments":"{\"te"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":\".\"}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"xt\":\"\\n\"}"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

"#;
    let list = called("a", "list_dir", r#"{"path":"."}"#);
    let write = called("b", "write_file", r#"{"text":"\n"}"#);
    check(answer, &[said("Wait."), list, write, CALLS]);
}

#[test]
fn a_call_without_an_id_and_a_server_that_says_stop_are_understood() {
    let answer = r#"data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"now","arguments":""}}]},"finish_reason":"stop"}]}

"#;
    check(answer, &[called("call_3", "now", "{}"), CALLS]);
}

#[test]
fn the_end_may_come_in_many_ways() {
    let hi = r#"data: {"choices":[{"delta":{"content":"Hi"}}]}"#;
    let finish = r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let usage = r#"data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let expect = [said("Hi"), STOP];
    check(&format!("{hi}\n\n{finish}\n\n"), &expect);
    check(&format!("{hi}\n\n{finish}\n"), &expect);
    check(&format!("{hi}\n\n{finish}"), &expect);
    check(&format!("{hi}\n\n{finish}\n\ndata: [DONE]"), &expect);
    check(&format!("{hi}\n\ndata: [DONE]\n\n"), &expect);
    check(
        &format!("\u{feff}\n{hi}\n\n{finish}\n\ndata: [DONE]\n\ndata: not read any more\n\n"),
        &expect,
    );
    let used = [said("Hi"), used(1, 2), STOP];
    check(&format!("{hi}\n\n{usage}\n\n{finish}\n\n"), &used);
    check(&format!("{hi}\n\n{finish}\n\n{usage}\n\n"), &used);
    check(&format!("{hi}\n\n{finish}\n\n{usage}"), &used);
    check(
        &format!(
            "{hi}\n\n{finish}\n\n{usage}\n\ndata:\n\ndata: {{\"object\":\"ping\"}}\n\ndata: [DONE]\n\n"
        ),
        &used,
    );
}

#[test]
fn nothing_behind_the_finish_can_spoil_the_answer() {
    let answer = r#"data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#;
    check(
        &format!("{answer}\n\ndata: {{\"choi\n\n"),
        &[said("Hi"), STOP],
    );
    check(
        &format!("{answer}\n\ndata: {{\"error\":{{\"message\":\"late\"}}}}\n\n"),
        &[said("Hi"), STOP],
    );
}

#[test]
fn other_reasons_for_the_end_are_kept() {
    let cases = [
        ("content_filter", FinishReason::ContentFilter),
        (
            "insufficient_system_resource",
            FinishReason::Other("insufficient_system_resource".into()),
        ),
    ];
    for (reason, expect) in cases {
        let answer = format!(
            r#"data: {{"choices":[{{"delta":{{"content":"Hi"}},"finish_reason":"{reason}"}}]}}"#
        );
        check(&answer, &[said("Hi"), Chunk::Finished(expect)]);
    }
}

#[test]
fn an_answer_without_an_end_is_an_error() {
    let message = "deepseek broke off the answer before its end";
    let hi = r#"data: {"choices":[{"delta":{"content":"Hi"}}]}"#;
    check_error("", &[], ErrorKind::Transient, message);
    check_error(": keep-alive\n\n", &[], ErrorKind::Transient, message);
    check_error("data: [DONE]\n\n", &[], ErrorKind::Transient, message);
    check_error(
        &format!("{hi}\n\n"),
        &[said("Hi")],
        ErrorKind::Transient,
        message,
    );
    check_error(
        &format!("{hi}\n\ndata: {{\"choices\":[{{\"del"),
        &[said("Hi")],
        ErrorKind::Transient,
        message,
    );
    check_error(r#"{"choices":[{"mess"#, &[], ErrorKind::Transient, message);
    let half = "data: {\"choices\":[{\"delta\":{\"content\":\"ü";
    check_outcome(
        &half.as_bytes()[..half.len() - 1],
        &(vec![], Some((ErrorKind::Transient, message.into()))),
    );
}

#[test]
fn an_error_in_the_stream_ends_it_at_once() {
    let hi = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    let errors = [
        r#"data: {"error":{"message":"Slow down","type":"rate_limit_error","code":null}}"#,
        r#"data: {"error":{"message":"Slow down","code":429},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}"#,
        r#"data: {"object":"error","message":"Slow down","type":"x","code":429}"#,
        "event: error\ndata: {\"message\":\"Slow down\",\"type\":\"rate_limit_error\"}",
    ];
    for error in errors {
        let answer = format!("{hi}{error}\n\n{hi}data: [DONE]\n\n");
        let kind = ErrorKind::RateLimited { retry_after: None };
        check_error(
            &answer,
            &[said("Hi")],
            kind,
            "deepseek asks to slow down: Slow down",
        );
    }
    let answer = format!("{hi}event: error\ndata: out of \"memory\"\n\n");
    check_error(
        &answer,
        &[said("Hi")],
        ErrorKind::Transient,
        "deepseek failed: out of \"memory\"",
    );
}

#[test]
fn a_piece_that_does_not_read_is_an_error_and_shows_no_key() {
    let hi = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    let cases = [
        (
            "data: {\"choices\": sk-secret}",
            "a piece of the answer that does not read: {\"choices\": [key]}",
        ),
        (
            "data: hello",
            "a piece of the answer that does not read: hello",
        ),
        (
            "data: {\"choices\":[{\"delta\":{\"content\":5}}]}",
            "a piece of the answer that does not read: {\"choices\":[{\"delta\":{\"content\":5}}]}",
        ),
        (
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\"}]},\"finish_reason\":\"stop\"}]}",
            "a tool call without a name",
        ),
    ];
    for (piece, expect) in cases {
        let answer = format!("{hi}{piece}\n\n{hi}");
        check_error(
            &answer,
            &[said("Hi")],
            ErrorKind::Garbled,
            &format!("deepseek sent {expect}"),
        );
    }
    let mut bytes = format!("{hi}data: ").into_bytes();
    bytes.extend(b"\xff\xfe\n\n");
    let error = Some((
        ErrorKind::Garbled,
        "deepseek sent a stream that does not read".into(),
    ));
    check_outcome(&bytes, &(vec![said("Hi")], error));
}

#[test]
fn an_answer_may_come_whole() {
    let answer = r#" {"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi",
        "reasoning_content":"Hm.","tool_calls":[{"id":"a","type":"function","function":{"name":"now","arguments":"{}"}}]},
        "finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    check(
        answer,
        &[
            thought("Hm."),
            said("Hi"),
            called("a", "now", "{}"),
            used(1, 2),
            CALLS,
        ],
    );
    check(
        r#"{"choices":[{"message":{"content":"Hi"}}]}"#,
        &[said("Hi"), STOP],
    );
}

#[test]
fn something_else_than_an_answer_is_an_error() {
    check_error(
        r#"{"error":{"message":"nope","code":401}}"#,
        &[],
        ErrorKind::Auth,
        "deepseek refused the key: nope. Check the key.",
    );
    check_error(
        r#"{"error":"loading"}"#,
        &[],
        ErrorKind::Transient,
        "deepseek failed: loading",
    );
    check_error(
        "<html>Hello</html>",
        &[],
        ErrorKind::Garbled,
        "deepseek sent something else than an answer: <html>Hello</html>",
    );
    check_error(
        r#"{"ok":true}"#,
        &[],
        ErrorKind::Garbled,
        r#"deepseek sent something else than an answer: {"ok":true}"#,
    );
}
