//! `codewhale fleet`.

use codewhale_testkit::app::{Home, Signal};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::Value;

use super::writes;
use crate::scene::program;

const SPEC: &str = r#"
name = "two files"

[[tasks]]
id = "one"
name = "The first"
instructions = "write one.txt"
scorer = { kind = "file_exists", path = "one.txt" }

[[tasks]]
id = "two"
name = "The second"
instructions = "write two.txt"
"#;

fn with_spec(home: &Home) -> String {
    let file = home.workspace().join("fleet.toml");
    std::fs::write(&file, SPEC).unwrap();
    file.display().to_string()
}

#[tokio::test]
async fn a_run_from_a_file_stays_until_it_is_over_and_can_be_looked_at_afterwards() {
    let model = ModelServer::start().await;
    writes(&model);
    let home = Home::with_model(&model);
    let spec = with_spec(&home);
    let fleet = |words: &[&str]| {
        program(&home)
            .arguments(["fleet"])
            .arguments(words.iter().copied())
    };
    let none = fleet(&["status"]).run().await;
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("no_fleet_ledger"), "{}", none.stderr);
    assert!(
        !home.path().join("runtime.db").exists(),
        "looking makes nothing"
    );

    let ran = fleet(&["run", &spec, "--max-workers", "2"]).run().await;
    assert_eq!(ran.code, Some(0), "{} {}", ran.stdout, ran.stderr);
    assert!(ran.stdout.starts_with("fleet run: run_"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains(" tasks=2 leased=0 queued=2\nworkers:\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.ends_with("completed: 2 of 2 passed\n"),
        "{}",
        ran.stdout
    );
    assert!(
        home.workspace().join("one.txt").exists(),
        "it is no repository"
    );

    let list = fleet(&["list", "--json"]).run().await;
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(list[0]["name"], "two files");
    let run = list[0]["id"].as_str().unwrap();
    let worker = format!("{run}.w1");
    let logs = fleet(&["logs", &worker]).run().await;
    assert!(
        logs.stdout.contains("codewhale.exec-stream"),
        "{}",
        logs.stdout
    );
    let kept = fleet(&["artifacts", &worker]).run().await;
    assert!(kept.stdout.starts_with("log  "), "{}", kept.stdout);
    let resumed = fleet(&["resume", run]).run().await;
    assert_eq!(resumed.code, Some(1), "there is nothing left");
    let again = fleet(&["restart", &worker]).run().await;
    assert_eq!(again.code, Some(0), "{} {}", again.stdout, again.stderr);
    let stopped = fleet(&["stop", "--all"]).run().await;
    assert_eq!((stopped.code, stopped.stdout.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn ctrl_c_stops_a_run_and_other_ends_leave_it_to_be_resumed() {
    let model = ModelServer::start().await;
    model.default_reply(Reply::says("Hm").stall());
    let home = Home::with_model(&model);
    let spec = with_spec(&home);
    let begin = || program(&home).arguments(["fleet", "run", &spec]).begin();
    let first = begin();
    model.wait_for_requests(2).await;
    let ended = first.end_by(Signal::INT).await;
    assert_eq!(ended.code, Some(130), "{} {}", ended.stdout, ended.stderr);
    assert!(
        ended.stdout.ends_with("cancelled: 0 of 2 passed\n"),
        "{}",
        ended.stdout
    );

    let second = begin();
    model.wait_for_requests(4).await;
    let ended = second.end_by(Signal::TERM).await;
    assert_eq!(ended.code, Some(143), "{} {}", ended.stdout, ended.stderr);
    let list = program(&home)
        .arguments(["fleet", "list", "--json"])
        .run()
        .await;
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let stands = |at: usize| list[at]["lifecycle_status"].as_str().unwrap();
    assert_eq!([stands(0), stands(1)], ["cancelled", "paused"]);
    writes(&model);
    let run = list[1]["id"].as_str().unwrap();
    let resumed = program(&home)
        .arguments(["fleet", "resume", run])
        .run()
        .await;
    assert_eq!(
        resumed.code,
        Some(0),
        "{} {}",
        resumed.stdout,
        resumed.stderr
    );
}
