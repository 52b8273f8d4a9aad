//! What single clients rely on besides the points of the list.

use std::time::{Duration, Instant};

use codewhale_testkit::app::Document;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Client, without_token};

/// After this an editor gives a request up.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// Threads in the list of a busy user, each in a repository of its own: the state of all of them is
/// told in the list.
const THREADS: usize = 30;

#[tokio::test]
async fn an_editor_that_waits_two_and_a_half_seconds_gets_its_answers() {
    let client = Client::new().await;
    let home = &client.scene.home;
    for number in 0..THREADS {
        let folder = format!("r{number}");
        home.write(&format!("{folder}/.git/HEAD"), "ref: refs/heads/main\n");
        home.write(&format!("{folder}/.git/objects/info/none"), "");
        home.write(&format!("{folder}/.git/refs/heads/none"), "");
        home.write(&format!("{folder}/file.txt"), "new");
        let workspace = home.workspace().join(&folder);
        client.thread(json!({ "workspace": workspace })).await;
    }
    let summary: Value = client.get("/v1/threads/summary").await.read(200);
    let summary = summary.as_array().unwrap();
    assert_eq!(summary.len(), THREADS);
    let branches = summary.iter().filter(|it| it["branch"] == "main");
    assert_eq!(branches.count(), THREADS, "{}", summary[0]);
    for target in [
        "/health",
        "/v1/runtime/info",
        "/v1/threads/summary",
        "/v1/snapshots",
    ] {
        let begun = Instant::now();
        client.get(target).await.read::<Value>(200);
        assert!(begun.elapsed() < PATIENCE, "{target}");
    }
}

#[tokio::test]
async fn an_editor_without_a_token_learns_that_one_is_needed() {
    let client = Client::new().await;
    let info = without_token("GET", "/v1/runtime/info");
    let info: Value = client.scene.app.send(info).await.read(200);
    assert_eq!(info["auth_required"], true);
}

#[tokio::test]
async fn a_bridge_sees_in_the_turns_whether_a_new_prompt_is_possible() {
    let client = Client::new().await;
    client.scene.model.push(Reply::says("Hello").stall());
    let thread = client.thread(json!({})).await;
    let turn = client.start(&thread, "Say hello.").await;
    let status = async || client.get(&thread).await.json()["turns"][0]["status"].clone();
    assert_eq!(status().await, "in_progress");
    let summary: Value = client.get("/v1/threads/summary").await.read(200);
    assert_eq!(summary[0]["latest_turn_status"], "in_progress");
    client.events_until(&thread, 0, "item.delta").await;
    client.post_nothing(&format!("{turn}/interrupt")).await;
    client.events(&thread).await;
    assert_eq!(status().await, "interrupted");
}

#[tokio::test]
async fn a_bridge_that_announces_json_and_sends_none_stops_a_turn() {
    let client = Client::new().await;
    client.scene.model.push(Reply::says("Hello").stall());
    let thread = client.thread(json!({})).await;
    let turn = client.start(&thread, "Say hello.").await;
    client.events_until(&thread, 0, "item.delta").await;
    let request = client
        .scene
        .app
        .request("POST", &format!("{turn}/interrupt"));
    let request = request.header("content-type", "application/json");
    assert_eq!(client.scene.app.send(request).await.status, 200);
    client.events(&thread).await;
}

#[tokio::test]
async fn a_phone_that_takes_the_turn_of_any_event_never_meets_an_old_one() {
    let client = Client::new().await;
    let thread = client.talked().await;
    client.scene.model.push(Reply::says("Once more."));
    let turn = client.start(&thread, "Again.").await;
    let first = client.events(&thread).await;
    let last = first.last().unwrap();
    let events = client
        .events_until(&thread, last["seq"].as_u64().unwrap(), "turn.completed")
        .await;
    let turn = turn.rsplit('/').next().unwrap();
    assert!(events.iter().all(|event| event["turn_id"] == turn));
}

#[tokio::test]
async fn a_library_finds_json_in_every_success_that_is_not_204() {
    for described in Document::of_this_build().operations() {
        let answers = described.operation["responses"].as_object().unwrap();
        for (status, answer) in answers.iter().filter(|(status, _)| status.starts_with('2')) {
            let kinds = answer["content"].as_object();
            let kinds: Vec<&String> = kinds.into_iter().flat_map(|kinds| kinds.keys()).collect();
            // The contract has the result of a client's tool answered with nothing.
            let is_result = described.path.ends_with("/tool-calls/{call_id}/result");
            match status.as_str() {
                "202" if is_result => assert!(kinds.is_empty(), "{}", described.path),
                "204" => assert!(kinds.is_empty(), "{}", described.path),
                _ => assert!(
                    kinds == ["application/json"] || kinds == ["text/event-stream"],
                    "{}",
                    described.path
                ),
            }
        }
    }
}
