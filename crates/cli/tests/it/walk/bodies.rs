//! Bodies that are no JSON object, or too much of one.

use codewhale_testkit::app::{Answer, Described, Document, Request};
use serde_json::json;

use super::{Ids, Walk, body, name};

/// Sends every operation that takes a body this one, and sees what each says of it.
async fn check(walk: &Walk, change: impl Fn(Request) -> Request, status: u16, words: &str) {
    let before = walk.everything("").await;
    let document = Document::of_this_build();
    let with_body = document.operations().filter(|it| body(it).is_some());
    let with_body: Vec<Described<'_>> = with_body.collect();
    assert!(with_body.len() > 10);
    for described in with_body {
        let request = walk.bare(described.method, &walk.address(&described, Ids::Known));
        let what = name(&described);
        let answer: Answer = walk.refused(&what, change(request), status).await;
        let error = answer.json()["error"].clone();
        let code = match status {
            422 => "invalid_shape",
            _ => "malformed",
        };
        assert_eq!(error["code"], code, "{what}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "{what}: {message}");
    }
    assert_eq!(walk.everything("").await, before);
}

#[tokio::test]
async fn a_body_that_is_not_json_is_malformed_everywhere() {
    let walk = Walk::new().await;
    let deep = "[".repeat(100_000);
    for body in [
        "{\"prompt\": ",
        "hello",
        "{'prompt': 1}",
        "\u{feff}{}",
        "{} {}",
        r#"{"prompt":"\ud800"}"#,
        &deep,
    ] {
        let json = ("content-type", "application/json");
        let send = |request: Request| request.header(json.0, json.1).body(body);
        check(&walk, send, 400, "not JSON").await;
    }
}

#[tokio::test]
async fn a_body_that_is_no_object_has_the_wrong_shape() {
    let walk = Walk::new().await;
    for body in [json!([]), json!("hello"), json!(1), json!(null)] {
        check(&walk, |request| request.json(&body), 422, "object").await;
    }
}

#[tokio::test]
async fn a_body_without_a_content_type_is_refused() {
    let walk = Walk::new().await;
    let words = "Content-Type: application/json";
    let bare = |request: Request| request.body("{\"prompt\":\"hi\"}");
    check(&walk, bare, 415, words).await;
    let text = |request| bare(request).header("content-type", "text/plain");
    check(&walk, text, 415, words).await;
}

#[tokio::test]
async fn a_body_over_its_bound_is_refused() {
    let walk = Walk::new().await;
    // Pictures may be larger than anything else.
    let body = json!({ "prompt": "x".repeat(8 * 1024 * 1024) });
    check(&walk, |request| request.json(&body), 413, "larger than").await;
    let body = json!({ "prompt": "x".repeat(2 * 1024 * 1024) });
    let target = format!("/v1/threads/{}/turns", walk.thread);
    let request = walk.bare("POST", &target).json(&body);
    let answer = walk.refused("turns/start", request, 413).await;
    assert!(answer.text().contains("2097152"), "{}", answer.text());
}
