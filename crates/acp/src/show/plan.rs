//! The list of steps that an agent writes, as the protocol's plan.

use codewhale_protocol::runtime::{ItemStatus, TurnItemRecord};
use serde::Deserialize;

use crate::wire::{PlanEntry, PlanStatus, Priority, Update};

#[derive(Deserialize)]
struct Written {
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
struct Todo {
    content: String,
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

/// The whole list, as a call has written it. Steps that were called off are not in it.
pub(super) fn of(item: &TurnItemRecord) -> Option<Update> {
    if item.status != ItemStatus::Completed {
        return None;
    }
    let result = item.metadata.as_ref()?.get("result")?;
    let written = Written::deserialize(result).ok()?;
    let entries = written.todos.into_iter().filter_map(entry).collect();
    Some(Update::Plan { entries })
}

fn entry(todo: Todo) -> Option<PlanEntry> {
    let status = match todo.status {
        Status::Pending => PlanStatus::Pending,
        Status::InProgress => PlanStatus::InProgress,
        Status::Completed => PlanStatus::Completed,
        Status::Cancelled => return None,
    };
    Some(PlanEntry {
        content: todo.content,
        priority: Priority::Medium,
        status,
    })
}
