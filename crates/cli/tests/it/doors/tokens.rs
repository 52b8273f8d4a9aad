//! The token: where it comes from, how it is shown, and what it protects.

use codewhale_testkit::app::{App, Home, Request, TOKEN};
use serde_json::{Value, json};

use crate::scene::{LAST_WORDS, Scene, program};

/// Whether a request comes in.
async fn status(app: &App, request: Request) -> u16 {
    app.send(request).await.status
}

fn get(target: &str) -> Request {
    Request::new("GET", target)
}

fn create() -> Request {
    Request::new("POST", "/v1/threads").json(&json!({}))
}

#[tokio::test]
async fn each_way_of_showing_the_token_lets_in() {
    let scene = Scene::new().await;
    let app = &scene.app;
    assert_eq!(status(app, create().bearer(TOKEN)).await, 201);
    for header in ["x-codewhale-runtime-token", "x-deepseek-runtime-token"] {
        assert_eq!(
            status(app, create().header(header, TOKEN)).await,
            201,
            "{header}"
        );
    }
    let several = create()
        .bearer("wrong")
        .header("x-codewhale-runtime-token", TOKEN);
    assert_eq!(status(app, several).await, 201);
}

#[tokio::test]
async fn a_token_in_the_address_lets_in_to_look_only() {
    let scene = Scene::new().await;
    let app = &scene.app;
    let thread = app.create_thread(json!({})).await.id;
    assert_eq!(
        status(app, get(&format!("/v1/threads?token={TOKEN}"))).await,
        200
    );
    let encoded = TOKEN.replace('-', "%2D");
    assert_eq!(
        status(app, get(&format!("/v1/threads?limit=1&token={encoded}"))).await,
        200
    );
    let events = app
        .open(get(&format!("/v1/threads/{thread}/events?token={TOKEN}")))
        .await;
    assert_eq!(events.status, 200);
    let post = Request::new("POST", &format!("/v1/threads?token={TOKEN}")).json(&json!({}));
    assert_eq!(status(app, post).await, 401);
    let patch = Request::new("PATCH", &format!("/v1/threads/{thread}?token={TOKEN}"));
    assert_eq!(status(app, patch.json(&json!({ "title": "x" }))).await, 401);
}

#[tokio::test]
async fn a_cookie_lets_in_requests_of_our_own_page_only() {
    let scene = Scene::new().await;
    let app = &scene.app;
    let own = format!("http://{}", app.address());
    let cookie = format!(
        "theme=dark; codewhale_runtime_token={}",
        TOKEN.replace('-', "%2d")
    );
    let look = get("/v1/threads").header("cookie", &cookie);
    let make = create().header("cookie", &cookie);
    assert_eq!(status(app, look.clone()).await, 200);
    assert_eq!(
        status(app, look.clone().header("sec-fetch-site", "same-origin")).await,
        200
    );
    assert_eq!(
        status(app, look.clone().header("sec-fetch-site", "cross-site")).await,
        401
    );
    assert_eq!(
        status(app, look.clone().header("sec-fetch-site", "same-site")).await,
        401
    );
    assert_eq!(
        status(app, look.header("origin", "http://localhost:3000")).await,
        401
    );
    assert_eq!(status(app, make.clone()).await, 401);
    assert_eq!(
        status(app, make.clone().header("origin", "http://localhost:3000")).await,
        401
    );
    assert_eq!(status(app, make.header("origin", &own)).await, 201);
    let wrong = get("/v1/threads").header("cookie", "codewhale_runtime_token=wrong");
    assert_eq!(status(app, wrong).await, 401);
}

#[tokio::test]
async fn the_token_is_asked_for_before_the_method_is_judged_but_not_where_nothing_is() {
    let scene = Scene::new().await;
    for request in [
        Request::new("DELETE", "/v1/threads"),
        Request::new("PUT", "/v1/threads/thr_none"),
        Request::new("GET", "/v1/stream"),
    ] {
        assert_eq!(status(&scene.app, request).await, 401);
    }
    for path in ["/v1/nothing", "/nothing", "/", "/mobile"] {
        assert_eq!(status(&scene.app, get(path)).await, 404, "{path}");
    }
    assert_eq!(
        status(&scene.app, Request::new("POST", "/health")).await,
        405
    );
}

#[tokio::test]
async fn what_is_public_tells_the_truth_and_no_more() {
    let scene = Scene::new().await;
    let health = scene.app.send(get("/health")).await;
    let expect = json!({ "status": "ok", "service": "codewhale-runtime-api", "mode": "local" });
    assert_eq!(health.read::<Value>(200), expect);
    let info: Value = scene.app.send(get("/v1/runtime/info")).await.read(200);
    assert_eq!(info["bind_host"], "127.0.0.1");
    assert_eq!(info["port"], scene.app.address().port());
    assert_eq!(info["auth_required"], true);
    assert_eq!(info["codewhale_version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["version"], info["codewhale_version"]);
    assert_eq!(info["runtime_api_version"], "1.0");
    assert_eq!(info["transports"], json!(["http", "sse"]));
    assert_eq!(info["account"]["state"], "signed_out");
    let able = info["capabilities"].as_object().unwrap().iter();
    let able: Vec<_> = able
        .filter(|it| it.1 == true)
        .map(|it| it.0.as_str())
        .collect();
    assert_eq!(
        able,
        [
            "agent_runs",
            "attachments",
            "automations",
            "call_stop",
            "event_replay",
            "external_tools",
            "fleet_event_replay",
            "fleet_event_stream",
            "fleet_local_target",
            "fleet_run_create",
            "fleet_run_start",
            "idempotency_keys",
            "mcp_servers",
            "one_shot_stream",
            "sessions",
            "skills",
            "snapshots",
            "tasks",
            "thread_goals",
            "thread_undo",
            "threads",
            "turn_interrupt",
            "turn_steer",
            "turns",
            "usage",
            "workspace_status"
        ]
    );
    let text = info.to_string();
    assert!(
        !text.contains(scene.home.path().to_str().unwrap()),
        "{text}"
    );
}

#[tokio::test]
async fn a_token_that_nobody_gave_is_made_told_once_and_works() {
    let home = Home::new();
    let app = program(&home).without_token().serve().await;
    let said = app.until_said(LAST_WORDS).await;
    let tokens: Vec<&str> = said
        .split_whitespace()
        .filter(|word| word.starts_with("cwrt_"))
        .collect();
    let [token] = tokens[..] else {
        panic!("{said}");
    };
    assert_eq!(token.len(), "cwrt_".len() + 64);
    assert!(token[5..].bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(said.matches(token).count(), 1);
    assert_eq!(status(&app, get("/v1/threads")).await, 401);
    let app = app.with_token(token);
    assert_eq!(app.get("/v1/threads").await.status, 200);
    let ended = app.terminate().await;
    assert!(!ended.stderr.contains(token), "{}", ended.stderr);
}

#[tokio::test]
async fn a_given_token_is_not_told() {
    let scene = Scene::new().await;
    assert!(!scene.app.until_said(LAST_WORDS).await.contains(TOKEN));
}

#[tokio::test]
async fn the_strongest_source_of_a_token_wins() {
    let (flag, ours, old, file) = ("token-flag", "token-ours", "token-old", "token-file");
    let home = Home::new();
    home.configure(&format!("[runtime_api]\nauth_token = \"{file}\""));
    let bare = || program(&home).without_token();
    let old_set = || bare().variable("DEEPSEEK_RUNTIME_TOKEN", old);
    let ours_set = || old_set().variable("CODEWHALE_RUNTIME_TOKEN", ours);
    let flag_set =
        ours_set().arguments(["app-server", "--http", "--port", "0", "--auth-token", flag]);
    for (app, token) in [
        (bare().serve().await, file),
        (old_set().serve().await, old),
        (ours_set().serve().await, ours),
        (flag_set.listen().await, flag),
    ] {
        for other in [flag, ours, old, file] {
            let expect = if other == token { 200 } else { 401 };
            assert_eq!(
                status(&app, get("/v1/threads").bearer(other)).await,
                expect,
                "{token}"
            );
        }
        let stderr = app.terminate().await.stderr;
        assert_eq!(
            stderr.contains("DEEPSEEK_RUNTIME_TOKEN"),
            token == old,
            "{stderr}"
        );
    }
}

#[tokio::test]
async fn a_blank_token_counts_as_none() {
    let home = Home::new();
    let program = program(&home).without_token();
    let app = program
        .variable("CODEWHALE_RUNTIME_TOKEN", " ")
        .serve()
        .await;
    app.until_said("  cwrt_").await;
    assert_eq!(status(&app, get("/v1/threads").bearer(" ")).await, 401);
    assert_eq!(status(&app, get("/v1/threads").bearer("")).await, 401);
}

#[tokio::test]
async fn on_this_machine_the_door_can_be_left_open() {
    let home = Home::new();
    for flag in ["--insecure", "--insecure-no-auth"] {
        let open = ["serve", "--http", "--port", "0", flag];
        let app = program(&home)
            .without_token()
            .arguments(open)
            .listen()
            .await;
        app.until_said("WARNING: no token is required").await;
        assert_eq!(status(&app, get("/v1/threads")).await, 200);
        let info: Value = app.send(get("/v1/runtime/info")).await.read(200);
        assert_eq!(info["auth_required"], false);
    }
}

#[tokio::test]
async fn a_configured_token_is_stronger_than_the_wish_for_none() {
    let home = Home::new();
    let open = ["app-server", "--http", "--port", "0", "--insecure"];
    let app = program(&home).arguments(open).listen().await;
    assert_eq!(status(&app, get("/v1/threads")).await, 401);
    assert_eq!(app.get("/v1/threads").await.status, 200);
}

#[tokio::test]
async fn towards_other_machines_the_door_is_never_left_open() {
    let home = Home::new();
    let open = [
        "app-server",
        "--http",
        "--host",
        "0.0.0.0",
        "--port",
        "0",
        "--insecure",
    ];
    let ended = program(&home).without_token().arguments(open).run().await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .stderr
            .contains("refusing to listen on 0.0.0.0 without a token")
    );
    assert_eq!(ended.stdout, "");
}
