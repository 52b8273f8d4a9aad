//! Sub-agents and goals through the program: questions at the top, receipts in the workspace, undo of
//! what others did in one's name, and `kill -9` in the middle.

use codewhale_protocol::runtime::{AgentRun, AgentRunStatus, AgentRuns, Goal, Seq, Undone};
use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{ModelServer, Reply, Request};
use serde_json::{Value, json};

use super::Task;
use crate::scene::{Scene, program};

/// What a conversation is about, and how many answers it has had.
fn stage(request: &Request) -> (String, usize) {
    let messages = request.messages();
    let first = messages.iter().find(|it| it["role"] == "user");
    let first = first
        .and_then(|it| it["content"].as_str())
        .unwrap_or_default();
    let answers = messages
        .iter()
        .filter(|it| it["role"] == "assistant")
        .count();
    (first.to_owned(), answers)
}

fn agent(id: &str, input: &Value) -> Reply {
    Reply::calls(id, "agent", &input.to_string())
}

/// The parent delegates an edit, waits for it and is content.
fn delegates(model: &ModelServer) {
    model.answer_with(|request| {
        let (about, answers) = stage(request);
        match (about.starts_with("Delegate"), answers) {
            (true, 0) => agent(
                "start",
                &json!({"action": "start", "prompt": "Edit a.txt", "name": "hand"}),
            ),
            (true, 1) => agent("wait", &json!({"action": "wait", "until": "all"})),
            (true, _) => Reply::says("It is done."),
            (false, 0) => {
                let edit = json!({"path": "a.txt", "search": "one", "replace": "two"});
                Reply::calls("edit", "edit_file", &edit.to_string())
            }
            (false, _) => Reply::says("Edited a.txt.").usage(20, 5),
        }
    });
}

#[tokio::test]
async fn a_delegated_edit_is_asked_about_at_the_top_told_in_the_workspace_and_undone() {
    let mut task = Task::new(json!({}), &[("a.txt", "one\n")]).await;
    delegates(&task.scene.model);
    let done = task.run("Delegate it", "allow").await;
    assert_eq!(
        (done.status.as_str(), done.said.as_str()),
        ("completed", "It is done.")
    );
    assert_eq!(
        task.asked,
        ["edit_file: allow"],
        "on the thread that the person follows"
    );
    assert_eq!(task.file("a.txt"), "two\n");

    let app = &task.scene.app;
    let listed: AgentRuns = app.get("/v1/agent-runs").await.read(200);
    let run = &listed.runs[0];
    assert_eq!(run.status, AgentRunStatus::Completed);
    assert_eq!(run.result_summary.as_deref(), Some("Edited a.txt."));
    assert_eq!(run.usage.total_tokens, Some(25));
    let target = format!("/v1/agent-runs/{}", run.spec.run_id);
    let one: AgentRun = app.get(&target).await.read(200);
    assert_eq!(&one, run);
    assert_eq!(app.get("/v1/agent-runs/run_none").await.status, 404);
    let threads: Value = app.get("/v1/threads").await.read(200);
    assert_eq!(
        threads.as_array().unwrap().len(),
        1,
        "the sub-agent's thread is not listed"
    );

    let receipts = || {
        let text = task.file(".codewhale/state/subagents.v1.json");
        serde_json::from_str::<Value>(&text).unwrap_or_default()
    };
    while receipts()["workers"][0]["status"] != "completed" {
        tokio::task::yield_now().await;
    }
    assert_eq!(receipts()["schema_version"], 1);
    assert_eq!(
        receipts()["workers"][0]["spec"]["run_id"],
        json!(run.spec.run_id)
    );

    let undo = format!("/v1/threads/{}/undo", task.thread);
    let undone: Undone = app.post(&undo, json!({})).await.read(201);
    assert_eq!(undone.patch_result.files, ["a.txt"]);
    assert_eq!(
        task.file("a.txt"),
        "one\n",
        "what was done in the turn's name is undone with it"
    );
}

#[tokio::test]
async fn a_sub_agent_of_a_killed_program_is_interrupted_and_its_slot_is_free() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    home.write("a.txt", "one\n");
    delegates(&model);
    let app = program(&home).serve().await;
    let scene = Scene { app, model, home };
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, "Delegate it").await;
    events.until("approval.required").await;
    let Scene { app, model, home } = scene;
    app.kill().await;

    let app = program(&home).serve().await;
    let listed: AgentRuns = app.get("/v1/agent-runs").await.read(200);
    assert_eq!(listed.runs[0].status, AgentRunStatus::Interrupted);
    let snapshot = app.snapshot(&thread).await;
    assert!(
        snapshot.pending_approvals.is_empty(),
        "the question is settled at the top as well"
    );
    let mut events = app.follow(&thread, Seq::ZERO).await;
    events.until("agent.completed").await;
    assert_eq!(home.read("a.txt").unwrap(), "one\n");
    drop(model);
}

#[tokio::test]
async fn a_goal_is_pursued_over_http_until_its_budget_is_used_up() {
    let scene = Scene::new().await;
    scene
        .model
        .default_reply(Reply::says("One more step.").usage(40, 5));
    let (thread, mut events) = scene.thread(json!({})).await;
    let app = &scene.app;
    let target = format!("/v1/threads/{thread}/goal");
    assert_eq!(app.get(&target).await.status, 404);
    let body = json!({"objective": "All tests green", "token_budget": 100});
    let set: Goal = app
        .send(app.request("PUT", &target).json(&body))
        .await
        .read(201);
    assert_eq!(set.token_budget, Some(100));
    app.start_turn(&thread, "begin").await;
    let limited = |seen: &codewhale_testkit::app::Seen| {
        seen.event == "thread_goal_updated" && seen.payload["goal"]["status"] == "budget_limited"
    };
    let seen = events.until_one(limited).await;
    assert_eq!(seen.payload["kind"], "thread_goal_updated");
    let goal: Goal = app.get(&target).await.read(200);
    assert_eq!((goal.tokens_used, goal.continuation_count), (135, 2));
    assert_eq!(scene.model.request_count(), 3, "it does not go on");
    let blocked = app.post(&format!("{target}/complete"), json!({})).await;
    assert_eq!(blocked.status, 200);
    assert_eq!(
        app.post(&format!("{target}/block"), json!({})).await.status,
        409
    );
    let cleared = app.send(app.request("DELETE", &target)).await;
    assert_eq!((cleared.status, cleared.text()), (204, ""));
    assert_eq!(app.get(&target).await.status, 404);
}
