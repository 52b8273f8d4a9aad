use super::*;
use crate::ToolCall;

fn user(text: &str) -> Message {
    Message::user(text)
}

fn called(reasoning: &str, text: &str, calls: &[(&str, &str)]) -> Message {
    let call = |(id, arguments): &(&str, &str)| ToolCall {
        id: (*id).into(),
        name: "list_dir".into(),
        arguments: (*arguments).into(),
    };
    Message::Assistant {
        reasoning: reasoning.into(),
        text: text.into(),
        calls: calls.iter().map(call).collect(),
    }
}

fn result(id: &str, output: &str, success: bool) -> Message {
    Message::Tool {
        call_id: id.into(),
        output: output.into(),
        success,
        attachments: Vec::new(),
    }
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "list_dir".into(),
        description: "Lists.".into(),
        input_schema: json!({"type": "object"}).into(),
    }
}

fn text(system: &str, messages: &[Message], tools: &[ToolSpec], memory: &Memory) -> String {
    let request = Request {
        model: "m",
        system,
        messages,
        tools,
        effort: crate::Effort::Auto,
        media: crate::Media::NONE,
    };
    String::from_utf8(write(&request, Manner::default(), memory)).unwrap()
}

fn body(messages: &[Message], tools: &[ToolSpec]) -> Value {
    serde_json::from_str(&text("", messages, tools, &Memory::default())).unwrap()
}

#[test]
fn a_question_is_written() {
    assert_eq!(
        text("Be brief.", &[user("Hi")], &[tool()], &Memory::default()),
        concat!(
            r#"{"model":"m","max_tokens":32000,"stream":true,"#,
            r#""tools":[{"name":"list_dir","description":"Lists.","input_schema":{"type":"object"}}],"tool_choice":{"type":"auto"},"#,
            r#""system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"#,
            r#""messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}]}"#,
        )
    );
}

#[test]
fn results_of_one_answer_go_back_together_with_what_the_person_adds() {
    let messages = [
        user("Go"),
        called(
            "Hm.",
            "Wait.",
            &[("a", r#"{"n": 12345678901234567890123}"#), ("b", "{oops")],
        ),
        result("a", "one", true),
        result("b", "", false),
        user("Quick!"),
    ];
    let mark = json!({"type": "ephemeral"});
    assert_eq!(
        body(&messages, &[tool()])["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Go", "cache_control": mark}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "Wait."},
                {"type": "tool_use", "id": "a", "name": "list_dir",
                 "input": serde_json::from_str::<Value>(r#"{"n": 12345678901234567890123}"#).unwrap()},
                {"type": "tool_use", "id": "b", "name": "list_dir", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "one"},
                {"type": "tool_result", "tool_use_id": "b", "is_error": true},
                {"type": "text", "text": "Quick!", "cache_control": mark},
            ]},
        ])
    );
    let text = text("", &messages, &[], &Memory::default());
    assert!(
        text.contains("12345678901234567890123"),
        "arguments go back as they came"
    );
}

#[test]
fn signed_thoughts_go_back_with_their_calls() {
    let memory = Memory::default();
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "s="});
    memory.keep("m", "a", "Hm.", vec![thought.clone()]);
    let messages = [
        user("Go"),
        called("Hm.", "", &[("a", "{}")]),
        result("a", "one", true),
        called("Unsigned.", "Done.", &[]),
    ];
    let body: Value = serde_json::from_str(&text("", &messages, &[], &memory)).unwrap();
    assert_eq!(body["messages"][1]["content"][0], thought);
    assert_eq!(
        body["messages"][3]["content"],
        json!([{"type": "text", "text": "Done."}])
    );
}

#[test]
fn unsigned_thoughts_go_back_only_where_they_are_wanted() {
    let messages = [
        user("Go"),
        called("", "", &[("a", "{}")]),
        result("a", "", true),
    ];
    let request = Request {
        model: "m",
        system: "",
        messages: &messages,
        tools: &[],
        effort: crate::Effort::Auto,
        media: crate::Media::NONE,
    };
    let manner = Manner {
        echo_reasoning: true,
        output_tokens_max: Some(9),
        ..Manner::default()
    };
    let body: Value = serde_json::from_slice(&write(&request, manner, &Memory::default())).unwrap();
    let lost = json!({"type": "thinking", "thinking": "(reasoning omitted)"});
    assert_eq!(body["messages"][1]["content"][0], lost);
    assert_eq!(body["max_tokens"], 9);
}

#[test]
fn what_would_be_refused_is_not_sent() {
    let messages = [
        called("", " ", &[]),
        called("", "\n", &[("x.y:0", "{}")]),
        result("x.y:0", "1", true),
        called("", "", &[("x.y:0", "{}")]),
        user(" "),
    ];
    let body = body(&messages, &[]);
    let turns = body["messages"].as_array().unwrap();
    assert_eq!(turns[0]["content"][0]["text"], "(nothing was said)");
    assert_eq!(turns[1]["content"][0]["id"], "call_1");
    assert_eq!(turns[2]["content"][0]["tool_use_id"], "call_1");
    assert_eq!(turns[3]["content"][0]["id"], "call_2");
    assert_eq!(turns[4]["content"][0]["tool_use_id"], "call_2");
    assert_eq!(turns[4]["content"][1]["text"], "(nothing was said)");
    assert_eq!(body["tools"][0]["name"], "list_dir", "calls need tools");
    assert_eq!(body["tool_choice"], json!({"type": "none"}));
    assert_eq!(body["system"], Value::Null);
}

#[test]
fn a_request_begins_with_the_whole_of_the_one_before_it_but_for_the_marks() {
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    let mut messages = vec![user("Go")];
    let mut before = text("Be brief.", &messages, &[tool()], &Memory::default());
    for step in ["a", "b", "c", "d"] {
        messages.extend([called("", "", &[(step, "{}")]), result(step, "one", true)]);
        let after = text("Be brief.", &messages, &[tool()], &Memory::default());
        assert!(after.matches(mark).count() <= 3, "at most four are allowed");
        let (shorter, longer) = (before.replace(mark, ""), after.replace(mark, ""));
        assert!(longer.starts_with(shorter.strip_suffix("]}").unwrap()));
        before = after;
    }
}

#[test]
fn thinking_is_asked_for_unless_the_thoughts_behind_open_calls_are_gone() {
    let open = [
        user("Go"),
        called("Hm.", "", &[("a", "{}")]),
        result("a", "1", true),
    ];
    let mut gone_on = open.to_vec();
    gone_on.push(user("And?"));
    let remembering = Memory::default();
    remembering.keep("m", "a", "Hm.", vec![json!({"type": "thinking"})]);
    let check = |messages: &[Message], memory: &Memory, manner: Manner, expect: Value| {
        let request = Request {
            model: "m",
            system: "",
            messages,
            tools: &[],
            effort: crate::Effort::Low,
            media: crate::Media::NONE,
        };
        let body: Value = serde_json::from_slice(&write(&request, manner, memory)).unwrap();
        assert_eq!(body["thinking"], expect, "{messages:?}");
    };
    let signs = Manner {
        thinking: Thinking::Budget,
        ..Manner::default()
    };
    let asked = json!({"type": "enabled", "budget_tokens": 4096});
    let forgetful = Memory::default();
    check(&[user("Go")], &forgetful, signs, asked.clone());
    check(&open, &forgetful, signs, Value::Null);
    check(&open, &remembering, signs, asked.clone());
    check(&gone_on, &forgetful, signs, asked.clone());
    let echoes = Manner {
        echo_reasoning: true,
        thinking: Thinking::DeepSeek,
        ..Manner::default()
    };
    check(&open, &forgetful, echoes, asked);
}

/// A request with pictures.
fn shown(messages: &[Message], media: &crate::Media) -> Value {
    let request = Request {
        model: "m",
        system: "",
        messages,
        tools: &[],
        effort: crate::Effort::Auto,
        media,
    };
    let written = write(&request, Manner::default(), &Memory::default());
    serde_json::from_slice(&written).unwrap()
}

#[test]
fn pictures_stand_behind_the_words_and_the_mark_behind_both() {
    let (message, media) = crate::media::sample();
    let body = shown(&[message], &media);
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "cGlj" });
    assert_eq!(
        body["messages"][0]["content"],
        json!([
            { "type": "text", "text": "Hi" },
            { "type": "image", "source": source, "cache_control": { "type": "ephemeral" } },
        ])
    );
}

#[test]
fn a_result_holds_what_it_shows() {
    let (messages, media) = crate::media::sample_result();
    let body = shown(&messages, &media);
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "cGlj" });
    assert_eq!(
        body["messages"][2]["content"][0]["content"],
        json!([{ "type": "text", "text": "[image 1]" }, { "type": "image", "source": source }])
    );
}
