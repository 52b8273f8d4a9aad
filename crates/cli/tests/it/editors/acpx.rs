//! acpx, a client that others have written, drives the program as its users do: by command lines that
//! find their sessions again. What both sides say to each other is held against the schema.

use std::process::Stdio;

use codewhale_testkit::app::{Conversation, Home, Side, config_for, within};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Command;

use super::{newer_node, part, run, run_to};
use crate::scene::BINARY;

/// A home with a scripted model, and acpx that knows the program.
struct Acpx {
    model: ModelServer,
    home: Home,
}

impl Acpx {
    async fn new() -> Self {
        let model = ModelServer::start().await;
        let home = Home::new();
        home.configure(&config_for(&model, ""));
        Self { model, home }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the tests run clients that others have written"
    )]
    fn command(&self, answers: &str, words: &[&str]) -> Command {
        let mut command = Command::new(newer_node());
        command
            .arg(part("npm/node_modules/acpx/dist/cli.js"))
            .args(["--agent", &format!("{BINARY} serve --acp")])
            .args(["--format", "json", "--json-strict", answers])
            // What it leaves running for the next command ends soon after the last.
            .args(["--timeout", "25", "--ttl", "2", "--cwd"])
            .arg(self.home.workspace())
            .args(words)
            .env("CODEWHALE_HOME", self.home.path())
            .env("HOME", self.home.path())
            .current_dir(self.home.workspace());
        command
    }

    /// Runs a command that tells what it did.
    async fn ask(&self, words: &[&str]) -> Value {
        let said = run(&mut self.command("--approve-all", words)).await;
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{said:?}: {error}"))
    }

    /// Runs a command that tells what both sides said.
    async fn talk(&self, words: &[&str]) -> Vec<(Side, Value)> {
        heard(&run(&mut self.command("--approve-all", words)).await)
    }

    /// Closes a session, and with it what acpx left running for it.
    async fn close(&self, name: &str) {
        let closed = self.ask(&["sessions", "close", name]).await;
        assert_eq!(closed["action"], "session_closed");
    }
}

/// Holds what was said against the schema.
fn heard(lines: &str) -> Vec<(Side, Value)> {
    let (conversation, said) = Conversation::overheard(lines);
    assert_eq!(conversation.count(), said.len());
    said
}

fn methods(said: &[(Side, Value)], side: Side) -> Vec<&str> {
    let of_side = said.iter().filter(|it| it.0 == side);
    of_side.filter_map(|it| it.1["method"].as_str()).collect()
}

fn stop_reason(said: &[(Side, Value)]) -> &Value {
    let results = said.iter().map(|it| &it.1["result"]["stopReason"]);
    let mut reasons = results.filter(|it| !it.is_null());
    reasons.next().expect("a prompt was answered")
}

fn write(name: &str) -> Reply {
    let input = json!({ "path": name, "content": "hello\n" });
    Reply::calls("c1", "write_file", &input.to_string())
}

#[tokio::test]
async fn one_prompt_runs_or_does_not_run_what_wants_a_yes() {
    let acpx = Acpx::new().await;
    // It ends with a code of its own where everything that was asked for was refused.
    for (answers, code, is_written) in [("--deny-all", 5, false), ("--approve-all", 0, true)] {
        acpx.model.push(write("a.txt")).push(Reply::says("done"));
        let mut command = acpx.command(answers, &["exec", "write it"]);
        let said = heard(&run_to(code, &mut command).await);
        let asked = methods(&said, Side::Agent);
        assert!(asked.contains(&"session/request_permission"), "{asked:?}");
        assert_eq!(stop_reason(&said), "end_turn");
        assert_eq!(acpx.home.read("a.txt").is_some(), is_written, "{answers}");
    }
}

#[tokio::test]
async fn a_session_is_made_set_talked_to_listed_and_gone_on_with() {
    let acpx = Acpx::new().await;
    let made = acpx.ask(&["sessions", "new", "--name", "one"]).await;
    let session = made["acpxSessionId"].as_str().unwrap().to_owned();
    assert!(session.starts_with("thr_"), "{made}");
    let set = acpx.ask(&["set", "-s", "one", "mode", "plan"]).await;
    assert_eq!(set["configOptions"][0]["currentValue"], "plan");
    acpx.model.push(Reply::says("first!"));
    let said = acpx.talk(&["prompt", "-s", "one", "first"]).await;
    assert_eq!(stop_reason(&said), "end_turn");
    acpx.close("one").await;

    let listed = acpx.ask(&["sessions", "list"]).await;
    assert_eq!(listed["sessions"][0]["sessionId"], json!(session));
    assert_eq!(listed["sessions"][0]["title"], "first");
    let again = ["sessions", "new", "--name", "two", "--resume-session"];
    let again = [again.as_slice(), &[session.as_str()]].concat();
    let resumed = acpx.ask(&again).await;
    assert_eq!(resumed["acpxSessionId"], json!(session));
    acpx.model.push(Reply::says("second!"));
    let said = acpx.talk(&["prompt", "-s", "two", "second"]).await;
    assert_eq!(stop_reason(&said), "end_turn");
    let request = acpx.model.last_request();
    assert_eq!(request.said(), ["first", "first!", "second"]);
    acpx.close("two").await;
}

#[tokio::test]
async fn a_prompt_is_cancelled_from_another_command_line() {
    let acpx = Acpx::new().await;
    acpx.ask(&["sessions", "new", "--name", "one"]).await;
    acpx.model.push(Reply::says("Hel").stall());
    let mut command = acpx.command("--approve-all", &["prompt", "-s", "one", "hello"]);
    let mut prompt = command
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    acpx.model.wait_for_requests(1).await;
    let cancelled = acpx.ask(&["cancel", "-s", "one"]).await;
    assert_eq!(cancelled["cancelled"], true, "{cancelled}");
    let mut said = String::new();
    let mut output = prompt.stdout.take().unwrap();
    within("acpx to end", output.read_to_string(&mut said))
        .await
        .unwrap();
    let said = heard(&said);
    assert_eq!(stop_reason(&said), "cancelled");
    assert!(methods(&said, Side::Client).contains(&"session/cancel"));
    within("acpx to end", prompt.wait()).await.unwrap();
    acpx.close("one").await;
}

#[tokio::test]
async fn a_command_is_shown_in_a_terminal_of_acpx() {
    let acpx = Acpx::new().await;
    let command = "echo first; until [ -e go ]; do sleep 0.05; done; echo last; exit 4";
    let command = json!({ "command": command }).to_string();
    acpx.model
        .push(Reply::calls("c1", "exec_shell", &command))
        .push(Reply::says("done"));
    let mut prompt = acpx
        .command("--approve-all", &["exec", "run it"])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(prompt.stdout.take().unwrap()).lines();
    let mut said = String::new();
    while let Some(line) = within("acpx to speak", lines.next_line()).await.unwrap() {
        // The editor has made the terminal: the command may go on.
        if line.contains("\"result\":{\"terminalId\"") {
            acpx.home.write("go", "");
        }
        said.push_str(&line);
        said.push('\n');
    }
    within("acpx to end", prompt.wait()).await.unwrap();
    let said = heard(&said);
    assert_eq!(stop_reason(&said), "end_turn");
    let asked = methods(&said, Side::Agent);
    for method in [
        "terminal/create",
        "terminal/wait_for_exit",
        "terminal/release",
    ] {
        assert!(asked.contains(&method), "{method}: {asked:?}");
    }
    let exits = said.iter().filter(|it| it.0 == Side::Client);
    let mut exits = exits.filter_map(|it| it.1["result"]["exitCode"].as_i64());
    assert_eq!(exits.next(), Some(4));
    let updates = said.iter().map(|it| &it.1["params"]["update"]);
    let over = updates
        .filter(|it| it["sessionUpdate"] == "tool_call_update")
        .find(|it| it["status"] == "failed")
        .unwrap();
    assert_eq!(over.get("content"), None, "{over}");
    assert_eq!(over["rawOutput"]["exit_code"], 4);
}
