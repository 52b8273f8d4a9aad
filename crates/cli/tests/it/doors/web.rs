//! `codewhale web`: the page, and the address that opens it.

use codewhale_testkit::app::{App, Home, Request, TOKEN};

use crate::scene::{LAST_WORDS, Scene, program};

async fn web(home: &Home) -> App {
    program(home)
        .arguments(["web", "--port", "0"])
        .listen()
        .await
}

#[tokio::test]
async fn the_address_of_the_page_is_told_with_its_token_and_opens_it() {
    let home = Home::new();
    let program = program(&home).without_token();
    let app = program.arguments(["web", "--port", "0"]).listen().await;
    let said = app.until_said(LAST_WORDS).await;
    let prefix = format!("Open http://{}", app.address());
    let opened = said
        .lines()
        .find_map(|line| line.strip_prefix(&prefix))
        .unwrap();
    let token = opened.strip_prefix("/?token=").unwrap();
    assert!(token.starts_with("cwrt_"));
    let page = app.send(Request::new("GET", opened)).await;
    assert_eq!(page.status, 200);
    assert_eq!(app.with_token(token).get("/v1/threads").await.status, 200);
}

#[tokio::test]
async fn the_page_is_public_locked_down_and_holds_no_secret() {
    let home = Home::new();
    let app = web(&home).await;
    for (target, kind, word) in [
        ("/", "text/html; charset=utf-8", "<title>CodeWhale</title>"),
        ("/assets/codewhale.js", "text/javascript", "EventSource"),
        ("/assets/codewhale.css", "text/css", "{"),
    ] {
        let answer = app.send(Request::new("GET", target)).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some(kind))
        );
        assert!(answer.text().contains(word), "{target}");
        assert!(!answer.text().contains(TOKEN));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
    assert_eq!(
        app.send(Request::new("GET", "/v1/threads")).await.status,
        401
    );
}

#[tokio::test]
async fn everything_the_page_refers_to_is_there() {
    let home = Home::new();
    let app = web(&home).await;
    let page = app.send(Request::new("GET", "/")).await;
    let quoted = page
        .text()
        .split('"')
        .filter(|text| text.starts_with("assets/"));
    let assets: Vec<String> = quoted.map(|asset| format!("/{asset}")).collect();
    assert_eq!(assets.len(), 2);
    for asset in assets {
        assert_eq!(
            app.send(Request::new("GET", &asset)).await.status,
            200,
            "{asset}"
        );
    }
}

#[tokio::test]
async fn the_web_server_is_never_open() {
    let home = Home::new();
    let arguments = ["web", "--port", "0", "--insecure"];
    let ended = program(&home)
        .without_token()
        .arguments(arguments)
        .run()
        .await;
    assert_eq!(ended.code, Some(2));
    let served = [
        "serve",
        "--web",
        "--port",
        "0",
        "--insecure",
        "--host",
        "0.0.0.0",
    ];
    let ended = program(&home).without_token().arguments(served).run().await;
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
}

#[tokio::test]
async fn without_web_there_is_no_page() {
    let scene = Scene::new().await;
    assert_eq!(scene.app.get("/").await.status, 404);
    assert_eq!(scene.app.get("/assets/codewhale.js").await.status, 404);
}
