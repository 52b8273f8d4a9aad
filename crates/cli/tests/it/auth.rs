//! Keys that are kept: set, listed, used, forgotten, and never shown.

use codewhale_protocol::runtime::Seq;
use codewhale_testkit::app::{Ended, Home};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::json;

use crate::scene::program;

const KEY: &str = "kept-key-0123456789";

async fn auth(home: &Home, arguments: &[&str]) -> Ended {
    let words = ["auth"].into_iter().chain(arguments.iter().copied());
    program(home).arguments(words).run().await
}

/// The last column of a provider's line.
async fn source(home: &Home, provider: &str) -> String {
    let listed = auth(home, &["list"]).await;
    assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""));
    assert!(listed.stdout.starts_with("provider "), "{}", listed.stdout);
    let mut lines = listed.stdout.lines().skip(1).map(str::split_whitespace);
    let mut line = lines
        .find(|words| words.clone().next() == Some(provider))
        .unwrap();
    line.next_back().unwrap().to_owned()
}

#[tokio::test]
async fn a_key_is_kept_used_and_forgotten_without_ever_being_shown() {
    let model = ModelServer::start().await;
    model.default_reply(Reply::says("Hello."));
    let home = Home::new();
    home.configure(&format!(
        "[providers.mine]\nkind = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"{}\"\n",
        model.base_url()
    ));
    assert_eq!(source(&home, "mine").await, "missing");
    let set = auth(&home, &["set", "--provider", "mine", "--api-key", KEY]).await;
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    assert!(
        set.stdout.starts_with("saved API key for mine to "),
        "{}",
        set.stdout
    );
    assert!(!set.stdout.contains(KEY) && !set.stderr.contains(KEY));
    assert_eq!(source(&home, "mine").await, "store");

    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({})).await.id;
    let mut events = app.follow(&thread, Seq::ZERO).await;
    app.start_turn(&thread, "say hello").await;
    events.until("turn.completed").await;
    let bearer = format!("Bearer {KEY}");
    assert_eq!(
        model.last_request().header("authorization"),
        Some(bearer.as_str())
    );
    assert_eq!(app.terminate().await.code, Some(143));

    let cleared = auth(&home, &["clear", "--provider", "MINE"]).await;
    assert_eq!(cleared.stdout, "removed the API key of mine\n");
    assert_eq!(source(&home, "mine").await, "missing");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_nothing_is_kept() {
    let home = Home::new();
    for (arguments, words) in [
        (
            &["set", "--provider", "nobody", "--api-key", KEY][..],
            "there is no provider \"nobody\"",
        ),
        (
            &["set", "--provider", "deepseek", "--api-key", "two words"],
            "that is no key",
        ),
        // Standard input is empty.
        (
            &["set", "--provider", "deepseek", "--api-key-stdin"],
            "that is no key",
        ),
    ] {
        let ended = auth(&home, arguments).await;
        assert_eq!(ended.code, Some(1), "{arguments:?}");
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    assert_eq!(source(&home, "deepseek").await, "missing");
    assert_eq!(home.files(), []);
}
