//! Requests that a browser sends for pages of others.

use codewhale_testkit::app::Request;
use serde_json::json;

use crate::scene::{Scene, program};

const LISTED: &str = "http://localhost:3000";
const FOREIGN: &str = "https://evil.example";

#[tokio::test]
async fn a_request_for_another_host_is_refused_before_anything_else() {
    let scene = Scene::new().await;
    for host in [
        "evil.example",
        "evil.example:80",
        "0.0.0.0",
        "localhost.evil.example",
        "",
    ] {
        for target in ["/health", "/v1/runtime/info", "/v1/threads", "/nothing"] {
            let request = scene.app.request("GET", target).host(host);
            let answer = scene.app.send(request).await;
            assert_eq!(answer.status, 403, "{host} {target}");
            let error = &answer.json()["error"];
            assert_eq!(
                (&error["code"], &error["status"]),
                (&json!("forbidden"), &json!(403))
            );
            assert!(error["message"].as_str().unwrap().contains("allowed_hosts"));
        }
    }
}

#[tokio::test]
async fn a_request_for_one_of_our_names_comes_in() {
    let scene = Scene::configured("[runtime_api]\nallowed_hosts = [\"whale.example\"]").await;
    let port = scene.app.address().port();
    for host in [
        "localhost".to_owned(),
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        "whale.example".to_owned(),
        format!("Whale.Example:{port}"),
    ] {
        let request = scene.app.request("GET", "/v1/threads").host(&host);
        assert_eq!(scene.app.send(request).await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_request_of_a_foreign_page_is_refused_even_with_the_token() {
    let scene = Scene::new().await;
    for origin in [FOREIGN, "null", "http://localhost:3001", "http://127.0.0.1"] {
        for target in ["/health", "/v1/threads"] {
            let request = scene.app.request("GET", target).header("origin", origin);
            let answer = scene.app.send(request).await;
            assert_eq!(answer.status, 403, "{origin} {target}");
            assert_eq!(answer.header("access-control-allow-origin"), None);
            let message = answer.json()["error"]["message"].clone();
            assert!(
                message.as_str().unwrap().contains("--cors-origin"),
                "{message}"
            );
        }
    }
    let make = scene.app.request("POST", "/v1/threads").json(&json!({}));
    assert_eq!(
        scene.app.send(make.header("origin", FOREIGN)).await.status,
        403
    );
    assert_eq!(scene.app.get("/v1/threads").await.json(), json!([]));
}

#[tokio::test]
async fn a_listed_page_may_read_the_answer_whatever_it_is() {
    let scene = Scene::new().await;
    let listed = |request: Request| request.header("origin", LISTED);
    for (request, status) in [
        (scene.app.request("GET", "/v1/threads"), 200),
        (Request::new("GET", "/v1/threads"), 401),
        (scene.app.request("GET", "/nothing"), 404),
        (scene.app.request("GET", "/v1/threads/thr_none"), 404),
    ] {
        let answer = scene.app.send(listed(request)).await;
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("access-control-allow-origin"), Some(LISTED));
        assert!(answer.header("vary").unwrap().contains("origin"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
    let own = format!("http://{}", scene.app.address());
    let request = scene
        .app
        .request("GET", "/v1/threads")
        .header("origin", &own);
    assert_eq!(scene.app.send(request).await.status, 200);
}

#[tokio::test]
async fn origins_are_added_by_option_variable_and_file() {
    let home = codewhale_testkit::app::Home::new();
    home.configure("[runtime_api]\ncors_origins = [\"http://file.example\"]");
    let app = program(&home)
        .variable(
            "CODEWHALE_CORS_ORIGINS",
            "http://one.example, http://two.example",
        )
        .arguments(["app-server", "--http", "--port", "0"])
        .arguments(["--cors-origin", "http://flag.example"])
        .listen()
        .await;
    for origin in [
        LISTED,
        "http://file.example",
        "http://one.example",
        "http://two.example",
        "http://flag.example",
    ] {
        let request = app.request("GET", "/v1/threads").header("origin", origin);
        assert_eq!(app.send(request).await.status, 200, "{origin}");
    }
    let request = app.request("GET", "/v1/threads").header("origin", FOREIGN);
    assert_eq!(app.send(request).await.status, 403);
}

#[tokio::test]
async fn a_browser_may_ask_before_it_sends_and_needs_no_token_for_that() {
    let scene = Scene::new().await;
    for target in ["/v1/threads", "/v1/threads/x/events", "/nothing"] {
        let ask = Request::new("OPTIONS", target)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization");
        let answer = scene.app.send(ask.clone().header("origin", LISTED)).await;
        assert_eq!((answer.status, answer.text()), (200, ""));
        let mut told = answer.headers.clone();
        told.retain(|(name, _)| name.starts_with("access-control") || name == "vary");
        told.sort();
        let expect = [
            (
                "access-control-allow-headers",
                "authorization,content-type,accept,idempotency-key,last-event-id,\
                 x-codewhale-runtime-token,x-deepseek-runtime-token",
            ),
            (
                "access-control-allow-methods",
                "GET,POST,PATCH,PUT,DELETE,OPTIONS",
            ),
            ("access-control-allow-origin", LISTED),
            (
                "vary",
                "origin, access-control-request-method, access-control-request-headers",
            ),
        ];
        let expect = expect.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(told, expect);
        let foreign = scene.app.send(ask.header("origin", FOREIGN)).await;
        assert_eq!(foreign.status, 200);
        assert_eq!(foreign.header("access-control-allow-origin"), None);
    }
}
