//! What is there after the program died.

use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::Client;
use crate::scene::{Scene, program};

/// Looks at a list before giving up.
const LOOKS_MAX: u32 = 1_200;

async fn tasks_until(client: &Client, is_it: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..LOOKS_MAX {
        let list: Value = client.get("/v1/tasks").await.read(200);
        if is_it(&list["counts"]) {
            return list;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("{}", client.get("/v1/tasks").await.text());
}

async fn killed(client: Client) -> Client {
    let Scene { app, model, home } = client.scene;
    app.kill().await;
    let app = program(&home).serve().await;
    Client {
        scene: Scene { app, model, home },
    }
}

#[tokio::test]
async fn point_15_a_crash_ends_what_ran_keeps_what_waits_and_turns_nothing_back() {
    let client = Client::new().await;
    let model = &client.scene.model;
    model.push(Reply::says("Hello").stall());
    let thread = client.thread(json!({})).await;
    client.start(&thread, "Say hello.").await;
    let seen = client.events_until(&thread, 0, "item.delta").await;
    let rule = json!({ "name": "weekly", "prompt": "Do it.", "rrule": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=30" });
    let automation: Value = client.post("/v1/automations", rule).await.read(201);
    // Tasks that hang, as many as there are workers and some that wait behind them.
    model.default_reply(Reply::says("Working").stall());
    for number in 0..6 {
        let body = json!({ "prompt": format!("task {number}") });
        client.post("/v1/tasks", body).await.read::<Value>(201);
    }
    let busy = |counts: &Value| counts["running"] != 0 && counts["queued"] != 0;
    tasks_until(&client, busy).await;
    let running = client.get("/v1/tasks").await.json()["counts"]["running"].clone();
    model.default_reply(Reply::says("Done."));

    let client = killed(client).await;
    let events = client.events(&thread).await;
    assert_eq!(events[..seen.len()], seen);
    let end = events.last().unwrap();
    assert_eq!(end["payload"]["turn"]["status"], "interrupted");
    assert_eq!(end["payload"]["recovered"], true);
    let ends = events.iter().filter(|it| it["event"] == "turn.completed");
    assert_eq!(ends.count(), 1);
    let list = tasks_until(&client, |it| it["running"] == 0 && it["queued"] == 0).await;
    assert_eq!(list["counts"]["failed"], running);
    let completed = 6 - running.as_u64().unwrap();
    assert_eq!(list["counts"]["completed"], completed);
    let path = format!("/v1/automations/{}", automation["id"].as_str().unwrap());
    let kept: Value = client.get(&path).await.read(200);
    assert_eq!(kept["next_run_at"], automation["next_run_at"]);
    let grows = events.windows(2);
    assert!(
        grows
            .into_iter()
            .all(|it| it[0]["seq"].as_u64() < it[1]["seq"].as_u64())
    );
}
