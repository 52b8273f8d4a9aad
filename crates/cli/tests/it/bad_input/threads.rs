//! Threads that cannot be made, found or changed.

use codewhale_protocol::runtime::ThreadRecord;
use serde_json::{Value, json};

use super::{Target, check_error};

#[tokio::test]
async fn what_does_not_exist_is_not_found_at_any_route() {
    let target = Target::new().await;
    let prompt = json!({ "prompt": "hi" });
    for thread in ["thr_none", "x", "%00", "..%2F..%2Fetc", "thr_%F0%9F%90%8B"] {
        let path = format!("/v1/threads/{thread}");
        for request in [
            target.request("GET", &path),
            target.request("GET", &format!("{path}/events")),
            target
                .request("PATCH", &path)
                .json(&json!({ "title": "x" })),
            target.request("POST", &format!("{path}/resume")),
            target.request("POST", &format!("{path}/fork")),
            target
                .request("POST", &format!("{path}/turns"))
                .json(&prompt),
            target
                .request("POST", &format!("{path}/turns/turn_none/steer"))
                .json(&prompt),
            target.request("POST", &format!("{path}/turns/turn_none/interrupt")),
        ] {
            target
                .check(request, 404, "not_found", "no such thread")
                .await;
        }
    }
}

#[tokio::test]
async fn values_of_the_wrong_type_have_the_wrong_shape() {
    let target = Target::new().await;
    for (member, value) in [
        ("model", json!(1)),
        ("allow_shell", json!("yes")),
        ("title", json!(["x"])),
        ("workspace", json!({})),
    ] {
        let body = json!({ member: value });
        target
            .check_post("/v1/threads", body.clone(), 422, "invalid_shape", member)
            .await;
        target.check_patch(body, 422, "invalid_shape", member).await;
    }
}

#[tokio::test]
async fn unknown_words_are_named_and_the_known_ones_listed() {
    let target = Target::new().await;
    let invalid = "invalid_params";
    for posture in ["never", "deny", "denied", "maybe", ""] {
        let body = json!({ "permission_posture": posture });
        target
            .check_post(
                "/v1/threads",
                body,
                400,
                invalid,
                "ask, auto_review, full_access",
            )
            .await;
    }
    let mode = json!({ "mode": "swim" });
    target
        .check_post(
            "/v1/threads",
            mode.clone(),
            400,
            invalid,
            "agent, plan, operate",
        )
        .await;
    target
        .check_patch(mode, 400, invalid, "agent, plan, operate")
        .await;
    let posture = json!({ "permission_posture": "never" });
    target
        .check_patch(posture, 400, invalid, "ask, auto_review, full_access")
        .await;
    let effort = json!({ "reasoning_effort": "lots" });
    let efforts = "off, low, medium, high, max, auto";
    target
        .check_post("/v1/threads", effort.clone(), 400, invalid, efforts)
        .await;
    target.check_patch(effort, 400, invalid, efforts).await;
    let provider = json!({ "model_provider": "nobody" });
    target
        .check_post("/v1/threads", provider, 400, invalid, "script")
        .await;
    let blank = json!({ "model_provider_id": " " });
    target
        .check_post("/v1/threads", blank, 400, invalid, "model_provider_id")
        .await;
}

#[tokio::test]
async fn a_workspace_must_be_an_absolute_path_to_a_directory() {
    let target = Target::new().await;
    target.scene.home.write("file.txt", "x");
    let file = target.scene.home.workspace().join("file.txt");
    let missing = target.scene.home.workspace().join("missing");
    for (workspace, words) in [
        ("relative/path", "absolute"),
        (missing.to_str().unwrap(), "cannot be used"),
        (file.to_str().unwrap(), "not a directory"),
    ] {
        let body = json!({ "workspace": workspace });
        target
            .check_post("/v1/threads", body.clone(), 400, "invalid_params", words)
            .await;
        target.check_patch(body, 400, "invalid_params", words).await;
    }
}

#[tokio::test]
async fn a_change_must_change_something_and_blank_settings_are_refused() {
    let target = Target::new().await;
    target
        .check_patch(json!({}), 400, "invalid_params", "at least one")
        .await;
    target
        .check_patch(
            json!({ "unknown": 1 }),
            400,
            "invalid_params",
            "at least one",
        )
        .await;
    target
        .check_patch(
            json!({ "title": null }),
            400,
            "invalid_params",
            "at least one",
        )
        .await;
    for member in ["model", "mode", "permission_posture", "workspace"] {
        for blank in ["", " "] {
            target
                .check_patch(json!({ member: blank }), 400, "invalid_params", member)
                .await;
        }
    }
    // Nothing of a change is done when a part of it cannot be.
    let half = json!({ "title": "New", "mode": "swim" });
    target
        .check_patch(half, 400, "invalid_params", "swim")
        .await;
}

#[tokio::test]
async fn an_empty_title_clears_it_and_a_change_to_the_same_emits_nothing() {
    let target = Target::new().await;
    let (app, path) = (&target.scene.app, target.path());
    let before = target.all().await;
    let same = app
        .patch(&path, json!({ "title": "Target", "archived": false }))
        .await;
    assert_eq!(same.read::<Value>(200), before.0["thread"]);
    assert_eq!(target.all().await, before);
    let cleared: ThreadRecord = app.patch(&path, json!({ "title": " " })).await.read(200);
    assert_eq!(cleared.title, None);
    let last = app.history(&target.thread).await.pop().unwrap();
    assert_eq!(last.event, "thread.updated");
    assert_eq!(last.payload["changes"], json!({ "title": null }));
    let after = target.all().await;
    app.patch(&path, json!({ "title": "" }))
        .await
        .read::<Value>(200);
    assert_eq!(target.all().await, after);
}

#[tokio::test]
async fn unknown_members_and_nulls_are_passed_over() {
    let target = Target::new().await;
    let body = json!({ "mode": null, "model": null, "title": null, "dynamic_tools": [], "x": 1 });
    let thread = target.scene.app.create_thread(body).await;
    assert_eq!((thread.mode.as_str(), thread.title), ("agent", None));
    let empty = target.request("POST", "/v1/threads");
    target.scene.app.send(empty).await.read::<ThreadRecord>(201);
}

#[tokio::test]
async fn yolo_is_agent_with_full_access() {
    let target = Target::new().await;
    let thread = target
        .scene
        .app
        .create_thread(json!({ "mode": "yolo" }))
        .await;
    assert_eq!(thread.mode.as_str(), "agent");
    assert!(thread.auto_approve);
    assert_eq!(thread.permission_posture.unwrap().as_str(), "full_access");
}

#[tokio::test]
async fn the_workspace_stays_while_a_turn_runs() {
    let target = Target::new().await;
    let (turn, _events) = target.scene.stalled_turn().await;
    let path = format!("/v1/threads/{}", turn.thread_id);
    let before = target.scene.app.get(&path).await.json();
    let elsewhere = json!({ "workspace": target.scene.home.path() });
    let answer = target.scene.app.patch(&path, elsewhere).await;
    let data = check_error(&answer, 409, "conflict", "active turn");
    assert_eq!(data, json!({ "active_turn_id": turn.id }));
    assert_eq!(target.scene.app.get(&path).await.json(), before);
}
