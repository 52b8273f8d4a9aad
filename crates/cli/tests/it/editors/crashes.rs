//! `kill -9` of the program in the middle of a prompt, and what the next one tells of it.

use codewhale_protocol::runtime::{ThreadId, TurnStatus};
use codewhale_testkit::app::Editor;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Desk, opened, prompt};
use crate::held::HeldCommand;
use crate::scene::program;

/// What is said of a turn that died with its process.
const CAUSE: &str = "Interrupted by process restart";

impl Desk {
    /// Kills the program and starts it again.
    async fn crash(self) -> Self {
        let Self {
            editor,
            model,
            home,
        } = self;
        editor.kill().await;
        let editor = opened(&home, json!({})).await;
        Self {
            editor,
            model,
            home,
        }
    }

    /// Loads a session, and gives what is told of its past.
    async fn load(&mut self, session: &str) -> Vec<Value> {
        let params = json!({ "sessionId": session, "cwd": self.workspace(), "mcpServers": [] });
        self.editor.take_seen();
        self.editor.ask("session/load", params).await;
        told(&mut self.editor)
    }

    /// A prompt that comes to a good end.
    async fn check_next_prompt(&mut self, session: &str) {
        self.model.push(Reply::says("Going on."));
        let params = prompt(session, "go on");
        let answer = self.editor.ask("session/prompt", params).await;
        assert_eq!(answer["stopReason"], "end_turn");
        let said = told(&mut self.editor);
        let said = said.iter().filter(|it| kind(it) == "agent_message_chunk");
        let said: Vec<&Value> = said.map(|it| &it["content"]["text"]).collect();
        assert_eq!(said, ["Going on."]);
    }
}

/// Updates that came and were not waited for, besides the list of commands.
fn told(editor: &mut Editor) -> Vec<Value> {
    let seen = editor.take_seen();
    let updates = seen.iter().map(|it| it["params"]["update"].clone());
    let updates = updates.filter(Value::is_object);
    updates
        .filter(|it| kind(it) != "available_commands_update")
        .collect()
}

fn kind(update: &Value) -> &str {
    update["sessionUpdate"].as_str().unwrap()
}

/// The kind of each update, and its text or how its call ended.
fn outline(updates: &[Value]) -> Vec<String> {
    let line = |it: &Value| {
        let about = match kind(it) {
            "tool_call" => &it["status"],
            _ => &it["content"]["text"],
        };
        format!("{} {}", kind(it), about.as_str().unwrap_or_default())
    };
    updates.iter().map(line).collect()
}

#[tokio::test]
async fn a_command_that_ran_is_told_once_and_as_not_finished() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let posture =
        json!({ "sessionId": session, "configId": "approval_posture", "value": "full_access" });
    desk.editor.ask("session/set_config_option", posture).await;
    let command = HeldCommand::new().await;
    let calls = Reply::calls("c1", "exec_shell", &command.arguments());
    desk.model.push(calls.reasoning("hm"));
    desk.prompt(&session, "run it").await;
    let running = command.running().await;
    let call = desk.editor.update("tool_call").await;
    let mut desk = desk.crash().await;
    running.release();

    let story = desk.load(&session).await;
    let expected = [
        "user_message_chunk run it".to_owned(),
        "agent_thought_chunk hm".to_owned(),
        "tool_call failed".to_owned(),
        format!("agent_message_chunk {CAUSE}"),
    ];
    assert_eq!(outline(&story), expected);
    assert_eq!(story[2]["toolCallId"], call["toolCallId"]);
    // Told again it is the same story.
    assert_eq!(desk.load(&session).await, story);

    let app = program(&desk.home).serve().await;
    let thread = ThreadId::from(session.as_str());
    let turn = app.snapshot(&thread).await.turns.remove(0);
    assert_eq!(turn.status, TurnStatus::Interrupted);
    assert_eq!(turn.outcome_unknown, 1);
    desk.check_next_prompt(&session).await;
    let request = desk.model.last_request();
    let result = request.messages().iter().find(|it| it["role"] == "tool");
    let result = result.unwrap()["content"].as_str().unwrap();
    assert!(result.contains("is not known"), "{result}");
}

#[tokio::test]
async fn what_was_said_is_kept_and_the_next_prompt_works() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(Reply::says("Hel").stall());
    desk.prompt(&session, "say hello").await;
    desk.editor.update("agent_message_chunk").await;
    let mut desk = desk.crash().await;
    let expected = [
        "user_message_chunk say hello".to_owned(),
        "agent_message_chunk Hel".to_owned(),
        format!("agent_message_chunk {CAUSE}"),
    ];
    assert_eq!(outline(&desk.load(&session).await), expected);
    desk.check_next_prompt(&session).await;
    let request = desk.model.last_request();
    assert_eq!(request.said(), ["say hello", "Hel", "go on"]);
}

#[tokio::test]
async fn a_question_that_waited_is_not_asked_again_and_its_call_did_not_run() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let input = json!({ "path": "a.txt", "content": "hello\n" }).to_string();
    desk.model.push(Reply::calls("c1", "write_file", &input));
    desk.prompt(&session, "write it").await;
    desk.editor.asked("session/request_permission").await;
    let mut desk = desk.crash().await;
    let expected = [
        "user_message_chunk write it".to_owned(),
        "tool_call failed".to_owned(),
        format!("agent_message_chunk {CAUSE}"),
    ];
    assert_eq!(outline(&desk.load(&session).await), expected);
    desk.check_next_prompt(&session).await;
    let seen = desk.editor.take_seen();
    let is_asked = |it: &Value| it["method"] == "session/request_permission";
    assert!(!seen.iter().any(is_asked));
    assert_eq!(desk.home.read("a.txt"), None);
}

#[tokio::test]
async fn an_editor_that_stays_is_told_when_the_process_of_another_turn_dies() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    desk.model.push(Reply::says("Hel").stall());
    let mut other = opened(&desk.home, json!({})).await;
    let params = json!({ "sessionId": session, "cwd": desk.workspace(), "mcpServers": [] });
    other.ask("session/resume", params).await;
    other
        .begin("session/prompt", prompt(&session, "say hello"))
        .await;
    let said = desk.editor.update("agent_message_chunk").await;
    assert_eq!(said["content"]["text"], "Hel");
    other.kill().await;
    let is_it = |it: &Value| it["params"]["update"]["content"]["text"] == CAUSE;
    desk.editor.until(is_it).await;
    desk.check_next_prompt(&session).await;
}
