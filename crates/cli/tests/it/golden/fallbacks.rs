//! A provider that has no balance left, and one that stands in.

use codewhale_protocol::runtime::{ItemKind, Seq};
use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::json;

use crate::scene::program;

#[tokio::test]
async fn a_turn_goes_on_with_the_stand_in_and_shows_what_it_cost() {
    let (first, second) = (ModelServer::start().await, ModelServer::start().await);
    let refusal = json!({"error": {"message": "Insufficient Balance"}});
    first.push(Reply::new().status(402).json(&refusal));
    second.push(Reply::says("Here I am.").usage(1_000_000, 0));
    let home = Home::new();
    home.configure(&format!(
        r#"provider = "first"
reasoning_effort = "low"
[providers.first]
base_url = "{}"
api_key = "key-of-the-first-0123456789"
model = "one"
context_window = 9000000
fallbacks = ["openai", "second/two"]
[providers.second]
kind = "deepseek"
base_url = "{}"
api_key = "key-of-the-second-0123456789"
http_headers = {{ X-Team = "team-of-the-tests-0123456789" }}
context_window = 9000000
[pricing.two]
input = 3
output = 5
"#,
        first.base_url(),
        second.base_url()
    ));
    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({})).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    app.start_turn(&thread, "hello").await;
    let end = events.until("turn.completed").await;
    let turn = &end.payload["turn"];
    assert_eq!(turn["status"], "completed", "{turn}");
    assert_eq!(turn["effective_provider_id"], "second");
    assert_eq!(turn["effective_model"], "two");
    assert_eq!(turn["answered_by"]["agent"]["model"], "two");
    assert_eq!(turn["cost_usd"], 3.0);
    assert_eq!(turn["reasoning_effort"], "low");

    let snapshot = app.snapshot(&thread).await;
    let lines = snapshot
        .items
        .iter()
        .filter(|it| it.kind == ItemKind::Status);
    let lines: Vec<&str> = lines.map(|it| it.summary.as_str()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("A fallback is left out: provider `openai` has no key"));
    assert!(lines[1].contains("no quota or balance left"), "{lines:?}");
    let request = second.last_request();
    assert_eq!(request.body["reasoning_effort"], "low");
    let team = (
        "x-team".to_owned(),
        "team-of-the-tests-0123456789".to_owned(),
    );
    assert!(request.headers.contains(&team), "{:?}", request.headers);
    for (path, bytes) in home.files() {
        if !path.ends_with("config.toml") {
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("team-of-the-tests"), "{}", path.display());
        }
    }
}
