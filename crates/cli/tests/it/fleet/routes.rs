//! The routes of fleets.

use codewhale_testkit::app::Program;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{body, create, ended, look, start, until, writes};
use crate::scene::Scene;

#[tokio::test]
async fn workers_do_their_tasks_as_threads_of_the_home_and_everything_is_told() {
    let scene = Scene::new().await;
    writes(&scene.model);
    let mut body = body(&["a", "b"]);
    let first = &mut body["workflow"]["tasks"][0];
    first["expected_artifacts"] = json!([{ "kind": "report", "path": "a.txt" }]);
    first["scorer"] = json!({ "kind": "regex_match", "path": "a.txt", "pattern": "^here$" });
    let run = create(&scene.app, body).await;
    assert_eq!(look(&scene.app, &run).await["lifecycle_status"], "pending");
    let target = format!("/v1/fleet/runs/{run}/events");
    let mut stream = scene.app.open(scene.app.request("GET", &target)).await;
    assert_eq!(stream.status, 200);
    start(&scene.app, &run).await;
    let detail = ended(&scene.app, &run).await;
    assert_eq!(detail["lifecycle_status"], "completed", "{detail:#}");
    let mut told = String::new();
    while !told.contains("\"status\":\"completed\"}}\n\n") {
        let piece = stream.next().await.unwrap().unwrap();
        told.push_str(std::str::from_utf8(&piece).unwrap());
    }
    let replay: Value = scene
        .app
        .get(&format!("{target}/replay?limit=1000"))
        .await
        .read(200);
    let events = replay["events"].as_array().unwrap();
    let ids: Vec<&str> = told
        .lines()
        .filter_map(|it| it.strip_prefix("id: "))
        .collect();
    let cursors: Vec<&str> = events
        .iter()
        .map(|it| it["cursor"].as_str().unwrap())
        .collect();
    assert_eq!(ids, cursors[..ids.len()]);
    assert!(
        told.contains("event: fleet.worker.running_tool\n"),
        "{told}"
    );

    let receipts = format!("/v1/fleet/runs/{run}/receipts");
    let all: Value = scene.app.get(&receipts).await.read(200);
    for receipt in all["receipts"].as_array().unwrap() {
        assert_eq!(receipt["result"], "pass", "{receipt:#}");
        let thread = receipt["thread_id"].as_str().unwrap();
        let thread: Value = scene
            .app
            .get(&format!("/v1/threads/{thread}"))
            .await
            .read(200);
        assert_eq!(thread["turns"][0]["status"], "completed");
    }
    let evidence: Value = scene
        .app
        .get(&format!("{receipts}/a/evidence"))
        .await
        .read(200);
    assert_eq!(
        (&evidence["content"], &evidence["truncated"]),
        (&json!("here\n"), &json!(false))
    );
    let workers: Value = scene
        .app
        .get(&format!("/v1/fleet/runs/{run}/workers"))
        .await
        .read(200);
    for worker in workers["workers"].as_array().unwrap() {
        assert_eq!(
            (&worker["status"], &worker["host"]),
            (&json!("online"), &json!("local"))
        );
    }
    let listed: Value = scene.app.get("/v1/fleet/runs").await.read(200);
    assert_eq!(listed["status"]["completed"], 2);
    assert_eq!(listed["runs"][0]["id"], run.as_str());
}

#[tokio::test]
async fn actions_take_no_body_and_say_what_cannot_be_done() {
    let scene = Scene::new().await;
    scene.model.default_reply(Reply::says("Hm").stall());
    let app = &scene.app;
    let post = |target: String| app.send(app.request("POST", &target));
    for target in [
        "runs/run_none/start",
        "runs/run_none/stop",
        "workers/none/interrupt",
    ] {
        assert_eq!(
            post(format!("/v1/fleet/{target}")).await.status,
            404,
            "{target}"
        );
    }
    assert_eq!(app.get("/v1/fleet/workers/none").await.status, 404);
    assert_eq!(app.get("/v1/fleet/runs/run_none/events").await.status, 404);
    let mut elsewhere = body(&["a"]);
    elsewhere["target"] = json!("cloud");
    let refused = app.post("/v1/fleet/runs", elsewhere).await;
    assert_eq!(
        (refused.status, &refused.json()["error"]["code"]),
        (501, &json!("unsupported"))
    );
    let mut nobody = body(&["a"]);
    nobody["workflow"]["tasks"][0]["worker"] = json!({});
    assert_eq!(app.post("/v1/fleet/runs", nobody).await.status, 400);
    assert_eq!(app.post("/v1/fleet/runs", json!({})).await.status, 422);

    let run = create(app, body(&["a"])).await;
    let worker = format!("/v1/fleet/workers/{run}.w1");
    assert_eq!(
        post(format!("{worker}/interrupt")).await.status,
        400,
        "it has no task"
    );
    assert_eq!(post(format!("{worker}/restart")).await.status, 400);
    start(app, &run).await;
    until(app, &run, |it| it["tasks"][0]["thread_id"].is_string()).await;
    let acted: Value = post(format!("{worker}/stop")).await.read(200);
    assert_eq!(
        (&acted["action"], &acted["worker"]["status"]),
        (&json!("stop"), &json!("online"))
    );
    let detail = ended(app, &run).await;
    assert_eq!(detail["lifecycle_status"], "cancelled");
    // Its process is gone, so its turn has ended too.
    let thread = detail["tasks"][0]["thread_id"].as_str().unwrap().to_owned();
    let target = format!("/v1/threads/{thread}");
    let is_over = async {
        loop {
            let thread: Value = app.get(&target).await.read(200);
            if thread["turns"][0]["status"] == "interrupted" {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    codewhale_testkit::app::within("the turn of a worker that was stopped", is_over).await;
    let target = format!("/v1/fleet/runs/{run}/start");
    assert_eq!(post(target).await.status, 409);
    let stopped: Value = post(format!("/v1/fleet/runs/{run}/stop")).await.read(200);
    assert_eq!(stopped["stopped"], 0);
}

#[tokio::test]
async fn a_request_with_a_key_makes_and_starts_one_run() {
    let scene = Scene::new().await;
    writes(&scene.model);
    let app = &scene.app;
    let make = || {
        let request = app.request("POST", "/v1/fleet/runs").json(&body(&["a"]));
        app.send(request.header("idempotency-key", "make"))
    };
    let (one, two): (Value, Value) = (make().await.read(201), make().await.read(201));
    assert_eq!(one, two);
    let run = one["run"]["id"].as_str().unwrap();
    let target = format!("/v1/fleet/runs/{run}/start");
    let begin = || {
        app.send(
            app.request("POST", &target)
                .header("idempotency-key", "start"),
        )
    };
    begin().await.read::<Value>(202);
    let detail = ended(app, run).await;
    begin().await.read::<Value>(202);
    assert_eq!(detail["tasks"][0]["attempts"], 1);
    let again = app.request("POST", &format!("/v1/fleet/workers/{run}.w1/restart"));
    let again = || app.send(again.clone().header("idempotency-key", "again"));
    again().await.read::<Value>(200);
    ended(app, run).await;
    again().await.read::<Value>(200);
    let detail = ended(app, run).await;
    assert_eq!(detail["tasks"][0]["attempts"], 2, "{detail:#}");
    let listed: Value = app.get("/v1/fleet/runs").await.read(200);
    assert_eq!(listed["runs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn in_a_repository_each_worker_has_a_worktree_and_what_it_changed_comes_as_a_patch() {
    let scene = Scene::new().await;
    writes(&scene.model);
    let workspace = scene.home.workspace();
    let git = |arguments: &'static [&'static str]| {
        let as_someone = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let git = Program::new("git", &scene.home).within(&workspace);
        git.arguments(as_someone)
            .arguments(arguments.iter().copied())
    };
    std::fs::write(workspace.join("kept.txt"), "kept\n").unwrap();
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["add", "kept.txt"],
        &["commit", "-q", "-m", "first"],
    ] {
        let ended = git(arguments).run().await;
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let run = create(&scene.app, body(&["a", "b"])).await;
    start(&scene.app, &run).await;
    let detail = ended(&scene.app, &run).await;
    assert_eq!(detail["lifecycle_status"], "completed", "{detail:#}");
    assert!(
        !workspace.join("a.txt").exists(),
        "the workspace itself is as it was"
    );
    let receipt = format!("/v1/fleet/runs/{run}/receipts/a");
    let receipt: Value = scene.app.get(&receipt).await.read(200);
    let artifacts = receipt["artifacts"].as_array().unwrap();
    let kinds: Vec<&str> = artifacts
        .iter()
        .map(|it| it["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["patch", "worktree", "log"]);
    let patch = std::fs::read_to_string(artifacts[0]["path"].as_str().unwrap()).unwrap();
    assert!(
        patch.contains("+++ b/a.txt") && !patch.contains("b.txt\n"),
        "{patch}"
    );
    let branches = git(&["branch", "--list", "codewhale/*"]).run().await.stdout;
    assert_eq!(branches.lines().count(), 2, "{branches}");
}
