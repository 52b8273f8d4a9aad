//! Tools of an MCP server, from its configuration to its result.

mod asking;
mod bad;
mod changes;
mod login;
mod workspaces;

use std::path::{Path, PathBuf};

use codewhale_testkit::app::{Home, within};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::Task;
use crate::scene::{Scene, program};

/// The reference server, as `cargo xtask setup` installs it.
fn server() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path =
        root.join(".xtask/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let path = path.canonicalize();
    path.expect("the MCP server is not installed; run: cargo xtask setup")
}

/// What every server of our own begins with: its body decides what it does with a request `m`.
const PRELUDE: &str = r#"
import json, os, sys, time
def say(id, result):
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
def tool(name, schema={"type": "object"}, **more):
    return dict(name=name, description="d", inputSchema=schema, **more)
def hello(m, tools):
    if m["method"] == "initialize":
        say(m["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "own", "version": "1"}})
    elif m["method"] == "tools/list":
        say(m["id"], {"tools": tools})
def text(m, words):
    say(m["id"], {"content": [{"type": "text", "text": words}]})
"#;

/// The program text of a server of our own.
fn script(body: &str, end: &str) -> String {
    format!("{PRELUDE}\nfor line in sys.stdin:\n    m = json.loads(line)\n{body}\n{end}\n")
}

/// A server of our own that turns wait for.
fn own(body: &str) -> Value {
    json!({ "command": "/usr/bin/python3", "args": ["-c", script(body, "")], "required": true })
}

/// A task of someone who has these servers.
async fn task_with(servers: Value, settings: Value) -> Task {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let document = json!({ "servers": servers }).to_string();
    std::fs::write(home.path().join("mcp.json"), document).unwrap();
    served(home, model, settings).await
}

async fn served(home: Home, model: ModelServer, settings: Value) -> Task {
    let app = program(&home).serve().await;
    let scene = Scene { app, model, home };
    let (thread, events) = scene.thread(settings).await;
    Task {
        scene,
        thread,
        events,
        asked: Vec::new(),
    }
}

/// The tools that the model is offered in a turn.
async fn offered(task: &mut Task) -> Vec<String> {
    task.scene.model.push(Reply::says("Nothing."));
    task.run("what can you do", "deny").await;
    let request = task.scene.model.last_request();
    let names = request.tool_names().into_iter();
    let of_servers = names.filter(|name| name.contains("mcp"));
    of_servers.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_server_is_added_tried_offered_and_used() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let server = server();
    let add = [
        "mcp",
        "add",
        "every",
        "--",
        "node",
        server.to_str().unwrap(),
    ];
    let added = program(&home).arguments(add).run().await;
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let tried = program(&home)
        .arguments(["mcp", "test", "every"])
        .run()
        .await;
    assert_eq!(tried.code, Some(0), "{}{}", tried.stdout, tried.stderr);
    assert!(tried.stdout.contains("mcp_every_echo"), "{}", tried.stdout);

    let mut task = served(home, model, json!({})).await;
    // The server comes up in the background; turns go on meanwhile.
    let offered = async {
        loop {
            task.scene.model.push(Reply::says("Not yet."));
            task.run("what can you do?", "deny").await;
            let request = task.scene.model.last_request();
            if request.tool_names().contains(&"mcp_every_echo") {
                break;
            }
        }
    };
    within("the tools of the server", offered).await;
    task.script(
        [("mcp_every_echo", json!({ "message": "ahoy" }))],
        "Echoed.",
    );
    let done = task.run("echo it", "allow").await;
    assert_eq!(done.said, "Echoed.");
    assert_eq!(task.asked, ["mcp_every_echo: allow"]);
    assert!(
        task.results().last().unwrap().contains("ahoy"),
        "{:?}",
        task.results()
    );
    task.script([("mcp_every_get-tiny-image", json!({}))], "Seen.");
    task.run("show it", "allow").await;
    let told = task.scene.model.last_request().body.to_string();
    assert!(told.contains("data:image/png;base64,"), "{told}");
    let Scene { app, home, .. } = task.scene;
    assert_eq!(app.terminate().await.code, Some(143));
    let left = std::fs::read_dir(home.path().join("run"))
        .unwrap()
        .flatten();
    let left: Vec<_> = left
        .map(|it| it.file_name())
        .filter(|it| it != "opening")
        .collect();
    assert!(left.is_empty(), "{left:?} was left behind");
}

#[tokio::test]
async fn a_remembered_yes_holds_for_the_same_input_and_a_rule_for_the_tool() {
    let body = r#"
    hello(m, [tool("send"), tool("post")])
    if m["method"] == "tools/call": text(m, "sent")"#;
    let mut task = task_with(json!({ "hub": own(body) }), json!({})).await;
    let rules = task.scene.home.path().join("permissions.toml");
    let send = |to: &str| ("mcp_hub_send", json!({ "to": to }));
    task.script([send("ada")], "Sent.");
    task.scene.app.start_turn(&task.thread, "go").await;
    let required = task.events.until("approval.required").await;
    let id = required.payload["id"].as_str().unwrap();
    let body = json!({ "decision": "allow", "remember": true });
    let target = format!("/v1/approvals/{id}");
    assert_eq!(task.scene.app.post(&target, body).await.status, 200);
    assert_eq!(task.finish("deny").await.status, "completed");
    task.script([send("ada"), send("bob")], "Again.");
    task.run("again", "deny").await;
    assert_eq!(task.asked, ["mcp_hub_send: deny"]);
    let written = std::fs::read_to_string(&rules).unwrap();
    assert!(written.contains("command_exact = true"), "{written}");

    let Scene { app, model, home } = task.scene;
    app.kill().await;
    std::fs::write(
        &rules,
        "[[rules]]\ntool = \"mcp_hub_send\"\naction = \"allow\"\n",
    )
    .unwrap();
    let mut task = served(home, model, json!({})).await;
    task.script([send("eve"), ("mcp_hub_post", json!({}))], "Done.");
    task.run("once more", "deny").await;
    assert_eq!(task.asked, ["mcp_hub_post: deny"]);
}

#[tokio::test]
async fn plan_mode_offers_what_a_believed_server_calls_read_only_and_nothing_else() {
    let body = r#"
    hello(m, [tool("look", annotations={"readOnlyHint": True}), tool("do")])
    if m["method"] == "tools/call": text(m, "seen")"#;
    let mut friend = own(body);
    friend["trust"] = json!(true);
    let servers = json!({ "friend": friend, "stranger": own(body) });
    let mut task = task_with(servers, json!({ "mode": "plan" })).await;
    assert_eq!(offered(&mut task).await, ["mcp_friend_look"]);
    task.script(
        [
            ("mcp_friend_look", json!({})),
            ("mcp_stranger_look", json!({})),
        ],
        "Looked.",
    );
    task.run("look", "allow").await;
    assert!(task.asked.is_empty(), "{:?}", task.asked);
    let results = task.results();
    let [.., seen, refused] = results.as_slice() else {
        panic!("{results:?}");
    };
    assert_eq!(seen, "seen");
    assert!(refused.contains("plan mode"), "{refused}");
}

#[tokio::test]
async fn a_required_server_that_does_not_come_up_fails_the_turn_with_the_cause() {
    let broken = json!({
        "command": "sh", "args": ["-c", "echo no licence found >&2; exit 4"], "required": true,
    });
    let mut task = task_with(json!({ "broken": broken }), json!({})).await;
    let done = task.run("go", "deny").await;
    assert_eq!(done.status, "failed");
    let snapshot = task.scene.app.snapshot(&task.thread).await;
    let turn = &snapshot.turns[0];
    let error = turn.error.as_deref().unwrap();
    assert!(
        error.contains("\"broken\" is required") && error.contains("no licence found"),
        "{error}"
    );
    assert_eq!(json!(turn.failure_class), "mcp_server");
}

#[tokio::test]
async fn how_servers_come_up_is_told_on_the_thread() {
    let mut mute = own("    pass");
    mute["required"] = json!(false);
    mute["connect_timeout"] = json!(0.2);
    let good = own("    hello(m, [tool('t')])");
    let servers = json!({ "mute": mute, "good": good });
    let mut task = task_with(servers, json!({})).await;
    let told = |task: &Task, key: &str| -> Option<Value> {
        let seen = task.events.seen().iter();
        let items = seen.map(|event| &event.payload["item"]["metadata"][key]);
        items.rev().find(|it| !it.is_null()).cloned()
    };
    let summed_up = async {
        loop {
            task.scene.model.push(Reply::says("Going on."));
            task.run("go on", "deny").await;
            if let Some(sum) = told(&task, "mcp_startup_complete") {
                return sum;
            }
        }
    };
    let sum = within("the sum", summed_up).await;
    assert_eq!(sum["ready"], json!(["good"]));
    assert_eq!(sum["failed"][0]["server_name"], "mute");
    let error = sum["failed"][0]["error"].as_str().unwrap();
    assert!(error.contains("has not answered for 0.2 s"), "{error}");
}

#[tokio::test]
async fn servers_and_tools_are_listed_without_starting_or_telling_anything() {
    let mut good = own("    hello(m, [tool('b'), tool('a'), tool('hidden')])");
    good["env"] = json!({ "API_KEY": "value-of-a-variable" });
    good["disabled_tools"] = json!(["hidden"]);
    let away = json!({
        "url": "http://ada:password-in-url@127.0.0.1:9/mcp?key=key-in-query",
        "headers": { "X-Key": "value-of-a-header" }, "disabled": true,
    });
    let servers = json!({ "good": good, "away": away });
    let task = task_with(servers, json!({})).await;
    let app = &task.scene.app;
    let tools = app.get("/v1/apps/mcp/tools?connect=true&server=good").await;
    assert_eq!(tools.status, 200, "{}", tools.text());
    let tools = tools.json();
    let first = json!({
        "server": "good", "name": "a", "prefixed_name": "mcp_good_a", "description": "d",
        "input_schema": { "type": "object", "properties": {} },
    });
    assert_eq!(tools["tools"][0], first);
    assert_eq!(tools["tools"].as_array().unwrap().len(), 2);
    let none = app.get("/v1/apps/mcp/tools?server=away").await.json();
    assert_eq!(none, json!({ "tools": [] }));

    let listed = app.get("/v1/apps/mcp/servers").await;
    let text = listed.text();
    for secret in ["value-of-a", "password-in", "key-in-query"] {
        assert!(!text.contains(secret), "{text}");
    }
    let listed = listed.json();
    assert_eq!(
        listed["servers"][0],
        json!({
            "name": "away", "enabled": false, "required": false, "command": null,
            "url": "http://127.0.0.1:9/mcp", "connected": false, "enabled_tools": [],
            "disabled_tools": [], "transport": "http", "status": "disabled", "error": null,
            "tools": 0, "quarantined": 0,
        })
    );
    let good = &listed["servers"][1];
    assert_eq!(good["connected"], true);
    assert_eq!(good["command"], "/usr/bin/python3");
    assert_eq!(good["disabled_tools"], json!(["hidden"]));
}

#[tokio::test]
async fn a_plugin_brings_servers_and_skills() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let plugin = home.path().join("plugins/demo");
    std::fs::create_dir_all(plugin.join("skills/brew")).unwrap();
    let skill = "---\nname: brew\ndescription: Makes tea.\n---\nBoil water.\n";
    std::fs::write(plugin.join("skills/brew/SKILL.md"), skill).unwrap();
    let body = r#"
    hello(m, [tool("where")])
    if m["method"] == "tools/call": text(m, os.getcwd())"#;
    let document = json!({ "servers": { "own": own(body) } });
    std::fs::write(plugin.join("mcp.json"), document.to_string()).unwrap();
    let broken = home.path().join("plugins/broken");
    std::fs::create_dir_all(&broken).unwrap();
    std::fs::write(broken.join("mcp.json"), "[").unwrap();
    let plugin = plugin.canonicalize().unwrap();
    let mut task = served(home, model, json!({})).await;
    task.script(
        [
            ("mcp_plugin-4-demo-own_where", json!({})),
            ("load_skill", json!({ "name": "brew" })),
        ],
        "Brewed.",
    );
    task.run("brew tea", "allow").await;
    assert_eq!(task.asked, ["mcp_plugin-4-demo-own_where: allow"]);
    let results = task.results();
    let cwd = Path::new(&results[0]).canonicalize().unwrap();
    assert_eq!(cwd, plugin);
    assert!(results[1].contains("Boil water."), "{results:?}");
}
