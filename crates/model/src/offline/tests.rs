use std::pin::pin;

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::*;
use crate::ToolSpec;

fn tools(names: &[&str]) -> Vec<ToolSpec> {
    let spec = |name: &&str| ToolSpec {
        name: (*name).into(),
        description: "".into(),
        input_schema: json!({}).into(),
    };
    names.iter().map(spec).collect()
}

const ALL: &[&str] = &["list_dir", "read_file", "write_file", "exec_shell"];

async fn ask(messages: &[Message], offered: &[&str]) -> Vec<Chunk> {
    let tools = tools(offered);
    let request = Request {
        model: ID,
        system: "Be brief.",
        messages,
        tools: &tools,
        effort: crate::Effort::Auto,
        media: crate::Media::NONE,
    };
    let stream = OfflineModel.stream(request).await.unwrap();
    pin!(stream).map(Result::unwrap).collect().await
}

fn user(text: &str) -> Message {
    Message::user(text)
}

/// Takes an answer apart: text, call, why it ended; checks that usage stands before the end.
fn parts(chunks: Vec<Chunk>) -> (String, Option<ToolCall>, FinishReason) {
    let (mut text, mut call, mut order) = (String::new(), None, Vec::new());
    for chunk in chunks {
        match chunk {
            Chunk::Text(piece) => text.push_str(&piece),
            Chunk::Call(found) => call = Some(found),
            last => order.push(last),
        }
    }
    let [Chunk::Usage(usage), Chunk::Finished(reason)] = &order[..] else {
        panic!("{order:?}")
    };
    assert!(usage.input_tokens > 0 && usage.output_tokens > 0);
    (text, call, reason.clone())
}

#[tokio::test]
async fn a_request_is_served_through_a_tool_call() {
    let (text, call, reason) = parts(ask(&[user("list the files in src")], ALL).await);
    let call = call.unwrap();
    assert_eq!(text, "Offline model: listing `src`.\n");
    assert_eq!(
        (call.id.as_str(), call.name.as_str()),
        ("call_offline_1", "list_dir")
    );
    assert_eq!(
        serde_json::from_str::<Value>(&call.arguments).unwrap(),
        json!({"path": "src"})
    );
    assert_eq!(reason, FinishReason::ToolCalls);
}

fn after_call(output: &str, success: bool) -> Vec<Message> {
    let call = ToolCall {
        id: "call_offline_1".into(),
        name: "list_dir".into(),
        arguments: "{}".into(),
    };
    vec![
        user("list the files"),
        Message::Assistant {
            reasoning: String::new(),
            text: String::new(),
            calls: vec![call],
        },
        Message::Tool {
            call_id: "call_offline_1".into(),
            output: output.into(),
            success,
            attachments: Vec::new(),
        },
    ]
}

#[tokio::test]
async fn the_result_is_told_as_it_was() {
    let cases = [
        (
            "a.txt\nb.txt\n",
            true,
            "`list_dir` is done:\n\n```\na.txt\nb.txt\n```",
        ),
        ("", true, "`list_dir` is done and had nothing to say."),
        (
            "denied by the operator",
            false,
            "`list_dir` did not do it:\n\n```\ndenied by the operator\n```",
        ),
        ("", false, "`list_dir` did not do it and gave no reason."),
        (
            "a ```` b",
            true,
            "`list_dir` is done:\n\n`````\na ```` b\n`````",
        ),
    ];
    for (output, success, expect) in cases {
        let (text, call, reason) = parts(ask(&after_call(output, success), ALL).await);
        assert!(text.starts_with(expect), "{text}");
        assert!(
            text.contains("offline model") && text.contains("DEEPSEEK_API_KEY"),
            "{text}"
        );
        assert_eq!((call, reason), (None, FinishReason::Stop));
    }
}

#[tokio::test]
async fn a_long_result_is_cut_and_says_so() {
    let (text, ..) = parts(ask(&after_call(&"ä".repeat(100_000), true), ALL).await);
    assert!(text.len() < 4_000);
    assert!(
        text.contains("(197000 more bytes are not repeated here)"),
        "{text}"
    );
}

#[tokio::test]
async fn the_next_request_of_a_thread_is_a_new_call() {
    let mut messages = after_call("a.txt", true);
    messages.push(Message::Assistant {
        reasoning: String::new(),
        text: "Done.".into(),
        calls: vec![],
    });
    messages.push(user("read a.txt"));
    let (_, call, _) = parts(ask(&messages, ALL).await);
    assert_eq!(call.map(|call| call.id), Some("call_offline_5".into()));
}

#[tokio::test]
async fn a_tool_that_is_not_offered_is_not_called() {
    let (text, call, reason) = parts(ask(&[user("run ls")], &["list_dir"]).await);
    assert!(
        text.contains("`exec_shell`") && text.contains("allow_shell"),
        "{text}"
    );
    assert_eq!((call, reason), (None, FinishReason::Stop));
    let (text, ..) = parts(ask(&[user("write x to a.txt")], &["list_dir"]).await);
    assert!(text.contains("`write_file`"), "{text}");
}

#[tokio::test]
async fn what_is_not_understood_is_answered_with_what_would_be() {
    for messages in [vec![user("hello")], vec![]] {
        let (text, call, _) = parts(ask(&messages, ALL).await);
        assert!(
            text.contains("list the files") && text.contains("DEEPSEEK_API_KEY"),
            "{text}"
        );
        assert_eq!(call, None);
    }
}

#[tokio::test]
async fn an_answer_comes_in_several_pieces_and_always_the_same_ones() {
    let chunks = ask(&[user("hello")], ALL).await;
    assert!(chunks.len() > 10);
    assert_eq!(ask(&[user("hello")], ALL).await, chunks);
}

#[test]
fn word_groups_together_are_the_text() {
    for text in [
        "",
        "a",
        "a b c d",
        "a b c d ",
        "a b c d e",
        "  a\n\nb  c\td ü e f g h i\n",
    ] {
        assert_eq!(word_groups(text).collect::<String>(), text);
    }
    assert_eq!(
        word_groups("a b c d e f").collect::<Vec<_>>(),
        ["a b c d ", "e f"]
    );
}
