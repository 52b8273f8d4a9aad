//! Turns that cannot be started, added to or stopped.

use codewhale_protocol::runtime::TurnRecord;
use codewhale_testkit::app::Answer;
use codewhale_testkit::model_server::Reply;
use serde_json::json;

use super::{Target, check_error};

#[tokio::test]
async fn a_prompt_must_be_a_text_that_says_something() {
    let target = Target::new().await;
    let turns = format!("{}/turns", target.path());
    for prompt in ["", " ", "\n\t\u{a0}"] {
        let body = json!({ "prompt": prompt });
        target
            .check_post(&turns, body, 400, "invalid_params", "blank")
            .await;
    }
    for body in [json!({}), json!({ "prompt": null }), json!({ "prompt": 1 })] {
        target
            .check_post(&turns, body, 422, "invalid_shape", "prompt")
            .await;
    }
}

#[tokio::test]
async fn a_turn_with_settings_that_do_not_exist_leaves_nothing_behind() {
    let target = Target::new().await;
    let turns = format!("{}/turns", target.path());
    for (body, words) in [
        (json!({ "prompt": "x", "mode": "swim" }), "swim"),
        (
            json!({ "prompt": "x", "permission_posture": "never" }),
            "never",
        ),
        (
            json!({ "prompt": "x", "reasoning_effort": "lots" }),
            "off, low, medium, high, max, auto",
        ),
    ] {
        target
            .check_post(&turns, body, 400, "invalid_params", words)
            .await;
    }
    let shell = json!({ "prompt": "x", "allow_shell": 1 });
    target
        .check_post(&turns, shell, 422, "invalid_shape", "does not fit")
        .await;
}

#[tokio::test]
async fn a_second_turn_is_refused_while_one_runs() {
    let target = Target::new().await;
    let (turn, mut events) = target.scene.stalled_turn().await;
    let app = &target.scene.app;
    let before = app.snapshot(&turn.thread_id).await;
    let answer = app
        .ask_for_turn(&turn.thread_id, json!({ "prompt": "me too" }))
        .await;
    let data = check_error(&answer, 409, "conflict", "already has an active turn");
    assert_eq!(data, json!({ "active_turn_id": turn.id }));
    assert_eq!(app.snapshot(&turn.thread_id).await, before);
    app.interrupt(&turn).await;
    events.until("turn.completed").await;
}

#[tokio::test]
async fn a_finished_turn_can_neither_be_added_to_nor_stopped() {
    let target = Target::new().await;
    let turn = target.scene.app.snapshot(&target.thread).await.turns[0].clone();
    let before = target.all().await;
    let nobody = json!({ "active_turn_id": null });
    let answer = target.scene.app.steer(&turn, "more").await;
    assert_eq!(check_error(&answer, 409, "conflict", "not running"), nobody);
    let answer = target.scene.app.interrupt(&turn).await;
    assert_eq!(check_error(&answer, 409, "conflict", "not running"), nobody);
    assert_eq!(target.all().await, before);
}

#[tokio::test]
async fn another_turn_than_the_running_one_is_not_touched() {
    let target = Target::new().await;
    let (turn, mut events) = target.scene.stalled_turn().await;
    let app = &target.scene.app;
    let other = TurnRecord {
        id: "turn_none".into(),
        ..turn.clone()
    };
    let before = app.snapshot(&turn.thread_id).await;
    for answer in [app.steer(&other, "more").await, app.interrupt(&other).await] {
        let data = check_error(&answer, 409, "conflict", "not running");
        assert_eq!(data, json!({ "active_turn_id": turn.id }));
    }
    let blank = app.steer(&turn, " ").await;
    check_error(&blank, 400, "invalid_params", "blank");
    assert_eq!(app.snapshot(&turn.thread_id).await, before);
    app.interrupt(&turn).await;
    events.until("turn.completed").await;
}

#[tokio::test]
async fn stopping_a_turn_takes_any_body() {
    let target = Target::new().await;
    for body in ["", "{}", "not json"] {
        let (turn, mut events) = target.scene.stalled_turn().await;
        let path = format!("/v1/threads/{}/turns/{}/interrupt", turn.thread_id, turn.id);
        let request = target
            .request("POST", &path)
            .header("content-type", "application/json")
            .body(body);
        assert_eq!(target.scene.app.send(request).await.status, 200);
        events.until("turn.completed").await;
    }
}

#[tokio::test]
async fn of_several_turns_asked_for_at_once_one_begins() {
    let target = Target::new().await;
    let app = &target.scene.app;
    target.scene.model.default_reply(Reply::silence());
    let ask = || app.ask_for_turn(&target.thread, json!({ "prompt": "me" }));
    let answers: [Answer; 4] = tokio::join!(ask(), ask(), ask(), ask()).into();
    let (begun, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it.status == 201);
    let [begun] = begun[..] else {
        panic!("{answers:?}");
    };
    for refused in refused {
        let data = check_error(refused, 409, "conflict", "already has an active turn");
        assert_eq!(data["active_turn_id"], begun.json()["turn"]["id"]);
    }
    assert_eq!(app.snapshot(&target.thread).await.turns.len(), 2);
}
