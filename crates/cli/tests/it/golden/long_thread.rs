//! A thread that goes on for longer than the model's window lasts.

use codewhale_protocol::runtime::ItemKind;
use codewhale_protocol::runtime::Seq;
use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{ModelServer, Reply, Request};
use serde_json::{Value, json};

use crate::scene::program;

/// The model's window, in tokens.
const WINDOW: usize = 8_000;

const TURNS: usize = 200;

/// About what a provider would count.
fn tokens(request: &Request) -> u64 {
    (request
        .messages()
        .iter()
        .map(|it| it.to_string().len())
        .sum::<usize>()
        / 4) as u64
}

/// The bytes of a request behind the standing instructions.
fn bytes_of_talk(request: &Request) -> usize {
    let talk = request
        .messages()
        .iter()
        .filter(|it| it["role"] != "system");
    talk.map(|it| it.to_string().len()).sum()
}

fn answer(request: &Request) -> Reply {
    let asked = request.last_user_text().unwrap_or_default();
    let text = match asked.contains("Write that summary now") {
        true => "Everything so far was small talk.".to_owned(),
        false => format!("{asked}: {}", "an answer of some length. ".repeat(20)),
    };
    Reply::says(&text).usage(tokens(request), 100)
}

fn texts(request: &Request) -> Vec<Value> {
    request.messages().to_vec()
}

/// The bytes that a provider can have read before, and all there are: what is the same from the
/// first on, tools before messages.
fn read_before(pair: &[Request]) -> (usize, usize) {
    let parts = |request: &Request| -> Vec<String> {
        let tools = request.body["tools"].to_string();
        let messages = request.messages().iter().map(Value::to_string);
        std::iter::once(tools).chain(messages).collect()
    };
    let (before, now) = (parts(&pair[0]), parts(&pair[1]));
    let same = now
        .iter()
        .zip(&before)
        .take_while(|(now, before)| now == before);
    let bytes = |part: &String| part.len();
    (
        same.map(|(part, _)| part.len()).sum(),
        now.iter().map(bytes).sum(),
    )
}

/// How much of all requests behind the first a provider can have read before, in percent.
fn percent_read_before(requests: &[Request]) -> usize {
    let pairs = requests.windows(2).map(read_before);
    let (same, all) = pairs.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    same * 100 / all
}

#[tokio::test]
async fn it_is_shortened_several_times_and_stays_bounded_and_stable_in_between() {
    let model = ModelServer::start().await;
    model.answer_with(answer);
    let home = Home::new();
    home.configure(&format!(
        "provider = \"script\"\n[providers.script]\nkind = \"openai-compatible\"\nmodel = \"scripted\"\n\
         context_window = {WINDOW}\nbase_url = \"{}\"\napi_key = \"k-0123456789\"\n",
        model.base_url()
    ));
    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({})).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    for turn in 0..TURNS {
        app.start_turn(&thread, &format!("question {turn}")).await;
        let end = events.until("turn.completed").await;
        assert_eq!(end.payload["turn"]["status"], "completed", "turn {turn}");
    }
    let snapshot = app.snapshot(&thread).await;
    let compactions = snapshot
        .items
        .iter()
        .filter(|it| it.kind == ItemKind::ContextCompaction);
    let compactions = compactions.count();
    assert!(compactions >= 3, "{compactions}");

    let requests = model.requests();
    assert_eq!(requests.len(), TURNS + compactions);
    let most = requests.iter().map(tokens).max().unwrap();
    assert!(most < WINDOW as u64, "{most}");
    // Each request begins with the one before it, but for those right behind a summary.
    let pairs = requests.windows(2);
    let stable = pairs.filter(|pair| {
        let (before, after) = (texts(&pair[0]), texts(&pair[1]));
        after.len() > before.len() && after[..before.len()] == before[..]
    });
    let stable = stable.count();
    println!(
        "{stable} of {} requests begin with the one before them",
        requests.len() - 1
    );
    assert_eq!(stable, requests.len() - 1 - compactions);
    let percent = percent_read_before(&requests);
    println!("{percent} % of what was sent had been read before");
    assert!(percent >= 90, "{percent}");
    // A program that starts anew tells the same conversation.
    let last = texts(requests.last().unwrap());
    app.kill().await;
    let app = program(&home).serve().await;
    let mut events = app.follow(&thread, snapshot.latest_seq).await;
    app.start_turn(&thread, "one more").await;
    events.until("turn.completed").await;
    let next = texts(&model.last_request());
    assert_eq!(next[..last.len()], last[..]);
}

#[tokio::test]
async fn a_mode_that_goes_forth_and_back_costs_one_reading() {
    let model = ModelServer::start().await;
    model.answer_with(answer);
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({ "mode": "plan" })).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    for turn in 0..20 {
        let mode = if turn % 2 == 0 { "plan" } else { "agent" };
        let body = json!({ "prompt": format!("question {turn}"), "mode": mode });
        let target = format!("/v1/threads/{thread}/turns");
        app.post(&target, body).await.read::<Value>(201);
        events.until("turn.completed").await;
    }
    let requests = model.requests();
    let is_anew = |pair: &&[Request]| read_before(pair).0 == 0;
    assert_eq!(requests.windows(2).filter(is_anew).count(), 1);
    assert!(
        read_before(&requests[..2]).0 == 0,
        "the tools join with the first turn that may"
    );
    let percent = percent_read_before(&requests);
    println!("{percent} % of what was sent had been read before");
    assert!(percent >= 85, "{percent}");
}

#[tokio::test]
async fn it_can_be_shortened_on_request_and_goes_on_from_the_summary() {
    let model = ModelServer::start().await;
    model.answer_with(answer);
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({})).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    for turn in 0..3 {
        app.start_turn(&thread, &format!("question {turn}")).await;
        events.until("turn.completed").await;
    }
    let before = events.seen().len();
    let body = json!({ "reason": "it got long" });
    let target = format!("/v1/threads/{thread}/compact");
    let started: Value = app.post(&target, body).await.read(202);
    assert_eq!(started["turn"]["input_summary"], "it got long");
    events.until("turn.completed").await;
    let told: Vec<_> = events.seen()[before..]
        .iter()
        .map(|it| it.event.as_str())
        .collect();
    assert_eq!(
        told,
        [
            "turn.started",
            "item.started",
            "item.completed",
            "turn.completed"
        ]
    );
    let seen = &events.seen()[before..];
    assert_eq!(seen[0].payload["manual_compaction"], true);
    assert_eq!(seen[1].payload["auto"], false);
    assert_eq!(seen[2].payload["messages_before"], 6);
    assert_eq!(seen[2].payload["messages_after"], 1);

    app.start_turn(&thread, "and now?").await;
    events.until("turn.completed").await;
    let sent = texts(&model.last_request());
    let sent: Vec<_> = sent.iter().filter(|it| it["role"] != "system").collect();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(sent[0]["content"].as_str().unwrap().contains("small talk"));
    assert_eq!(model.last_request().said()[1], "and now?");
}

#[tokio::test]
async fn a_request_that_the_provider_finds_too_long_is_told_more_shortly() {
    let model = ModelServer::start().await;
    // A request for a summary is no shorter than what it is about, unless something is left out.
    model.answer_with(|request| {
        let message = "This model's maximum context length is 4096 tokens";
        let too_long =
            json!({ "error": { "message": message, "code": "context_length_exceeded" } });
        match bytes_of_talk(request) > 1_500 {
            true => Reply::new().status(400).json(&too_long),
            false => answer(request),
        }
    });
    let home = Home::with_model(&model);
    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({})).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    for turn in 0..4 {
        app.start_turn(&thread, &format!("question {turn}")).await;
        let end = events.until("turn.completed").await;
        assert_eq!(end.payload["turn"]["status"], "completed", "turn {turn}");
    }
    let snapshot = app.snapshot(&thread).await;
    let kinds = snapshot.items.iter().map(|it| it.kind);
    assert_eq!(
        kinds
            .filter(|it| *it == ItemKind::ContextCompaction)
            .count(),
        1
    );
}
