//! What trees of agents leave in the store: receipts that count, goals that are paid for, questions
//! that show at the top.

use codewhale_protocol::ThreadGoalStatus;
use codewhale_protocol::runtime::{AgentRun, Goal, ThreadId, Timestamp};
use codewhale_store::{Error, Guard, Kin, Spending};
use serde_json::json;

use crate::world::{self, SECRET, World};

fn run(thread: &ThreadId, status: &str) -> AgentRun {
    let id = thread.agent_id();
    serde_json::from_value(json!({
        "spec": {"worker_id": id, "run_id": thread.run_id(), "objective": SECRET,
            "agent_type": "worker", "model": "m", "workspace": "/w", "context_mode": "fresh",
            "fork_context": false, "tool_profile": "inherited", "runtime_profile": {},
            "max_steps": 1, "spawn_depth": 1, "max_spawn_depth": 3},
        "actor_kind": "subagent",
        "follow_up": {"tool": "agent", "agent_id": id, "accepted_statuses": []},
        "takeover": {"kind": "thread", "supported": true, "agent_id": id,
            "thread_id": thread, "instructions": ""},
        "artifacts": [], "usage": {"status": "unknown", "note": ""},
        "verification": {"status": "self_report_only", "summary": ""},
        "recommended_action": {"action": "wait", "reason": ""}, "status": status,
        "created_at_ms": 0, "updated_at_ms": 0, "steps_taken": 0, "events": []
    }))
    .unwrap()
}

fn kin(world: &World, thread: &str) -> Kin {
    Kin {
        thread: thread.into(),
        room: world.room.clone(),
        root: "thr_root".into(),
        parent: "thr_root".into(),
    }
}

async fn put(world: &World, thread: &str, status: &str, tokens: u64) {
    let kin = kin(world, thread);
    let mut batch = world.batch();
    batch.put_agent_run(
        &kin,
        &run(&kin.thread, status),
        tokens,
        Timestamp::from_ms(5),
    );
    world.commit(batch).await;
}

#[tokio::test]
async fn receipts_add_up_and_a_full_tree_takes_no_more() {
    for engine in world::engines() {
        let world = engine.world();
        put(&world, "thr_a", "running", 0).await;
        put(&world, "thr_b", "running", 0).await;
        put(&world, "thr_a", "completed", 70).await;
        put(&world, "thr_a", "running", 30).await;
        let root = ThreadId::from("thr_root");
        let tally = world.store.read(|reader| reader.tally(&root)).unwrap();
        assert_eq!(
            (tally.admitted, tally.live, tally.tokens),
            (2, 2, 100),
            "{}",
            engine.name
        );
        for (live_max, admitted_max, fits) in [(3, 3, true), (2, 9, false), (9, 2, false)] {
            let mut batch = world.batch();
            let guard = Guard::AgentsFewer {
                root: root.clone(),
                live_max,
                admitted_max,
            };
            batch.guard(guard);
            batch.put_agent_run(
                &kin(&world, "thr_a"),
                &run(&"thr_a".into(), "running"),
                0,
                Timestamp::from_ms(6),
            );
            let written = world.store.commit(batch).await;
            assert_eq!(written.is_ok(), fits, "{live_max} {admitted_max}");
            assert!(fits || matches!(written, Err(Error::Guard(Guard::AgentsFewer { .. }))));
        }
        let found = world
            .store
            .read(|reader| reader.agent_runs_in("/w", 10))
            .unwrap();
        assert_eq!(found.len(), 2);
        assert!(
            !format!("{found:?}").contains(SECRET),
            "what is asked is masked"
        );
        let stranded = world.store.read(|reader| reader.stranded_runs()).unwrap();
        assert_eq!(stranded.len(), 2, "no turn of theirs is going on");
    }
}

fn goal(world: &World, id: &str, budget: Option<u64>) -> Goal {
    let thread = world.thread_record("thr_a", 1);
    Goal {
        thread_id: thread.id,
        goal_id: id.into(),
        objective: format!("use {SECRET}"),
        status: ThreadGoalStatus::Active,
        token_budget: budget,
        tokens_used: 0,
        time_used_seconds: 0,
        continuation_count: 0,
        created_at: 2,
        updated_at: 2,
    }
}

#[tokio::test]
async fn a_goal_is_charged_by_sums_and_another_one_is_not() {
    for engine in world::engines() {
        let world = engine.world();
        let thread = ThreadId::from("thr_a");
        let read = || world.store.read(|reader| reader.goal(&thread)).unwrap();
        assert_eq!(read(), None);
        let mut batch = world.batch();
        batch.set_goal(
            &goal(&world, "goal-1", Some(9)),
            &world.stamp,
            Timestamp::from_ms(2_000),
        );
        world.commit(batch).await;
        let spend = |id: &str| Spending {
            thread: thread.clone(),
            goal: id.into(),
            tokens: 4,
            time_ms: 1_500,
        };
        let mut batch = world.batch();
        batch.spend_on_goal(spend("goal-1"));
        batch.spend_on_goal(spend("goal-1"));
        batch.spend_on_goal(spend("goal-0"));
        batch.count_continuation(&thread, Timestamp::from_ms(3_000));
        batch.move_goal(
            &thread,
            ThreadGoalStatus::BudgetLimited,
            Timestamp::from_ms(4_000),
        );
        world.commit(batch).await;
        let known = read().unwrap();
        assert_eq!(
            (known.tokens_used, known.time_used_seconds),
            (8, 3),
            "{}",
            engine.name
        );
        assert_eq!((known.continuation_count, known.updated_at), (1, 4));
        assert_eq!(
            (known.status, known.token_budget),
            (ThreadGoalStatus::BudgetLimited, Some(9))
        );
        assert!(!known.objective.contains(SECRET));
        let mut batch = world.batch();
        batch.set_goal(
            &goal(&world, "goal-2", None),
            &world.stamp,
            Timestamp::from_ms(5_000),
        );
        world.commit(batch).await;
        let next = read().unwrap();
        assert_eq!(
            (next.tokens_used, next.token_budget, next.continuation_count),
            (0, None, 0)
        );
        let mut batch = world.batch();
        batch.clear_goal(&thread);
        world.commit(batch).await;
        assert_eq!(read(), None);
    }
}
