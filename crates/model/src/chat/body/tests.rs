use serde_json::json;

use super::*;
use crate::Effort;

fn user(text: &str) -> Message {
    Message::user(text)
}

fn called(reasoning: &str, text: &str, arguments: &str) -> Message {
    let call = ToolCall {
        id: "c1".into(),
        name: "list_dir".into(),
        arguments: arguments.into(),
    };
    Message::Assistant {
        reasoning: reasoning.into(),
        text: text.into(),
        calls: vec![call],
    }
}

fn answered(reasoning: &str, text: &str) -> Message {
    Message::Assistant {
        reasoning: reasoning.into(),
        text: text.into(),
        calls: vec![],
    }
}

fn result(output: &str) -> Message {
    Message::Tool {
        call_id: "c1".into(),
        output: output.into(),
        success: true,
        attachments: Vec::new(),
    }
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "list_dir".into(),
        description: "Lists \"a\" directory.".into(),
        input_schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}).into(),
    }
}

fn text(system: &str, messages: &[Message], tools: &[ToolSpec], quirks: Quirks) -> String {
    let request = Request {
        model: "m",
        system,
        messages,
        tools,
        effort: Effort::Auto,
        media: crate::Media::NONE,
    };
    String::from_utf8(write(&request, quirks)).unwrap()
}

#[test]
fn a_question_is_written() {
    assert_eq!(
        text("Be brief.", &[user("Hi \"you\"\n")], &[], Quirks::default()),
        concat!(
            r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":["#,
            r#"{"role":"system","content":"Be brief."},{"role":"user","content":"Hi \"you\"\n"}]}"#
        )
    );
}

#[test]
fn a_conversation_with_tools_is_written() {
    let messages = [
        user("List"),
        called("Hm.", "", r#"{"path":"."}"#),
        result("a.txt"),
        answered("Ok.", "One file."),
    ];
    let quirks = Quirks {
        echo_reasoning: true,
        output_tokens_max: Some(9),
        ..Quirks::default()
    };
    assert_eq!(
        text("", &messages, &[tool()], quirks),
        concat!(
            r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"tool_choice":"auto","#,
            r#""tools":[{"type":"function","function":{"name":"list_dir","description":"Lists \"a\" directory.","#,
            r#""parameters":{"properties":{"path":{"type":"string"}},"type":"object"}}}],"messages":["#,
            r#"{"role":"user","content":"List"},"#,
            r#"{"role":"assistant","content":"","reasoning_content":"Hm.","tool_calls":["#,
            r#"{"id":"c1","type":"function","function":{"name":"list_dir","arguments":"{\"path\":\".\"}"}}]},"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"a.txt"},"#,
            r#"{"role":"assistant","content":"One file."}]}"#
        )
    );
}

#[test]
fn how_hard_to_think_stands_before_the_conversation() {
    let quirks = Quirks {
        thinking: Thinking::DeepSeek,
        ..Quirks::default()
    };
    let written = text("", &[user("Hi")], &[], quirks);
    assert!(
        written.contains(r#""reasoning_effort":"high","messages""#),
        "{written}"
    );
}

#[test]
fn reasoning_goes_back_only_where_it_is_wanted() {
    let messages = [user("List"), called("Hm.", "Wait.", "{}"), result("")];
    assert!(!text("", &messages, &[], Quirks::default()).contains("reasoning_content"));
}

#[test]
fn reasoning_that_was_lost_is_replaced_because_its_absence_is_refused() {
    let messages = [user("List"), called("", "", "{}"), result("")];
    let quirks = Quirks {
        echo_reasoning: true,
        ..Quirks::default()
    };
    assert!(
        text("", &messages, &[], quirks).contains(r#""reasoning_content":"(reasoning omitted)""#)
    );
}

#[test]
fn arguments_that_do_not_read_do_not_spoil_the_conversation() {
    for wrong in ["", "{\"path\":", "[1]", "rm -rf"] {
        let messages = [user("List"), called("", "", wrong), result("not JSON")];
        assert!(
            text("", &messages, &[], Quirks::default()).contains(r#""arguments":"{}""#),
            "{wrong}"
        );
    }
}

#[test]
fn a_request_begins_with_the_whole_of_the_one_before_it() {
    let mut messages = vec![user("List"), called("Hm.", "", "{}"), result("a.txt")];
    let quirks = Quirks {
        echo_reasoning: true,
        ..Quirks::default()
    };
    let before = text("Be brief.", &messages, &[tool()], quirks);
    messages.extend([answered("", "One."), user("Thanks")]);
    let after = text("Be brief.", &messages, &[tool()], quirks);
    assert!(after.starts_with(before.strip_suffix("]}").unwrap()));
}

#[test]
fn pictures_and_sounds_stand_behind_the_words() {
    let (message, media) = crate::media::sample();
    let request = Request {
        model: "m",
        system: "",
        messages: std::slice::from_ref(&message),
        tools: &[],
        effort: Effort::Auto,
        media: &media,
    };
    let body: Value = serde_json::from_slice(&write(&request, Quirks::default())).unwrap();
    assert_eq!(
        body["messages"][0]["content"],
        json!([
            { "type": "text", "text": "Hi" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,cGlj" } },
            { "type": "input_audio", "input_audio": { "data": "bXAz", "format": "mp3" } },
        ])
    );
    let unseen = text("", &[message], &[], Quirks::default());
    assert!(
        unseen.contains(r#"{"role":"user","content":"Hi"}"#),
        "{unseen}"
    );
}

#[test]
fn what_results_show_follows_behind_all_of_them() {
    let (messages, media) = crate::media::sample_result();
    let request = |messages| Request {
        model: "m",
        system: "",
        messages,
        tools: &[],
        effort: Effort::Auto,
        media: &media,
    };
    let told = |messages| -> Vec<Value> {
        let bytes = write(&request(messages), Quirks::default());
        let body: Value = serde_json::from_slice(&bytes).unwrap();
        body["messages"].as_array().unwrap().clone()
    };
    let all = told(&messages);
    assert_eq!(all[2]["content"], "[image 1]");
    assert_eq!(all[3]["role"], "user");
    let picture = json!({ "url": "data:image/png;base64,cGlj" });
    assert_eq!(
        all[3]["content"][1],
        json!({ "type": "image_url", "image_url": picture })
    );
    assert_eq!(all[4]["content"], "And?");
    // It is there as soon as the result is, so that each request begins with the one before.
    assert_eq!(told(&messages[..3]), all[..4]);
}
