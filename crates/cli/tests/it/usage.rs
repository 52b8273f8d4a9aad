//! What was used, and what is to be found in a workspace, over HTTP.

use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::Scene;

#[tokio::test]
async fn usage_of_a_store_in_which_nothing_happened_is_empty() {
    let scene = Scene::new().await;
    let report: Value = scene.app.get("/v1/usage").await.read(200);
    assert_eq!(report["since"], json!(null));
    assert_eq!(report["until"], json!(null));
    assert_eq!(report["group_by"], "day");
    assert_eq!(report["buckets"], json!([]));
    for member in ["input_tokens", "output_tokens", "cached_tokens", "turns"] {
        assert_eq!(report["totals"][member], 0, "{member}");
    }
    assert_eq!(report["totals"]["cost_usd"], 0.0);
}

#[tokio::test]
async fn a_turn_shows_up_in_the_usage_of_its_day_model_provider_and_thread() {
    let scene = Scene::new().await;
    scene
        .model
        .push(Reply::says("Done.").usage_with_cache(100, 60, 20));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "go").await;
    let ended = events.until("turn.completed").await;
    let turn = &ended.payload["turn"];
    for (group, key) in [
        ("day", turn["created_at"].as_str().unwrap()[..10].to_owned()),
        (
            "model",
            turn["effective_model"].as_str().unwrap().to_owned(),
        ),
        (
            "provider",
            turn["effective_provider"].as_str().unwrap().to_owned(),
        ),
        ("thread", thread.to_string()),
    ] {
        let path = format!("/v1/usage?group_by={group}");
        let report: Value = scene.app.get(&path).await.read(200);
        let buckets = report["buckets"].as_array().unwrap();
        assert_eq!(buckets.len(), 1, "{report}");
        assert_eq!(buckets[0]["key"], key.as_str());
        assert_eq!(buckets[0]["turns"], 1);
        assert_eq!(buckets[0]["input_tokens"], 40);
        assert_eq!(buckets[0]["cached_tokens"], 60);
        assert_eq!(buckets[0]["output_tokens"], 20);
        assert_eq!(report["totals"]["turns"], 1);
    }
    let none = scene.app.get("/v1/usage?until=2001-01-01T00:00:00Z").await;
    assert_eq!(none.read::<Value>(200)["buckets"], json!([]));
    for query in [
        "since=yesterday",
        "until=1",
        "group_by=week",
        "since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z",
    ] {
        let answer = scene.app.get(&format!("/v1/usage?{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_workspace_without_a_repository_has_a_status_and_skills_have_their_places() {
    let scene = Scene::new().await;
    let skill = "skills/review/SKILL.md";
    let path = scene.home.path().join(skill);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(
        &path,
        "---\nname: review\ndescription: Looks again.\n---\nLook.\n",
    )
    .unwrap();
    let status: Value = scene.app.get("/v1/workspace/status").await.read(200);
    assert_eq!(
        status,
        json!({
            "workspace": scene.home.workspace(), "git_repo": false, "branch": null, "head": null,
            "dirty": false, "staged": 0, "unstaged": 0, "untracked": 0, "ahead": null,
            "behind": null,
        })
    );
    let list: Value = scene.app.get("/v1/skills").await.read(200);
    let directory = scene.home.path().join("skills");
    assert_eq!(list["directory"], json!(directory));
    assert_eq!(list["directories"], json!([directory]));
    assert_eq!(list["warnings"], json!([]));
    let skills = list["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 1, "{list}");
    assert_eq!(skills[0]["name"], "review");
    assert_eq!(skills[0]["description"], "Looks again.");
    assert_eq!(skills[0]["path"], json!(path));
    assert_eq!(skills[0]["enabled"], true);
    assert_eq!(skills[0]["plugin_id"], json!(null));
}

#[tokio::test]
async fn skills_of_a_workspace_are_listed_once_it_is_trusted() {
    let scene = Scene::new().await;
    let path = scene
        .home
        .workspace()
        .join(".agents/skills/theirs/SKILL.md");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(
        &path,
        "---\nname: theirs\ndescription: Of the repository.\n---\nx\n",
    )
    .unwrap();
    let names = async || {
        let list: Value = scene.app.get("/v1/skills").await.read(200);
        let skills = list["skills"].as_array().unwrap().iter();
        skills.map(|it| it["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names().await, Vec::<Value>::new());
    let trust: Value = scene.app.get("/v1/workspace/trust").await.read(200);
    let yes = json!({ "trusted": true, "digest": trust["digest"] });
    let answer = scene.app.post("/v1/workspace/trust", yes).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(names().await, ["theirs"]);
}

#[tokio::test]
async fn the_first_goal_of_a_thread_is_made_and_the_next_replaces_it() {
    let scene = Scene::configured("[goal]\nmax_continuations = 1\n").await;
    let thread = scene.app.create_thread(json!({})).await.id;
    let path = format!("/v1/threads/{thread}/goal");
    let put = |words: &str| {
        let request = scene.app.request("PUT", &path);
        scene.app.send(request.json(&json!({ "objective": words })))
    };
    let first: Value = put("one").await.read(201);
    let second: Value = put("two").await.read(200);
    assert_eq!(second["objective"], "two");
    assert_ne!(first["goal_id"], second["goal_id"]);
    let gone = scene.app.send(scene.app.request("DELETE", &path)).await;
    assert_eq!(gone.status, 204);
    put("three").await.read::<Value>(201);
}
