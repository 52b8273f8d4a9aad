//! Starts that cannot be.

use codewhale_testkit::app::{Ended, Home, Program};
use serde_json::json;

use super::mounts::mounted;
use crate::scene::{Scene, program};

/// Runs it to the end that it must come to: one sentence, and its causes.
async fn check_refused(program: Program, words: &[&str]) -> Ended {
    let ended = program
        .arguments(["app-server", "--http", "--port", "0"])
        .run()
        .await;
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    for words in words {
        assert!(
            ended.stderr.contains(words),
            "{:?} lacks {words:?}",
            ended.stderr
        );
    }
    ended
}

#[tokio::test]
async fn a_file_where_the_home_should_be_is_refused_and_left_alone() {
    let home = Home::new();
    let file = home.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    let program = program(&home).variable("CODEWHALE_HOME", &file);
    let path = file.to_str().unwrap();
    check_refused(program, &[path, "set CODEWHALE_HOME to another one"]).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[tokio::test]
async fn a_home_on_a_file_system_that_only_reads_is_refused() {
    let home = Home::new();
    let read_only = mounted(&home, "mount -t tmpfs -o ro tmpfs \"$CODEWHALE_HOME\"").await;
    let path = home.path();
    let words = [
        path.to_str().unwrap(),
        "make the directory writable",
        "Read-only file system",
    ];
    check_refused(read_only, &words).await;
}

#[tokio::test]
async fn an_old_home_that_can_only_be_read_now_is_refused_and_unharmed() {
    let home = Home::new();
    let app = program(&home).serve().await;
    let thread = app.create_thread(json!({ "title": "Kept" })).await;
    app.terminate().await;
    let before = home.files();
    let bind = "mount --bind \"$CODEWHALE_HOME\" \"$CODEWHALE_HOME\" \
                && mount -o remount,ro,bind \"$CODEWHALE_HOME\"";
    check_refused(mounted(&home, bind).await, &["make the directory writable"]).await;
    assert!(home.files() == before);
    let app = program(&home).serve().await;
    assert_eq!(app.snapshot(&thread.id).await.thread, thread);
}

#[tokio::test]
async fn a_disk_without_room_for_a_store_is_refused() {
    let home = Home::new();
    let tiny = mounted(
        &home,
        "mount -t tmpfs -o size=32k tmpfs \"$CODEWHALE_HOME\"",
    )
    .await;
    check_refused(tiny, &["is full; free some space and start again"]).await;
}

#[tokio::test]
async fn a_port_in_use_is_refused_and_its_user_is_not_disturbed() {
    let scene = Scene::new().await;
    let (turn, mut events) = scene.stalled_turn().await;
    let port = scene.app.address().port().to_string();
    for home in [&scene.home, &Home::new()] {
        let second = program(home).arguments(["app-server", "--http", "--port", &port]);
        let ended = second.run().await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        let words = format!("error: port {port} on 127.0.0.1 is in use; stop the other program");
        assert!(ended.stderr.starts_with(&words), "{}", ended.stderr);
        assert!(ended.stderr.contains("--port"), "{}", ended.stderr);
    }
    assert_eq!(scene.app.interrupt(&turn).await.status, 200);
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["recovered"], json!(null));
}

#[tokio::test]
async fn a_workspace_that_is_not_there_is_refused() {
    let home = Home::new();
    let gone = program(&home).arguments(["-C", "/nowhere/at/all"]);
    check_refused(gone, &["cannot work in /nowhere/at/all"]).await;
}

#[tokio::test]
async fn a_configuration_that_does_not_read_is_refused_with_its_line() {
    let home = Home::new();
    home.configure("provider = \"x\"\n[retry\n");
    check_refused(
        program(&home),
        &["config.toml", "line 2", "correct this line"],
    )
    .await;
    home.configure("[approvals]\ntimeout_secs = \"soon\"\n");
    check_refused(
        program(&home),
        &["line 2", "approvals.timeout_secs", "above 0"],
    )
    .await;
    home.configure("provider = \"nobody\"\n");
    check_refused(
        program(&home),
        &["no provider `nobody`", "[providers.nobody]"],
    )
    .await;
}

#[tokio::test]
async fn keys_that_mean_nothing_are_named_and_do_no_harm() {
    let home = Home::new();
    home.configure("[approvals]\ntimeout_sec = 3\n");
    let app = program(&home).serve().await;
    assert_eq!(app.get("/v1/threads").await.status, 200);
    let stderr = app.terminate().await.stderr;
    assert!(
        stderr.contains("`approvals.timeout_sec` means nothing"),
        "{stderr}"
    );
}
