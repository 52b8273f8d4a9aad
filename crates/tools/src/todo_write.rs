//! `todo_write`: the list of what is to be done in this task.

use codewhale_policy::{Act, Demand};
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::limits::{TODO_BYTES_MAX, TODOS_MAX};
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Writes the list of steps for this task, which the user sees. Each call replaces the whole list.
/// Use it for work of several steps: keep exactly one of them in progress while you work on it, and
/// mark it completed as soon as it is done.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The whole list, in order. Empty to clear it.
    todos: Vec<Todo>,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Todo {
    /// What is to be done, in a short sentence.
    content: String,
    /// How far it is.
    status: Status,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

pub(crate) struct TodoWrite;

impl Typed for TodoWrite {
    const NAME: &'static str = "todo_write";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Inward;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, _: &Context) -> Result<Prepared, Output> {
        let todos = input.todos;
        check(&todos)?;
        let preview = Preview {
            description: format!("Write a list of {} steps", todos.len()),
            ..Preview::default()
        };
        Ok(Prepared::new(
            Demand::Inward,
            Self::NAME,
            todos,
            preview,
            run,
        ))
    }
}

fn check(todos: &[Todo]) -> Result<(), Output> {
    let is_now = |todo: &&Todo| todo.status == Status::InProgress;
    let problem = if todos.len() > TODOS_MAX {
        format!("more than {TODOS_MAX} steps; put several into one")
    } else if todos.iter().any(|todo| todo.content.trim().is_empty()) {
        "a step has no content".to_owned()
    } else if todos.iter().any(|todo| todo.content.len() > TODO_BYTES_MAX) {
        format!("a step is longer than {TODO_BYTES_MAX} bytes; say it in a sentence")
    } else if todos.iter().filter(is_now).count() > 1 {
        "more than one step is in_progress; keep one, and make the others pending".to_owned()
    } else {
        return Ok(());
    };
    Err(Output::failure(format!(
        "the list was not written: {problem}"
    )))
}

async fn run(todos: Vec<Todo>, _: Context) -> Output {
    let count = |status| todos.iter().filter(|todo| todo.status == status).count();
    let text = match todos.as_slice() {
        [] => "the list is empty now".to_owned(),
        todos => format!(
            "the list has {} steps: {} completed, {} in progress, {} pending, {} cancelled",
            todos.len(),
            count(Status::Completed),
            count(Status::InProgress),
            count(Status::Pending),
            count(Status::Cancelled),
        ),
    };
    Output::success(text).with_metadata(json!({ "todos": todos }))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::testing::Bench;

    fn todos(statuses: &[&str]) -> Value {
        let todo = |status| json!({"content": "do it", "status": status});
        json!({"todos": statuses.iter().map(todo).collect::<Vec<_>>()})
    }

    #[tokio::test]
    async fn the_list_is_counted_for_the_model_and_whole_for_clients() {
        let bench = Bench::new();
        let input = todos(&[
            "completed",
            "in_progress",
            "pending",
            "pending",
            "cancelled",
        ]);
        let output = bench.call("todo_write", input.clone()).await;
        let text = "the list has 5 steps: 1 completed, 1 in progress, 2 pending, 1 cancelled";
        assert_eq!((output.success, output.text.as_str()), (true, text));
        assert_eq!(output.metadata, Some(input));
        let output = bench.call("todo_write", todos(&[])).await;
        assert_eq!(output.text, "the list is empty now");
    }

    #[tokio::test]
    async fn nothing_leaves_the_turn() {
        let prepared = Bench::new()
            .prepare("todo_write", todos(&["pending"]))
            .await
            .unwrap();
        assert_eq!(prepared.demand, Demand::Inward);
    }

    #[tokio::test]
    async fn a_wrong_list_says_what_to_mend() {
        let bench = Bench::new();
        let long = "x".repeat(TODO_BYTES_MAX + 1);
        for (input, why) in [
            (
                todos(&["in_progress", "in_progress"]),
                "more than one step is in_progress",
            ),
            (
                todos(&vec!["pending"; TODOS_MAX + 1]),
                "more than 100 steps",
            ),
            (todos(&["done"]), "unknown variant `done`"),
            (
                json!({"todos": [{"content": " ", "status": "pending"}]}),
                "has no content",
            ),
            (
                json!({"todos": [{"content": long, "status": "pending"}]}),
                "is longer than",
            ),
            (json!({}), "missing field `todos`"),
        ] {
            let output = bench.call("todo_write", input).await;
            assert!(
                !output.success && output.text.contains(why),
                "{}",
                output.text
            );
        }
    }
}
