//! What an editor lends: text that was not saved, and MCP servers of its own.

use std::path::Path;

use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Desk, part, prompt};

const FILES: &str = r#"{"fs":{"readTextFile":true,"writeTextFile":true}}"#;

async fn lending_files() -> Desk {
    Desk::of_client(serde_json::from_str(FILES).unwrap()).await
}

/// Answers questions for a file with this text until the prompt is answered; gives what was written.
async fn serve_file(desk: &mut Desk, request: &Value, text: &str) -> Option<String> {
    let mut written = None;
    loop {
        let is_over = |it: &Value| it["id"] == *request && it.get("method").is_none();
        let is_asked = |it: &Value| it.get("id").is_some() && it.get("method").is_some();
        let message = desk.editor.until(|it| is_over(it) || is_asked(it)).await;
        if is_over(&message) {
            assert_eq!(message["result"]["stopReason"], "end_turn", "{message}");
            return written;
        }
        let answer = match message["method"].as_str().unwrap() {
            "fs/read_text_file" => json!({ "content": text }),
            "fs/write_text_file" => {
                let path = Path::new(message["params"]["path"].as_str().unwrap());
                let content = message["params"]["content"].as_str().unwrap();
                std::fs::write(path, content).unwrap();
                written = Some(content.to_owned());
                json!({})
            }
            "session/request_permission" => {
                json!({ "outcome": { "outcome": "selected", "optionId": "allow_once" } })
            }
            other => panic!("the program asks for {other}"),
        };
        desk.editor.answer(&message, answer).await;
    }
}

#[tokio::test]
async fn text_that_is_not_saved_is_read_and_edited_in_the_editor() {
    let mut desk = lending_files().await;
    desk.home.write("a.txt", "on the disk\n");
    let session = desk.session().await;
    let read = json!({ "path": "a.txt" }).to_string();
    desk.model.push(Reply::calls("c1", "read_file", &read));
    let edit = json!({ "path": "a.txt", "search": "typed", "replace": "edited" });
    desk.model
        .push(Reply::calls("c2", "edit_file", &edit.to_string()));
    desk.model.push(Reply::says("done"));
    let request = desk.prompt(&session, "edit it").await;
    let written = serve_file(&mut desk, &request, "just typed\n").await;
    assert_eq!(written.as_deref(), Some("just edited\n"));
    assert_eq!(desk.home.read("a.txt").as_deref(), Some("just edited\n"));
    let requests = desk.model.requests();
    assert!(requests[1].body.to_string().contains("just typed"));
}

#[tokio::test]
async fn a_patch_is_refused_over_text_that_is_not_saved() {
    let mut desk = lending_files().await;
    desk.home.write("a.txt", "on the disk\n");
    let session = desk.session().await;
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-on the disk\n+patched\n";
    let patch = json!({ "patch": patch }).to_string();
    desk.model.push(Reply::calls("c1", "apply_patch", &patch));
    desk.model.push(Reply::says("done"));
    let request = desk.prompt(&session, "patch it").await;
    let written = serve_file(&mut desk, &request, "just typed\n").await;
    assert_eq!(written, None);
    assert_eq!(desk.home.read("a.txt").as_deref(), Some("on the disk\n"));
    let told = desk.model.last_request().body.to_string();
    assert!(told.contains("not saved"), "{told}");
}

#[tokio::test]
async fn a_server_of_the_editor_serves_its_session_and_no_other() {
    let mut desk = Desk::new().await;
    let server = part("npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let server = json!({
        "name": "everything", "command": "node", "args": [server, "stdio"], "env": [],
    });
    let params = json!({ "cwd": desk.workspace(), "mcpServers": [server] });
    let made = desk.editor.ask("session/new", params).await;
    let session = made["sessionId"].as_str().unwrap().to_owned();
    let other = desk.session().await;
    desk.model
        .push(Reply::says("one"))
        .push(Reply::says("other"));
    desk.editor
        .ask("session/prompt", prompt(&session, "one"))
        .await;
    desk.editor
        .ask("session/prompt", prompt(&other, "other"))
        .await;
    let requests = desk.model.requests();
    let has = |index: usize| {
        requests[index].body["tools"]
            .to_string()
            .contains("mcp_everything")
    };
    assert_eq!((has(0), has(1)), (true, false));
}
