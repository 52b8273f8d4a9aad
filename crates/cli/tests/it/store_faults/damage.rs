//! Stores that are damaged, or too new.

use std::fs;

use codewhale_testkit::app::{Home, Request};
use serde_json::json;

use crate::scene::program;

/// A home with a store in it, closed in order, and the thread it holds.
async fn kept() -> (Home, codewhale_protocol::runtime::ThreadRecord) {
    let home = Home::new();
    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({ "title": "Kept" })).await;
    assert_eq!(app.terminate().await.code, Some(143));
    (home, thread)
}

/// Runs the program to the end that it must come to.
async fn refused(home: &Home) -> String {
    let ended = program(home)
        .arguments(["app-server", "--http", "--port", "0"])
        .run()
        .await;
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(1), ""),
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
    ended.stderr
}

#[tokio::test]
async fn a_damaged_store_is_set_aside_and_never_silently_replaced() {
    let (home, thread) = kept().await;
    let database = home.path().join("runtime.db");
    let aside = home.path().join("runtime.db.damaged-1");
    let good = fs::read(&database).unwrap();
    fs::write(&database, "this is no database at all").unwrap();
    for _ in 0..2 {
        let said = refused(&home).await;
        assert!(said.contains("is damaged and was set aside as"), "{said}");
        assert!(said.contains(aside.to_str().unwrap()), "{said}");
        assert!(said.contains("restore a backup"), "{said}");
        assert!(!database.exists());
        assert_eq!(fs::read(&aside).unwrap(), b"this is no database at all");
    }
    // A backup put back works as before.
    fs::write(&database, &good).unwrap();
    let app = program(&home).serve().await;
    assert_eq!(app.snapshot(&thread.id).await.thread, thread);
}

#[tokio::test]
async fn who_moves_the_damaged_store_away_begins_with_an_empty_one() {
    let (home, _) = kept().await;
    fs::write(home.path().join("runtime.db"), [0xff; 8192]).unwrap();
    refused(&home).await;
    fs::remove_file(home.path().join("runtime.db.damaged-1")).unwrap();
    let app = program(&home).serve().await;
    assert_eq!(app.get("/v1/threads").await.json(), json!([]));
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_refused_and_not_touched() {
    let (home, thread) = kept().await;
    let database = home.path().join("runtime.db");
    let set_version = |version: &str| {
        let connection = rusqlite::Connection::open(&database).unwrap();
        let sql = "SELECT value FROM meta WHERE key = 'schema_version'";
        let before: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        let sql = "UPDATE meta SET value = ?1 WHERE key = 'schema_version'";
        assert_eq!(connection.execute(sql, [version]).unwrap(), 1);
        before
    };
    let known = set_version("999");
    let before = fs::read(&database).unwrap();
    let said = refused(&home).await;
    assert!(said.contains("newer version (schema 999"), "{said}");
    assert!(said.contains("update codewhale"), "{said}");
    assert!(fs::read(&database).unwrap() == before);
    set_version(&known);
    let app = program(&home).serve().await;
    assert_eq!(app.snapshot(&thread.id).await.thread, thread);
}

#[tokio::test]
async fn damage_met_while_serving_is_told_and_the_rest_is_served() {
    let home = Home::new();
    let app = program(&home).serve().await;
    let good = app.create_thread(json!({ "title": "Good" })).await;
    let bad = app.create_thread(json!({ "title": "Bad" })).await;
    // One of its turns fills pages of its own, in the middle of others.
    for round in 0..10 {
        let prompt = format!("NEEDLE-{round} ").repeat(500);
        let mut events = app
            .follow(&bad.id, app.snapshot(&bad.id).await.latest_seq)
            .await;
        app.start_turn(&bad.id, &prompt).await;
        events.until("turn.completed").await;
    }
    app.terminate().await;
    let database = home.path().join("runtime.db");
    let mut bytes = fs::read(&database).unwrap();
    let is_hit = |page: &[u8]| page.windows(8).any(|window| window == b"NEEDLE-3");
    let pages = bytes.chunks_mut(4096).skip(1).filter(|page| is_hit(page));
    let damaged = pages.map(|page| page.fill(0xaa)).count();
    assert!(damaged > 1, "{damaged}");
    fs::write(&database, bytes).unwrap();
    let app = program(&home).serve().await;
    let answer = app.get(&format!("/v1/threads/{}", bad.id)).await;
    let error = &answer.json()["error"];
    assert_eq!(
        (answer.status, &error["code"]),
        (503, &json!("unavailable"))
    );
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("damaged") && message.contains("backup"),
        "{message}"
    );
    assert_eq!(app.snapshot(&good.id).await.thread, good);
    assert_eq!(app.send(Request::new("GET", "/health")).await.status, 200);
    let ended = app.terminate().await;
    assert_eq!(ended.code, Some(143));
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
}
