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
