//! Questions to a person: in the client where it can, else through another door, else a refusal.

use codewhale_testkit::app::Home;
use serde_json::json;

use super::talk::{Talk, assert_done, assert_failed, forms, text};

#[tokio::test]
async fn the_shell_asks_the_person_in_the_client() {
    let home = Home::new();
    let mut talk = Talk::begin_with(&home, forms()).await;
    let shell = |name: &str| json!({ "name": "shell", "arguments": { "command": format!("touch {name}") } });
    let id = talk.request("tools/call", shell("allowed")).await;
    let yes = json!({ "action": "accept", "content": { "decision": "allow" } });
    let asked = talk.answer_question(0, yes).await;
    let words = asked["params"]["message"].as_str().unwrap();
    assert!(words.contains("touch allowed"), "{words}");
    assert_done(&talk.answer(id).await);
    assert!(home.workspace().join("allowed").exists());

    let id = talk.request("tools/call", shell("refused")).await;
    talk.answer_question(1, json!({ "action": "decline" }))
        .await;
    assert_failed(&talk.answer(id).await);
    assert!(!home.workspace().join("refused").exists());
    assert_eq!(talk.end().await.code, Some(0));
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_call_is_refused_in_time_and_says_how_to_approve() {
    let home = Home::new();
    home.configure("[approvals]\ntimeout_secs = 1\n");
    let mut talk = Talk::begin(&home).await;
    let refused = talk
        .call("shell", json!({ "command": "touch refused" }))
        .await;
    assert_failed(&refused);
    assert!(text(&refused).contains("/v1/approvals/"), "{refused}");
    assert!(!home.workspace().join("refused").exists());
    assert_eq!(talk.end().await.code, Some(0));
}
