//! Who comes in, and what strangers are told.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Client, check_error, with_token, without_token};

/// What clients wait for an answer before they give up, which is generous for these.
const PATIENCE: Duration = Duration::from_millis(2_500);

#[tokio::test]
async fn point_01_health_answers_at_once_and_without_a_token() {
    let client = Client::new().await;
    let begun = Instant::now();
    let answer = client.scene.app.send(without_token("GET", "/health")).await;
    assert!(begun.elapsed() < PATIENCE);
    assert_eq!(answer.read::<Value>(200)["status"], "ok");
}

#[tokio::test]
async fn point_02_info_is_public_and_truthful_and_a_wrong_token_is_401() {
    let client = Client::new().await;
    let app = &client.scene.app;
    let info = app.send(without_token("GET", "/v1/runtime/info")).await;
    let info: Value = info.read(200);
    assert_eq!(info["auth_required"], true);
    assert_eq!(info["runtime_api_version"], "1.0");
    assert_eq!(info["port"], app.address().port());
    assert_eq!(info["account"]["state"], "signed_out");
    let wrong = without_token("GET", "/v1/threads").bearer("wrong");
    let answer = app.send(wrong).await;
    check_error(&answer, 401);
    assert_eq!(answer.header("www-authenticate"), None);
}

#[tokio::test]
async fn point_18_listed_pages_may_call_and_others_may_not() {
    let client = Client::new().await;
    let app = &client.scene.app;
    let (listed, foreign) = ("http://localhost:3000", "http://evil.example");
    let get = |origin| with_token("GET", "/v1/threads").header("origin", origin);
    let answer = app.send(get(listed)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some(listed));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    let answer = app.send(get(foreign)).await;
    assert_eq!(answer.status, 403);
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let preflight = |origin| without_token("OPTIONS", "/v1/threads").header("origin", origin);
    let answer = app.send(preflight(listed)).await;
    assert_eq!((answer.status, answer.text()), (200, ""));
    let allowed = answer.header("access-control-allow-headers").unwrap();
    let mut allowed: Vec<&str> = allowed.split(',').collect();
    // The two that sending again and resuming need stand beside those of the contract.
    allowed.retain(|name| !["idempotency-key", "last-event-id"].contains(name));
    let contract = [
        "authorization",
        "content-type",
        "accept",
        "x-codewhale-runtime-token",
        "x-deepseek-runtime-token",
    ];
    assert_eq!(allowed, contract);
    let answer = app.send(preflight(foreign)).await;
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn point_19_actions_of_a_fleet_take_no_body_and_what_is_not_there_says_so() {
    let client = Client::new().await;
    for action in [
        "workers/none/interrupt",
        "workers/none/stop",
        "workers/none/restart",
        "runs/none/stop",
        "runs/none/start",
        "runs/none/no-such-action",
    ] {
        let answer = client.post_nothing(&format!("/v1/fleet/{action}")).await;
        assert_eq!(answer.status, 404, "{action}: {}", answer.text());
        check_error(&answer, answer.status);
    }
    let info: Value = client.get("/v1/runtime/info").await.read(200);
    for name in ["fleet_run_create", "fleet_run_start", "fleet_event_replay"] {
        assert_eq!(info["capabilities"][name], true, "{name}");
    }
}

#[tokio::test]
async fn point_20_nothing_that_is_told_holds_the_token_or_a_key() {
    let client = Client::new().await;
    let thread = client.talked().await;
    client.scene.model.push(
        codewhale_testkit::model_server::Reply::new()
            .status(400)
            .json(
                &json!({ "error": { "message": "the key key-of-the-tests-0123456789 is wrong" } }),
            ),
    );
    client.start(&thread, "Fail, please.").await;
    let last: Value = client.get(&thread).await.read(200);
    let events = client.events_until(&thread, 0, "turn.completed").await;
    let mut told = vec![last.to_string(), json!(events).to_string()];
    for described in codewhale_testkit::app::Document::of_this_build().operations() {
        let is_list = described.method == "GET" && !described.path.contains('{');
        if is_list && !described.is_stream() {
            told.push(client.get(described.path).await.text().to_owned());
        }
    }
    let wrong = client
        .post("/v1/threads", json!({ "mode": super::TOKEN }))
        .await;
    told.push(wrong.text().to_owned());
    let ended = client.scene.app.terminate().await;
    told.extend([ended.stdout, ended.stderr]);
    for text in told {
        assert!(!text.contains(super::TOKEN), "{text}");
        assert!(!text.contains("key-of-the-tests-0123456789"), "{text}");
    }
}
