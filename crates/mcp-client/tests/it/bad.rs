//! Servers that hang, crash, or lie.

use codewhale_mcp_client::{Origin, Phase, Settings, Startup};
use codewhale_policy::{Act, Demand, McpCall};
use codewhale_protocol::McpStartupStatus;
use codewhale_sandbox::{Confinement, Walls};
use serde_json::json;
use tempfile::TempDir;

use crate::lab::{Lab, script};

#[tokio::test]
async fn a_server_that_never_answers_holds_nobody_up_and_is_called_slow() {
    let mut server = script("    pass");
    server["connect_timeout"] = json!(0.3);
    let lab = Lab::new(json!({"mute": server}));
    assert_eq!(lab.health("mute").phase, Phase::Starting);
    lab.servers.settled().await;
    let health = lab.health("mute");
    assert_eq!(health.phase, Phase::Slow);
    assert_eq!(
        health.error.as_deref(),
        Some("has not answered for 0.3 s; it is still waited for")
    );
    lab.servers.stop().await;
    assert_eq!(lab.health("mute").phase, Phase::Stopped);
}

#[tokio::test]
async fn a_server_that_was_slow_becomes_ready_without_a_restart() {
    let mut server = script(
        r#"
    while not os.path.exists("go"): time.sleep(0.01)
    hello(m, [tool("t")])"#,
    );
    server["connect_timeout"] = json!(0.2);
    let lab = Lab::new(json!({"late": server}));
    lab.wait("late", |health| health.phase == Phase::Slow).await;
    std::fs::write(lab.directory.path().join("go"), "").unwrap();
    assert_eq!(lab.ready("late").await.restarts, 0);
    assert_eq!(lab.names(), ["mcp_late_t"]);
    let heard = lab.heard.lock().unwrap();
    let last = heard.iter().rev().find_map(|step| match step {
        Startup::Update(update) => Some(update.status.clone()),
        Startup::Complete(_) => None,
    });
    assert_eq!(last, Some(McpStartupStatus::Ready));
}

#[tokio::test]
async fn a_call_that_hangs_ends_at_its_time_and_a_stopped_turn_ends_it_at_once() {
    let mut server = script("    hello(m, [tool('hang')])");
    server["execute_timeout"] = json!(0.3);
    let lab = Lab::new(json!({"s": server}));
    lab.ready("s").await;
    let output = lab.call("mcp_s_hang", json!({})).await;
    assert!(!output.success);
    assert_eq!(output.text, "the MCP server s has not answered for 0.3 s");

    let context = lab.context();
    context.cancel.cancel();
    let output = lab.call_in("mcp_s_hang", json!({}), context).await;
    assert_eq!(
        output.text,
        "the MCP server s did not answer before the call was stopped"
    );
}

#[tokio::test]
async fn a_server_that_crashes_in_a_call_is_started_again() {
    let body = r#"
    hello(m, [tool("die"), tool("live")])
    if m["method"] == "tools/call":
        if m["params"]["name"] == "die": sys.exit(3)
        text(m, "alive")"#;
    let lab = Lab::new(json!({"s": script(body)}));
    lab.ready("s").await;
    let output = lab.call("mcp_s_die", json!({})).await;
    assert!(!output.success);
    assert!(
        output.text.starts_with("the MCP server s went away"),
        "{}",
        output.text
    );
    // The tools stay listed, and a call waits for the server to be back.
    let output = lab.call("mcp_s_live", json!({})).await;
    assert_eq!((output.success, &*output.text), (true, "alive"));
    assert!(lab.health("s").restarts >= 1);
}

#[tokio::test]
async fn a_server_that_dies_at_once_is_told_with_its_last_words() {
    let server = json!({"command": "sh", "args": ["-c", "echo no token >&2; exit 4"]});
    let lab = Lab::new(json!({"s": server, "t": {"command": "no-such-program"}}));
    lab.servers.settled().await;
    let error = lab.health("s").error.unwrap();
    assert!(
        error.contains("exit code 4") && error.contains("no token"),
        "{error}"
    );
    let error = lab.health("t").error.unwrap();
    assert!(error.contains("no-such-program"), "{error}");
    let heard = lab.heard.lock().unwrap();
    let sum = heard.iter().find_map(|step| match step {
        Startup::Complete(sum) => Some(sum.failed.len()),
        Startup::Update(_) => None,
    });
    assert_eq!(sum, Some(2));
}

#[tokio::test]
async fn a_server_that_lies_about_schemas_keeps_its_good_tools() {
    let body = r#"
    hello(m, [tool("good"), tool("text", "object"), tool("list", []), tool("array", {"type": "array"}),
        tool("gone", {"type": "object", "properties": {"a": {"$ref": "\#/nowhere"}}}), {"name": 5}, 7,
        tool("huge", {"type": "object", "description": "x" * 100000})])
    if m["method"] == "tools/call": say(m["id"], {"content": "not a list"})"#;
    let lab = Lab::new(json!({"s": script(&body.replace("\\#", "#"))}));
    let health = lab.ready("s").await;
    assert_eq!(lab.names(), ["mcp_s_good"]);
    assert_eq!((health.tools, health.quarantined), (1, 7));
    let aside = lab.servers.quarantined();
    assert!(aside.iter().all(|tool| !tool.why.is_empty()), "{aside:?}");
    let output = lab.call("mcp_s_good", json!({})).await;
    assert!(output.text.contains("unknown shape"), "{}", output.text);
}

#[tokio::test]
async fn a_server_that_talks_nonsense_on_its_output_is_still_heard() {
    let body = r#"
    print("hello, I am a banner", flush=True)
    hello(m, [tool("t")])"#;
    let lab = Lab::new(json!({"s": script(body)}));
    lab.ready("s").await;
    assert_eq!(lab.names(), ["mcp_s_t"]);
}

#[tokio::test]
async fn the_law_believes_a_server_only_when_the_user_does() {
    let body = r#"    hello(m, [tool("look", annotations={"readOnlyHint": True}), tool("do")])"#;
    let mut trusted = script(body);
    trusted["trust"] = json!(true);
    let lab = Lab::new(json!({"friend": trusted, "stranger": script(body)}));
    lab.ready("friend").await;
    lab.ready("stranger").await;
    for (tool, act) in [
        ("mcp_friend_look", Act::McpLook),
        ("mcp_friend_do", Act::McpCall),
        ("mcp_stranger_look", Act::McpCall),
    ] {
        let context = lab.context();
        let prepared = lab.tool(tool).prepare(json!({"a": "it's"}), &context).await;
        let demand = prepared.unwrap().demand;
        assert_eq!((lab.tool(tool).spec().act, demand.act()), (act, act));
        let expected = McpCall {
            input: r#"{"a":"it's"}"#.to_owned(),
            host: None,
            only_looks: act == Act::McpLook,
            of_workspace: false,
        };
        assert_eq!(demand, Demand::Mcp(expected));
    }
}

#[tokio::test]
async fn two_servers_with_one_name_for_a_tool_lose_both() {
    let lab = Lab::new(json!({
        "a": script("    hello(m, [tool('b_c'), tool('d')])"),
        "a_b": script("    hello(m, [tool('c')])"),
    }));
    lab.ready("a").await;
    lab.ready("a_b").await;
    assert_eq!(lab.names(), ["mcp_a_d"]);
    assert_eq!(lab.servers.quarantined().len(), 2);
}

#[tokio::test]
async fn a_server_that_came_with_the_workspace_is_confined() {
    let body = r#"
    hello(m, [tool("write")])
    if m["method"] == "tools/call":
        try:
            open(m["params"]["arguments"]["path"], "w").close(); text(m, "written")
        except OSError as error: text(m, str(error))"#;
    let directory = TempDir::new().unwrap();
    let outside = TempDir::new().unwrap();
    let text = json!({"servers": {"s": script(body)}}).to_string();
    let (settings, _) = Settings::read(&text, Origin::Workspace, &|_| None).unwrap();
    // The pipes lie in a place that is hidden from it, as in the home of the product.
    let hidden = TempDir::new_in("/var/tmp").unwrap();
    let walls = Walls::Confined(Confinement {
        hidden: vec![hidden.path().to_owned()],
        ..Confinement::workspace(directory.path())
    });
    let pipes = hidden.path().join("pipes");
    let lab = Lab::with(directory, settings, walls, pipes);
    lab.ready("s").await;
    let write = |path| lab.call("mcp_s_write", json!({"path": path}));
    assert_eq!(write(lab.directory.path().join("in")).await.text, "written");
    assert_ne!(write(outside.path().join("out")).await.text, "written");
    assert!(!outside.path().join("out").exists());
}

#[tokio::test]
async fn a_server_whose_host_is_shut_is_not_spoken_to() {
    let lab = Lab::new(json!({"hub": {"url": "https://shut.example.org/mcp"}}));
    lab.servers.settled().await;
    let health = lab.health("hub");
    assert_eq!(health.phase, Phase::Failed);
    let error = health.error.unwrap();
    assert!(
        error.contains("network policy shuts shut.example.org"),
        "{error}"
    );
}
