//! Goals: pursued turn after turn, paid for from a budget, and never past someone's word.

use std::sync::Arc;

use codewhale_model::ErrorKind;
use codewhale_protocol::operations::{GoalsBlock, GoalsClear, GoalsComplete, GoalsGet, GoalsSet};
use codewhale_protocol::runtime::{Goal, ThreadDetail, ThreadId, TurnStatus};
use codewhale_protocol::{ActorKind, ErrorCode, ThreadGoalStatus as Status};
use codewhale_runtime::GoalSettings;
use codewhale_store::{Place, Writing};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::model::{Piece, call, says, wants};
use crate::world::{World, open};

async fn set(world: &World, thread: &ThreadId, budget: Option<u64>) -> Goal {
    let params = json!({"thread_id": thread, "objective": "All green", "token_budget": budget});
    world.call::<GoalsSet>(params).await.unwrap().goal
}

async fn goal(world: &World, thread: &ThreadId) -> Goal {
    let params = json!({"thread_id": thread});
    world.call::<GoalsGet>(params).await.unwrap()
}

/// The goal, once so many turns have ended.
async fn after(world: &World, thread: &ThreadId, turns: usize) -> Goal {
    let done = |detail: &ThreadDetail| {
        detail
            .turns
            .iter()
            .filter(|turn| turn.status.is_terminal())
            .count()
            >= turns
    };
    world.until(thread, done).await;
    goal(world, thread).await
}

fn reports(status: &str, words: &Value) -> Vec<Piece> {
    let mut input = json!({"status": status});
    let words = words.as_object().cloned().unwrap_or_default();
    input.as_object_mut().unwrap().extend(words);
    wants("report", "update_goal", &input)
}

#[tokio::test(start_paused = true)]
async fn the_agent_goes_on_until_it_says_that_the_goal_is_reached() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    set(&world, &thread, None).await;
    world.model.then(says("A first step."));
    world.model.then(says("A second step."));
    world.model.then(reports(
        "complete",
        &json!({"evidence": "cargo test: 7 passed"}),
    ));
    world.model.then(says("Reached."));
    world.start(&thread, "begin").await.unwrap();
    let goal = after(&world, &thread, 3).await;
    assert_eq!(
        (goal.status, goal.continuation_count),
        (Status::Complete, 2)
    );
    let detail = world.detail(&thread).await;
    assert_eq!(detail.turns.len(), 3, "and no further");
    let by: Vec<_> = detail
        .turns
        .iter()
        .map(|turn| turn.requested_by.kind)
        .collect();
    assert_eq!(by, [ActorKind::Human, ActorKind::System, ActorKind::System]);
    let said = world.model.last_request();
    let said = format!("{said:?}");
    assert!(
        said.contains("Go on towards the goal") && said.contains("All green"),
        "{said}"
    );
    let status = detail
        .items
        .iter()
        .filter_map(|item| item.detail.as_deref());
    assert!(
        status
            .into_iter()
            .any(|text| text == "The goal is reached: cargo test: 7 passed")
    );
}

#[tokio::test(start_paused = true)]
async fn a_budget_ends_the_work_after_one_more_report() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    set(&world, &thread, Some(100)).await;
    let step = || vec![call("look", "look", &json!({})), Piece::Usage(60)];
    world.model.then(step());
    world.model.then(step());
    world
        .model
        .then(vec![Piece::Text("Half is done."), Piece::Usage(5)]);
    let turn = world.turn(&thread, "begin").await;
    assert_eq!(turn.status, TurnStatus::Failed);
    assert!(
        turn.error
            .unwrap()
            .contains("token budget of 100 is used up")
    );
    let goal = goal(&world, &thread).await;
    assert_eq!(goal.status, Status::BudgetLimited);
    assert_eq!(goal.tokens_used, 61 + 61 + 6, "two calls and the report");
    assert_eq!(world.model.requests().len(), 3);
    let last = world.detail(&thread).await.items;
    assert!(
        last.iter()
            .any(|item| item.detail.as_deref() == Some("Half is done."))
    );

    // The person can still talk; the goal does not go on.
    assert_eq!(
        world.turn(&thread, "and?").await.status,
        TurnStatus::Completed
    );
    assert_eq!(world.detail(&thread).await.turns.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_sub_agents_cost_is_paid_from_the_budget_of_the_goal() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    set(&world, &thread, Some(100)).await;
    let start = json!({"action": "start", "prompt": "Dig"});
    let wait = json!({"action": "wait"});
    world.model.to(
        "begin",
        [
            wants("start", "agent", &start),
            wants("wait", "agent", &wait),
            says("The money is gone."),
        ],
    );
    let digs = || vec![call("look", "look", &json!({})), Piece::Usage(80)];
    world
        .model
        .to("Dig", [digs(), digs(), says("Nothing found.")]);
    world.turn(&thread, "begin").await;
    let goal = goal(&world, &thread).await;
    assert_eq!(
        (goal.status, goal.tokens_used),
        (Status::BudgetLimited, 162)
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_pauses_the_goal_and_the_next_word_wakes_it() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    set(&world, &thread, None).await;
    let gate = Arc::new(Notify::new());
    world
        .model
        .then(vec![Piece::Gate(gate), Piece::Text("too late")]);
    let turn = world.start(&thread, "begin").await.unwrap();
    world.interrupt(&thread, &turn).await.unwrap();
    assert_eq!(after(&world, &thread, 1).await.status, Status::Paused);
    world
        .model
        .then(reports("blocked", &json!({"blocker": "no key"})));
    world.model.then(says("I need a key."));
    world.start(&thread, "go on").await.unwrap();
    assert_eq!(after(&world, &thread, 2).await.status, Status::Blocked);
    assert_eq!(world.detail(&thread).await.turns.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_failure_rests_the_goal_by_its_cause() {
    for (kind, status) in [
        (ErrorKind::Exhausted, Status::UsageLimited),
        (ErrorKind::Rejected, Status::Paused),
    ] {
        let world = World::new().await;
        let thread = world.thread(json!({})).await;
        set(&world, &thread, None).await;
        world.model.always(vec![Piece::Fail(kind)]);
        world.start(&thread, "begin").await.unwrap();
        assert_eq!(after(&world, &thread, 1).await.status, status, "{kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn turns_do_not_follow_each_other_forever() {
    let store = open(Place::Memory, Writing::Inline);
    let world = World::fitted(store, |options| {
        options.goals = GoalSettings {
            continuations_max: 3,
            ..GoalSettings::default()
        };
    })
    .await;
    let thread = world.thread(json!({})).await;
    set(&world, &thread, None).await;
    world.start(&thread, "begin").await.unwrap();
    let goal = after(&world, &thread, 4).await;
    assert_eq!(
        (goal.status, goal.continuation_count),
        (Status::UsageLimited, 3)
    );
    assert_eq!(world.detail(&thread).await.turns.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_goal_is_set_replaced_ended_and_taken_away() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let named = json!({"thread_id": thread});
    let none = world.call::<GoalsGet>(named.clone()).await.unwrap_err();
    assert_eq!(none.code, ErrorCode::NotFound);
    let first = set(&world, &thread, Some(10)).await;
    let second = set(&world, &thread, None).await;
    assert_ne!(first.goal_id, second.goal_id);
    assert_eq!(goal(&world, &thread).await, second);
    let blocked = world.call::<GoalsBlock>(named.clone()).await.unwrap();
    assert_eq!(blocked.status, Status::Blocked);
    let complete = world.call::<GoalsComplete>(named.clone()).await.unwrap();
    assert_eq!(complete.status, Status::Complete);
    let again = world
        .call::<GoalsComplete>(named.clone())
        .await
        .unwrap_err();
    assert_eq!(again.code, ErrorCode::Conflict);
    world.call::<GoalsClear>(named.clone()).await.unwrap();
    let none = world.call::<GoalsClear>(named).await.unwrap_err();
    assert_eq!(none.code, ErrorCode::NotFound);
    let names = world.envelopes(&thread).into_iter().map(|it| it.event);
    let about: Vec<String> = names.filter(|name| name.contains("goal")).collect();
    let updated = "thread_goal_updated";
    assert_eq!(
        about,
        [updated, updated, updated, updated, "thread_goal_cleared"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_goal_that_makes_no_sense_is_refused() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let long = "x".repeat(5_000);
    for (objective, budget) in [(" ", None), (&*long, None), ("x", Some(0))] {
        let params = json!({"thread_id": thread, "objective": objective, "token_budget": budget});
        let refused = world.call::<GoalsSet>(params).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidParams);
    }
    // The agent does not put its own goal in the place of the person's.
    set(&world, &thread, None).await;
    world.model.then(wants(
        "mine",
        "create_goal",
        &json!({"objective": "be free"}),
    ));
    world
        .model
        .then(reports("blocked", &json!({"blocker": "x"})));
    world.start(&thread, "begin").await.unwrap();
    after(&world, &thread, 1).await;
    let told = world.detail(&thread).await.items;
    let told = told.iter().find(|item| item.kind.is_tool()).unwrap();
    assert!(
        told.detail
            .as_deref()
            .unwrap()
            .contains("has a goal already"),
        "{told:?}"
    );
}
