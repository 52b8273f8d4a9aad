//! Turns: how they start, what is asked in them, how they end.

use codewhale_protocol::runtime::Timestamp;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Client, check_error, names};

#[tokio::test]
async fn point_05_a_turn_is_stored_before_it_is_answered_and_there_is_one_at_a_time() {
    let client = Client::new().await;
    client.scene.model.push(Reply::says("Hello").stall());
    let thread = client.thread(json!({})).await;
    client.start(&thread, "Say hello.").await;
    let detail: Value = client.get(&thread).await.read(200);
    let latest = detail["latest_seq"].as_u64().unwrap();
    let events = client.events_until(&thread, 0, "item.completed").await;
    assert_eq!(
        names(&events)[1..],
        ["turn.started", "item.started", "item.completed"]
    );
    assert!(events.last().unwrap()["seq"].as_u64().unwrap() <= latest);
    let turns = format!("{thread}/turns");
    let again = client.post(&turns, json!({ "prompt": "And again." })).await;
    check_error(&again, 409);
    let blank = client.post(&turns, json!({ "prompt": " \n" })).await;
    check_error(&blank, 400);
}

#[tokio::test]
async fn point_08_every_outcome_is_told_by_one_last_event() {
    let client = Client::new().await;
    let model = &client.scene.model;
    let refusal = json!({ "error": { "message": "no" } });
    for (expected, reply) in [
        ("completed", Reply::says("Hello.")),
        ("failed", Reply::new().status(400).json(&refusal)),
        ("interrupted", Reply::says("Hello").stall()),
    ] {
        model.push(reply);
        let thread = client.thread(json!({})).await;
        let turn = client.start(&thread, "Say hello.").await;
        if expected == "interrupted" {
            client.events_until(&thread, 0, "item.delta").await;
            client.post_nothing(&format!("{turn}/interrupt")).await;
        }
        let events = client.events(&thread).await;
        let end = events.last().unwrap();
        assert_eq!(end["payload"]["turn"]["status"], expected);
        let error = &end["payload"]["turn"]["error"];
        assert_eq!(error.is_string(), expected == "failed", "{error}");
        // A later turn's end is the only one behind it.
        model.push(Reply::says("Still here."));
        client.start(&thread, "Are you there?").await;
        let seq = end["seq"].as_u64().unwrap();
        let later = client.events_until(&thread, seq, "turn.completed").await;
        let ends = later.iter().filter(|it| it["turn_id"] == end["turn_id"]);
        assert_eq!(ends.count(), 0, "{later:?}");
    }
}

#[tokio::test]
async fn point_09_a_question_waits_in_the_snapshot_and_is_answered_once() {
    let client = Client::new().await;
    let (thread, required) = client.asking().await;
    let id = required["payload"]["approval_id"].clone();
    let detail: Value = client.get(&thread).await.read(200);
    let pending = &detail["pending_approvals"][0];
    assert_eq!(pending["id"], id);
    let moment = |text: &Value| serde_json::from_value::<Timestamp>(text.clone()).unwrap();
    let waits = moment(&pending["expires_at"]).as_ms() - moment(&required["timestamp"]).as_ms();
    assert_eq!(waits, 300_000);
    let target = format!("/v1/approvals/{}", id.as_str().unwrap());
    let answer = client.post(&target, json!({ "decision": "allow" })).await;
    assert_eq!(answer.read::<Value>(200)["decision"], "allow");
    // Who comes second is told what the first one said.
    let second = client.post(&target, json!({ "decision": "deny" })).await;
    check_error(&second, 409);
    assert_eq!(second.json()["error"]["data"]["decision"], "allow");
    let events = client.events(&thread).await;
    assert_eq!(
        events.last().unwrap()["payload"]["turn"]["status"],
        "completed"
    );
    assert_eq!(
        client.get(&thread).await.json()["pending_approvals"],
        json!([])
    );
}

#[tokio::test]
async fn point_10_stopping_is_answered_at_once_also_while_a_question_waits() {
    let client = Client::new().await;
    let (thread, required) = client.asking().await;
    let turn = format!("{thread}/turns/{}", required["turn_id"].as_str().unwrap());
    let answer = client.post_nothing(&format!("{turn}/interrupt")).await;
    assert_eq!(answer.read::<Value>(200)["status"], "in_progress");
    let events = client.events(&thread).await;
    let end = events.last().unwrap();
    assert_eq!(end["payload"]["turn"]["status"], "interrupted");
    assert_eq!(client.scene.home.read("a.txt"), None);
}

#[tokio::test]
async fn point_11_what_is_added_counts_and_comes_too_late_behind_the_end() {
    let client = Client::new().await;
    client.scene.model.push(Reply::says("Hello").stall());
    let thread = client.thread(json!({})).await;
    let turn = client.start(&thread, "Say hello.").await;
    client.events_until(&thread, 0, "item.delta").await;
    let add = json!({ "prompt": "And good bye." });
    let steered: Value = client
        .post(&format!("{turn}/steer"), add.clone())
        .await
        .read(200);
    assert_eq!(steered["steer_count"], 1);
    let detail: Value = client.get(&thread).await.read(200);
    let items = detail["items"].as_array().unwrap().iter();
    let said = items.filter(|it| it["kind"] == "user_message").count();
    assert_eq!(said, 2);
    client.post_nothing(&format!("{turn}/interrupt")).await;
    client.events(&thread).await;
    check_error(&client.post(&format!("{turn}/steer"), add).await, 409);
}
