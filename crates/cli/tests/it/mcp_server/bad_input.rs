//! Clients that get it wrong: they are told, or passed over, and the conversation goes on.

use codewhale_testkit::app::Home;
use serde_json::{Value, json};

use super::talk::{Talk, assert_failed, assert_invalid};
use crate::scene::program;

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_the_conversation_goes_on() {
    let home = Home::new();
    let mut talk = Talk::begin(&home).await;
    for name in ["nothing", "exec_shell", ""] {
        assert_invalid(&talk.call(name, json!({})).await);
    }
    assert_invalid(&talk.call("codewhale", json!({})).await);
    assert_invalid(&talk.call("codewhale", json!({ "prompt": " " })).await);
    assert_invalid(
        &talk
            .call("codewhale", json!({ "prompt": "x", "more": 1 }))
            .await,
    );
    let reply = json!({ "thread_id": "thr_none", "prompt": "go on" });
    assert_invalid(&talk.call("codewhale-reply", reply.clone()).await);
    assert_invalid(&talk.call("deepseek-reply", reply).await);
    assert_failed(&talk.call("file_read", json!({ "path": 7 })).await);
    let unknown = talk.ask("nothing/at-all", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    let missing = talk
        .ask(
            "resources/read",
            json!({ "uri": "codewhale://thread/none" }),
        )
        .await;
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    let file = talk
        .ask("resources/read", json!({ "uri": "file:///etc/passwd" }))
        .await;
    assert_eq!(file["error"]["code"], -32002, "{file}");
    assert_invalid(&talk.ask("tools/list", json!({ "cursor": "7" })).await);
    assert_invalid(&talk.ask("prompts/get", json!({ "name": "none" })).await);
    for more in [
        json!({ "requestState": "turn_none" }),
        json!({ "inputResponses": {} }),
    ] {
        let mut call = json!({ "name": "codewhale", "arguments": { "prompt": "hello" } });
        call.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        assert_invalid(&talk.ask("tools/call", call).await);
    }
    talk.say("this is not JSON\n\n{\"half\":\n[]\n").await;
    let long = "x".repeat(17 * 1024 * 1024);
    talk.say(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{long}\"}}\n"
    ))
    .await;
    let ping = talk.ask("ping", json!({})).await;
    assert!(ping["result"].is_object(), "{ping}");
    assert_eq!(talk.end().await.code, Some(0));
}

/// Says hello by some version; the version that the program answers with.
async fn greeted(version: &str) -> Value {
    let home = Home::new();
    let (mut talk, spoken) = Talk::greet(program(&home), version, json!({})).await;
    let listed = talk.ask("tools/list", json!({})).await;
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    assert_eq!(talk.end().await.code, Some(0));
    spoken
}

#[tokio::test]
async fn every_version_that_was_is_spoken_and_another_is_answered_with_one_that_is() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(greeted(version).await, version);
    }
    for version in ["1999-01-01", "newest", ""] {
        let spoken = greeted(version).await;
        assert!(
            spoken.as_str().is_some_and(|it| it.starts_with("202")),
            "{spoken}"
        );
    }
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused_and_its_first_request_is_answered() {
    let home = Home::new();
    home.configure("[approvals]\ntimeout_secs = 1\n");
    let mut talk = Talk::begin(&home).await;
    let params = json!({ "name": "shell", "arguments": { "command": "touch a" } });
    let id = talk.request("tools/call", params).await;
    talk.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }))
        .await;
    let refused = talk
        .until("in use", |it| it["error"]["code"] == -32600)
        .await;
    assert!(refused["id"].is_null(), "{refused}");
    assert_failed(&talk.answer(id).await);
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn who_does_not_begin_with_a_hello_is_told_what_this_is() {
    let home = Home::new();
    let program = || program(&home).arguments(["serve", "--mcp"]);
    let nobody = program().run_with("").await;
    assert_eq!(nobody.code, Some(0), "{}", nobody.stderr);
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let ended = program().run_with(&format!("{notice}\n")).await;
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    assert!(
        ended
            .stderr
            .contains("start this command from an MCP client"),
        "{}",
        ended.stderr
    );
}
