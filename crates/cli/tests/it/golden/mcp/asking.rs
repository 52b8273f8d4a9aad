//! Servers that ask the person behind a call.

use codewhale_testkit::app::within;
use serde_json::{Value, json};

use super::{Task, offered, own, server, task_with};

/// Answers questions by their ids until the turn is over; what is not known is left empty.
async fn answer(task: &mut Task, known: &[(&str, &str, &str)]) {
    loop {
        let event = task.events.next().await;
        match event.event.as_str() {
            "approval.required" => task.answer(&event, "allow").await,
            "user_input.required" => {
                let questions = event.payload["request"]["questions"].as_array().unwrap();
                let answers: Vec<Value> = questions
                    .iter()
                    .map(|question| {
                        let id = question["id"].as_str().unwrap();
                        let found = known.iter().find(|(known, ..)| *known == id);
                        let (_, label, value) =
                            found.unwrap_or(&("", "Leave empty", "Leave empty"));
                        json!({ "id": id, "label": label, "value": value })
                    })
                    .collect();
                let input = event.payload["id"].as_str().unwrap();
                let target = format!("/v1/user-input/{}/{input}", task.thread);
                let body = json!({ "answers": answers });
                let answer = task.scene.app.post(&target, body).await;
                assert_eq!(answer.status, 200, "{}", answer.text());
            }
            "turn.completed" => return,
            _ => {}
        }
    }
}

async fn run(task: &mut Task, tool: &str, known: &[(&str, &str, &str)]) -> String {
    task.script([(tool, json!({}))], "Done.");
    task.scene.app.start_turn(&task.thread, "go").await;
    answer(task, known).await;
    task.results().pop().unwrap()
}

#[tokio::test]
async fn the_form_of_a_server_is_filled_in_by_the_person_and_kept_nowhere() {
    let every = json!({ "command": "node", "args": [server()], "required": true });
    let mut task = task_with(json!({ "every": every }), json!({})).await;
    let tool = "mcp_every_trigger-elicitation-request";
    // The server offers it once it knows that we can be asked.
    let comes = async { while !offered(&mut task).await.contains(&tool.to_owned()) {} };
    within("the tool that asks", comes).await;
    let known = [("name", "Other", "Zanzibar")];
    let asked = run(&mut task, tool, &known);
    let result = within("the answer", asked).await;
    assert!(result.contains("Zanzibar"), "{result}");
    for (path, bytes) in task.scene.home.files() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("Zanzibar"), "{}", path.display());
    }
    let seen = task.events.seen().iter();
    assert!(
        seen.into_iter()
            .all(|event| !event.data.contains("Zanzibar"))
    );

    let result = run(&mut task, tool, &[("name", "Decline", "Decline")]).await;
    let line = "[a question of the server was declined: the person declined]";
    assert!(result.contains(line), "{result}");
}

/// A server whose tool asks this, and tells what it was answered.
fn asks(params: &Value) -> Value {
    own(&format!(
        r#"
    hello(m, [tool("ask")])
    if m.get("method") == "tools/call":
        call = m
        print(json.dumps({{"jsonrpc": "2.0", "id": "q", "method": "elicitation/create",
            "params": json.loads({:?})}}), flush=True)
    if m.get("id") == "q": text(call, "it said " + json.dumps(m["result"]))"#,
        params.to_string()
    )
    .replace("hello(m,", "if \"method\" in m: hello(m,"))
}

#[tokio::test]
async fn an_address_is_shown_and_what_does_not_fit_is_declined_with_a_reason() {
    let page = |url: &str| {
        asks(&json!({ "mode": "url", "message": "Sign in", "url": url, "elicitationId": "e" }))
    };
    let members = (0..30).map(|it| (format!("m{it}"), json!({ "type": "string" })));
    let members: serde_json::Map<String, Value> = members.collect();
    let form = json!({ "type": "object", "properties": members });
    let servers = json!({
        "good": page("https://hub.example.org/sign-in"),
        "bad": page("http://hub.example.org/sign-in"),
        "long": asks(&json!({ "message": "All of it", "requestedSchema": form })),
    });
    let mut task = task_with(servers, json!({})).await;
    let said = [("url", "I opened it", "yes")];
    let result = run(&mut task, "mcp_good_ask", &said).await;
    assert!(result.contains(r#""action": "accept""#), "{result}");
    let seen = task.events.seen().iter();
    let mut asked = seen.filter(|event| event.event == "user_input.required");
    let question = asked.next().unwrap().data.clone();
    assert!(
        question.contains("https://hub.example.org/sign-in"),
        "{question}"
    );
    assert!(asked.next().is_none());
    for (tool, why) in [
        ("mcp_bad_ask", "neither https nor on this machine"),
        ("mcp_long_ask", "asks for more than 24 things"),
    ] {
        let result = run(&mut task, tool, &[]).await;
        assert!(result.contains(r#""action": "decline""#), "{result}");
        assert!(result.contains(why), "{result}");
    }
}
