use serde_json::json;

use super::*;
use crate::ToolCall;

fn user(text: &str) -> Message {
    Message::user(text)
}

fn called(reasoning: &str, text: &str, id: &str, arguments: &str) -> Message {
    let call = ToolCall {
        id: id.into(),
        name: "list_dir".into(),
        arguments: arguments.into(),
    };
    Message::Assistant {
        reasoning: reasoning.into(),
        text: text.into(),
        calls: vec![call],
    }
}

fn result(id: &str, output: &str) -> Message {
    Message::Tool {
        call_id: id.into(),
        output: output.into(),
        success: true,
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

fn text(model: &str, messages: &[Message], terms: Terms, memory: &Memory) -> String {
    let request = Request {
        model,
        system: "Be brief.",
        messages,
        tools: &[tool()],
        effort: crate::Effort::Auto,
        media: crate::Media::NONE,
    };
    String::from_utf8(write(&request, terms, memory)).unwrap()
}

const SEALED: Terms = Terms {
    seals_reasoning: true,
    output_tokens_max: None,
    thinking: Thinking::Unspoken,
};

#[test]
fn a_conversation_with_tools_is_written() {
    let messages = [
        user("List"),
        called("Hm.", "Wait.", "c1", "{oops"),
        result("c1", "a.txt"),
    ];
    assert_eq!(
        text("m", &messages, Terms::default(), &Memory::default()),
        concat!(
            r#"{"model":"m","stream":true,"store":false,"instructions":"Be brief.","tool_choice":"auto","#,
            r#""tools":[{"type":"function","name":"list_dir","description":"Lists.","parameters":{"type":"object"},"strict":false}],"#,
            r#""input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"List"}]},"#,
            r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Wait."}]},"#,
            r#"{"type":"function_call","call_id":"c1","name":"list_dir","arguments":"{}"},"#,
            r#"{"type":"function_call_output","call_id":"c1","output":"a.txt"}]}"#,
        )
    );
}

#[test]
fn encrypted_thoughts_go_back_before_their_calls() {
    let memory = Memory::default();
    let sealed = json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAA"});
    memory.keep("gpt-5.6", "c1", "Hm.", vec![sealed.clone()]);
    let messages = [
        user("List"),
        called("Hm.", "", "c1", "{}"),
        result("c1", ""),
    ];
    let body = |model| -> Value {
        serde_json::from_str(&text(model, &messages, SEALED, &memory)).unwrap()
    };
    let asked = body("gpt-5.6");
    assert_eq!(asked["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(asked["input"][1], sealed);
    assert_eq!(asked["input"][2]["type"], "function_call");
    let other = body("gpt-4.1");
    assert_eq!(other["include"], Value::Null, "it has no thoughts");
    assert_eq!(other["input"][1]["type"], "function_call");
}

#[test]
fn ids_that_others_gave_out_and_lost_results_do_no_harm() {
    let long = "x".repeat(100);
    let messages = [called("", "", &long, "{}"), user("Go on")];
    let body = text("m", &messages, SEALED, &Memory::default());
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["input"][0]["call_id"], "call_1");
    assert_eq!(body["input"][1]["call_id"], "call_1");
    assert_eq!(body["input"][1]["type"], "function_call_output");
    assert_eq!(body["input"][2]["role"], "user");
}

#[test]
fn a_request_begins_with_the_whole_of_the_one_before_it() {
    let memory = Memory::default();
    let mut messages = vec![user("List")];
    let mut before = text("m", &messages, SEALED, &memory);
    for id in ["a", "b", "c"] {
        messages.extend([called("", "", id, "{}"), result(id, "a.txt")]);
        let after = text("m", &messages, SEALED, &memory);
        assert!(after.starts_with(before.strip_suffix("]}").unwrap()));
        before = after;
    }
}

#[test]
fn an_effort_is_asked_for_where_the_model_thinks() {
    let terms = Terms {
        thinking: Thinking::DeepSeek,
        ..Terms::default()
    };
    let asked = |model| {
        let body = text(model, &[user("Hi")], terms, &Memory::default());
        let body: Value = serde_json::from_str(&body).unwrap();
        body["reasoning"].clone()
    };
    assert_eq!(asked("deepseek-v4-flash"), json!({"effort": "high"}));
    assert_eq!(asked("gpt-4o"), Value::Null);
}

/// A request with pictures.
fn shown(messages: &[Message], media: &crate::Media) -> Value {
    let request = Request {
        model: "gpt-5.6",
        system: "",
        messages,
        tools: &[],
        effort: crate::Effort::Auto,
        media,
    };
    let written = write(&request, SEALED, &Memory::default());
    serde_json::from_slice(&written).unwrap()
}

#[test]
fn pictures_stand_behind_the_words() {
    let (message, media) = crate::media::sample();
    let body = shown(&[message], &media);
    assert_eq!(
        body["input"][0]["content"],
        json!([
            { "type": "input_text", "text": "Hi" },
            { "type": "input_image", "image_url": "data:image/png;base64,cGlj" },
        ])
    );
}

#[test]
fn a_result_holds_what_it_shows() {
    let (messages, media) = crate::media::sample_result();
    let body = shown(&messages, &media);
    assert_eq!(
        body["input"][2]["output"],
        json!([
            { "type": "input_text", "text": "[image 1]" },
            { "type": "input_image", "image_url": "data:image/png;base64,cGlj" },
        ])
    );
}
