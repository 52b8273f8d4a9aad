//! Turns over the pipes.

use codewhale_testkit::model_server::{Gate, Reply};
use serde_json::{Value, json};

use super::{Scene, Talk, events};
use crate::held::HeldCommand;
use crate::scene::program;

#[tokio::test]
async fn a_message_streams_its_answer_and_tells_what_it_used() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    model.push(Reply::says("Hello").text(", you.").usage(7, 3));
    let thread = talk.thread().await;
    let params = json!({ "thread_id": thread, "input": "greet me" });
    talk.send(1, "thread/message", params).await;
    let (lines, answer) = talk.until(1).await;
    let data = &answer["result"]["data"];
    let response = format!("{thread}:{}", data["turn_id"].as_str().unwrap());
    assert!(
        lines
            .iter()
            .all(|line| line["response_id"] == response.as_str())
    );
    let kinds: Vec<&str> = lines
        .iter()
        .map(|it| it["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.first(), Some(&"response_start"));
    assert_eq!(kinds.last(), Some(&"response_end"));
    let text: String = lines.iter().filter_map(|it| it["delta"].as_str()).collect();
    assert_eq!(text, "Hello, you.");
    assert_eq!(answer["result"]["status"], "accepted");
    assert_eq!(data["usage"]["input_tokens"], 7);
    assert_eq!(data["usage"]["output_tokens"], 3);

    let read = talk
        .ask(2, "thread/read", json!({ "thread_id": thread }))
        .await;
    assert_eq!(read["thread"]["preview"], "greet me");
    assert_eq!(read["thread"]["status"], "idle");
    let said: Vec<(&str, &str)> = read["data"]["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (
                it["role"].as_str().unwrap(),
                it["content"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(said, [("user", "greet me"), ("assistant", "Hello, you.")]);
}

#[tokio::test]
async fn two_threads_talk_at_once_over_one_pipe() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    let gate = Gate::new();
    model.push(Reply::says("One").hold(&gate).text(", two."));
    let (a, b) = (talk.thread().await, talk.thread().await);
    talk.message(1, &a, "count").await;
    talk.event("response_delta").await;
    model.push(Reply::says("Quick."));
    let (before, answer) = {
        talk.message(2, &b, "be quick").await;
        talk.until(2).await
    };
    assert_eq!(answer["result"]["thread_id"], b.as_str());
    assert!(events(&before).contains(&"turn_complete"));
    gate.open();
    assert_eq!(talk.until(1).await.1["result"]["thread_id"], a.as_str());
}

#[tokio::test]
async fn an_interrupt_stops_the_turn_and_is_answered_behind_it() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    model.push(Reply::says("Hello").stall());
    let thread = talk.thread().await;
    let params = json!({ "thread_id": thread, "input": "talk on" });
    talk.send(1, "thread/message", params).await;
    while talk.next().await["type"] != "response_delta" {}
    talk.send(2, "thread/interrupt", json!({ "thread_id": thread }))
        .await;
    talk.send(3, "shutdown", json!({})).await;
    let ended = talk.program.ended().await;
    assert_eq!(ended.code, Some(0));
    let lines = ended.stdout.lines().skip(talk.heard);
    let lines: Vec<Value> = lines.map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(lines[0]["type"], "response_end");
    assert_eq!(
        (&lines[1]["id"], &lines[1]["error"]["code"]),
        (&json!(1), &json!(-32603))
    );
    let stopped = json!({ "thread_id": thread, "interrupted": true });
    assert_eq!(
        (&lines[2]["id"], &lines[2]["result"]),
        (&json!(2), &stopped)
    );
    assert_eq!(
        lines[3]["result"],
        json!({ "ok": true, "status": "stopped" })
    );
    assert_eq!(lines.len(), 4);
}

#[tokio::test]
async fn a_steer_reaches_the_turn_that_runs() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    let gate = Gate::new();
    model.push(Reply::says("One").hold(&gate));
    model.push(Reply::says("Two."));
    let thread = talk.thread().await;
    talk.message(1, &thread, "count").await;
    talk.event("response_delta").await;
    let params = json!({ "thread_id": thread, "input": "and two" });
    talk.send(2, "thread/steer", params).await;
    assert_eq!(talk.until(2).await.1["result"]["steered"], true);
    gate.open();
    assert_eq!(talk.until(1).await.1["result"]["status"], "accepted");
    assert_eq!(model.last_request().said(), ["count", "One", "and two"]);
}

#[tokio::test]
async fn what_was_asked_is_finished_after_the_end_of_input() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    let gate = Gate::new();
    model.push(Reply::says("One").hold(&gate).text(", two."));
    let thread = talk.thread().await;
    talk.message(1, &thread, "count").await;
    talk.event("response_delta").await;
    talk.program.hang_up();
    gate.open();
    let ended = talk.program.ended().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let last: Value = serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["result"]["status"], "accepted");
}

#[tokio::test]
async fn a_prompt_is_really_asked() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    model.push(Reply::says("Two files changed."));
    let answer = talk
        .ask(1, "prompt/run", json!({ "prompt": "Summarise" }))
        .await;
    assert_eq!(answer["output"], "Two files changed.");
    assert_eq!(answer["model"], "scripted");
    assert_eq!(answer["events"][0]["event"], "response_start");
    assert_eq!(model.last_request().said(), ["Summarise"]);

    let thread = talk.thread().await;
    for words in ["one", "two"] {
        model.push(Reply::says(&format!("{words}!")));
        let params = json!({ "prompt": words, "thread_id": thread });
        talk.ask(2, "prompt/request", params).await;
    }
    assert_eq!(model.last_request().said(), ["one", "one!", "two"]);
}

#[tokio::test]
async fn a_fork_has_the_conversation_and_goes_its_own_way() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    let thread = talk.thread().await;
    model.push(Reply::says("first!"));
    talk.ask(
        1,
        "thread/message",
        json!({ "thread_id": thread, "input": "first" }),
    )
    .await;
    let forked = talk
        .ask(
            2,
            "thread/fork",
            json!({ "thread_id": thread, "developer_instructions": "Be brief." }),
        )
        .await;
    assert_eq!(forked["status"], "forked");
    assert_eq!(forked["thread"]["source"], "fork");
    assert_eq!(forked["data"]["history"].as_array().unwrap().len(), 2);
    model.push(Reply::says("second!"));
    let copy = forked["thread_id"].clone();
    talk.ask(
        3,
        "thread/message",
        json!({ "thread_id": copy, "input": "second" }),
    )
    .await;
    let request = model.last_request();
    assert_eq!(request.said(), ["first", "first!", "second"]);
    let resumed = talk
        .ask(4, "thread/resume", json!({ "thread_id": thread }))
        .await;
    assert_eq!(resumed["status"], "resumed");
    assert_eq!(resumed["data"]["history"].as_array().unwrap().len(), 2);
    let wish = json!({ "thread_id": thread, "sandbox": "danger-full-access" });
    talk.send(5, "thread/resume", wish).await;
    assert_eq!(talk.until(5).await.1["error"]["code"], -32602);
    let wish = json!({ "thread_id": thread, "config": { "reasoning_effort": "low", "x": null } });
    talk.ask(6, "thread/resume", wish).await;
    let read = talk
        .ask(7, "threads/get", json!({ "thread_id": thread }))
        .await;
    assert_eq!(read["thread"]["reasoning_effort"], "low");
    let wish = json!({ "thread_id": thread, "config": { "colour": "red" } });
    talk.send(8, "thread/resume", wish).await;
    assert_eq!(talk.until(8).await.1["error"]["code"], -32602);
}

#[tokio::test]
async fn programs_over_http_and_over_pipes_see_the_same_threads() {
    let Scene {
        mut talk,
        model,
        home,
    } = Scene::new().await;
    let http = program(&home).serve().await;
    model.push(Reply::says("From the pipe."));
    let thread = talk.thread().await;
    talk.ask(
        1,
        "thread/message",
        json!({ "thread_id": thread, "input": "one" }),
    )
    .await;
    let id = thread.as_str().into();
    assert_eq!(http.snapshot(&id).await.turns.len(), 1);
    model.push(Reply::says("From the port."));
    let mut seen = http.follow(&id, http.snapshot(&id).await.latest_seq).await;
    http.start_turn(&id, "two").await;
    seen.until("turn.completed").await;
    let read = talk
        .ask(2, "thread/read", json!({ "thread_id": thread }))
        .await;
    assert_eq!(read["data"]["history"].as_array().unwrap().len(), 4);
    let http_thread = http.create_thread(json!({ "title": "By the port" })).await;
    let list = talk.ask(3, "thread/list", json!({})).await;
    let names: Vec<&Value> = list["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names[0], "By the port");
    assert_eq!(list["threads"][0]["source"], "api");
    let params = json!({ "thread_id": http_thread.id });
    assert_eq!(
        talk.ask(4, "thread/read", params).await["thread"]["status"],
        "running"
    );
}

#[tokio::test]
async fn a_turn_that_fails_says_why_on_every_channel() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    model.push(Reply::new().status(400));
    let thread = talk.thread().await;
    talk.message(1, &thread, "fail").await;
    let (lines, answer) = talk.until(1).await;
    let told = events(&lines);
    assert_eq!(
        told[told.len() - 3..],
        ["error", "response_end", "turn_aborted"]
    );
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(answer["error"]["data"]["failure_class"], "invalid_request");
    assert_eq!(lines.last().unwrap()["type"], "response_end");
}

#[tokio::test]
async fn a_crowd_of_messages_to_one_thread_is_answered_in_order() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    let thread = talk.thread().await;
    for number in 0..5 {
        model.push(Reply::says(&format!("{number}!")));
        let params = json!({ "thread_id": thread, "input": number.to_string() });
        talk.send(number, "thread/message", params).await;
    }
    for number in 0..5 {
        let (_, answer) = talk.until(number).await;
        assert_eq!(answer["result"]["status"], "accepted", "{answer}");
    }
    let said = model.last_request();
    assert_eq!(
        said.said(),
        ["0", "0!", "1", "1!", "2", "2!", "3", "3!", "4"]
    );
    assert_eq!(Talk::end(talk).await.code, Some(0));
}

#[tokio::test]
async fn what_a_command_prints_is_told_while_it_runs_and_once() {
    let Scene {
        mut talk,
        model,
        home: _home,
    } = Scene::new().await;
    let command = HeldCommand::new().await;
    let call = Reply::calls("call_1", "exec_shell", &command.arguments());
    model.push(call).push(Reply::says("Done."));
    let posture = json!({ "allow_shell": true, "permission_posture": "full_access" });
    let made = talk.ask(900, "threads/create", posture).await;
    talk.message(1, made["id"].as_str().unwrap(), "run it")
        .await;
    let mut running = command.running().await;
    running.print("first\n").await;
    let first = talk.event("exec_command_output_delta").await;
    assert_eq!(first["delta"], "first\n");
    running.release();
    let (lines, _) = talk.until(1).await;
    let frames = lines.iter().map(|line| &line["params"]["event"]);
    let printed: String = frames
        .filter(|frame| frame["event"] == "exec_command_output_delta")
        .filter_map(|frame| frame["delta"].as_str())
        .collect();
    assert_eq!(printed, "done\n[exit code 0]");
}
