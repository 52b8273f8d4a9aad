//! Questions: approvals and what the agent wants to know.

use codewhale_protocol::runtime::ThreadId;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Desk, prompt};
use crate::scene::program;

fn write(name: &str) -> Reply {
    let input = json!({ "path": name, "content": "hello\n" });
    Reply::calls("c1", "write_file", &input.to_string())
}

fn chosen(option: &str) -> Value {
    json!({ "outcome": { "outcome": "selected", "optionId": option } })
}

#[tokio::test]
async fn a_call_runs_when_the_editor_allows_it_and_not_when_it_rejects_it() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    for (option, is_written) in [("reject_once", false), ("allow_once", true)] {
        desk.model.push(write("a.txt")).push(Reply::says("done"));
        let request = desk.prompt(&session, "write it").await;
        let asked = desk.editor.asked("session/request_permission").await;
        let call = desk.editor.update("tool_call").await;
        assert_eq!(
            asked["params"]["toolCall"]["toolCallId"],
            call["toolCallId"]
        );
        assert_eq!(asked["params"]["toolCall"]["status"], "pending");
        desk.editor.answer(&asked, chosen(option)).await;
        let answer = desk.editor.answer_to(&request).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        assert_eq!(desk.home.read("a.txt").is_some(), is_written, "{option}");
    }
}

#[tokio::test]
async fn always_is_not_asked_again_whatever_the_answer_was() {
    for (option, is_written) in [("reject_always", false), ("allow_always", true)] {
        let mut desk = Desk::new().await;
        let session = desk.session().await;
        desk.model.push(write("a.txt")).push(Reply::says("done"));
        let request = desk.prompt(&session, "write it").await;
        let asked = desk.editor.asked("session/request_permission").await;
        desk.editor.answer(&asked, chosen(option)).await;
        desk.editor.answer_to(&request).await;
        let _ = std::fs::remove_file(desk.home.workspace().join("a.txt"));
        desk.model.push(write("a.txt")).push(Reply::says("done"));
        let again = prompt(&session, "write it again");
        let answer = desk.editor.ask("session/prompt", again).await;
        assert_eq!(answer["stopReason"], "end_turn");
        assert_eq!(desk.home.read("a.txt").is_some(), is_written, "{option}");
        let seen = desk.editor.take_seen();
        let is_asked = |it: &Value| it["method"] == "session/request_permission";
        assert!(!seen.iter().any(is_asked), "{option}");
    }
}

#[tokio::test]
async fn a_question_of_the_editors_agent_is_answered_from_a_server_on_the_same_home() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let app = program(&desk.home).serve().await;
    desk.model.push(write("a.txt")).push(Reply::says("done"));
    let request = desk.prompt(&session, "write it").await;
    let asked = desk.editor.asked("session/request_permission").await;
    let thread = ThreadId::from(session.as_str());
    let waiting = app.snapshot(&thread).await.pending_approvals;
    assert_eq!(waiting.len(), 1);
    let decided = app.decide(&waiting[0].id, "allow").await;
    assert_eq!(decided.status, 200);
    let taken_back = desk
        .editor
        .until(|it| it["method"] == "$/cancel_request")
        .await;
    assert_eq!(taken_back["params"]["requestId"], asked["id"]);
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert!(desk.home.read("a.txt").is_some());
    assert!(app.snapshot(&thread).await.pending_approvals.is_empty());
}

#[tokio::test]
async fn a_question_of_a_servers_agent_is_answered_in_the_editor() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let app = program(&desk.home).serve().await;
    let thread = ThreadId::from(session.as_str());
    desk.model.push(write("a.txt")).push(Reply::says("done"));
    app.start_turn(&thread, "write it").await;
    let asked = desk.editor.asked("session/request_permission").await;
    desk.editor.answer(&asked, chosen("allow_once")).await;
    let is_done = |it: &Value| it["params"]["update"]["content"]["text"] == "done";
    desk.editor.until(is_done).await;
    assert!(desk.home.read("a.txt").is_some());
}

#[tokio::test]
async fn an_answer_that_was_not_offered_is_a_no() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    for answer in [chosen("sudo"), json!({ "outcome": "yes" }), json!(null)] {
        desk.model.push(write("a.txt")).push(Reply::says("done"));
        let request = desk.prompt(&session, "write it").await;
        let asked = desk.editor.asked("session/request_permission").await;
        desk.editor.answer_badly(&asked, answer).await;
        desk.editor.answer_to(&request).await;
        assert_eq!(desk.home.read("a.txt"), None);
    }
}

#[tokio::test]
async fn a_prompt_that_is_cancelled_takes_its_question_back() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(write("a.txt"));
    let request = desk.prompt(&session, "write it").await;
    let asked = desk.editor.asked("session/request_permission").await;
    desk.editor
        .tell("session/cancel", json!({ "sessionId": session }))
        .await;
    let taken_back = desk
        .editor
        .until(|it| it["method"] == "$/cancel_request")
        .await;
    assert_eq!(taken_back["params"]["requestId"], asked["id"]);
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    assert_eq!(desk.home.read("a.txt"), None);
}

fn question() -> Reply {
    let input = json!({ "questions": [{
        "header": "Database", "id": "db", "question": "Which one?",
        "options": [
            { "label": "SQLite", "description": "a file" },
            { "label": "Postgres", "description": "a server" },
        ],
    }]});
    Reply::calls("c1", "request_user_input", &input.to_string())
}

#[tokio::test]
async fn a_question_of_the_agent_is_a_form_for_editors_that_show_forms() {
    let mut desk = Desk::of_client(json!({ "elicitation": { "form": {} } })).await;
    let session = desk.session().await;
    desk.model
        .push(question())
        .push(Reply::says("Postgres it is"));
    let request = desk.prompt(&session, "choose").await;
    let asked = desk.editor.asked("elicitation/create").await;
    let property = &asked["params"]["requestedSchema"]["properties"]["db"];
    assert_eq!(property["oneOf"][1]["const"], "Postgres");
    let content = json!({ "action": "accept", "content": { "db": "Postgres" } });
    desk.editor.answer(&asked, content).await;
    desk.editor.answer_to(&request).await;
    assert!(
        desk.model
            .last_request()
            .body
            .to_string()
            .contains("Postgres")
    );
}

#[tokio::test]
async fn without_forms_the_question_is_a_message_and_the_next_prompt_its_answer() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model
        .push(question())
        .push(Reply::says("Postgres it is"));
    let asked = desk
        .editor
        .ask("session/prompt", prompt(&session, "choose"))
        .await;
    assert_eq!(asked["stopReason"], "end_turn");
    let said = desk.editor.update("agent_message_chunk").await;
    let said = said["content"]["text"].as_str().unwrap().to_owned();
    assert!(said.contains("2. Postgres"), "{said}");
    let answered = desk
        .editor
        .ask("session/prompt", prompt(&session, "2"))
        .await;
    assert_eq!(answered["stopReason"], "end_turn");
    let said = desk.editor.update("agent_message_chunk").await;
    assert_eq!(said["content"]["text"], "Postgres it is");
    let request = desk.model.last_request();
    assert!(request.body.to_string().contains("Postgres"));
    assert_eq!(desk.model.request_count(), 2);
}
