//! Turns that someone adds to.

use codewhale_protocol::runtime::TurnRecord;
use codewhale_testkit::model_server::{Gate, Reply};
use serde_json::json;

use crate::held::HeldCommand;
use crate::outline::outline;
use crate::scene::Scene;

#[tokio::test]
async fn what_is_added_while_the_model_speaks_is_answered_in_the_same_turn() {
    let scene = Scene::new().await;
    let gate = Gate::new();
    scene.model.push(Reply::says("Blue").hold(&gate).text("."));
    scene.model.push(Reply::says("Red, then."));
    let (thread, mut events) = scene.thread(json!({})).await;
    let turn = scene.app.start_turn(&thread, "a colour?").await;
    events.until("item.delta").await;
    let answer = scene.app.steer(&turn, "not blue").await;
    let steered: TurnRecord = answer.read(200);
    assert_eq!(
        (steered.steer_count, steered.status.as_str()),
        (1, "in_progress")
    );
    gate.open();
    let end = events.until("turn.completed").await;
    assert_eq!(
        outline(&events.seen()[5..]),
        [
            "item.started agent_message",
            "item.delta agent_message \"Blue\"",
            "turn.steered not blue",
            "item.completed user_message",
            "item.delta agent_message \".\"",
            "item.completed agent_message",
            "item.started agent_message",
            "item.delta agent_message \"Red, then.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
    let (steer, item) = (&events.seen()[7], &events.seen()[8]);
    assert_eq!(steer.item_id, item.item_id);
    assert_eq!(item.payload["item"]["detail"], "not blue");
    assert_eq!(end.payload["turn"]["steer_count"], 1);
    let request = scene.model.last_request();
    assert_eq!(request.last_user_text(), Some("not blue"));
}

#[tokio::test]
async fn what_is_added_while_a_call_runs_reaches_the_model_with_its_result() {
    let scene = Scene::new().await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_1", "exec_shell", &command.arguments());
    scene.model.push(call);
    scene.model.push(Reply::says("Both seen."));
    let body = json!({ "allow_shell": true, "permission_posture": "full_access" });
    let (thread, mut events) = scene.thread(body).await;
    let turn = scene.app.start_turn(&thread, "run it").await;
    let running = command.running().await;
    assert_eq!(scene.app.steer(&turn, "and then?").await.status, 200);
    running.release();
    events.until("turn.completed").await;
    assert_eq!(
        outline(&events.seen()[8..]),
        [
            "turn.steered and then?",
            "item.completed user_message",
            "item.delta tool_call \"done\\n\"",
            "item.completed command_execution",
            "item.started agent_message",
            "item.delta agent_message \"Both seen.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
    let request = scene.model.last_request();
    let roles: Vec<_> = request.messages()[1..]
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user"]);
    assert_eq!(request.last_user_text(), Some("and then?"));
}

#[tokio::test]
async fn a_turn_that_has_ended_takes_no_additions() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Done."));
    let (thread, mut events) = scene.thread(json!({})).await;
    let turn = scene.app.start_turn(&thread, "go").await;
    events.until("turn.completed").await;
    let before = scene.app.snapshot(&thread).await;
    let answer = scene.app.steer(&turn, "wait").await;
    assert_eq!(answer.status, 409);
    assert_eq!(
        answer.json()["error"]["data"],
        json!({ "active_turn_id": null })
    );
    assert_eq!(scene.app.snapshot(&thread).await, before);
}
