//! `kill -9` around requests that have a key: whatever the moment, sending one again gives one
//! effect.

use std::time::Duration;

use codewhale_protocol::runtime::ThreadId;
use codewhale_testkit::app::{App, Home, Request};
use codewhale_testkit::long;
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::scene::{Scene, program};

/// Longest life of a program after a request was sent, in microseconds: what the request takes and
/// a little more.
const LIFE_US_MAX: u64 = 6_000;

fn create(app: &App, key: &str) -> Request {
    let request = app.request("POST", "/v1/threads");
    let request = request.header("idempotency-key", key);
    request.json(&json!({ "title": key }))
}

fn start(app: &App, thread: &ThreadId, key: &str) -> Request {
    let request = app.request("POST", &format!("/v1/threads/{thread}/turns"));
    let request = request.header("idempotency-key", key);
    request.json(&json!({ "prompt": key }))
}

/// How many threads have this title.
async fn titled(app: &App, title: &str) -> usize {
    let list: Value = app.get("/v1/threads?limit=500").await.read(200);
    let threads = list.as_array().unwrap().iter();
    threads.filter(|it| it["title"] == title).count()
}

#[tokio::test]
async fn an_answer_that_was_given_is_given_again_after_kill_9() {
    let scene = Scene::new().await;
    let made = scene.app.send(create(&scene.app, "k")).await;
    let made: Value = made.read(201);
    let thread = ThreadId::from(made["id"].as_str().unwrap());
    scene.model.push(Reply::says("Hello").stall());
    let started = scene.app.send(start(&scene.app, &thread, "k")).await;
    let started: Value = started.read(201);
    let Scene {
        app,
        model: _model,
        home,
    } = scene;
    app.kill().await;
    let app = program(&home).serve().await;
    assert_eq!(app.send(create(&app, "k")).await.read::<Value>(201), made);
    let again = app.send(start(&app, &thread, "k")).await;
    assert_eq!(again.read::<Value>(201), started);
    assert_eq!(app.snapshot(&thread).await.turns.len(), 1);
    assert_eq!(titled(&app, "k").await, 1);
    let other = create(&app, "k").json(&json!({ "title": "other" }));
    let refused = app.send(other).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
}

/// Sends a request and kills the program a moment later.
async fn cut_off(app: App, request: Request, dice: &mut Dice) {
    let life = Duration::from_micros(dice.below(LIFE_US_MAX));
    tokio::select! {
        _ = app.try_send(request) => {}
        () = tokio::time::sleep(life) => {}
    }
    app.kill().await;
}

#[tokio::test]
async fn whatever_the_moment_of_a_crash_a_request_that_is_sent_again_has_one_effect() {
    let model = ModelServer::start().await;
    model.answer_with(|_| Reply::says("Done."));
    let home = Home::with_model(&model);
    let mut app = program(&home).serve().await;
    for seed in 0..long::count(12, 150) as u64 {
        println!("seed {seed}");
        let mut dice = Dice::new(seed);
        let key = format!("key-{seed}");
        let request = create(&app, &key);
        cut_off(app, request, &mut dice).await;
        app = program(&home).serve().await;
        let made: Value = app.send(create(&app, &key)).await.read(201);
        assert_eq!(titled(&app, &key).await, 1, "a thread for each key");
        let thread = ThreadId::from(made["id"].as_str().unwrap());
        let request = start(&app, &thread, &key);
        cut_off(app, request, &mut dice).await;
        app = program(&home).serve().await;
        let started: Value = app.send(start(&app, &thread, &key)).await.read(201);
        let turns = app.snapshot(&thread).await.turns;
        assert_eq!(turns.len(), 1, "a turn for each key");
        assert_eq!(started["turn"]["id"], turns[0].id.as_str());
    }
}

#[tokio::test]
async fn two_programs_that_are_asked_at_the_same_time_do_it_once() {
    let scene = Scene::new().await;
    let other = program(&scene.home).serve().await;
    for number in 0..8 {
        let key = format!("key-{number}");
        let (one, two) = tokio::join!(
            scene.app.send(create(&scene.app, &key)),
            other.send(create(&other, &key))
        );
        let (one, two): (Value, Value) = (one.read(201), two.read(201));
        assert_eq!(one, two);
        assert_eq!(titled(&other, &key).await, 1);
    }
}
