//! Tools of files: they work, they stay inside, and what they did is on a thread that every door shows.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use codewhale_protocol::runtime::{ItemStatus, ThreadId, TurnStatus};
use codewhale_testkit::app::Home;
use serde_json::json;

use super::talk::{Talk, assert_done, assert_failed, assert_invalid, forms, text};
use crate::scene::{PICTURE, program};

#[tokio::test]
async fn the_usual_tools_are_offered_with_schemas_of_objects_and_no_cursor() {
    let home = Home::new();
    let mut talk = Talk::begin(&home).await;
    let listed = talk.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "file_read",
            "file_write",
            "file_edit",
            "search",
            "file_search",
            "apply_patch",
            "shell",
            "codewhale",
            "codewhale-reply",
            "deepseek",
            "deepseek-reply"
        ]
    );
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    assert!(listed["result"].get("nextCursor").is_none(), "{listed}");
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn file_tools_work_inside_the_workspace_and_nowhere_else() {
    let home = Home::new();
    home.write("notes.txt", "first line\n");
    let mut talk = Talk::begin_with(&home, forms()).await;
    let read = talk.call("file_read", json!({ "path": "notes.txt" })).await;
    assert_done(&read);
    assert!(text(&read).contains("first line"), "{read}");
    let write = json!({ "path": "new.txt", "content": "made\n" });
    let write = json!({ "name": "file_write", "arguments": write });
    let id = talk.request("tools/call", write).await;
    let yes = json!({ "action": "accept", "content": { "decision": "allow" } });
    talk.answer_question(0, yes).await;
    assert_done(&talk.answer(id).await);
    assert_eq!(home.read("new.txt").as_deref(), Some("made\n"));
    for path in ["/etc/passwd", "../home/config.toml"] {
        let outside = talk.call("file_read", json!({ "path": path })).await;
        assert_failed(&outside);
        assert!(!text(&outside).contains("root:"), "{outside}");
    }
    let outside = talk
        .call(
            "file_write",
            json!({ "path": "../escaped", "content": "x" }),
        )
        .await;
    assert_failed(&outside);
    assert!(!home.workspace().join("../escaped").exists());
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn a_call_is_a_turn_on_a_thread_that_is_seen_over_http() {
    let home = Home::new();
    home.write("notes.txt", "first line\n");
    let mut talk = Talk::begin(&home).await;
    let read = talk.call("file_read", json!({ "path": "notes.txt" })).await;
    let again = talk.call("search", json!({ "pattern": "first" })).await;
    let thread = &read["result"]["_meta"]["codewhale/threadId"];
    assert_eq!(thread, &again["result"]["_meta"]["codewhale/threadId"]);
    let thread = ThreadId::from(thread.as_str().unwrap());
    let address = format!("codewhale://thread/{thread}");
    let listed = talk.ask("resources/list", json!({})).await;
    assert!(listed.to_string().contains(&address), "{listed}");
    let resource = talk.ask("resources/read", json!({ "uri": address })).await;
    let shown = resource["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(shown.contains("first line"), "{shown}");
    assert_eq!(talk.end().await.code, Some(0));

    let app = program(&home).serve().await;
    let detail = app.snapshot(&thread).await;
    assert_eq!(detail.thread.title.as_deref(), Some("Tool calls of tester"));
    assert_eq!(detail.turns.len(), 2);
    for turn in &detail.turns {
        assert_eq!(turn.status, TurnStatus::Completed);
        assert_eq!(turn.requested_by.surface, codewhale_protocol::Surface::Mcp);
    }
    let calls: Vec<_> = detail.items.iter().filter(|it| it.kind.is_tool()).collect();
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|it| it.status == ItemStatus::Completed));
}

#[tokio::test]
async fn prompts_are_listed_and_filled_in() {
    let home = Home::new();
    home.write("notes.txt", "first line\n");
    let mut talk = Talk::begin(&home).await;
    let read = talk.call("file_read", json!({ "path": "notes.txt" })).await;
    let thread = &read["result"]["_meta"]["codewhale/threadId"];
    let listed = talk.ask("prompts/list", json!({})).await;
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    let names: Vec<&str> = prompts
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["review", "explain_thread", "continue_thread"]);
    let arguments = json!({ "thread_id": thread });
    let explain = json!({ "name": "explain_thread", "arguments": arguments });
    let explain = talk.ask("prompts/get", explain).await;
    let words = explain["result"]["messages"][0]["content"]["text"]
        .as_str()
        .unwrap();
    assert!(words.contains("first line"), "{words}");
    assert_invalid(
        &talk
            .ask("prompts/get", json!({ "name": "explain_thread" }))
            .await,
    );
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn the_configuration_says_which_tools_there_are() {
    let home = Home::new();
    home.configure("[mcp_server]\nexpose_tools = [\"list_dir\", \"codewhale\"]\n");
    let mut talk = Talk::begin(&home).await;
    let listed = talk.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["list_dir", "codewhale"]);
    assert_done(&talk.call("list_dir", json!({})).await);
    assert_invalid(&talk.call("file_read", json!({ "path": "x" })).await);
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn the_program_adds_itself_and_its_own_client_finds_its_tools() {
    let home = Home::new();
    let workspace = home.workspace();
    let add = [
        "mcp",
        "add-self",
        "--name",
        "self",
        "--workspace",
        workspace.to_str().unwrap(),
    ];
    let added = program(&home).arguments(add).run().await;
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let listed = program(&home)
        .arguments(["mcp", "tools", "self"])
        .run()
        .await;
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    for tool in ["mcp_self_file_read", "mcp_self_shell", "mcp_self_codewhale"] {
        assert!(listed.stdout.contains(tool), "{}", listed.stdout);
    }
    // Where it serves, it leaves the entry for itself alone, which would start the next without end.
    let mut talk = Talk::begin(&home).await;
    assert!(talk.ask("tools/list", json!({})).await["result"].is_object());
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn a_picture_comes_as_a_picture_whatever_the_model_here_sees() {
    let home = Home::new();
    let bytes = BASE64_STANDARD.decode(PICTURE).unwrap();
    std::fs::write(home.workspace().join("a.png"), bytes).unwrap();
    let mut talk = Talk::begin(&home).await;
    let read = talk.call("file_read", json!({ "path": "a.png" })).await;
    assert_done(&read);
    let content = read["result"]["content"].as_array().unwrap();
    assert_eq!(
        content[0]["text"],
        "[image 1: `a.png`, image/png, 12 bytes]"
    );
    let picture = json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" });
    assert_eq!(content[1], picture);
}
