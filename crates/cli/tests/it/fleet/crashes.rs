//! `kill -9` of the server while a run goes on: no task is lost, none ends twice.

use std::collections::BTreeMap;
use std::time::Duration;

use codewhale_testkit::app::Home;
use codewhale_testkit::long;
use codewhale_testkit::model_server::ModelServer;
use serde_json::Value;

use super::{body, create, ended, look, start, writes};
use crate::dice::Dice;
use crate::scene::program;

#[tokio::test]
async fn whenever_the_server_is_killed_every_task_ends_once() {
    let model = ModelServer::start().await;
    writes(&model);
    for seed in 0..long::count(3, 30) as u64 {
        let mut dice = Dice::new(seed);
        let home = Home::with_model(&model);
        let mut app = program(&home).serve().await;
        let run = create(&app, body(&["a", "b", "c"])).await;
        for _ in 0..3 {
            if look(&app, &run).await["lifecycle_status"] != "completed" {
                start(&app, &run).await;
            }
            tokio::time::sleep(Duration::from_millis(dice.below(900))).await;
            app.kill().await;
            app = program(&home).serve().await;
            let detail = look(&app, &run).await;
            let stands = detail["lifecycle_status"].as_str().unwrap();
            assert!(
                ["paused", "completed"].contains(&stands),
                "seed {seed}: {stands}"
            );
            assert_eq!(detail["status"]["running"], 0, "seed {seed}");
        }
        if look(&app, &run).await["lifecycle_status"] == "paused" {
            start(&app, &run).await;
        }
        let detail = ended(&app, &run).await;
        assert_eq!(
            detail["lifecycle_status"], "completed",
            "seed {seed}: {detail:#}"
        );
        check_once(
            &app.get(&format!("/v1/fleet/runs/{run}/events/replay?limit=1000"))
                .await
                .json(),
            &detail,
        );
    }
}

/// Each task was leased as often as it says, and has one receipt: that of its last attempt.
fn check_once(replay: &Value, detail: &Value) {
    assert_eq!(replay["history_truncated"], false);
    let mut leased: BTreeMap<&str, u64> = BTreeMap::new();
    let mut receipts: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for event in replay["events"].as_array().unwrap() {
        let task = event["task_id"].as_str().unwrap_or_default();
        match event["event"].as_str().unwrap() {
            "fleet.task.leased" => *leased.entry(task).or_default() += 1,
            "fleet.task.receipt_recorded" => {
                let attempt = event["payload"]["attempt"].as_u64().unwrap();
                receipts.entry(task).or_default().push(attempt);
            }
            _ => {}
        }
    }
    for task in detail["tasks"].as_array().unwrap() {
        let id = task["task_id"].as_str().unwrap();
        let attempts = task["attempts"].as_u64().unwrap();
        assert_eq!(leased[id], attempts, "{id}");
        assert_eq!(receipts[id], [attempts], "{id}");
    }
}
