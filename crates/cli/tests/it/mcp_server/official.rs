//! The official client for Python talks with the program, in both lives that a conversation can have.

use codewhale_testkit::app::{Home, Program};

use crate::editors::part;
use crate::scene::BINARY;

/// Lets the client do its round, and sees that it spoke this version.
async fn check(lifecycle: &str, version: &str) {
    let home = Home::new();
    home.write("notes.txt", "first line\n");
    let script = include_str!("official.py");
    let ended = Program::new(part("python/bin/python"), &home)
        .arguments(["-c", script, BINARY, lifecycle])
        .run()
        .await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(ended.stdout, format!("version {version}\ndone\n"));
}

#[tokio::test]
async fn the_official_client_begins_a_session_and_works() {
    check("initialize", "2025-11-25").await;
}

#[tokio::test]
async fn the_official_client_works_without_a_session_by_the_newest_version() {
    check("discover", "2026-07-28").await;
}
