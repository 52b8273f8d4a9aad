//! Servers that hang, crash, lie, flood or tell secrets, met through the real program.

use codewhale_testkit::model_server::Reply;
use serde_json::json;

use super::{offered, own, task_with};

#[tokio::test]
async fn a_server_that_hangs_in_its_first_word_holds_nobody_up() {
    let mut mute = own("    pass");
    mute["required"] = json!(false);
    let mut task = task_with(json!({ "mute": mute }), json!({})).await;
    // It has ten seconds, and the turn does not wait for any of them.
    task.scene.model.push(Reply::says("Here."));
    assert_eq!(task.run("are you there", "deny").await.status, "completed");
    let listed = task.scene.app.get("/v1/apps/mcp/servers").await.json();
    assert_eq!(listed["servers"][0]["status"], "starting");
    assert_eq!(task.scene.app.terminate().await.code, Some(143));
}

#[tokio::test]
async fn a_required_server_that_hangs_fails_the_turn_at_its_time() {
    let mut mute = own("    pass");
    mute["connect_timeout"] = json!(0.2);
    let mut task = task_with(json!({ "mute": mute }), json!({})).await;
    assert_eq!(task.run("go", "deny").await.status, "failed");
    let snapshot = task.scene.app.snapshot(&task.thread).await;
    let error = snapshot.turns[0].error.clone().unwrap();
    assert!(error.contains("has not answered for 0.2 s"), "{error}");
}

#[tokio::test]
async fn a_server_that_crashes_in_a_call_is_told_and_comes_back() {
    let body = r#"
    hello(m, [tool("die"), tool("live")])
    if m["method"] == "tools/call":
        if m["params"]["name"] == "die": sys.exit(3)
        text(m, "alive")"#;
    let mut task = task_with(json!({ "s": own(body) }), json!({})).await;
    task.script(
        [("mcp_s_die", json!({})), ("mcp_s_live", json!({}))],
        "Survived.",
    );
    assert_eq!(task.run("go", "allow").await.status, "completed");
    let results = task.results();
    assert!(
        results[0].contains("went away during the call"),
        "{results:?}"
    );
    assert_eq!(results[1], "alive");
}

#[tokio::test]
async fn a_server_that_lies_about_schemas_is_offered_without_its_lies() {
    let body = r#"
    hello(m, [tool("good"), tool("text", "object"), tool("array", {"type": "array"}), {"name": 5}, 7])
    if m["method"] == "tools/call": say(m["id"], {"content": "not a list"})"#;
    let mut task = task_with(json!({ "s": own(body) }), json!({})).await;
    assert_eq!(offered(&mut task).await, ["mcp_s_good"]);
    task.script(
        [("mcp_s_good", json!({})), ("mcp_s_text", json!({}))],
        "Done.",
    );
    task.run("go", "allow").await;
    let results = task.results();
    assert!(results[0].contains("unknown shape"), "{results:?}");
    assert!(results[1].contains("There is no tool named"), "{results:?}");
    let listed = task.scene.app.get("/v1/apps/mcp/servers").await.json();
    assert_eq!(listed["servers"][0]["quarantined"], 4);
}

#[tokio::test]
async fn a_server_that_floods_is_cut_and_one_without_end_is_dropped() {
    let body = r#"
    hello(m, [tool("much"), tool("more")])
    if m["method"] == "tools/call":
        text(m, "begin" + "x" * (400000 if m["params"]["name"] == "much" else 20000000) + "end")"#;
    let mut server = own(body);
    server["execute_timeout"] = json!(5);
    let mut task = task_with(json!({ "s": server }), json!({})).await;
    task.script(
        [("mcp_s_much", json!({})), ("mcp_s_more", json!({}))],
        "Enough.",
    );
    assert_eq!(task.run("go", "allow").await.status, "completed");
    let results = task.results();
    assert!(results[0].len() < 100_000, "{}", results[0].len());
    assert!(results[0].starts_with("begin") && results[0].ends_with("end"));
    assert!(results[1].len() < 10_000, "{}", results[1].len());
    assert!(
        results[1].starts_with("the MCP server s "),
        "{}",
        results[1]
    );
}

#[tokio::test]
async fn a_secret_that_a_server_tells_is_masked() {
    let body = r#"
    hello(m, [tool("leak")])
    if m["method"] == "tools/call": text(m, "the key is " + os.environ["DEMO_API_KEY"] + ".")"#;
    let mut server = own(body);
    let secret = "zanzibar-0123456789";
    server["env"] = json!({ "DEMO_API_KEY": secret });
    let mut task = task_with(json!({ "s": server }), json!({})).await;
    task.script([("mcp_s_leak", json!({}))], "Read.");
    task.run("go", "allow").await;
    let seen = task.events.seen().iter();
    assert!(seen.into_iter().all(|event| !event.data.contains(secret)));
    for (path, bytes) in task.scene.home.files() {
        let is_theirs = path.ends_with("mcp.json");
        let text = String::from_utf8_lossy(&bytes);
        assert!(is_theirs || !text.contains(secret), "{}", path.display());
    }
}
