//! Servers that people use.

use std::fs;
use std::net::TcpListener;
use std::sync::Arc;

use codewhale_mcp_client::Phase;
use codewhale_protocol::ext::{FREE_TEXT_LABEL, UserInputAnswer, UserInputQuestion};
use codewhale_protocol::service::BoxFuture;
use codewhale_sandbox::{Command, End, Running};
use codewhale_tools::{Person, Unanswered};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::lab::{Lab, environment, installed, npm};

fn everything() -> Value {
    json!({"command": "node", "args": [npm("server-everything")], "connect_timeout": 30})
}

#[tokio::test]
async fn the_filesystem_server_reads_and_writes_within_its_directory() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("a.txt"), "whale").unwrap();
    let server = json!({
        "command": "node",
        "args": [npm("server-filesystem"), directory.path()],
        "connect_timeout": 30,
        "disabled_tools": ["move_file"],
    });
    let path = directory.path().join("a.txt");
    let lab = Lab::in_directory(directory, json!({"files": server}));
    let health = lab.ready("files").await;
    assert!(health.tools > 5 && health.quarantined == 0, "{health:?}");
    assert!(!lab.names().contains(&"mcp_files_move_file".to_owned()));
    let output = lab
        .call("mcp_files_read_text_file", json!({"path": path}))
        .await;
    assert!(
        output.success && output.text.contains("whale"),
        "{output:?}"
    );
    let output = lab
        .call("mcp_files_read_text_file", json!({"path": "/etc/passwd"}))
        .await;
    assert!(!output.success, "{output:?}");
}

#[tokio::test]
async fn the_git_and_time_servers_answer() {
    let git = installed("python/bin/mcp-server-git");
    let time = installed("python/bin/mcp-server-time");
    let lab = Lab::new(json!({
        "git": {"command": git, "connect_timeout": 60},
        "time": {"command": time, "args": ["--local-timezone", "UTC"], "connect_timeout": 60},
    }));
    lab.ready("time").await;
    let input = json!({"timezone": "Europe/Berlin"});
    let output = lab.call("mcp_time_get_current_time", input).await;
    assert!(
        output.success && output.text.contains("Berlin"),
        "{output:?}"
    );
    lab.ready("git").await;
    let repository = lab.directory.path();
    let output = lab
        .call("mcp_git_git_status", json!({"repo_path": repository}))
        .await;
    assert!(!output.success, "there is no repository: {output:?}");
}

#[tokio::test]
async fn resources_and_prompts_are_listed_and_read() {
    let lab = Lab::new(json!({"all": everything()}));
    let health = lab.ready("all").await;
    assert!(health.resources > 0 && health.prompts > 0, "{health:?}");
    let (never, resources) = (CancellationToken::new(), lab.servers.resources());
    let uri = &resources[0].1.uri;
    let text = lab.servers.read_resource("all", uri, &never).await.unwrap();
    assert!(text.contains(uri), "{text}");
    let refused = lab
        .servers
        .read_resource("all", "file:///etc/passwd", &never)
        .await;
    assert!(refused.is_err());
    let output = lab
        .call("list_mcp_resources", json!({"server": "all"}))
        .await;
    assert!(output.text.contains(uri), "{}", output.text);
    let output = lab
        .call("read_mcp_resource", json!({"server": "all", "uri": uri}))
        .await;
    assert!(output.success && output.text.contains(uri));
    let prompts = lab.servers.prompts();
    let simple = prompts
        .iter()
        .find(|(_, prompt)| prompt.arguments.is_empty());
    let name = &simple.unwrap().1.name;
    let input = json!({"server": "all", "name": name});
    let output = lab.call("mcp_get_prompt", input).await;
    assert!(output.text.starts_with("user: "), "{}", output.text);
}

#[tokio::test]
async fn pictures_are_told_and_not_sent() {
    let lab = Lab::new(json!({"all": everything()}));
    lab.ready("all").await;
    let output = lab.call("mcp_all_get-tiny-image", json!({})).await;
    assert!(
        output.text.contains("[image of type image/png, about "),
        "{output:?}"
    );
}

#[tokio::test]
async fn a_server_killed_from_outside_is_started_again() {
    let entry = r#"echo $$ >pid; exec node "$1""#;
    let args = json!(["-c", entry, "sh", npm("server-everything")]);
    let server = json!({"command": "sh", "args": args, "connect_timeout": 30});
    let lab = Lab::new(json!({"hub": server}));
    lab.ready("hub").await;
    check_echo(&lab).await;

    let kill = Command {
        arguments: vec!["-c".into(), "kill -9 $(cat pid)".into()],
        environment: environment().to_vec(),
        ..Command::new("/bin/sh", lab.directory.path())
    };
    let killed = codewhale_sandbox::run(kill, &CancellationToken::new()).await;
    assert_eq!(killed.unwrap().end, End::Exited(0));
    lab.wait("hub", |health| health.restarts == 1).await;
    check_echo(&lab).await;
    assert_eq!(lab.health("hub").restarts, 1);
    lab.servers.stop().await;
    assert_eq!(lab.health("hub").phase, Phase::Stopped);
}

/// Leaves everything empty but the first question.
struct Answers;

impl Person for Answers {
    fn ask(
        &self,
        questions: Vec<UserInputQuestion>,
    ) -> BoxFuture<'_, Result<Vec<UserInputAnswer>, Unanswered>> {
        let answers = questions.into_iter().map(|question| {
            let label = match question.id.as_str() {
                "name" => FREE_TEXT_LABEL,
                _ => "Leave empty",
            };
            UserInputAnswer {
                id: question.id,
                label: label.to_owned(),
                value: "Moby".to_owned(),
            }
        });
        let answers = answers.collect();
        Box::pin(async move { Ok(answers) })
    }
}

#[tokio::test]
async fn a_server_asks_the_person_behind_the_call() {
    let lab = Lab::new(json!({"all": everything()}));
    lab.wait("all", |health| health.phase == Phase::Ready).await;
    let mut changes = lab.servers.changes();
    let name = "mcp_all_trigger-elicitation-request";
    // The server offers it once it knows that we can be asked.
    while !lab.names().contains(&name.to_owned()) {
        changes.changed().await.unwrap();
    }
    let context = lab.context().with_person(Arc::new(Answers));
    let output = lab.call_in(name, json!({}), context).await;
    assert!(output.text.contains("Moby"), "{output:?}");
    let output = lab.call(name, json!({})).await;
    assert!(!output.text.contains("Moby"), "{output:?}");
}

/// The same server behind a port.
async fn behind(port: u16, way: &str) -> Running {
    let mut environment = environment().to_vec();
    environment.push(("PORT".to_owned(), port.to_string()));
    let command = Command {
        arguments: vec![npm("server-everything").into(), way.into()],
        environment,
        ..Command::new("node", "/")
    };
    codewhale_sandbox::start(command).await.unwrap()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

async fn check_echo(lab: &Lab) {
    let output = lab.call("mcp_hub_echo", json!({"message": "hello"})).await;
    assert!(
        output.success && output.text.contains("hello"),
        "{output:?}"
    );
}

#[tokio::test]
async fn a_server_over_http_is_killed_and_comes_back() {
    let port = free_port();
    let server = behind(port, "streamableHttp").await;
    let url = format!("http://127.0.0.1:{port}/mcp");
    let lab = Lab::new(json!({"hub": {"url": url, "connect_timeout": 30}}));
    assert_eq!(lab.ready("hub").await.transport, "http");
    check_echo(&lab).await;

    server.kill().await;
    let output = lab.call("mcp_hub_echo", json!({"message": "x"})).await;
    assert!(!output.success, "{output:?}");
    let _server = behind(port, "streamableHttp").await;
    check_echo(&lab).await;
}

#[tokio::test]
async fn a_server_that_speaks_the_older_way_is_understood() {
    let port = free_port();
    let _server = behind(port, "sse").await;
    let url = format!("http://127.0.0.1:{port}/sse");
    let named = json!({"url": url, "transport": "sse", "connect_timeout": 30});
    let lab = Lab::new(json!({"hub": named}));
    assert_eq!(lab.ready("hub").await.transport, "sse");
    check_echo(&lab).await;
    // Nobody said so here.
    let lab = Lab::new(json!({"hub": {"url": url, "connect_timeout": 30}}));
    lab.ready("hub").await;
    check_echo(&lab).await;
}
