//! Questions to a person: in the client where it can, else through another door, else a refusal.

use codewhale_protocol::runtime::ThreadId;
use codewhale_testkit::app::Home;
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::talk::{Talk, assert_done, assert_failed, forms, text};
use crate::scene::program;

#[tokio::test]
async fn the_shell_asks_the_person_in_the_client() {
    let home = Home::new();
    let mut talk = Talk::begin_with(&home, forms()).await;
    let shell = |name: &str| json!({ "name": "shell", "arguments": { "command": format!("touch {name}") } });
    let id = talk.request("tools/call", shell("allowed")).await;
    let yes = json!({ "action": "accept", "content": { "decision": "allow" } });
    let asked = talk.answer_question(0, yes).await;
    let words = asked["params"]["message"].as_str().unwrap();
    assert!(words.contains("touch allowed"), "{words}");
    assert_done(&talk.answer(id).await);
    assert!(home.workspace().join("allowed").exists());

    let id = talk.request("tools/call", shell("refused")).await;
    talk.answer_question(1, json!({ "action": "decline" }))
        .await;
    assert_failed(&talk.answer(id).await);
    assert!(!home.workspace().join("refused").exists());
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_call_is_refused_in_time_and_says_how_to_approve() {
    let home = Home::new();
    home.configure("[approvals]\ntimeout_secs = 1\n");
    let mut talk = Talk::begin(&home).await;
    let refused = talk
        .call("shell", json!({ "command": "touch refused" }))
        .await;
    assert_failed(&refused);
    assert!(text(&refused).contains("/v1/approvals/"), "{refused}");
    assert!(!home.workspace().join("refused").exists());
    assert_eq!(talk.end().await.code, Some(0));
}

/// The answers of a person who is asked once: the message of the program, and what came of the call.
async fn call_and_deny(talk: &mut Talk, count: u64, call: Value) {
    let id = talk.request("tools/call", call).await;
    let no = json!({ "action": "accept", "content": { "decision": "deny" } });
    let asked = talk.answer_question(count, no).await;
    let words = asked["params"]["message"].as_str().unwrap();
    assert!(words.contains("wants a person to be asked"), "{words}");
    assert_failed(&talk.answer(id).await);
}

#[tokio::test]
async fn where_approval_is_required_a_person_is_asked_about_everything_that_does_more_than_look() {
    let home = Home::new();
    let rules = "[[rules]]\ntool = \"write_file\"\naction = \"allow\"\n";
    std::fs::write(home.path().join("permissions.toml"), rules).unwrap();
    let write = |name: &str| {
        let arguments = json!({ "path": name, "content": "x" });
        json!({ "name": "file_write", "arguments": arguments })
    };
    let mut talk = Talk::begin_with(&home, forms()).await;
    let id = talk.request("tools/call", write("by-rule")).await;
    assert_done(&talk.answer(id).await);
    assert_eq!(talk.end().await.code, Some(0));

    home.write("notes.txt", "first line\n");
    home.configure("[mcp_server]\nrequire_approval = true\n");
    let mut talk = Talk::begin_with(&home, forms()).await;
    let looked = talk.call("file_read", json!({ "path": "notes.txt" })).await;
    assert_done(&looked);
    call_and_deny(&mut talk, 0, write("refused")).await;
    let list = json!({ "name": "shell", "arguments": { "command": "ls" } });
    call_and_deny(&mut talk, 1, list).await;
    // A model cannot say that a person has agreed.
    let mut sneaky = write("refused");
    sneaky["approved"] = json!(true);
    call_and_deny(&mut talk, 2, sneaky).await;
    assert_eq!(home.read("refused"), None);
    assert_eq!(home.read("by-rule").as_deref(), Some("x"));
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn no_key_is_in_a_question_a_result_or_the_log() {
    const KEY: &str = "canary.key.of.the.provider.1234";
    let home = Home::new();
    home.configure(
        "[providers.script]\nkind = \"openai-compatible\"\nmodel = \"scripted\"\n\
         base_url = \"http://127.0.0.1:9\"\napi_key_env = \"CANARY\"\n",
    );
    home.write("notes.txt", &format!("the key is {KEY}\n"));
    let program = program(&home)
        .variable("CANARY", KEY)
        .variable("CODEWHALE_LOG_LEVEL", "trace");
    let mut talk = Talk::with(program, forms()).await;
    let read = talk.call("file_read", json!({ "path": "notes.txt" })).await;
    assert!(text(&read).contains("the key is"), "{read}");
    let command = json!({ "command": format!("touch {KEY}") });
    let shell = json!({ "name": "shell", "arguments": command });
    let id = talk.request("tools/call", shell).await;
    let yes = json!({ "action": "accept", "content": { "decision": "allow" } });
    talk.answer_question(0, yes).await;
    talk.answer(id).await;
    talk.call("file_read", json!({ "path": KEY })).await;
    let ended = talk.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for (place, said) in [("output", ended.stdout), ("log", ended.stderr)] {
        let line = said.lines().find(|line| line.contains(KEY));
        assert_eq!(line, None, "{place}");
    }
}

#[tokio::test]
async fn a_question_that_is_over_is_taken_back() {
    let home = Home::new();
    home.configure("[approvals]\ntimeout_secs = 1\n");
    let mut talk = Talk::begin_with(&home, forms()).await;
    let shell = json!({ "name": "shell", "arguments": { "command": "touch a" } });
    let id = talk.request("tools/call", shell).await;
    let is_asked = |it: &Value| it["method"] == "elicitation/create";
    let asked = talk.until("elicitation/create", is_asked).await;
    let is_off = |it: &Value| it["method"] == "notifications/cancelled";
    let off = talk.until("notifications/cancelled", is_off).await;
    assert_eq!(off["params"]["requestId"], asked["id"]);
    assert_failed(&talk.answer(id).await);
    // Too late.
    let yes = json!({ "action": "accept", "content": { "decision": "allow" } });
    talk.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": yes }))
        .await;
    assert!(talk.ask("ping", json!({})).await["result"].is_object());
    assert_eq!(home.read("a"), None);
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn a_question_that_is_answered_at_another_door_leaves_the_client_and_the_call_runs() {
    let home = Home::new();
    let app = program(&home).serve().await;
    let mut talk = Talk::begin_with(&home, forms()).await;
    let shell = json!({ "name": "shell", "arguments": { "command": "touch a" } });
    let id = talk.request("tools/call", shell).await;
    let is_asked = |it: &Value| it["method"] == "elicitation/create";
    let asked = talk.until("elicitation/create", is_asked).await;
    let threads = app.get("/v1/threads").await.json();
    let thread = ThreadId::from(threads[0]["id"].as_str().unwrap());
    let waiting = app.snapshot(&thread).await.pending_approvals;
    assert_eq!(app.decide(&waiting[0].id, "allow").await.status, 200);
    assert_done(&talk.answer(id).await);
    assert!(home.workspace().join("a").exists());
    let is_off = |it: &Value| it["method"] == "notifications/cancelled";
    let off = talk.until("notifications/cancelled", is_off).await;
    assert_eq!(off["params"]["requestId"], asked["id"]);
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn what_the_agent_wants_to_know_is_a_form_in_the_client() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let options = json!([
        { "label": "SQLite", "description": "a file" },
        { "label": "Postgres", "description": "a server" },
    ]);
    let question = json!({
        "header": "Database", "id": "db", "question": "Which one?", "options": options,
    });
    let input = json!({ "questions": [question] }).to_string();
    for (answer, heard) in [
        (
            json!({ "action": "accept", "content": { "db": "Postgres" } }),
            "Postgres",
        ),
        (json!({ "action": "cancel" }), "does not want to answer"),
    ] {
        model.push(Reply::calls("c1", "request_user_input", &input));
        model.push(Reply::says("As you like."));
        let mut talk = Talk::begin_with(&home, forms()).await;
        let begin = json!({ "name": "codewhale", "arguments": { "prompt": "choose" } });
        let id = talk.request("tools/call", begin).await;
        let asked = talk.answer_question(0, answer).await;
        let words = asked["params"]["message"].as_str().unwrap();
        assert!(
            words.contains("Which one?") && words.contains("a server"),
            "{words}"
        );
        let options = &asked["params"]["requestedSchema"]["properties"]["db"]["oneOf"];
        assert_eq!(options[1]["const"], "Postgres", "{asked}");
        assert_done(&talk.answer(id).await);
        let request = model.last_request().body.to_string();
        assert!(request.contains(heard), "{request}");
        assert_eq!(talk.end().await.code, Some(0));
    }
}
