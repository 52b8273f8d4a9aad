//! Tasks in which someone is asked.

use serde_json::json;

use super::Task;
use crate::scene::{Scene, program};

const RUN: &str = "touch made.txt";

#[tokio::test]
async fn an_answer_for_the_session_holds_for_the_same_command_only() {
    let mut task = Task::asking(&[]).await;
    let run = |command: &str| ("exec_shell", json!({ "command": command }));
    task.script([run(RUN), run(RUN), run("touch other.txt")], "Done.");
    task.run("go", "approved_for_session").await;
    assert_eq!(
        task.asked,
        [
            "exec_shell: approved_for_session",
            "exec_shell: approved_for_session"
        ]
    );
}

#[tokio::test]
async fn a_remembered_answer_is_a_rule_for_this_workspace_also_after_a_restart() {
    let mut task = Task::asking(&[]).await;
    task.script([("exec_shell", json!({ "command": RUN }))], "Done.");
    task.scene.app.start_turn(&task.thread, "go").await;
    let required = task.events.until("approval.required").await;
    let id = required.payload["id"].as_str().unwrap();
    let body = json!({ "decision": "allow", "remember": true });
    let answer = task
        .scene
        .app
        .post(&format!("/v1/approvals/{id}"), body)
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(task.finish("deny").await.status, "completed");

    task.script([("exec_shell", json!({ "command": RUN }))], "Again.");
    task.run("again", "deny").await;
    assert!(task.asked.is_empty(), "{:?}", task.asked);

    let Scene { app, model, home } = task.scene;
    app.kill().await;
    let app = program(&home).serve().await;
    let scene = Scene { app, model, home };
    let (thread, events) = scene.thread(json!({ "allow_shell": true })).await;
    let mut task = Task {
        scene,
        thread,
        events,
        asked: Vec::new(),
    };
    task.script([("exec_shell", json!({ "command": RUN }))], "Once more.");
    task.run("once more", "deny").await;
    assert!(task.asked.is_empty(), "{:?}", task.asked);
}

#[tokio::test]
async fn an_accepted_prefix_holds_for_its_variants_and_for_nothing_else() {
    let mut task = Task::asking(&[]).await;
    let run = |command: &str| ("exec_shell", json!({ "command": command }));
    task.script(
        [
            run("mkdir -p a"),
            run("mkdir -p b/c"),
            run("mkdir d; touch e"),
            run("rmdir a"),
        ],
        "Done.",
    );
    task.run("go", "approved_execpolicy_amendment").await;
    let asked = task.asked.len();
    assert_eq!(asked, 3, "{:?}", task.asked);
    let seen = task.events.seen().iter();
    let commands = seen.filter(|it| it.event == "approval.required");
    let commands: Vec<_> = commands
        .map(|it| it.payload["command"].as_str().unwrap())
        .collect();
    assert_eq!(commands, ["mkdir -p a", "mkdir d; touch e", "rmdir a"]);
}

#[tokio::test]
async fn an_accepted_host_is_not_asked_about_again() {
    let mut task = Task::asking(&[]).await;
    let fetch = |path: &str| {
        (
            "fetch_url",
            json!({ "url": format!("http://127.0.0.1:9/{path}") }),
        )
    };
    task.script([fetch("one"), fetch("two")], "Done.");
    task.run("fetch", "network_policy_amendment").await;
    assert_eq!(task.asked, ["fetch_url: network_policy_amendment"]);
    // A yes to the host is no yes to addresses of this machine.
    let results = task.results();
    assert!(
        results.iter().all(|it| it.contains("127.0.0.1")),
        "{results:?}"
    );
}

#[tokio::test]
async fn a_question_of_the_agent_is_answered_and_the_answer_is_kept_nowhere() {
    let mut task = Task::asking(&[]).await;
    let option = |label: &str| json!({ "label": label, "description": "one of two" });
    let questions = json!({ "questions": [{
        "header": "Database", "id": "db", "question": "Which one?",
        "options": [option("SQLite"), option("Postgres")],
    }] });
    task.script([("request_user_input", questions)], "As you wish.");
    task.scene.app.start_turn(&task.thread, "choose").await;
    let required = task.events.until("user_input.required").await;
    let input = required.payload["id"].as_str().unwrap();
    let snapshot = task.scene.app.snapshot(&task.thread).await;
    assert_eq!(snapshot.pending_user_inputs[0].id.as_str(), input);

    let target = format!("/v1/user-input/{}/{input}", task.thread);
    let answers = |label: &str, value: &str| json!({ "answers": [{ "id": "db", "label": label, "value": value }] });
    let wrong = task
        .scene
        .app
        .post(&target, answers("Oracle", "Oracle"))
        .await;
    assert_eq!(wrong.status, 400, "{}", wrong.text());
    let answer = task
        .scene
        .app
        .post(&target, answers("Other", "a file named zanzibar"))
        .await;
    assert_eq!(
        answer.read::<serde_json::Value>(200),
        json!({ "ok": true, "input_id": input, "delivered": true })
    );
    let done = task.finish("deny").await;
    assert_eq!(done.said, "As you wish.");
    assert!(
        task.results()[0].contains("zanzibar"),
        "{:?}",
        task.results()
    );
    let again = task
        .scene
        .app
        .post(&target, answers("SQLite", "SQLite"))
        .await;
    assert_eq!(again.status, 404);

    // The model has it; nothing else does.
    for (path, bytes) in task.scene.home.files() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("zanzibar"), "{}", path.display());
    }
    assert!(
        task.events
            .seen()
            .iter()
            .all(|event| !event.data.contains("zanzibar"))
    );
    assert!(task.names().contains(&"user_input.answered"));
}
