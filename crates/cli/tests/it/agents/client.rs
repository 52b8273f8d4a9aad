//! The official client of the protocol, in every mode that it has.

use std::path::Path;

use codewhale_testkit::app::{App, Ended, Home, Program};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::json;

use crate::scene::{Scene, program};

/// The environment that `cargo xtask setup` makes.
const PYTHON: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../.xtask/python/bin/python"
);

const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/agents/client.py");

/// Has the client play a scene, and hears what it says.
pub(super) async fn play(app: &App, home: &Home, scene: &str, arguments: &[&str]) -> String {
    let address = app.address().to_string();
    let ended = played(home, &[&address, app.token(), scene], arguments).await;
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.stderr, app.stderr());
    ended.stdout
}

async fn played(home: &Home, scene: &[&str], arguments: &[&str]) -> Ended {
    let client = Program::new(Path::new(PYTHON), home);
    let client = client.arguments([CLIENT]);
    let scene = scene.iter().chain(arguments).copied();
    client.arguments(scene).run().await
}

/// A scene in which the shell is offered, so that someone can be asked.
async fn with_shell() -> Scene {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let program = program(&home).variable("CODEWHALE_ALLOW_SHELL", "true");
    let app = program.serve().await;
    Scene { app, model, home }
}

fn wants(tool: &str, input: &serde_json::Value) -> Reply {
    Reply::new().call("call_1", tool, &input.to_string())
}

#[tokio::test]
async fn agents_find_the_modes_and_the_threads_of_people_and_go_on_with_those() {
    let scene = Scene::new().await;
    let (thread, _) = scene.thread(json!({ "title": "Walked" })).await;
    scene.model.push(Reply::says("Gone on."));
    let name = thread.as_str().replace("thr_", "thread-");
    play(&scene.app, &scene.home, "discovery", &[&name]).await;
    let turns = scene.app.snapshot(&thread).await.turns;
    assert_eq!(
        serde_json::to_value(&turns[0].origin).unwrap()["surface"],
        "acp_rest"
    );
}

#[tokio::test]
async fn a_run_is_waited_for() {
    let scene = Scene::new().await;
    scene.model.push(Reply::new().deltas(["Hello, ", "you."]));
    play(&scene.app, &scene.home, "sync", &[]).await;
}

#[tokio::test]
async fn a_stream_stops_at_an_approval_and_goes_on_behind_it_without_gap_or_repeat() {
    let scene = with_shell().await;
    let run = json!({ "command": "touch made.txt" });
    scene
        .model
        .push(wants("exec_shell", &run).text("Shall do."));
    scene.model.push(Reply::says("Made."));
    play(&scene.app, &scene.home, "stream", &[]).await;
    assert!(scene.home.workspace().join("made.txt").exists());
}

#[tokio::test]
async fn a_run_that_nobody_waits_for_is_read_and_refused() {
    let scene = with_shell().await;
    let run = json!({ "command": "touch made.txt" });
    scene.model.push(wants("exec_shell", &run));
    scene.model.push(Reply::says("Then not."));
    play(&scene.app, &scene.home, "asynchronous", &[]).await;
    assert!(!scene.home.workspace().join("made.txt").exists());
}

#[tokio::test]
async fn a_question_of_the_agent_is_answered_with_a_word() {
    let scene = Scene::new().await;
    let option = |label: &str| json!({ "label": label, "description": "one of two" });
    let questions = json!({ "questions": [{
        "header": "Database", "id": "db", "question": "Which one?",
        "options": [option("SQLite"), option("Postgres")],
    }] });
    scene.model.push(wants("request_user_input", &questions));
    scene.model.push(Reply::says("As you wish."));
    play(&scene.app, &scene.home, "question", &[]).await;
}

#[tokio::test]
async fn a_cancelled_run_keeps_what_it_has_said() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Hello").stall());
    play(&scene.app, &scene.home, "cancel", &[]).await;
}

#[tokio::test]
async fn a_session_of_the_client_is_a_thread_over_several_runs() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Hello, Ada."));
    scene.model.push(Reply::says("Ada."));
    play(&scene.app, &scene.home, "sessions", &[]).await;
    let asked = scene.model.last_request();
    assert!(asked.body.to_string().contains("My name is Ada."));
}

#[tokio::test]
async fn without_the_token_the_client_is_told_so_in_its_own_words() {
    let scene = Scene::new().await;
    let address = scene.app.address().to_string();
    let ended = played(&scene.home, &[&address, "wrong", "stranger"], &[]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}
