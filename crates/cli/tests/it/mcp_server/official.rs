//! The official client for Python talks with the program, over pipes and HTTP, in both lives that a
//! conversation can have.

use codewhale_testkit::app::{Home, Program};

use crate::editors::part;
use crate::scene::{BINARY, program};

/// Lets the client do its round with what is named, and sees that it spoke this version.
async fn check(home: &Home, named: &[&str], version: &str) {
    home.write("notes.txt", "first line\n");
    let script = ["-c", include_str!("official.py")];
    let ended = Program::new(part("python/bin/python"), home)
        .arguments(script.iter().chain(named).copied())
        .run()
        .await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.stdout, format!("version {version}\ndone\n"));
}

/// The same with a program that serves over HTTP.
async fn check_http(lifecycle: &str, version: &str) {
    let home = Home::new();
    let app = program(&home).serve().await;
    let url = format!("http://{}/mcp", app.address());
    check(&home, &[&url, lifecycle, app.token()], version).await;
}

#[tokio::test]
async fn the_official_client_begins_a_session_and_works() {
    check(&Home::new(), &[BINARY, "initialize"], "2025-11-25").await;
}

#[tokio::test]
async fn the_official_client_works_without_a_session_by_the_newest_version() {
    check(&Home::new(), &[BINARY, "discover"], "2026-07-28").await;
}

#[tokio::test]
async fn the_official_client_begins_a_session_over_http_and_works() {
    check_http("initialize", "2025-11-25").await;
}

#[tokio::test]
async fn the_official_client_works_over_http_by_the_newest_version() {
    check_http("discover", "2026-07-28").await;
}
