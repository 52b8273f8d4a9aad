//! Logins at servers that want one, from the command to the call.

use std::os::unix::fs::PermissionsExt;

use codewhale_testkit::app::{Ended, Home, within};
use codewhale_testkit::guarded_server::{CANARY, GuardedServer, visit};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::{Scene, Task, program};

async fn mcp(home: &Home, words: &[&str]) -> Ended {
    let words = ["mcp"].iter().chain(words).copied();
    program(home).arguments(words).run().await
}

/// Logs in as a person does: opens the address that is printed.
async fn log_in(home: &Home) -> Ended {
    let login = program(home).arguments(["mcp", "login", "hub"]).begin();
    let said = login.until_said("Waiting").await;
    let mut lines = said.lines().map(str::trim);
    let address = lines.find(|it| it.starts_with("http://"));
    let (status, page) = visit(address.unwrap()).await;
    assert_eq!(status, 200, "{page}");
    login.ended().await
}

async fn seen(task: &Task) -> Value {
    let listed = task.scene.app.get("/v1/apps/mcp/servers").await.json();
    listed["servers"][0].clone()
}

#[tokio::test]
async fn a_login_is_made_used_by_a_server_that_runs_and_shows_nowhere_but_in_the_file_of_keys() {
    let guarded = GuardedServer::start().await;
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let added = mcp(&home, &["add", "hub", "--url", &guarded.url()]).await;
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let tried = mcp(&home, &["test", "hub"]).await;
    assert_eq!(tried.code, Some(1));
    let what_to_do = "run `codewhale mcp login hub`";
    assert!(tried.stdout.contains(what_to_do), "{}", tried.stdout);

    let app = program(&home).arguments(["--log-level", "debug"]);
    let app = app.serve().await;
    let scene = Scene { app, model, home };
    let (thread, events) = scene.thread(json!({})).await;
    let mut task = Task {
        scene,
        thread,
        events,
        asked: Vec::new(),
    };
    let refused = async {
        loop {
            let server = seen(&task).await;
            if server["status"] == "needs_auth" {
                return server;
            }
        }
    };
    let refused = within("the refusal", refused).await;
    assert!(refused["error"].as_str().unwrap().contains(what_to_do));

    let login = log_in(&task.scene.home).await;
    assert_eq!(login.code, Some(0), "{}", login.stderr);
    assert!(
        login.stdout.ends_with("logged in at hub\n"),
        "{}",
        login.stdout
    );
    let list = mcp(&task.scene.home, &["list"]).await;
    let line = format!("  - hub [enabled, auth] {}\n", guarded.url());
    assert_eq!(list.stdout, line);

    // A turn that begins now finds the login without a new start.
    let offered = async {
        loop {
            task.scene.model.push(Reply::says("Not yet."));
            task.run("what can you do?", "deny").await;
            let request = task.scene.model.last_request();
            if request.tool_names().contains(&"mcp_hub_look") {
                break;
            }
        }
    };
    within("the tools of the server", offered).await;
    // The token ends before its time, and is renewed on the way.
    guarded.revoke();
    task.script([("mcp_hub_look", json!({}))], "Looked.");
    task.run("look", "allow").await;
    assert_eq!(task.results(), ["seen"]);
    let tools = task.scene.app.get("/v1/apps/mcp/tools").await.json();
    assert_eq!(tools["tools"][0]["description"], Value::Null);

    let Scene { app, home, .. } = task.scene;
    let served = app.terminate().await;
    assert!(
        served.stderr.contains("an MCP server moved"),
        "{}",
        served.stderr
    );
    let keys = home.path().join("secrets/secrets.json");
    assert_eq!(
        std::fs::metadata(&keys).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let with_canary = |(path, bytes): &(std::path::PathBuf, Vec<u8>)| {
        let text = String::from_utf8_lossy(bytes);
        text.contains(CANARY).then(|| path.clone())
    };
    let found: Vec<_> = home.files().iter().filter_map(with_canary).collect();
    assert_eq!(found, [keys]);
    for said in [&login, &tried, &list, &served] {
        assert!(!format!("{said:?}").contains(CANARY), "{said:?}");
    }

    let out = mcp(&home, &["logout", "hub"]).await;
    assert_eq!(out.stdout, "logged out at hub\n");
    assert!(home.files().iter().filter_map(with_canary).next().is_none());
}

#[tokio::test]
async fn a_login_that_cannot_be_says_why() {
    let home = Home::new();
    let document = json!({ "servers": {
        "local": { "command": "x" }, "plain": { "url": "http://example.org/mcp" },
    } });
    std::fs::write(home.path().join("mcp.json"), document.to_string()).unwrap();
    for (server, words) in [
        ("local", "only servers with a `url` have logins"),
        ("plain", "logins take https://"),
        ("nobody", "there is no MCP server named \"nobody\""),
    ] {
        let ended = mcp(&home, &["login", server]).await;
        assert_eq!(ended.code, Some(1));
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
}
