//! Commands that an editor shows in its terminals: a view hangs there, and the command runs inside its
//! walls as ever.

use codewhale_protocol::runtime::{ItemStatus, ThreadId};
use codewhale_testkit::app::{Ended, Home, Program, Started};
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::Desk;
use crate::held::{HeldCommand, Running};
use crate::scene::program;

/// A desk whose editor has terminals, with a session in which nobody is asked.
async fn desk() -> (Desk, String) {
    let mut desk = Desk::of_client(json!({ "terminal": true })).await;
    let session = desk.session().await;
    let posture =
        json!({ "sessionId": session, "configId": "approval_posture", "value": "full_access" });
    desk.editor.ask("session/set_config_option", posture).await;
    (desk, session)
}

/// Has the model run a command that waits for the test. Gives it, and the request of the prompt.
async fn run_held(desk: &mut Desk, session: &str) -> (Running, Value) {
    let command = HeldCommand::new().await;
    let call = Reply::calls("c1", "exec_shell", &command.arguments());
    desk.model.push(call).push(Reply::says("done"));
    let request = desk.prompt(session, "run it").await;
    (command.running().await, request)
}

/// What an editor starts in a terminal, in surroundings that tell it nothing.
fn start(create: &Value) -> Started {
    let params = &create["params"];
    let arguments = params["args"].as_array().unwrap();
    let arguments = arguments.iter().map(|it| it.as_str().unwrap());
    let elsewhere = Home::new();
    Program::new(params["command"].as_str().unwrap(), &elsewhere)
        .arguments(arguments)
        .begin()
}

/// Makes the terminal that is asked for, with a view in it.
async fn hang_up(desk: &mut Desk, id: &str) -> Started {
    let create = desk.editor.asked("terminal/create").await;
    let view = start(&create);
    desk.editor
        .answer(&create, json!({ "terminalId": id }))
        .await;
    let shown = desk.editor.update("tool_call_update").await;
    assert_eq!(
        shown["content"],
        json!([{ "type": "terminal", "terminalId": id }])
    );
    view
}

/// Answers that the view has ended.
async fn tell_exit(desk: &mut Desk, ended: &Ended) {
    let waits = desk.editor.asked("terminal/wait_for_exit").await;
    let signal = ended.signal.map(|number| format!("signal {number}"));
    let exit = json!({ "exitCode": ended.code, "signal": signal });
    desk.editor.answer(&waits, exit).await;
}

async fn released(desk: &mut Desk, id: &str) {
    let release = desk.editor.asked("terminal/release").await;
    assert_eq!(release["params"]["terminalId"], id);
    desk.editor.answer(&release, json!({})).await;
}

async fn check_no_terminals(desk: &mut Desk) {
    let seen = desk.editor.take_seen();
    let is_terminal = |it: &Value| {
        let method = it["method"].as_str().unwrap_or_default();
        method.starts_with("terminal/") || it.to_string().contains("terminalId")
    };
    assert!(!seen.iter().any(is_terminal), "{seen:?}");
}

/// The text that a call was told to have at its end.
async fn told_as_text(desk: &mut Desk) -> String {
    let is_over = |it: &Value| {
        let update = &it["params"]["update"];
        update["sessionUpdate"] == "tool_call_update" && update["rawOutput"].is_object()
    };
    let over = desk.editor.until(is_over).await;
    let content = &over["params"]["update"]["content"];
    content[0]["content"]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{over}"))
        .to_owned()
}

#[tokio::test]
async fn a_command_is_seen_in_the_terminal_while_it_runs_and_the_terminal_ends_as_it_does() {
    let (mut desk, session) = desk().await;
    let (mut running, request) = run_held(&mut desk, &session).await;
    let view = hang_up(&mut desk, "term_1").await;
    running.print("first\n").await;
    view.until_said("first\n").await;
    running.print("second\n").await;
    view.until_said("second\n").await;
    running.release();
    let ended = view.ended().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout, "first\nsecond\ndone\n");
    tell_exit(&mut desk, &ended).await;
    let over = desk.editor.update("tool_call_update").await;
    assert_eq!(over["status"], "completed");
    // The terminal stands for the text.
    assert_eq!(over.get("content"), None, "{over}");
    assert_eq!(over["rawOutput"]["exit_code"], 0);
    released(&mut desk, "term_1").await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");

    // Told again it is text: the terminal was one of then.
    let workspace = desk.workspace();
    let load = json!({ "sessionId": session, "cwd": workspace, "mcpServers": [] });
    desk.editor.take_seen();
    desk.editor.ask("session/load", load).await;
    let call = desk.editor.update("tool_call").await;
    let text = call["content"][0]["content"]["text"].as_str().unwrap();
    assert_eq!(text, "first\nsecond\ndone\n[exit code 0]");
    check_no_terminals(&mut desk).await;
}

#[tokio::test]
async fn no_terminal_is_made_before_a_command_is_allowed() {
    let mut desk = Desk::of_client(json!({ "terminal": true })).await;
    let session = desk.session().await;
    let command = "until [ -e go ]; do sleep 0.05; done; echo done";
    let command = json!({ "command": command }).to_string();
    desk.model
        .push(Reply::calls("c1", "exec_shell", &command))
        .push(Reply::says("done"));
    let request = desk.prompt(&session, "run it").await;
    let asked = desk.editor.asked("session/request_permission").await;
    check_no_terminals(&mut desk).await;
    let yes = json!({ "outcome": { "outcome": "selected", "optionId": "allow_once" } });
    desk.editor.answer(&asked, yes).await;
    let create = desk.editor.asked("terminal/create").await;
    desk.editor.refuse(&create, "no terminals today").await;
    desk.home.write("go", "");
    assert_eq!(told_as_text(&mut desk).await, "done\n[exit code 0]");
    desk.editor.answer_to(&request).await;
    check_no_terminals(&mut desk).await;

    // It is not asked again, however long the next one takes.
    let slow = json!({ "command": "sleep 0.5; touch b; echo slow" }).to_string();
    desk.model
        .push(Reply::calls("c2", "exec_shell", &slow))
        .push(Reply::says("done"));
    let request = desk.prompt(&session, "run that").await;
    let asked = desk.editor.asked("session/request_permission").await;
    let yes = json!({ "outcome": { "outcome": "selected", "optionId": "allow_once" } });
    desk.editor.answer(&asked, yes).await;
    assert_eq!(told_as_text(&mut desk).await, "slow\n[exit code 0]");
    desk.editor.answer_to(&request).await;
    check_no_terminals(&mut desk).await;
}

#[tokio::test]
async fn a_view_that_fails_at_once_leaves_the_call_to_its_text() {
    let (mut desk, session) = desk().await;
    let (running, request) = run_held(&mut desk, &session).await;
    let create = desk.editor.asked("terminal/create").await;
    let made = json!({ "terminalId": "term_1" });
    desk.editor.answer(&create, made).await;
    let waits = desk.editor.asked("terminal/wait_for_exit").await;
    desk.editor.answer(&waits, json!({ "exitCode": 127 })).await;
    let asked = desk.editor.asked("terminal/output").await;
    let words = json!({ "output": "codewhale: not found\n", "truncated": false });
    desk.editor.answer(&asked, words).await;
    let is_empty = |it: &Value| it["params"]["update"]["content"] == json!([]);
    desk.editor.until(is_empty).await;
    running.release();
    assert_eq!(told_as_text(&mut desk).await, "done\n[exit code 0]");
    released(&mut desk, "term_1").await;
    desk.editor.answer_to(&request).await;
}

#[tokio::test]
async fn a_person_who_stops_the_view_stops_the_command_and_the_turn_goes_on() {
    let (mut desk, session) = desk().await;
    let (mut running, request) = run_held(&mut desk, &session).await;
    let view = hang_up(&mut desk, "term_1").await;
    running.print("first\n").await;
    view.until_said("first\n").await;
    let ended = view.kill().await;
    assert_eq!(ended.code, None);
    tell_exit(&mut desk, &ended).await;
    running.killed().await;
    let text = told_as_text(&mut desk).await;
    assert!(text.starts_with("first\n"), "{text}");
    assert!(text.contains("[A person stopped this call."), "{text}");
    released(&mut desk, "term_1").await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    let read = desk.model.last_request();
    let result = read.messages().iter().find(|it| it["role"] == "tool");
    let result = result.unwrap()["content"].as_str().unwrap();
    assert!(result.contains("A person stopped this call."), "{result}");
}

#[tokio::test]
async fn a_cancelled_prompt_ends_the_view_and_gives_the_terminal_back() {
    let (mut desk, session) = desk().await;
    let (running, request) = run_held(&mut desk, &session).await;
    let view = hang_up(&mut desk, "term_1").await;
    let cancel = json!({ "sessionId": session });
    desk.editor.tell("session/cancel", cancel).await;
    let kill = desk.editor.asked("terminal/kill").await;
    assert_eq!(kill["params"]["terminalId"], "term_1");
    desk.editor.answer(&kill, json!({})).await;
    released(&mut desk, "term_1").await;
    running.killed().await;
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    // Left alone it would have ended by itself.
    let ended = view.ended().await;
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stdout.contains("The call was cut off"), "{ended:?}");
}

#[tokio::test]
async fn an_editor_without_terminals_is_not_asked_for_one() {
    let mut desk = Desk::new().await;
    let session = desk.session().await;
    let posture =
        json!({ "sessionId": session, "configId": "approval_posture", "value": "full_access" });
    desk.editor.ask("session/set_config_option", posture).await;
    let (mut running, request) = run_held(&mut desk, &session).await;
    running.print("first\n").await;
    running.release();
    let text = told_as_text(&mut desk).await;
    assert_eq!(text, "first\ndone\n[exit code 0]");
    desk.editor.answer_to(&request).await;
    check_no_terminals(&mut desk).await;
}

#[tokio::test]
async fn a_view_outlives_nobody() {
    let (mut desk, session) = desk().await;
    let (mut running, _request) = run_held(&mut desk, &session).await;
    let view = hang_up(&mut desk, "term_1").await;
    running.print("first").await;
    view.until_said("first").await;
    let Desk { editor, home, .. } = desk;
    editor.kill().await;
    running.killed().await;
    let ended = view.ended().await;
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let last = "first\n[the program that ran this command has ended]\n";
    assert_eq!(ended.stdout, last);

    // With somebody on the home who writes how it ended, that is shown.
    let app = program(&home).serve().await;
    let item = app.snapshot(&ThreadId::from(session.as_str())).await.items;
    assert_eq!(item[1].status, ItemStatus::Interrupted);
    let view = view_of(&home, &session, item[1].id.as_str()).run().await;
    assert_eq!(view.code, Some(1), "{}", view.stderr);
    assert!(
        view.stdout.starts_with("first\nThe call was cut off"),
        "{view:?}"
    );
    let none = view_of(&home, &session, "item_none").run().await;
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("there is no such call"), "{none:?}");
}

fn view_of(home: &Home, thread: &str, item: &str) -> Program {
    let path = home.path();
    let arguments = ["view-call", "--home", path.to_str().unwrap()];
    let call = ["--thread", thread, "--item", item];
    program(home).arguments(arguments).arguments(call)
}

#[tokio::test]
async fn a_terminal_that_comes_too_late_is_given_back_and_never_named() {
    let (mut desk, session) = desk().await;
    let (running, request) = run_held(&mut desk, &session).await;
    let create = desk.editor.asked("terminal/create").await;
    running.release();
    assert_eq!(told_as_text(&mut desk).await, "done\n[exit code 0]");
    let answer = desk.editor.answer_to(&request).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    check_no_terminals(&mut desk).await;
    let made = json!({ "terminalId": "term_1" });
    desk.editor.answer(&create, made).await;
    released(&mut desk, "term_1").await;
    check_no_terminals(&mut desk).await;
}

#[tokio::test]
async fn a_command_that_is_over_at_once_is_not_shown_in_a_terminal() {
    let (mut desk, session) = desk().await;
    // Several, so that one that the machine was slow with is not taken for the rule.
    for number in 1..=5 {
        let command = json!({ "command": "echo quick" }).to_string();
        let call = Reply::calls(&format!("c{number}"), "exec_shell", &command);
        desk.model.push(call);
    }
    desk.model.push(Reply::says("done"));
    let request = desk.prompt(&session, "run them").await;
    let mut made = 0;
    loop {
        let is_asked = |it: &Value| it.get("method").is_some() && it.get("id").is_some();
        let is_over = |it: &Value| it["id"] == request && it.get("method").is_none();
        let message = desk.editor.until(|it| is_asked(it) || is_over(it)).await;
        match message["method"].as_str() {
            None => break,
            Some("terminal/create") => {
                made += 1;
                desk.editor.refuse(&message, "not now").await;
            }
            Some(other) => panic!("{other} is about no terminal"),
        }
    }
    assert!(made < 5, "{made} terminals for commands that only flash");
}

#[tokio::test]
async fn a_view_of_much_output_shows_its_beginning_and_its_end() {
    let (mut desk, session) = desk().await;
    let command = json!({ "command": "seq 100000; exit 3" });
    let call = Reply::calls("c1", "exec_shell", &command.to_string());
    desk.model.push(call).push(Reply::says("done"));
    let request = desk.prompt(&session, "run it").await;
    let call = desk.editor.update("tool_call").await;
    // It may be over before its terminal is there, and then that is given back.
    loop {
        let is_asked = |it: &Value| it.get("method").is_some() && it.get("id").is_some();
        let is_over = |it: &Value| it["id"] == request && it.get("method").is_none();
        let message = desk.editor.until(|it| is_asked(it) || is_over(it)).await;
        match message["method"].as_str() {
            None => break,
            Some("terminal/create") => {
                let made = json!({ "terminalId": "term_1" });
                desk.editor.answer(&message, made).await;
            }
            Some("terminal/wait_for_exit") => {
                let exit = json!({ "exitCode": 3 });
                desk.editor.answer(&message, exit).await;
            }
            Some(_) => desk.editor.answer(&message, json!({})).await,
        }
    }
    let item = call["toolCallId"].as_str().unwrap();
    let view = view_of(&desk.home, &session, item).run().await;
    assert_eq!(view.code, Some(3), "{}", view.stderr);
    assert!(view.stdout.starts_with("1\n2\n3\n"));
    assert!(view.stdout.ends_with("99999\n100000\n"));
    let cut = "\n[... it prints more; that is told when it is over ...]\n";
    assert_eq!(view.stdout.matches(cut).count(), 1);
}
