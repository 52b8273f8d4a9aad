//! What an editor sees of a turn.

use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Desk, prompt};

#[tokio::test]
async fn a_prompt_is_answered_after_everything_its_turn_has_shown() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    assert!(session.starts_with("thr_"));
    desk.model
        .push(Reply::new().reasoning("hm").text("Hello").usage(7, 2));
    let request = desk.prompt(&session, "say hello").await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"], json!({ "stopReason": "end_turn" }));
    let seen = desk.editor.take_seen();
    let told = |kind: &str| -> Vec<Value> {
        let updates = seen.iter().map(|it| it["params"]["update"].clone());
        updates.filter(|it| it["sessionUpdate"] == kind).collect()
    };
    let text = |kind: &str| -> String {
        let chunks = told(kind);
        chunks
            .iter()
            .map(|it| it["content"]["text"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(text("agent_thought_chunk"), "hm");
    assert_eq!(text("agent_message_chunk"), "Hello");
    // The editor shows what its user typed by itself.
    assert_eq!(told("user_message_chunk"), Vec::<Value>::new());
    assert_eq!(told("session_info_update")[0]["title"], "say hello");
    let usage = &told("usage_update")[0];
    assert_eq!(
        (&usage["used"], &usage["size"]),
        (&json!(7), &json!(100_000))
    );
    let commands = told("available_commands_update")[0]["availableCommands"].clone();
    assert!(
        commands
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["name"] == "compact")
    );
}

#[tokio::test]
async fn calls_are_shown_with_their_files_and_changes_and_the_list_of_steps_as_a_plan() {
    let mut desk = Desk::new().await;
    desk.home.write("a.txt", "one\n");
    let session = desk.session().await;
    let options =
        json!({ "sessionId": session, "configId": "approval_posture", "value": "full_access" });
    desk.editor.ask("session/set_config_option", options).await;
    let todos = json!({ "todos": [{ "content": "edit it", "status": "in_progress" }] });
    let edit = json!({ "path": "a.txt", "search": "one", "replace": "two" });
    let todos = Reply::calls("c1", "todo_write", &todos.to_string());
    desk.model
        .push(todos)
        .push(Reply::calls("c2", "edit_file", &edit.to_string()));
    desk.model.push(Reply::says("done"));
    let request = desk.prompt(&session, "edit it").await;
    let plan = desk.editor.update("plan").await;
    assert_eq!(plan["entries"][0]["content"], "edit it");
    let call = desk.editor.update("tool_call").await;
    let path = format!("{}/a.txt", desk.workspace());
    assert_eq!(call["kind"], "edit");
    assert_eq!(call["locations"], json!([{ "path": path }]));
    let diff = json!([{ "type": "diff", "path": path, "oldText": "one", "newText": "two" }]);
    assert_eq!(call["content"], diff);
    let over = desk.editor.update("tool_call_update").await;
    assert_eq!(over["toolCallId"], call["toolCallId"]);
    assert_eq!(over["status"], "completed");
    desk.editor.answer_to(&request).await;
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(text, "two\n");
}

#[tokio::test]
async fn a_cancelled_prompt_answers_so_and_the_next_one_works() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(Reply::says("Hel").stall());
    let request = desk.prompt(&session, "say hello").await;
    desk.editor.update("agent_message_chunk").await;
    desk.editor
        .tell("session/cancel", json!({ "sessionId": session }))
        .await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    desk.model.push(Reply::says("again"));
    let again = desk
        .editor
        .ask("session/prompt", prompt(&session, "and now?"))
        .await;
    assert_eq!(again["stopReason"], "end_turn");
}

#[tokio::test]
async fn a_request_that_is_called_off_ends_and_prompts_of_one_session_wait_for_one_another() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(Reply::says("Hel").stall());
    let first = desk.prompt(&session, "one").await;
    desk.editor.update("agent_message_chunk").await;
    desk.model.push(Reply::says("two"));
    let second = desk.prompt(&session, "two").await;
    desk.editor
        .tell("$/cancel_request", json!({ "requestId": first }))
        .await;
    let first = desk.editor.answer_to(&first).await;
    assert_eq!(first["result"]["stopReason"], "cancelled");
    let second = desk.editor.answer_to(&second).await;
    assert_eq!(second["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn sessions_work_at_the_same_time() {
    let mut desk = Desk::new().await;
    let (one, other) = (desk.session().await, desk.session().await);
    desk.model.push(Reply::says("Hel").stall());
    let slow = desk.prompt(&one, "one").await;
    desk.editor.update("agent_message_chunk").await;
    desk.model.push(Reply::says("quick"));
    let quick = desk
        .editor
        .ask("session/prompt", prompt(&other, "two"))
        .await;
    assert_eq!(quick["stopReason"], "end_turn");
    desk.editor
        .tell("session/cancel", json!({ "sessionId": one }))
        .await;
    desk.editor.answer_to(&slow).await;
}

#[tokio::test]
async fn an_answer_that_stops_for_a_reason_of_its_own_tells_the_reason() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    for (finish, reason) in [("length", "max_tokens"), ("content_filter", "refusal")] {
        desk.model.push(Reply::says("I was about").finish(finish));
        let params = prompt(&session, "hello");
        let answer = desk.editor.ask("session/prompt", params).await;
        assert_eq!(answer["stopReason"], reason);
    }
}

#[tokio::test]
async fn a_provider_that_fails_fails_the_prompt_with_its_reason() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(Reply::new().status(401).body("no"));
    let error = desk
        .editor
        .refused("session/prompt", prompt(&session, "hello"))
        .await;
    assert_eq!(error["code"], -32000);
    assert_eq!(error["data"]["failureClass"], "authentication");
}

#[tokio::test]
async fn commands_shorten_the_conversation_and_take_prompts_back() {
    let mut desk = Desk::of_client(json!({ "session": { "compaction": {}, "notices": {} } })).await;
    let session = desk.session().await;
    desk.model.push(Reply::says("short"));
    desk.model.push(Reply::says("in vain"));
    desk.editor
        .ask("session/prompt", prompt(&session, "zero"))
        .await;
    let in_vain = prompt(&session, "/compact");
    let error = desk.editor.refused("session/prompt", in_vain).await;
    assert_eq!(error["code"], -32603);
    desk.model.push(Reply::says(&"first ".repeat(2000)));
    desk.model.push(Reply::says("a summary"));
    desk.editor
        .ask("session/prompt", prompt(&session, "one"))
        .await;
    let done = desk
        .editor
        .ask("session/prompt", prompt(&session, "/compact"))
        .await;
    assert_eq!(done["stopReason"], "end_turn");
    let ended = |it: &Value| it["params"]["update"]["status"] == "completed";
    let told = desk.editor.until(ended).await;
    assert_eq!(
        told["params"]["update"]["sessionUpdate"],
        "compaction_update"
    );
    desk.model
        .push(Reply::says("second"))
        .push(Reply::says("third"));
    desk.editor
        .ask("session/prompt", prompt(&session, "two"))
        .await;
    desk.editor
        .ask("session/prompt", prompt(&session, "/undo"))
        .await;
    desk.editor
        .ask("session/prompt", prompt(&session, "three"))
        .await;
    let request = desk.model.last_request();
    let said = request.body["messages"].to_string();
    assert!(said.contains("three") && !said.contains("second"), "{said}");
}
