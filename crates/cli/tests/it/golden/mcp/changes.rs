//! Servers that are configured while the program runs, and the commands that do it.

use std::path::Path;

use codewhale_testkit::app::Home;
use serde_json::{Value, json};

use super::{Task, offered, own, program, task_with};

/// A server whose tool tells which process it is.
fn telling() -> Value {
    own(r#"
    hello(m, [tool("who")])
    if m["method"] == "tools/call": text(m, str(os.getpid()))"#)
}

fn write(home: &Path, text: &str) {
    std::fs::write(home.join("mcp.json"), text).unwrap();
}

fn write_servers(home: &Path, servers: &Value) {
    write(home, &json!({ "servers": servers }).to_string());
}

async fn who(task: &mut Task, tool: &str) -> String {
    task.script([(tool, json!({}))], "Told.");
    task.run("who", "allow").await;
    task.results().pop().unwrap()
}

async fn listed(task: &Task) -> Vec<String> {
    let listed = task.scene.app.get("/v1/apps/mcp/servers").await.json();
    let servers = listed["servers"].as_array().unwrap().iter();
    servers
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_changed_file_counts_at_the_next_turn_and_what_it_leaves_alone_lives_on() {
    let mut task = task_with(json!({ "one": telling() }), json!({})).await;
    let home = task.scene.home.path();
    let first = who(&mut task, "mcp_one_who").await;

    write_servers(&home, &json!({ "one": telling(), "two": telling() }));
    assert_eq!(offered(&mut task).await, ["mcp_one_who", "mcp_two_who"]);
    assert_eq!(who(&mut task, "mcp_one_who").await, first);

    // A file that cannot be read changes nothing, and the thread is told.
    write(&home, "{\"servers\": ");
    assert_eq!(offered(&mut task).await, ["mcp_one_who", "mcp_two_who"]);
    let snapshot = task.scene.app.snapshot(&task.thread).await;
    let told = json!(snapshot.items).to_string();
    assert!(
        told.contains("The MCP servers stay as they were: mcp.json cannot be read"),
        "{told}"
    );
    assert_eq!(listed(&task).await, ["one", "two"]);

    // Looking is enough to have it counted.
    let mut changed = telling();
    changed["env"] = json!({ "MORE": "1" });
    write_servers(&home, &json!({ "one": changed }));
    assert_eq!(listed(&task).await, ["one"]);
    // What a thread was told of stays listed for it, and does nothing any more.
    let gone = who(&mut task, "mcp_two_who").await;
    assert!(gone.parse::<u32>().is_err(), "no process answers: {gone}");
    assert_ne!(who(&mut task, "mcp_one_who").await, first);
}

#[tokio::test]
async fn servers_are_turned_on_and_off_listed_and_tried() {
    let home = Home::new();
    let run = async |words: &[&str]| {
        let words = ["mcp"].iter().chain(words).copied();
        program(&home).arguments(words).run().await
    };
    let mut good = own("    hello(m, [tool('t')])");
    good["required"] = json!(true);
    let broken = json!({ "command": "/bin/false" });
    write_servers(&home.path(), &json!({ "broken": broken, "good": good }));
    let added = [
        "add",
        "far",
        "--url",
        "https://example.org/mcp?key=k",
        "--scope",
        "read",
    ];
    let added = [
        &added[..],
        &["--oauth-client-id", "us", "--transport", "sse"],
    ]
    .concat();
    assert_eq!(run(&added).await.code, Some(0));
    let added = [
        "add",
        "near",
        "--command",
        "/bin/false",
        "--arg",
        "--x",
        "--arg",
        "y",
    ];
    assert_eq!(run(&added).await.code, Some(0));
    for server in ["far", "near"] {
        assert_eq!(run(&["disable", server]).await.code, Some(0));
    }
    let list = "  - broken [enabled] /bin/false\n  - far [disabled] https://example.org/mcp\n  \
                - good [enabled, required] /usr/bin/python3\n  - near [disabled] /bin/false\n";
    assert_eq!(run(&["list"]).await.stdout, list);
    let text = std::fs::read_to_string(home.path().join("mcp.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let far = json!({
        "url": "https://example.org/mcp?key=k", "transport": "sse", "scopes": ["read"],
        "oauth": { "client_id": "us" }, "enabled": false,
    });
    assert_eq!(document["servers"]["far"], far);
    assert_eq!(document["servers"]["near"]["args"], json!(["--x", "y"]));

    // One that is not needed may fail, unless all are looked at.
    assert_eq!(run(&["connect"]).await.code, Some(0));
    let validated = run(&["validate"]).await;
    assert_eq!(validated.code, Some(1));
    assert!(
        validated.stdout.contains("good: ready, 1 tools"),
        "{}",
        validated.stdout
    );
    assert!(
        validated.stdout.contains("broken: disconnected"),
        "{}",
        validated.stdout
    );
    assert_eq!(run(&["disable", "broken"]).await.code, Some(0));
    assert_eq!(run(&["validate"]).await.code, Some(0));
    assert_eq!(run(&["tools"]).await.stdout, "  mcp_good_t  d\n");
    assert_eq!(run(&["connect", "broken"]).await.code, Some(1));
    let unknown = run(&["enable", "nobody"]).await;
    assert!(
        unknown.stderr.contains("no MCP server named \"nobody\""),
        "{}",
        unknown.stderr
    );
}
