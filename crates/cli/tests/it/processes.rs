//! Two programs on one home: they see the same threads and do not get in each other's way.

use codewhale_protocol::runtime::{Seq, TurnRecord};
use codewhale_testkit::app::{App, Follower, Home, continue_from};
use codewhale_testkit::model_server::{Gate, ModelServer, Reply};
use serde_json::{Value, json};

use crate::outline::outline;
use crate::scene::program;

struct Pair {
    first: App,
    second: App,
    model: ModelServer,
    _home: Home,
}

impl Pair {
    async fn new() -> Self {
        let model = ModelServer::start().await;
        let home = Home::with_model(&model);
        let first = program(&home).serve().await;
        let second = program(&home).serve().await;
        Self {
            first,
            second,
            model,
            _home: home,
        }
    }

    /// A turn of the first that has said "One" and waits at the gate.
    async fn held_turn(&self, gate: &Gate) -> (TurnRecord, Follower) {
        self.model
            .push(Reply::says("One").hold(gate).text(", two."));
        let thread = self.first.create_thread(json!({})).await.id;
        let mut events = self.first.follow(&thread, Seq::ZERO).await;
        let turn = self.first.start_turn(&thread, "count").await;
        events.until("item.delta").await;
        (turn, events)
    }
}

#[tokio::test]
async fn a_program_that_starts_beside_another_changes_nothing_of_its_running_turn() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    let first = program(&home).serve().await;
    let gate = Gate::new();
    model.push(Reply::says("One").hold(&gate).text(", two."));
    let thread = first.create_thread(json!({})).await.id;
    let mut events = first.follow(&thread, Seq::ZERO).await;
    first.start_turn(&thread, "count").await;
    events.until("item.delta").await;
    let before = first.snapshot(&thread).await;
    let second = program(&home).serve().await;
    assert_eq!(second.snapshot(&thread).await, before);
    assert_eq!(first.snapshot(&thread).await, before);
    gate.open();
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
    assert_eq!(
        outline(&events.seen()[6..]),
        [
            "item.delta agent_message \"One, two.\"",
            "item.completed agent_message",
            "turn.completed completed",
        ]
    );
}

#[tokio::test]
async fn programs_that_start_at_the_same_moment_all_serve() {
    for _ in 0..3 {
        let home = Home::new();
        let start = || program(&home).serve();
        let (a, b, c, d) = tokio::join!(start(), start(), start(), start());
        for app in [&a, &b, &c, &d] {
            app.create_thread(json!({})).await;
        }
        assert_eq!(
            a.get("/v1/threads").await.json().as_array().unwrap().len(),
            4
        );
    }
}

#[tokio::test]
async fn both_programs_list_and_read_the_same_threads() {
    let pair = Pair::new().await;
    pair.first
        .create_thread(json!({ "title": "By the first" }))
        .await;
    pair.second
        .create_thread(json!({ "title": "By the second" }))
        .await;
    let lists = [
        pair.first.get("/v1/threads").await,
        pair.second.get("/v1/threads").await,
    ];
    assert_eq!(lists[0].read::<Value>(200), lists[1].read::<Value>(200));
    assert_eq!(lists[0].json().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_turn_can_be_followed_live_through_the_other_program() {
    let pair = Pair::new().await;
    let gate = Gate::new();
    let (turn, mut events) = pair.held_turn(&gate).await;
    let snapshot = pair.second.snapshot(&turn.thread_id).await;
    let mut beside = pair.second.follow(&turn.thread_id, Seq::ZERO).await;
    beside.until("item.delta").await;
    gate.open();
    beside.until("turn.completed").await;
    events.until("turn.completed").await;
    assert_eq!(beside.seen(), events.seen());
    let view = continue_from(snapshot.into(), beside.seen());
    assert_eq!(view, pair.first.snapshot(&turn.thread_id).await.into());
}

#[tokio::test]
async fn a_running_turn_is_reached_through_either_program() {
    let pair = Pair::new().await;
    let gate = Gate::new();
    let (turn, mut events) = pair.held_turn(&gate).await;
    let path = format!("/v1/threads/{}", turn.thread_id);
    let second = &pair.second;
    let body = json!({ "prompt": "me too" });
    let busy = second.ask_for_turn(&turn.thread_id, body).await;
    assert_eq!(busy.status, 409, "{}", busy.text());
    let active = &busy.json()["error"]["data"]["active_turn_id"];
    assert_eq!(*active, turn.id.as_str());
    for answer in [
        second.steer(&turn, "faster").await,
        second.patch(&path, json!({ "title": "Mine" })).await,
        second
            .send(second.request("POST", &format!("{path}/resume")))
            .await,
    ] {
        assert!(answer.status < 300, "{}", answer.text());
    }
    let snapshot = pair.first.snapshot(&turn.thread_id).await;
    assert_eq!(snapshot.thread.title.as_deref(), Some("Mine"));
    assert_eq!(second.snapshot(&turn.thread_id).await, snapshot);
    assert!(second.interrupt(&turn).await.status < 300);
    let end = events.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "interrupted");
}

#[tokio::test]
async fn a_question_is_answered_through_either_program() {
    let pair = Pair::new().await;
    let write = r#"{"path":"a.txt","content":"a"}"#;
    pair.model.push(Reply::calls("call_1", "write_file", write));
    pair.model.push(Reply::says("Done."));
    let thread = pair.first.create_thread(json!({})).await.id;
    let mut events = pair.first.follow(&thread, Seq::ZERO).await;
    pair.first.start_turn(&thread, "write it").await;
    let required = events.until("approval.required").await;
    let approval = required.payload["id"].as_str().unwrap().into();
    assert_eq!(
        pair.second.snapshot(&thread).await.pending_approvals.len(),
        1
    );
    assert_eq!(pair.second.decide(&approval, "allow").await.status, 200);
    events.until("turn.completed").await;
    let settled = pair.second.decide(&approval, "deny").await;
    assert_eq!(settled.json()["error"]["data"]["decision"], "allow");
}

#[tokio::test]
async fn between_turns_a_thread_goes_from_one_program_to_the_other() {
    let pair = Pair::new().await;
    let thread = pair.first.create_thread(json!({})).await.id;
    let mut events = pair.first.follow(&thread, Seq::ZERO).await;
    for (app, prompt) in [
        (&pair.first, "one"),
        (&pair.second, "two"),
        (&pair.first, "three"),
    ] {
        pair.model.push(Reply::says(&format!("{prompt}!")));
        app.start_turn(&thread, prompt).await;
        let end = events.until("turn.completed").await;
        assert_eq!(end.payload["turn"]["status"], "completed");
    }
    let request = pair.model.last_request();
    assert_eq!(request.said(), ["one", "one!", "two", "two!", "three"]);
}

#[tokio::test]
async fn when_a_program_is_killed_the_other_ends_its_turn_and_can_go_on() {
    let pair = Pair::new().await;
    let gate = Gate::new();
    let (turn, events) = pair.held_turn(&gate).await;
    let mut beside = pair.second.follow(&turn.thread_id, Seq::ZERO).await;
    beside.until("item.delta").await;
    pair.first.kill().await;
    let end = beside.until("turn.completed").await;
    assert_eq!(
        outline(&beside.seen()[events.seen().len()..]),
        [
            "item.interrupted agent_message",
            "turn.completed interrupted recovered"
        ]
    );
    assert_eq!(
        end.payload["turn"]["error"],
        "Interrupted by process restart"
    );
    pair.model.push(Reply::says("Taken over."));
    pair.second.start_turn(&turn.thread_id, "go on").await;
    let end = beside.until("turn.completed").await;
    assert_eq!(end.payload["turn"]["status"], "completed");
}

#[tokio::test]
async fn who_wants_the_thread_of_a_killed_program_need_not_wait() {
    let pair = Pair::new().await;
    let gate = Gate::new();
    let (turn, _events) = pair.held_turn(&gate).await;
    pair.first.kill().await;
    pair.model.push(Reply::says("Taken over."));
    // The asking itself finds out that nobody runs the old turn.
    pair.second.start_turn(&turn.thread_id, "go on").await;
    let mut beside = pair.second.follow(&turn.thread_id, Seq::ZERO).await;
    let ends = [
        beside.until("turn.completed").await,
        beside.until("turn.completed").await,
    ];
    let told = ends
        .each_ref()
        .map(|end| end.payload["turn"]["status"].clone());
    assert_eq!(told, ["interrupted", "completed"]);
}

#[tokio::test]
async fn many_changes_from_both_sides_all_arrive() {
    let pair = Pair::new().await;
    let thread = pair.first.create_thread(json!({})).await.id;
    let path = format!("/v1/threads/{thread}");
    for round in 0..10 {
        let (first, second) = (
            json!({ "title": format!("first {round}") }),
            json!({ "system_prompt": format!("second {round}") }),
        );
        let (first, second) = tokio::join!(
            pair.first.patch(&path, first),
            pair.second.patch(&path, second)
        );
        assert_eq!(
            (first.status, second.status),
            (200, 200),
            "{}{}",
            first.text(),
            second.text()
        );
    }
    let ended = pair.first.snapshot(&thread).await.thread;
    assert_eq!(ended.title.as_deref(), Some("first 9"));
    assert_eq!(ended.system_prompt.as_deref(), Some("second 9"));
    assert_eq!(pair.second.history(&thread).await.len(), 21);
}
