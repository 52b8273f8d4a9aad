//! Answers that cannot be taken.

use codewhale_protocol::runtime::ApprovalId;
use codewhale_testkit::app::Answer;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::{Target, check_error};

/// A turn that waits for an answer.
async fn waiting(target: &Target) -> (ApprovalId, codewhale_testkit::app::Follower) {
    let write = r#"{"path":"a.txt","content":"a"}"#;
    target
        .scene
        .model
        .push(Reply::calls("call_1", "write_file", write));
    target.scene.model.push(Reply::says("Done."));
    let (thread, mut events) = target.scene.thread(json!({})).await;
    target.scene.app.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    (required.payload["id"].as_str().unwrap().into(), events)
}

#[tokio::test]
async fn an_approval_that_does_not_exist_is_not_found() {
    let target = Target::new().await;
    for id in ["appr_none", "call_1", "x"] {
        let path = format!("/v1/approvals/{id}");
        let body = json!({ "decision": "allow" });
        target
            .check_post(&path, body, 404, "not_found", "no such approval")
            .await;
    }
}

#[tokio::test]
async fn a_word_that_is_no_answer_leaves_the_question_open() {
    let target = Target::new().await;
    let (approval, mut events) = waiting(&target).await;
    let path = format!("/v1/approvals/{approval}");
    for decision in ["", "yes", "ALLOW", "maybe"] {
        let body = json!({ "decision": decision });
        target
            .check_post(&path, body, 400, "invalid_params", "allow or deny")
            .await;
    }
    for body in [json!({}), json!({ "decision": true })] {
        target
            .check_post(&path, body, 422, "invalid_shape", "decision")
            .await;
    }
    assert_eq!(
        target.scene.app.decide(&approval, "allow").await.status,
        200
    );
    events.until("turn.completed").await;
}

#[tokio::test]
async fn the_first_answer_wins_and_the_second_is_told_which_it_was() {
    let target = Target::new().await;
    let (approval, mut events) = waiting(&target).await;
    target
        .scene
        .app
        .decide(&approval, "deny")
        .await
        .read::<Value>(200);
    let answer = target.scene.app.decide(&approval, "allow").await;
    let data = check_error(&answer, 409, "conflict", "already settled");
    let decided = events.until("approval.decided").await;
    assert_eq!(
        data,
        json!({
            "approval_id": approval, "status": "decided", "decision": "deny",
            "decided_by": decided.actor, "decided_at": decided.timestamp,
            "decided_seq": decided.seq,
        })
    );
    events.until("turn.completed").await;
    let later = target.scene.app.decide(&approval, "allow").await;
    assert_eq!(
        check_error(&later, 409, "conflict", "already settled"),
        data
    );
    assert_eq!(target.scene.home.read("a.txt"), None);
}

#[tokio::test]
async fn of_several_answers_at_once_one_is_taken() {
    let target = Target::new().await;
    let (approval, mut events) = waiting(&target).await;
    let app = &target.scene.app;
    let (allow, deny) = ("allow", "deny");
    let answers: [Answer; 4] = tokio::join!(
        app.decide(&approval, allow),
        app.decide(&approval, deny),
        app.decide(&approval, allow),
        app.decide(&approval, deny),
    )
    .into();
    let taken: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status == 200)
        .collect();
    let [taken] = taken[..] else {
        panic!("{answers:?}");
    };
    events.until("turn.completed").await;
    let decided = events
        .seen()
        .iter()
        .filter(|event| event.event == "approval.decided");
    let decided: Vec<_> = decided
        .map(|event| event.payload["decision"].clone())
        .collect();
    assert_eq!(decided, [taken.json()["decision"].clone()]);
    let happened = target.scene.home.read("a.txt").is_some();
    assert_eq!(happened, taken.json()["decision"] == allow);
}
