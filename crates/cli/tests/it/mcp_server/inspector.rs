//! The official inspector, as people use it to look at a server.

use codewhale_testkit::app::{Home, Program};
use serde_json::Value;

use crate::editors::part;
use crate::scene::BINARY;

/// Has the inspector ask for one thing, and gives the result that it prints.
async fn inspect(home: &Home, question: &[&str]) -> Value {
    let inspector = part("npm/node_modules/@modelcontextprotocol/inspector/cli/build/cli.js");
    let words = ["--cli", BINARY, "serve", "--mcp", "--method"];
    let ended = Program::new("node", home)
        .arguments([inspector.to_str().unwrap()])
        .arguments(words.into_iter().chain(question.iter().copied()))
        .run()
        .await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let is_complaint = |line: &&str| line.contains("unknown format");
    let complaint = ended.stderr.lines().find(is_complaint);
    assert_eq!(
        complaint, None,
        "schemas hold formats that JSON schema does not have"
    );
    serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stdout))
}

#[tokio::test]
async fn the_inspector_lists_and_calls_what_there_is() {
    let home = Home::new();
    home.write("notes.txt", "first line\n");
    let tools = inspect(&home, &["tools/list"]).await;
    assert_eq!(tools["tools"][0]["name"], "file_read");
    let call = [
        "tools/call",
        "--tool-name",
        "file_read",
        "--tool-arg",
        "path=notes.txt",
    ];
    let read = inspect(&home, &call).await;
    assert_eq!(read["isError"], false, "{read}");
    assert!(
        read["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("first line")
    );
    // The output has the schema that was promised for it, else the inspector would say so.
    let call = [
        "tools/call",
        "--tool-name",
        "codewhale",
        "--tool-arg",
        "prompt=hello",
    ];
    let said = inspect(&home, &call).await;
    assert_eq!(said["structuredContent"]["status"], "completed", "{said}");
    let resources = inspect(&home, &["resources/list"]).await;
    assert_eq!(
        resources["resources"].as_array().map(Vec::len),
        Some(3),
        "{resources}"
    );
    let templates = inspect(&home, &["resources/templates/list"]).await;
    assert_eq!(
        templates["resourceTemplates"].as_array().map(Vec::len),
        Some(3)
    );
    let prompts = inspect(&home, &["prompts/list"]).await;
    assert_eq!(prompts["prompts"][0]["name"], "review");
    let prompt = [
        "prompts/get",
        "--prompt-name",
        "review",
        "--prompt-args",
        "target=src",
    ];
    let prompt = inspect(&home, &prompt).await;
    assert!(
        prompt["messages"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .contains("src")
    );
}
