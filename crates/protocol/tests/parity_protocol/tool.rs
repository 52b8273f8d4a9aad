//! Tool calls, and what counts as their success.

use codewhale_protocol::{LocalShellParams, ToolKind, ToolOutput, ToolPayload};
use serde_json::{Value, json};

use crate::{check, check_members, check_words, spellings, write};

#[test]
fn a_tool_lives_in_one_of_two_places() {
    check_words(&[(ToolKind::Function, "function"), (ToolKind::Mcp, "mcp")]);
}

#[test]
fn every_payload_has_its_exact_form() {
    let mcp = concat!(
        r#"{"type":"mcp","server":"notes","tool":"find","raw_arguments":{"q":"tide"},"#,
        r#""raw_tool_call_id":"call-1"}"#
    );
    let forms = [
        (
            ToolPayload::Function {
                arguments: r#"{"n": 1}"#.into(),
            },
            r#"{"type":"function","arguments":"{\"n\": 1}"}"#,
        ),
        (
            ToolPayload::Custom {
                input: "free".into(),
            },
            r#"{"type":"custom","input":"free"}"#,
        ),
        (
            ToolPayload::LocalShell {
                params: LocalShellParams {
                    command: "ls".into(),
                    cwd: Some("/src".into()),
                    timeout_ms: Some(250),
                },
            },
            r#"{"type":"local_shell","params":{"command":"ls","cwd":"/src","timeout_ms":250}}"#,
        ),
        (
            ToolPayload::Mcp {
                server: "notes".into(),
                tool: "find".into(),
                raw_arguments: json!({ "q": "tide" }),
                raw_tool_call_id: Some("call-1".into()),
            },
            mcp,
        ),
        (
            ToolPayload::Mcp {
                server: "notes".into(),
                tool: "all".into(),
                raw_arguments: Value::Null,
                raw_tool_call_id: None,
            },
            r#"{"type":"mcp","server":"notes","tool":"all","raw_arguments":null}"#,
        ),
    ];
    for (payload, json) in forms {
        check(payload, json);
    }
    assert_eq!(
        spellings::<ToolPayload>(r#"{"type":"from_the_future"}"#),
        ["function", "custom", "local_shell", "mcp"]
    );
    check_members::<ToolPayload>(mcp, "type server tool raw_arguments raw_tool_call_id?");
}

#[test]
fn a_shell_command_leaves_out_directory_and_limit() {
    check(
        LocalShellParams {
            command: "ls".into(),
            cwd: None,
            timeout_ms: None,
        },
        r#"{"command":"ls"}"#,
    );
    check_members::<LocalShellParams>(
        r#"{"command":"ls","cwd":"/src","timeout_ms":18446744073709551615}"#,
        "command cwd? timeout_ms?",
    );
}

#[test]
fn every_output_has_its_exact_form() {
    let function = r#"{"type":"function","body":{"lines":3},"success":true}"#;
    let mcp = r#"{"type":"mcp","result":{"content":[{"text":"ok","type":"text"}]}}"#;
    let forms = [
        (
            ToolOutput::Function {
                body: Some(json!({ "lines": 3 })),
                success: true,
            },
            function,
        ),
        (
            ToolOutput::Function {
                body: None,
                success: false,
            },
            r#"{"type":"function","success":false}"#,
        ),
        (
            ToolOutput::Mcp {
                result: json!({ "content": [{ "text": "ok", "type": "text" }] }),
            },
            mcp,
        ),
    ];
    for (output, json) in forms {
        check(output, json);
    }
    assert_eq!(
        spellings::<ToolOutput>(r#"{"type":"from_the_future"}"#),
        ["function", "mcp"]
    );
    check_members::<ToolOutput>(function, "type success body?");
    check_members::<ToolOutput>(mcp, "type result");
}

#[test]
fn an_mcp_result_succeeds_only_without_any_mark_of_an_error() {
    let succeeds = |result: Value| ToolOutput::Mcp { result }.is_success();
    assert!(succeeds(json!({ "content": [] })));
    assert!(succeeds(json!({ "isError": false })));
    for mark in [
        json!(true),
        json!(null),
        json!("false"),
        json!(0),
        json!([]),
        json!({}),
    ] {
        assert!(
            !succeeds(json!({ "content": [], "isError": mark })),
            "isError: {mark}"
        );
    }
    for unmarked in [json!(null), json!("isError"), json!([{ "isError": true }])] {
        assert!(
            succeeds(unmarked.clone()),
            "{unmarked} has no member isError"
        );
    }
    let malformed = ToolOutput::Mcp {
        result: json!({ "isError": "no" }),
    };
    assert_eq!(
        write(&malformed),
        r#"{"type":"mcp","result":{"isError":"no"}}"#
    );
}

#[test]
fn a_function_says_itself_whether_it_succeeded() {
    for success in [true, false] {
        let output = ToolOutput::Function {
            body: Some(json!({ "isError": success })),
            success,
        };
        assert_eq!(output.is_success(), success);
    }
}
