//! `create_goal`, `get_goal`, `update_goal`: what the thread keeps working towards.

use codewhale_policy::{Act, Demand};
use codewhale_protocol::runtime::{Goal, ItemKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::crew::{Refusal, Verdict};
use crate::limits::GOAL_BYTES_MAX;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Sets a goal for this thread: you will be asked to go on, turn after turn, until you report with
/// update_goal that it is reached or blocked, or its token budget is used up. Only when the user
/// asked for work that goes on by itself.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateInput {
    /// What shall be true in the end, so that it can be checked.
    objective: String,
    /// How many tokens it may cost in all.
    #[serde(default)]
    token_budget: Option<u64>,
}

/// Tells the goal of this thread, where it stands and what it has cost.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetInput {}

/// Reports on the goal of this thread. `complete` needs `evidence`: what you ran or looked at that
/// shows it is reached. `blocked` and `not_achieved` need `blocker`. `advisory` is a remark and
/// changes nothing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateInput {
    /// How it stands.
    status: Judgement,
    /// What shows that it is reached.
    #[serde(default)]
    evidence: Option<String>,
    /// Who or what has checked it, and what was found.
    #[serde(default)]
    verification: Option<Verification>,
    /// What stands in the way.
    #[serde(default)]
    blocker: Option<String>,
    /// A remark for the user.
    #[serde(default)]
    advisory: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Judgement {
    Complete,
    Blocked,
    NotAchieved,
    Advisory,
}

/// A check of the work.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Verification {
    /// For example `passed`.
    #[serde(default)]
    status: Option<String>,
    /// What was checked.
    #[serde(default)]
    check: Option<String>,
    /// What was found.
    #[serde(default)]
    summary: Option<String>,
    /// Who checked.
    #[serde(default)]
    role: Option<String>,
    /// What is not covered.
    #[serde(default)]
    gaps: Vec<String>,
}

pub(crate) struct CreateGoal;
pub(crate) struct GetGoal;
pub(crate) struct UpdateGoal;

impl Typed for CreateGoal {
    const NAME: &'static str = "create_goal";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Inward;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = CreateInput;

    async fn prepare(input: CreateInput, _: &Context) -> Result<Prepared, Output> {
        let objective = filled(Some(input.objective), "objective")?;
        if input.token_budget == Some(0) {
            return Err(Output::failure("a token budget of 0 allows nothing"));
        }
        let wish = (objective, input.token_budget);
        Ok(Prepared::new(
            Demand::Inward,
            Self::NAME,
            wish,
            preview("Set a goal"),
            |(objective, budget), context: Context| async move {
                told(context.goals.create(objective, budget).await.map(Some))
            },
        ))
    }
}

impl Typed for GetGoal {
    const NAME: &'static str = "get_goal";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Inward;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = GetInput;

    async fn prepare(_: GetInput, _: &Context) -> Result<Prepared, Output> {
        Ok(Prepared::new(
            Demand::Inward,
            Self::NAME,
            (),
            preview("Look at the goal"),
            |(), context: Context| async move { told(context.goals.get().await) },
        ))
    }
}

impl Typed for UpdateGoal {
    const NAME: &'static str = "update_goal";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Inward;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = UpdateInput;

    async fn prepare(input: UpdateInput, _: &Context) -> Result<Prepared, Output> {
        let verdict = verdict(input)?;
        Ok(Prepared::new(
            Demand::Inward,
            Self::NAME,
            verdict,
            preview("Report on the goal"),
            |verdict, context: Context| async move {
                told(context.goals.judge(verdict).await.map(Some))
            },
        ))
    }
}

fn verdict(input: UpdateInput) -> Result<Verdict, Output> {
    Ok(match input.status {
        Judgement::Complete => {
            let checked = input
                .verification
                .and_then(|it| serde_json::to_string(&it).ok());
            let parts = [input.evidence, checked].into_iter().flatten();
            let evidence = parts.collect::<Vec<_>>().join("\n");
            Verdict::Complete {
                evidence: filled(Some(evidence), "evidence")?,
            }
        }
        Judgement::Blocked | Judgement::NotAchieved => Verdict::Blocked {
            blocker: filled(input.blocker, "blocker")?,
        },
        Judgement::Advisory => Verdict::Advisory {
            remark: filled(input.advisory, "advisory")?,
        },
    })
}

fn filled(text: Option<String>, what: &str) -> Result<String, Output> {
    let text = text.unwrap_or_default();
    let text = text.trim();
    match text.len() {
        0 => Err(Output::failure(format!("`{what}` is missing or blank"))),
        length if length > GOAL_BYTES_MAX => Err(Output::failure(format!(
            "`{what}` is longer than {GOAL_BYTES_MAX} bytes; say it shorter"
        ))),
        _ => Ok(text.to_owned()),
    }
}

fn preview(description: &str) -> Preview {
    Preview {
        description: description.to_owned(),
        ..Preview::default()
    }
}

fn told(goal: Result<Option<Goal>, Refusal>) -> Output {
    match goal {
        Err(refusal) => Output::failure(refusal.0),
        Ok(None) => Output::success("this thread has no goal"),
        Ok(Some(goal)) => {
            let budget = match goal.token_budget {
                Some(budget) => format!("{} of {budget} tokens used", goal.tokens_used),
                None => format!("{} tokens used, no budget", goal.tokens_used),
            };
            let status = serde_json::to_value(goal.status).unwrap_or_default();
            let status = status.as_str().unwrap_or_default().to_owned();
            let text = format!("the goal is {status}; {budget}: {}", goal.objective);
            Output::success(text).with_metadata(json!({ "goal": goal }))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use codewhale_protocol::ThreadGoalStatus;
    use codewhale_protocol::service::BoxFuture;
    use serde_json::Value;

    use super::*;
    use crate::Goals;
    use crate::testing::Bench;

    /// Keeps what it was told.
    #[derive(Default)]
    struct Book(Mutex<Vec<Verdict>>);

    fn goal(objective: &str, token_budget: Option<u64>) -> Goal {
        Goal {
            thread_id: "thr_1".into(),
            goal_id: "goal-1".into(),
            objective: objective.to_owned(),
            status: ThreadGoalStatus::Active,
            token_budget,
            tokens_used: 12,
            time_used_seconds: 0,
            continuation_count: 0,
            created_at: 0,
            updated_at: 0,
        }
    }

    impl Goals for Book {
        fn get(&self) -> BoxFuture<'_, Result<Option<Goal>, Refusal>> {
            Box::pin(async { Ok(None) })
        }

        fn create(
            &self,
            objective: String,
            token_budget: Option<u64>,
        ) -> BoxFuture<'_, Result<Goal, Refusal>> {
            Box::pin(async move { Ok(goal(&objective, token_budget)) })
        }

        fn judge(&self, verdict: Verdict) -> BoxFuture<'_, Result<Goal, Refusal>> {
            self.0.lock().unwrap().push(verdict);
            Box::pin(async { Ok(goal("g", None)) })
        }
    }

    async fn call(book: &Arc<Book>, tool: &str, input: Value) -> Output {
        let bench = Bench::new();
        match bench.prepare(tool, input).await {
            Err(output) => output,
            Ok(prepared) => {
                assert_eq!(prepared.demand, Demand::Inward);
                let goals: Arc<dyn Goals> = Arc::clone(book) as _;
                prepared.run(bench.context().with_goals(goals)).await
            }
        }
    }

    #[tokio::test]
    async fn a_goal_is_set_and_told() {
        let book = Arc::default();
        let input = json!({"objective": " all green ", "token_budget": 500});
        let output = call(&book, "create_goal", input).await;
        let text = "the goal is active; 12 of 500 tokens used: all green";
        assert_eq!((output.success, output.text.as_str()), (true, text));
        let output = call(&book, "get_goal", json!({})).await;
        assert_eq!(output.text, "this thread has no goal");
    }

    #[tokio::test]
    async fn a_report_needs_what_it_rests_on() {
        let book = Arc::default();
        for (input, why) in [
            (json!({"status": "complete"}), "`evidence` is missing"),
            (
                json!({"status": "complete", "evidence": "  "}),
                "`evidence`",
            ),
            (json!({"status": "blocked"}), "`blocker` is missing"),
            (json!({"status": "not_achieved"}), "`blocker` is missing"),
            (json!({"status": "advisory"}), "`advisory` is missing"),
            (json!({"status": "done"}), "unknown variant"),
        ] {
            let output = call(&book, "update_goal", input).await;
            assert!(
                !output.success && output.text.contains(why),
                "{}",
                output.text
            );
        }
        assert!(book.0.lock().unwrap().is_empty());
        let verification = json!({"status": "passed", "check": "cargo test", "gaps": []});
        let input = json!({"status": "complete", "verification": verification});
        assert!(call(&book, "update_goal", input).await.success);
        let told = book.0.lock().unwrap().pop().unwrap();
        assert!(matches!(told, Verdict::Complete { evidence } if evidence.contains("cargo test")));
    }

    #[tokio::test]
    async fn wrong_goals_are_not_set() {
        let long = "x".repeat(GOAL_BYTES_MAX + 1);
        for (input, why) in [
            (json!({"objective": " "}), "missing or blank"),
            (
                json!({"objective": "x", "token_budget": 0}),
                "allows nothing",
            ),
            (
                json!({"objective": "x", "token_budget": -1}),
                "token_budget",
            ),
            (json!({"objective": long}), "longer than"),
        ] {
            let output = call(&Arc::default(), "create_goal", input).await;
            assert!(
                !output.success && output.text.contains(why),
                "{}",
                output.text
            );
        }
    }

    #[tokio::test]
    async fn where_there_are_no_goals_the_model_is_told_so() {
        let output = Bench::new().call("get_goal", json!({})).await;
        assert!(!output.success && output.text.contains("cannot have a goal"));
    }
}
