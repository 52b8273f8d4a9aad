//! The Messages and Responses dialects over real connections, and model servers found on loopback.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

use std::sync::Arc;
use std::time::Duration;

use codewhale_model::catalogue::Dialect;
use codewhale_model::local::{LocalKind, Ports, detect};
use codewhale_model::{
    Chunk, Error, ErrorKind, FinishReason, Media, Message, Model, ProviderConfig, Request, Routes,
    RoutesConfig, Timeouts, ToolCall, ToolSpec,
};
use codewhale_protocol::Secret;
use codewhale_testkit::model_server::{ModelServer, Reply};
use futures_util::StreamExt;
use serde_json::{Value, json};

const KEY: &str = "sk-0123456789abcdef";

fn model_with(server: &ModelServer, wire: Dialect, timeouts: Timeouts) -> Arc<dyn Model> {
    let provider = ProviderConfig {
        base_url: Some(server.base_url()),
        key: Some(Secret::new(KEY)),
        wire: Some(wire),
        headers: vec![("x-team".into(), Secret::new("whales"))],
        ..ProviderConfig::new("openai", "openai")
    };
    let routes = Routes::new(RoutesConfig {
        providers: vec![provider],
        timeouts,
        ..RoutesConfig::default()
    });
    routes.resolve(None, None).unwrap().client
}

fn model(server: &ModelServer, wire: Dialect) -> Arc<dyn Model> {
    model_with(server, wire, Timeouts::default())
}

async fn ask(model: &dyn Model, messages: &[Message]) -> (Vec<Chunk>, Option<Error>) {
    let tools = [ToolSpec {
        name: "list_dir".into(),
        description: "Lists.".into(),
        input_schema: json!({"type": "object"}).into(),
    }];
    let request = Request {
        model: "m",
        system: "Be brief.",
        messages,
        tools: &tools,
        effort: codewhale_model::Effort::Auto,
        media: Media::NONE,
    };
    let mut stream = match model.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut chunks = Vec::new();
    while let Some(item) = stream.next().await {
        match item {
            Ok(chunk) => chunks.push(chunk),
            Err(error) => return (chunks, Some(error)),
        }
    }
    (chunks, None)
}

fn hello() -> Vec<Message> {
    vec![Message::user("Hi")]
}

/// A stream of these events and nothing else.
fn stream(events: &[Value]) -> Reply {
    let frame = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    };
    let body: String = events.iter().map(frame).collect();
    Reply::new().raw(body).without_finish().without_done()
}

/// A thought that must come back, and a call.
fn calling(wire: Dialect) -> Vec<Value> {
    match wire {
        Dialect::Chat => panic!("the chat dialect has tests of its own"),
        Dialect::Messages => vec![
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sealed"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c1", "name": "list_dir", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"path\":\".\"}"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}}),
            json!({"type": "message_stop"}),
        ],
        Dialect::Responses => vec![
            json!({"type": "response.created", "response": {"status": "in_progress"}}),
            json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "Hm."}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "sealed"}}),
            json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "call_id": "c1", "name": "list_dir", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"path\":\".\"}"}),
            json!({"type": "response.completed", "response": {"status": "completed", "usage": {"input_tokens": 9, "output_tokens": 3}}}),
        ],
    }
}

const DIALECTS: [Dialect; 2] = [Dialect::Messages, Dialect::Responses];

#[tokio::test]
async fn a_call_is_made_and_goes_back_with_its_result_and_thought() {
    for wire in DIALECTS {
        let server = ModelServer::start().await;
        let model = model(&server, wire);
        let call = ToolCall {
            id: "c1".into(),
            name: "list_dir".into(),
            arguments: r#"{"path":"."}"#.into(),
        };
        for reply in [
            stream(&calling(wire)),
            stream(&calling(wire)).in_writes_of(1),
            stream(&calling(wire)).until_close(),
        ] {
            server.push(reply);
            let (chunks, error) = ask(&*model, &hello()).await;
            assert!(error.is_none(), "{error:?}");
            assert_eq!(chunks[0], Chunk::Reasoning("Hm.".into()));
            assert_eq!(chunks[1], Chunk::Call(call.clone()));
            assert!(matches!(&chunks[2], Chunk::Usage(usage) if usage.output_tokens == 3));
            assert_eq!(chunks[3], Chunk::Finished(FinishReason::ToolCalls));
        }
        let mut messages = hello();
        messages.push(Message::Assistant {
            reasoning: "Hm.".into(),
            text: String::new(),
            calls: vec![call],
        });
        messages.push(Message::Tool {
            call_id: "c1".into(),
            output: "a.txt".into(),
            success: true,
            attachments: Vec::new(),
        });
        server.push(stream(&calling(wire)));
        ask(&*model, &messages).await;
        let body = server.last_request().body.to_string();
        assert!(body.contains("sealed") && body.contains("a.txt"), "{body}");
    }
}

#[tokio::test]
async fn a_request_is_what_the_provider_expects() {
    let server = ModelServer::start().await;
    for wire in DIALECTS {
        server.push(stream(&calling(wire)));
        ask(&*model(&server, wire), &hello()).await;
        let request = server.last_request();
        assert_eq!(request.header("x-team"), Some("whales"));
        assert_eq!(request.body["stream"], true);
        match wire {
            Dialect::Chat => {}
            Dialect::Messages => {
                assert_eq!(request.path, "/v1/messages");
                assert_eq!(request.header("x-api-key"), Some(KEY));
                assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
                assert_eq!(request.header("authorization"), None);
                assert_eq!(request.body["system"][0]["text"], "Be brief.");
            }
            Dialect::Responses => {
                let bearer = format!("Bearer {KEY}");
                assert_eq!(request.path, "/v1/responses");
                assert_eq!(request.header("authorization"), Some(bearer.as_str()));
                assert_eq!(request.header("x-api-key"), None);
                assert_eq!(request.body["store"], false);
                assert_eq!(request.body["instructions"], "Be brief.");
            }
        }
    }
}

#[tokio::test]
async fn whatever_a_provider_does_wrong_is_told_apart_and_shows_no_key() {
    let overloaded =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let wait = ErrorKind::RateLimited {
        retry_after: Some(Duration::from_secs(2)),
    };
    let refusal = |status: u16, message: &str| {
        let error = json!({"type": "error", "error": {"type": "x", "message": message}});
        Reply::new().status(status).json(&error)
    };
    for wire in DIALECTS {
        let server = ModelServer::start().await;
        let impatient = Timeouts {
            idle: Duration::from_millis(50),
            ..Timeouts::default()
        };
        let impatient = model_with(&server, wire, impatient);
        let model = model_with(&server, wire, Timeouts::default());
        let begun = &calling(wire)[..1];
        let cases = [
            (refusal(401, &format!("bad key {KEY}")), ErrorKind::Auth),
            (refusal(404, "model: nothing"), ErrorKind::Unusable),
            (refusal(429, "slow").header("retry-after", "2"), wait),
            (refusal(529, "Overloaded"), ErrorKind::Transient),
            (Reply::new().body("<html>Log in</html>"), ErrorKind::Garbled),
            (stream(&[]).raw("data: {oops}\n\n"), ErrorKind::Garbled),
            (
                stream(std::slice::from_ref(&overloaded)).stall(),
                ErrorKind::Transient,
            ),
            (stream(begun), ErrorKind::Transient),
            (stream(begun).cut(), ErrorKind::Transient),
            (stream(begun).stall(), ErrorKind::Stalled),
            (
                stream(&[]).raw(vec![b'x'; 17 * 1024 * 1024]),
                ErrorKind::Garbled,
            ),
        ];
        for (reply, kind) in cases {
            server.push(reply);
            // Only silence is a matter of patience.
            let model = match kind {
                ErrorKind::Stalled => &impatient,
                _ => &model,
            };
            let (_, error) = ask(&**model, &hello()).await;
            let error = error.unwrap();
            assert_eq!(error.kind, kind, "{wire:?} {error}");
            assert!(!format!("{error} {error:?}").contains("0123456789"));
        }
    }
}

fn port(server: &ModelServer) -> u16 {
    let base = server.base_url();
    let host = base.trim_start_matches("http://127.0.0.1:");
    host.trim_end_matches("/v1").parse().unwrap()
}

#[tokio::test]
async fn servers_on_this_machine_are_found_and_others_are_not() {
    let (ollama, studio, other) = tokio::join!(
        ModelServer::start(),
        ModelServer::start(),
        ModelServer::start()
    );
    ollama.default_reply(Reply::new().json(&json!({"models": [{"name": "qwen3:8b"}]})));
    studio.default_reply(Reply::silence());
    other.default_reply(Reply::new().json(&json!({"status": "ok"})));
    let ports = Ports {
        ollama: port(&ollama),
        lm_studio: port(&studio),
        llama_cpp: port(&other),
    };
    let found = detect(ports).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, LocalKind::Ollama);
    assert_eq!(found[0].base_url, ollama.base_url());
    assert_eq!(found[0].models, ["qwen3:8b"]);
    assert_eq!(ollama.last_request().path, "/api/tags");
}
