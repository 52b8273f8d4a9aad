//! `/docs`: the description of the API for people, drawn from the document by a page of our own.

use codewhale_testkit::app::{Request, TOKEN};

use crate::scene::Scene;

#[tokio::test]
async fn the_page_is_public_locked_down_and_holds_no_secret() {
    let scene = Scene::new().await;
    for (target, kind, word) in [
        ("/docs", "text/html; charset=utf-8", "Runtime API</title>"),
        ("/docs/docs.js", "text/javascript", "v1/openapi.json"),
        ("/docs/docs.css", "text/css", "prefers-color-scheme: dark"),
    ] {
        let answer = scene.app.send(Request::new("GET", target)).await;
        let got = (answer.status, answer.header("content-type"));
        assert_eq!(got, (200, Some(kind)), "{target}");
        assert!(answer.text().contains(word), "{target}");
        assert!(!answer.text().contains(TOKEN), "{target}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
    }
}

#[tokio::test]
async fn the_page_fetches_nothing_from_elsewhere() {
    let scene = Scene::new().await;
    for target in ["/docs", "/docs/docs.js", "/docs/docs.css"] {
        let answer = scene.app.send(Request::new("GET", target)).await;
        for elsewhere in [
            "http://",
            "https://",
            "//cdn",
            ": url(",
            "@import",
            "innerHTML",
        ] {
            assert!(!answer.text().contains(elsewhere), "{target}: {elsewhere}");
        }
        let quoted = answer.text().split('"');
        let refers = quoted.filter(|text| text.starts_with("docs/") || *text == "v1/openapi.json");
        for asset in refers {
            let answer = scene.app.get(&format!("/{asset}")).await;
            assert_eq!(answer.status, 200, "{asset}");
        }
    }
}

#[tokio::test]
async fn what_the_page_draws_is_behind_the_token() {
    let scene = Scene::new().await;
    let bare = Request::new("GET", "/v1/openapi.json");
    assert_eq!(scene.app.send(bare.clone()).await.status, 401);
    // As the page asks for it: with the cookie that a token in its address becomes.
    let cookie = format!("codewhale_runtime_token={TOKEN}");
    let asked = bare.header("cookie", &cookie);
    let asked = asked.header("sec-fetch-site", "same-origin");
    let document = scene.app.send(asked).await.json();
    assert_eq!(document["openapi"], "3.1.0");
    // What the script relies on in every operation.
    for methods in document["paths"].as_object().unwrap().values() {
        for operation in methods.as_object().unwrap().values() {
            for member in ["operationId", "summary", "tags", "responses"] {
                assert!(!operation[member].is_null(), "{member} in {operation}");
            }
        }
    }
}
