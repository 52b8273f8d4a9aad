//! Approvals: one question, one answer, whoever gives it.

use std::time::Duration;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::runtime::{
    ApprovalDecision, ApprovalStatus, Event, FailureClass, ThreadId, TurnStatus,
};
use serde_json::json;

use crate::model::{says, wants};
use crate::world::{APPROVAL_TIMEOUT, World};

/// A world with a thread whose model wants to write and then says that it is done.
async fn asking() -> (World, ThreadId) {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world
        .model
        .then(wants("call_1", "note", &json!({ "n": 1 })));
    world.model.then(says("Done."));
    world.start(&thread, "write").await.unwrap();
    (world, thread)
}

#[tokio::test(start_paused = true)]
async fn a_question_nobody_answers_is_refused_at_its_time_and_the_turn_goes_on() {
    let (world, thread) = asking().await;
    let asked = world.asked(&thread).await;
    let turn = world.ended(&thread).await;
    assert_eq!(turn.status, TurnStatus::Completed);
    assert_eq!(
        world.story(&thread),
        [
            "item.started",
            "approval.required",
            "approval.timeout",
            "approval.decided",
            "item.failed",
            "item.started",
            "item.completed",
            "turn.completed"
        ]
    );
    let asked_at = world.moment(&thread, |event| matches!(event, Event::ApprovalRequired(_)));
    let timeout = u64::try_from(APPROVAL_TIMEOUT.as_millis()).unwrap();
    let expired_at = world.moment(
        &thread,
        |event| matches!(event, Event::ApprovalDecided(it) if it.timeout && it.auto),
    );
    assert_eq!(asked.expires_at, asked_at.plus_ms(timeout));
    assert_eq!(expired_at, asked.expires_at);
    let record = world.store.read(|reader| reader.approval(&asked.id));
    let record = record.unwrap().unwrap();
    assert_eq!(record.status, ApprovalStatus::Expired);
    assert_eq!(record.decision, Some(ApprovalDecision::Deny));
    assert!(world.ran().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_just_before_the_time_is_up_counts_and_one_behind_it_is_told_so() {
    let (world, thread) = asking().await;
    let asked = world.asked(&thread).await;
    tokio::time::sleep(APPROVAL_TIMEOUT - Duration::from_millis(2)).await;
    world.decide(&asked.id, "allow").await.unwrap();
    world.ended(&thread).await;
    assert_eq!(world.ran(), [json!({ "n": 1 })]);
    assert!(
        !world
            .story(&thread)
            .contains(&"approval.timeout".to_owned())
    );

    let (world, thread) = asking().await;
    let asked = world.asked(&thread).await;
    world.ended(&thread).await;
    let error = world.decide(&asked.id, "allow").await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    let data = error.data.unwrap();
    assert_eq!(
        (&data["status"], &data["decision"], &data["approval_id"]),
        (&json!("expired"), &json!("deny"), &json!(asked.id))
    );
    assert!(data["decided_seq"].is_u64(), "{data}");
    assert_eq!(world.ran().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_the_very_moment_of_expiry_wins_or_is_told_that_it_lost() {
    for before in [0, 1].map(Duration::from_millis) {
        let (world, thread) = asking().await;
        let asked = world.asked(&thread).await;
        tokio::time::sleep(APPROVAL_TIMEOUT - before).await;
        let answer = world.decide(&asked.id, "allow").await;
        world.ended(&thread).await;
        let story = world.story(&thread);
        let count = |name: &str| story.iter().filter(|it| *it == name).count();
        assert_eq!(count("approval.decided"), 1, "{story:?}");
        assert_eq!(count("approval.timeout"), usize::from(answer.is_err()));
        assert_eq!(world.ran().len(), usize::from(answer.is_ok()));
        assert!(answer.is_ok() || before.is_zero(), "it came in time");
    }
}

#[tokio::test(start_paused = true)]
async fn of_several_answers_at_once_one_wins_and_the_others_are_told_which() {
    let (world, thread) = asking().await;
    let asked = world.asked(&thread).await;
    let words = ["deny", "allow", "abort"];
    let answers = futures_util::future::join_all(words.map(|word| world.decide(&asked.id, word)));
    let answers = answers.await;
    assert_eq!(
        answers[0].as_ref().unwrap().decision,
        ApprovalDecision::Deny
    );
    for lost in &answers[1..] {
        let error = lost.as_ref().unwrap_err();
        assert_eq!(error.code, ErrorCode::Conflict);
        assert_eq!(error.data.as_ref().unwrap()["decision"], "deny");
    }
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    assert!(world.ran().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_while_a_question_waits_ends_the_turn_at_once() {
    let (world, thread) = asking().await;
    let asked = world.asked(&thread).await;
    let turn = world.interrupt(&thread, &asked.turn_id).await.unwrap();
    assert_eq!(turn.status, TurnStatus::InProgress);
    let before = tokio::time::Instant::now();
    let turn = world.ended(&thread).await;
    assert!(before.elapsed() < Duration::from_millis(10));
    assert_eq!(turn.status, TurnStatus::Interrupted);
    assert_eq!(turn.failure_class, Some(FailureClass::Interrupted));
    assert_eq!(
        world.story(&thread),
        [
            "item.started",
            "approval.required",
            "turn.interrupt_requested",
            "approval.decided",
            "item.failed",
            "turn.completed"
        ]
    );
    assert!(world.ran().is_empty());
}

#[tokio::test(start_paused = true)]
async fn abort_refuses_the_call_and_ends_the_turn() {
    let (world, thread) = asking().await;
    let asked = world.asked(&thread).await;
    let receipt = world.decide(&asked.id, "abort").await.unwrap();
    assert_eq!(receipt.decision, ApprovalDecision::Deny);
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Interrupted);
    assert_eq!(
        world.model.requests().len(),
        1,
        "the model has no more to say"
    );
    assert!(world.ran().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_for_the_session_holds_for_the_same_call_while_the_thread_is_loaded() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let write = |n: u64| {
        world
            .model
            .then(wants(&format!("call_{n}"), "note", &json!({ "n": n })))
    };

    write(1);
    world.start(&thread, "one").await.unwrap();
    let asked = world.asked(&thread).await;
    world
        .decide(&asked.id, "approved_for_session")
        .await
        .unwrap();
    world.ended(&thread).await;

    write(1);
    world.turn(&thread, "the same again").await;
    let decided = |event: &Event| matches!(event, Event::ApprovalDecided(it) if it.auto);
    world.moment(&thread, decided);
    assert_eq!(world.ran().len(), 2, "nobody was asked");

    write(2);
    world.start(&thread, "another").await.unwrap();
    let asked = world.asked(&thread).await;
    world.decide(&asked.id, "deny").await.unwrap();
    world.ended(&thread).await;

    // Long enough for an idle thread to be unloaded.
    tokio::time::sleep(Duration::from_secs(125)).await;
    write(1);
    world.start(&thread, "the first again").await.unwrap();
    world.asked(&thread).await;
    assert_eq!(world.ran().len(), 2);
}
