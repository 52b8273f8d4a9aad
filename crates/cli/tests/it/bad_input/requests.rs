//! Requests that do not read as what they should be.

use serde_json::json;

use super::Target;

#[tokio::test]
async fn a_body_of_bytes_that_are_no_text_is_malformed() {
    let target = Target::new().await;
    let request = target
        .request("POST", "/v1/threads")
        .header("content-type", "application/json")
        .body(b"{\"title\":\"\xff\"}".to_vec());
    target.check(request, 400, "malformed", "not JSON").await;
}

#[tokio::test]
async fn a_body_just_below_two_mebibytes_is_taken() {
    let target = Target::new().await;
    target
        .scene
        .model
        .push(codewhale_testkit::model_server::Reply::says("Long."));
    let mut events = target
        .scene
        .app
        .follow(&target.thread, codewhale_protocol::runtime::Seq::ZERO)
        .await;
    events.until("turn.completed").await;
    let prompt = "x".repeat(2 * 1024 * 1024 - 100);
    target.scene.app.start_turn(&target.thread, &prompt).await;
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    let sent = target.scene.model.last_request();
    assert_eq!(sent.last_user_text(), Some(prompt.as_str()));
}

#[tokio::test]
async fn a_query_that_does_not_read_is_malformed() {
    let target = Target::new().await;
    for query in [
        "/v1/threads?limit=abc",
        "/v1/threads?limit=-1",
        "/v1/threads?include_archived=maybe",
        "/v1/threads/summary?limit=1.5",
        "/v1/usage?group_by=week",
        "/v1/usage?since=yesterday",
        "/v1/threads/summary?limit=99999999999999999999",
    ] {
        target
            .check(target.request("GET", query), 400, "malformed", "query")
            .await;
    }
}

#[tokio::test]
async fn a_place_in_the_log_that_does_not_read_is_malformed() {
    let target = Target::new().await;
    let events = format!("{}/events", target.path());
    for (query, words) in [
        ("replay_limit=4097", "at most 4096"),
        ("replay_limit=abc", "replay_limit"),
        ("replay_limit=-1", "replay_limit"),
        ("since_seq=abc", "since_seq"),
        ("since_seq=-1", "since_seq"),
    ] {
        let request = target.request("GET", &format!("{events}?{query}"));
        target.check(request, 400, "malformed", words).await;
    }
    for place in ["abc", "-1", "1.5", "0x1", "99999999999999999999"] {
        let request = target
            .request("GET", &events)
            .header("last-event-id", place);
        target
            .check(request, 400, "malformed", "Last-Event-ID")
            .await;
    }
}

#[tokio::test]
async fn a_key_that_does_not_read_is_refused() {
    let target = Target::new().await;
    let create = || target.request("POST", "/v1/threads").json(&json!({}));
    let spaced = create().header("idempotency-key", "a b");
    target.check(spaced, 400, "invalid_params", "key").await;
    let long = create().header("idempotency-key", &"k".repeat(256));
    target.check(long, 400, "invalid_params", "255").await;
    let twice = create().header("idempotency-key", "a");
    let twice = twice.header("idempotency-key", "b");
    target.check(twice, 400, "malformed", "more than one").await;
}

#[tokio::test]
async fn a_wrong_method_is_told_apart_from_a_wrong_path() {
    let target = Target::new().await;
    for (method, path, allowed) in [
        ("DELETE", target.path(), "GET,HEAD,PATCH"),
        ("PUT", "/v1/threads".to_owned(), "GET,HEAD,POST"),
        ("GET", format!("{}/turns", target.path()), "POST"),
        ("POST", format!("{}/events", target.path()), "GET,HEAD"),
        ("POST", "/health".to_owned(), "GET,HEAD"),
    ] {
        let request = target.request(method, &path);
        target
            .check(request.clone(), 405, "unknown_operation", "method")
            .await;
        let answer = target.scene.app.send(request).await;
        let mut listed: Vec<&str> = answer.header("allow").unwrap().split(',').collect();
        listed.sort_unstable();
        assert_eq!(listed.join(","), allowed, "{path}");
    }
    for path in [
        "/",
        "/v1",
        "/v1/thread",
        "/v1/threads/",
        "/mobile",
        "/v1/errands",
    ] {
        let request = target.request("GET", path);
        target
            .check(request, 404, "unknown_operation", "openapi.json")
            .await;
    }
}
