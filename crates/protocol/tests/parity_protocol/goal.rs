//! Goals as the root type has them.

use codewhale_protocol::{ThreadGoal, ThreadGoalStatus};

use crate::{check, check_members, check_words};

pub(crate) fn goal() -> ThreadGoal {
    ThreadGoal {
        thread_id: "thread-a".into(),
        goal_id: "goal-1".into(),
        objective: "No warnings".into(),
        status: ThreadGoalStatus::BudgetLimited,
        token_budget: Some(9_000),
        tokens_used: 9_100,
        time_used_seconds: 45,
        created_at: 1_790_000_000,
        updated_at: 1_790_000_045,
    }
}

pub(crate) const GOAL: &str = concat!(
    r#"{"thread_id":"thread-a","goal_id":"goal-1","objective":"No warnings","#,
    r#""status":"budget_limited","token_budget":9000,"tokens_used":9100,"#,
    r#""time_used_seconds":45,"created_at":1790000000,"updated_at":1790000045}"#
);

#[test]
fn states_of_a_goal_are_plain_words() {
    check_words(&[
        (ThreadGoalStatus::Active, "active"),
        (ThreadGoalStatus::Paused, "paused"),
        (ThreadGoalStatus::Blocked, "blocked"),
        (ThreadGoalStatus::UsageLimited, "usage_limited"),
        (ThreadGoalStatus::BudgetLimited, "budget_limited"),
        (ThreadGoalStatus::Complete, "complete"),
    ]);
}

#[test]
fn a_goal_leaves_out_a_budget_it_does_not_have() {
    check(goal(), GOAL);
    check(
        ThreadGoal {
            token_budget: None,
            ..goal()
        },
        &GOAL.replace(r#""token_budget":9000,"#, ""),
    );
    check_members::<ThreadGoal>(
        GOAL,
        concat!(
            "thread_id goal_id objective status tokens_used time_used_seconds created_at ",
            "updated_at token_budget?"
        ),
    );
}
