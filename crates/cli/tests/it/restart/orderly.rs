//! Asked to end, the program ends in order.

use codewhale_testkit::app::Signal;
use codewhale_testkit::model_server::Reply;
use serde_json::json;

use super::{check_survived, open};
use crate::held::HeldCommand;
use crate::outline::outline;
use crate::scene::{Scene, program};

#[tokio::test]
async fn a_running_turn_is_stopped_and_those_who_watch_see_it() {
    let scene = Scene::new().await;
    let (turn, mut events) = scene.stalled_turn().await;
    let Scene {
        app,
        model: _model,
        home,
    } = scene;
    let (ended, ()) = tokio::join!(app.terminate(), events.until_end());
    assert_eq!((ended.code, ended.signal), (Some(143), None));
    assert_eq!(ended.stderr, "");
    assert_eq!(
        outline(&events.seen()[6..]),
        [
            "item.delta agent_message \"Hello\"",
            "turn.interrupt_requested",
            "item.interrupted agent_message",
            "turn.completed interrupted",
        ]
    );
    let opened = open(&home);
    assert!(!opened.store.ended_uncleanly());
    opened.check_chain(&turn.thread_id, events.seen().len());
    let app = program(&home).serve().await;
    let history = check_survived(&app, &turn.thread_id, events.seen()).await;
    assert_eq!(history, events.seen());
}

#[tokio::test]
async fn a_running_command_ends_with_the_program() {
    let scene = Scene::new().await;
    let command = HeldCommand::new().await;
    scene
        .model
        .push(Reply::calls("call_1", "exec_shell", &command.arguments()));
    let body = json!({ "allow_shell": true, "permission_posture": "full_access" });
    let (thread, mut events) = scene.thread(body).await;
    scene.app.start_turn(&thread, "run it").await;
    let running = command.running().await;
    let (ended, ()) = tokio::join!(scene.app.terminate(), events.until_end());
    assert_eq!(ended.code, Some(143));
    running.killed().await;
    assert_eq!(
        outline(&events.seen()[8..]),
        [
            "turn.interrupt_requested",
            "item.failed command_execution",
            "turn.completed interrupted",
        ]
    );
}

#[tokio::test]
async fn an_open_question_is_settled_when_the_program_ends() {
    let scene = Scene::new().await;
    let write = r#"{"path":"a.txt","content":"a"}"#;
    scene
        .model
        .push(Reply::calls("call_1", "write_file", write));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "write it").await;
    events.until("approval.required").await;
    let Scene {
        app,
        model: _model,
        home,
    } = scene;
    let (ended, ()) = tokio::join!(app.terminate(), events.until_end());
    assert_eq!(ended.code, Some(143));
    assert_eq!(
        outline(&events.seen()[7..]),
        [
            "turn.interrupt_requested",
            "approval.decided deny auto",
            "item.failed file_change",
            "turn.completed interrupted",
        ]
    );
    let app = program(&home).serve().await;
    assert!(app.snapshot(&thread).await.pending_approvals.is_empty());
}

#[tokio::test]
async fn an_idle_program_ends_at_once_and_starts_again_with_everything() {
    let scene = Scene::new().await;
    let thread = scene.app.create_thread(json!({ "title": "Kept" })).await;
    let Scene {
        app,
        model: _model,
        home,
    } = scene;
    let ended = app.terminate().await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(143), ""));
    let app = program(&home).serve().await;
    assert_eq!(app.snapshot(&thread.id).await.thread, thread);
}

#[tokio::test]
async fn each_signal_to_end_is_obeyed_and_told_by_the_exit_code() {
    for (signal, code) in [(Signal::HUP, 129), (Signal::INT, 130), (Signal::TERM, 143)] {
        let scene = Scene::new().await;
        let (_, mut events) = scene.stalled_turn().await;
        let (ended, ()) = tokio::join!(scene.app.end_by(signal), events.until_end());
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(code), ""));
        assert_eq!(events.seen().last().unwrap().event, "turn.completed");
    }
}
