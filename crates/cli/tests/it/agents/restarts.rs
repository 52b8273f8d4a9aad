//! The end of the process in the middle of a run.

use codewhale_testkit::model_server::Reply;

use super::client::play;
use crate::scene::{Scene, program};

#[tokio::test]
async fn a_run_is_still_there_after_the_process_was_killed() {
    let Scene { app, model, home } = Scene::new().await;
    model.push(Reply::says("Hello").stall());
    let told = play(&app, &home, "begin", &[]).await;
    let (run, session) = told.trim().split_once(' ').unwrap();
    // What it has said is on the disk once a reader has seen it.
    let events = format!("/acp/runs/{run}/events");
    while !app.get(&events).await.text().contains("message.part") {}
    app.kill().await;

    let app = program(&home).serve().await;
    model.push(Reply::says("Gone on."));
    play(&app, &home, "after", &[run, session]).await;
}
