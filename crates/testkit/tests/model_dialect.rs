//! The chat-completions dialect over real connections: what the provider does, and what the engine
//! is told about it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use codewhale_model::{
    Chunk, ChunkStream, Error, ErrorKind, FinishReason, Media, Message, Model, ProviderConfig,
    Request, Routes, RoutesConfig, Timeouts, ToolCall, ToolSpec,
};
use codewhale_protocol::Secret;
use codewhale_protocol::runtime::Usage;
use codewhale_testkit::model_server::{Gate, ModelServer, Reply, stamps};
use futures_util::{StreamExt, future::join_all};
use serde_json::json;

const KEY: &str = "sk-0123456789abcdef";

fn provider(base_url: &str) -> ProviderConfig {
    ProviderConfig {
        base_url: Some(base_url.to_owned()),
        key: Some(Secret::new(KEY)),
        ..ProviderConfig::new("deepseek", "deepseek")
    }
}

fn model_with(provider: ProviderConfig, timeouts: Timeouts) -> Arc<dyn Model> {
    let routes = Routes::new(RoutesConfig {
        providers: vec![provider],
        timeouts,
        ..RoutesConfig::default()
    });
    routes
        .resolve(None, None)
        .expect("the provider is configured")
        .client
}

fn model(server: &ModelServer) -> Arc<dyn Model> {
    model_with(provider(&server.base_url()), Timeouts::default())
}

async fn open(model: &dyn Model) -> Result<ChunkStream, Error> {
    let messages = [Message::user("Hi")];
    model
        .stream(Request {
            model: "m",
            system: "Be brief.",
            messages: &messages,
            tools: &[],
            effort: codewhale_model::Effort::Auto,
            media: Media::NONE,
        })
        .await
}

/// All chunks, and the error that came instead of the rest.
async fn ask(model: &dyn Model) -> (Vec<Chunk>, Option<Error>) {
    let mut stream = match open(model).await {
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

async fn answer(model: &dyn Model) -> Vec<Chunk> {
    let (chunks, error) = ask(model).await;
    assert!(error.is_none(), "{error:?}");
    chunks
}

/// The error of a reply, checked for the key.
async fn failure(model: &dyn Model) -> (ErrorKind, String) {
    let (_, error) = ask(model).await;
    let error = error.expect("the reply is an error");
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("0123456789"), "{shown}");
    (error.kind, error.message)
}

fn said(text: &str) -> Chunk {
    Chunk::Text(text.into())
}

const STOP: Chunk = Chunk::Finished(FinishReason::Stop);

#[tokio::test]
async fn an_answer_streams() {
    let server = ModelServer::start().await;
    let reply = || {
        Reply::new()
            .reasoning("Hm.")
            .keepalive()
            .deltas(["Hel", "lo \"🐋\""])
            .usage_with_cache(10, 8, 2)
    };
    let usage = Usage {
        input_tokens: 10,
        output_tokens: 2,
        prompt_cache_hit_tokens: Some(8),
        prompt_cache_miss_tokens: Some(2),
        ..Usage::default()
    };
    let expect = [
        Chunk::Reasoning("Hm.".into()),
        said("Hel"),
        said("lo \"🐋\""),
        Chunk::Usage(usage),
        STOP,
    ];
    let replies = [
        reply(),
        reply().until_close(),
        reply().without_done(),
        reply().in_writes_of(1),
        reply().in_writes_of(7),
    ];
    for reply in replies {
        server.push(reply);
        assert_eq!(answer(&*model(&server)).await, expect);
    }
}

#[tokio::test]
async fn a_request_is_what_the_provider_expects() {
    let server = ModelServer::start().await;
    server.default_reply(Reply::says("Hi"));
    answer(&*model(&server)).await;
    let request = server.last_request();
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("POST", "/v1/chat/completions")
    );
    assert_eq!(
        request.header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert!(
        request
            .header("user-agent")
            .unwrap()
            .starts_with("codewhale/")
    );
    assert_eq!(request.last_user_text(), Some("Hi"));
    let expect = json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 65536,
        "reasoning_effort": "high",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
    });
    assert_eq!(request.body, expect);
    let keyless = ProviderConfig {
        kind: "ollama".into(),
        key: None,
        ..provider(&server.base_url())
    };
    answer(&*model_with(keyless, Timeouts::default())).await;
    assert_eq!(server.last_request().header("authorization"), None);
}

#[tokio::test]
async fn tools_are_called() {
    let server = ModelServer::start().await;
    let arguments = r#"{"path":"a.txt","content":"Grüße\n"}"#;
    let reply = Reply::says("Wait.")
        .call("c1", "write_file", arguments)
        .split_every(3)
        .call("c2", "list_dir", "{}");
    server.push(reply.usage(5, 6));
    let tools = [ToolSpec {
        name: "list_dir".into(),
        description: "Lists.".into(),
        input_schema: json!({"type": "object"}).into(),
    }];
    let messages = [Message::user("Go")];
    let model = model(&server);
    let stream = model
        .stream(Request {
            model: "m",
            system: "",
            messages: &messages,
            tools: &tools,
            effort: codewhale_model::Effort::Auto,
            media: Media::NONE,
        })
        .await;
    let chunks: Vec<Chunk> = stream.unwrap().map(Result::unwrap).collect().await;
    let call = |id: &str, name: &str, arguments: &str| {
        Chunk::Call(ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        })
    };
    let usage = Usage {
        input_tokens: 5,
        output_tokens: 6,
        ..Usage::default()
    };
    let finished = Chunk::Finished(FinishReason::ToolCalls);
    let calls = [
        call("c1", "write_file", arguments),
        call("c2", "list_dir", "{}"),
    ];
    assert_eq!(
        chunks,
        [
            &[said("Wait.")],
            &calls[..],
            &[Chunk::Usage(usage), finished]
        ]
        .concat()
    );
    assert_eq!(server.last_request().tool_names(), ["list_dir"]);
    assert_eq!(server.last_request().body["tool_choice"], "auto");
}

#[tokio::test]
async fn refusals_are_told_apart() {
    let server = ModelServer::start().await;
    let model = model(&server);
    let error = |message: &str| json!({"error": {"message": message}});
    let wait = ErrorKind::RateLimited {
        retry_after: Some(Duration::from_secs(1)),
    };
    let cases = [
        (
            Reply::new()
                .status(429)
                .header("retry-after", "1")
                .json(&error("slow down")),
            wait,
            "deepseek asks to slow down (HTTP 429): slow down",
        ),
        (
            Reply::new()
                .status(401)
                .json(&error(&format!("Incorrect key: {KEY}"))),
            ErrorKind::Auth,
            "deepseek refused the key (HTTP 401): Incorrect key: [key]. Check the key: set DEEPSEEK_API_KEY, or api_key in [providers.deepseek] of ~/.codewhale/config.toml",
        ),
        (
            Reply::new()
                .status(402)
                .json(&error("Insufficient Balance")),
            ErrorKind::Exhausted,
            "deepseek has no quota or balance left for this key (HTTP 402): Insufficient Balance. Top up, or choose another provider",
        ),
        (
            Reply::new().status(400).json(&error("too long")),
            ErrorKind::Rejected,
            "deepseek refused the request (HTTP 400): too long",
        ),
        (
            Reply::new()
                .status(502)
                .header("content-type", "text/html")
                .body("<html>Bad Gateway</html>"),
            ErrorKind::Transient,
            "deepseek failed (HTTP 502): (an HTML page)",
        ),
        (
            Reply::new().status(503),
            ErrorKind::Transient,
            "deepseek failed (HTTP 503)",
        ),
        (
            Reply::new()
                .status(307)
                .header("location", "http://127.0.0.1:9/steal"),
            ErrorKind::Unusable,
            "deepseek answered with a redirect (HTTP 307), which is not followed: set base_url to the final address",
        ),
        (
            Reply::new()
                .header("content-type", "text/html")
                .body("<html>Log in</html>"),
            ErrorKind::Garbled,
            "deepseek sent something else than an answer: <html>Log in</html>",
        ),
    ];
    let count = cases.len();
    for (reply, kind, message) in cases {
        server.push(reply);
        assert_eq!(failure(&*model).await, (kind, message.to_owned()));
    }
    assert_eq!(
        server.request_count(),
        count,
        "one request each: retrying is the engine's business"
    );
}

#[tokio::test]
async fn a_huge_or_endless_refusal_is_read_in_part() {
    let server = ModelServer::start().await;
    let model = model(&server);
    server.push(Reply::new().status(500).body(vec![b'x'; 24 * 1024 * 1024]));
    let (kind, message) = failure(&*model).await;
    assert_eq!(kind, ErrorKind::Transient);
    assert!(message.len() < 600, "{}", message.len());
    server.wait_for_abandoned(1).await;
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_read() {
    let server = ModelServer::start().await;
    let whole = json!({"choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]});
    server.push(Reply::new().json(&whole));
    assert_eq!(answer(&*model(&server)).await, [said("Hi"), STOP]);
}

#[tokio::test]
async fn a_connection_that_breaks_is_transient_and_keeps_what_came() {
    let server = ModelServer::start().await;
    let model = model(&server);
    for reply in [
        Reply::says("Hi").cut(),
        Reply::says("Hi").until_close().cut(),
        Reply::says("Hi").without_finish().without_done(),
    ] {
        server.push(reply);
        let (chunks, error) = ask(&*model).await;
        let error = error.expect("the answer was cut");
        assert_eq!(chunks, [said("Hi")]);
        assert_eq!(
            (error.kind, error.message.as_str()),
            (
                ErrorKind::Transient,
                "deepseek broke off the answer before its end"
            )
        );
    }
    server.push(Reply::says("Hi").reset());
    assert_eq!(failure(&*model).await.0, ErrorKind::Transient);
}

#[tokio::test]
async fn garbage_is_told_as_such() {
    let server = ModelServer::start().await;
    server.push(
        Reply::says("Hi")
            .raw("data: {\"choices\": oops}\n\n")
            .text("not read"),
    );
    let (chunks, error) = ask(&*model(&server)).await;
    let error = error.unwrap();
    assert_eq!(chunks, [said("Hi")]);
    assert_eq!(
        (error.kind, error.message.as_str()),
        (
            ErrorKind::Garbled,
            "deepseek sent a piece of the answer that does not read: {\"choices\": oops}"
        )
    );
}

#[tokio::test]
async fn an_error_in_the_stream_ends_it_at_once() {
    let server = ModelServer::start().await;
    let chunk = json!({"error": {"message": "overloaded", "type": "server_error"}});
    server.push(Reply::says("Hi").chunk(&chunk).stall());
    let (chunks, error) = ask(&*model(&server)).await;
    let error = error.unwrap();
    assert_eq!(chunks, [said("Hi")]);
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Transient, "deepseek failed: overloaded")
    );
    server.wait_for_abandoned(1).await;
}

#[tokio::test]
async fn a_provider_that_falls_silent_is_left() {
    let server = ModelServer::start().await;
    let short = Duration::from_millis(50);
    let impatient = Timeouts {
        idle: short,
        ..Timeouts::default()
    };
    let model = model_with(provider(&server.base_url()), impatient);
    server.push(Reply::says("Hi").stall());
    let (chunks, error) = ask(&*model).await;
    let error = error.unwrap();
    assert_eq!(chunks, [said("Hi")]);
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Stalled, "deepseek sent nothing for 50ms")
    );
    let impatient = Timeouts {
        open: short,
        ..Timeouts::default()
    };
    let model = model_with(provider(&server.base_url()), impatient);
    server.push(Reply::silence());
    let message = "deepseek did not begin to answer within 50ms";
    assert_eq!(
        failure(&*model).await,
        (ErrorKind::Stalled, message.to_owned())
    );
    server.wait_for_abandoned(2).await;
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_transient() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let model = model_with(provider(&format!("http://{address}")), Timeouts::default());
    let message =
        format!("deepseek cannot be reached at {address}; check the network and base_url");
    assert_eq!(failure(&*model).await, (ErrorKind::Transient, message));
}

#[tokio::test]
async fn dropping_the_answer_closes_the_connection_at_once() {
    let server = ModelServer::start().await;
    let gate = Gate::new();
    server.push(Reply::says("Hi").hold(&gate));
    let mut stream = open(&*model(&server)).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap(), said("Hi"));
    gate.reached().await;
    let dropped = Instant::now();
    drop(stream);
    server.wait_for_abandoned(1).await;
    assert!(
        dropped.elapsed() < Duration::from_secs(1),
        "{:?}",
        dropped.elapsed()
    );
}

#[tokio::test]
async fn dropping_a_request_that_was_not_answered_closes_the_connection_at_once() {
    let server = ModelServer::start().await;
    let gate = Gate::new();
    server.push(Reply::says("Hi").hold_head(&gate));
    let model = model(&server);
    tokio::select! {
        _ = open(&*model) => panic!("the server holds its answer back"),
        () = gate.reached() => {}
    }
    server.wait_for_abandoned(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_serves_many_requests() {
    let server = ModelServer::start().await;
    server.default_reply(Reply::says("Hi").usage(1, 1));
    let model = model(&server);
    for _ in 0..200 {
        answer(&*model).await;
    }
    // A request may come before its predecessor's connection is back in the pool.
    assert!(server.counts().connections < 20, "{:?}", server.counts());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_answers_stream_at_once_and_flat_out() {
    let server = ModelServer::start().await;
    server.default_reply(Reply::flood(1_000, "word ").usage(3, 1_000));
    let model = model(&server);
    for chunks in join_all((0..64).map(|_| answer(&*model))).await {
        assert_eq!(chunks.len(), 1_002);
        assert!(chunks[..1_000].iter().all(|chunk| *chunk == said("word ")));
    }
}

#[tokio::test]
async fn a_paced_answer_tells_its_age() {
    let server = ModelServer::start().await;
    let base = Instant::now();
    server.push(Reply::paced(5, Duration::from_millis(2), base));
    let mut stream = open(&*model(&server)).await.unwrap();
    let mut times = Vec::new();
    while let Some(chunk) = stream.next().await {
        if let Chunk::Text(text) = chunk.unwrap() {
            times.extend(stamps(&text));
            assert!(*times.last().unwrap() <= base.elapsed());
        }
    }
    assert_eq!(times.len(), 5);
    assert!(times.is_sorted());
}

#[tokio::test]
async fn a_request_without_a_scripted_reply_is_refused_with_that_reason() {
    let server = ModelServer::start().await;
    let (kind, message) = failure(&*model(&server)).await;
    assert_eq!(kind, ErrorKind::Rejected);
    assert!(
        message.contains("the script has no reply for /v1/chat/completions"),
        "{message}"
    );
}
