//! Tasks with commands.

use codewhale_testkit::model_server::Reply;
use serde_json::json;

use super::Task;
use crate::held::HeldCommand;

#[tokio::test]
async fn a_command_that_the_user_refuses_does_not_run_and_the_model_is_told() {
    let mut task = Task::asking(&[("a.txt", "a\n")]).await;
    task.script(
        [("exec_shell", json!({ "command": "rm a.txt" }))],
        "I left it.",
    );
    let done = task.run("delete a.txt", "deny").await;
    assert_eq!(
        (done.status.as_str(), done.said.as_str()),
        ("completed", "I left it.")
    );
    assert_eq!(task.asked, ["exec_shell: deny"]);
    assert_eq!(task.file("a.txt"), "a\n");
    assert!(
        task.results()[0].contains("refused"),
        "{:?}",
        task.results()
    );
}

#[tokio::test]
async fn a_word_in_between_reaches_the_model_after_the_command() {
    let mut task = Task::asking(&[]).await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_0", "exec_shell", &command.arguments());
    task.scene.model.push(call).push(Reply::says("Noted."));
    let full = json!({ "permission_posture": "full_access" });
    let target = format!("/v1/threads/{}", task.thread);
    assert_eq!(task.scene.app.patch(&target, full).await.status, 200);
    let turn = task.scene.app.start_turn(&task.thread, "run it").await;
    let running = command.running().await;
    let steered = task.scene.app.steer(&turn, "and be quick").await;
    assert_eq!(steered.status, 200);
    running.release();
    let done = task.finish("allow").await;
    assert_eq!(done.said, "Noted.");
    let request = task.scene.model.last_request();
    assert_eq!(request.last_user_text(), Some("and be quick"));
}

#[tokio::test]
async fn a_command_under_way_is_stopped_with_its_turn() {
    let settings = json!({ "allow_shell": true, "permission_posture": "full_access" });
    let mut task = Task::new(settings, &[]).await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_0", "exec_shell", &command.arguments());
    task.scene.model.push(call);
    let turn = task.scene.app.start_turn(&task.thread, "run it").await;
    let running = command.running().await;
    assert_eq!(task.scene.app.interrupt(&turn).await.status, 200);
    let done = task.finish("allow").await;
    assert_eq!(done.status, "interrupted");
    running.killed().await;
}
