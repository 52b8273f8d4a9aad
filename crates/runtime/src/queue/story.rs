//! What items and events of a thread mean for the task it belongs to. Pure.

use codewhale_protocol::runtime::{
    Event, ItemKind, ItemStatus, RuntimeEventEnvelope, TaskCall, TaskCallStatus, TaskChecklist,
    TaskEntry, TaskEntryKind, TaskStatus, TaskTodo, TurnItemRecord, task_words,
};
use serde_json::Value;

use crate::limits;

/// What an item means for the timeline. `path` leads to it.
pub(super) fn entries(item: &TurnItemRecord, path: &str) -> Vec<TaskEntry> {
    let (Some(began), ended) = (item.started_at, item.ended_at) else {
        return Vec::new();
    };
    let entry = |kind, summary: &str| TaskEntry::new(began, kind, task_words(summary));
    match item.kind {
        ItemKind::AgentMessage => {
            let said = item.detail.as_deref().unwrap_or(&item.summary);
            let mut entry = entry(TaskEntryKind::Message, said);
            entry.timestamp = ended.unwrap_or(began);
            vec![entry]
        }
        ItemKind::Error => vec![entry(TaskEntryKind::Error, &item.summary)],
        ItemKind::Status | ItemKind::ContextCompaction => {
            vec![entry(TaskEntryKind::Status, &item.summary)]
        }
        ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
            call_entries(item, path)
        }
        ItemKind::UserMessage | ItemKind::AgentReasoning => Vec::new(),
    }
}

fn call_entries(item: &TurnItemRecord, path: &str) -> Vec<TaskEntry> {
    let name = tool_name(item);
    let began = item.started_at.into_iter();
    let mut entries: Vec<_> = began
        .map(|at| TaskEntry::new(at, TaskEntryKind::ToolStarted, &name))
        .collect();
    let Some(at) = item.ended_at else {
        return entries;
    };
    let words = format!("{name}: {}", item.status.as_str());
    let mut completed = TaskEntry::new(at, TaskEntryKind::ToolCompleted, words);
    completed.detail_path = long_detail(item, path);
    entries.push(completed);
    if is_change(item) {
        let mut change = TaskEntry::new(at, TaskEntryKind::PatchRef, task_words(&item.summary));
        change.detail_path = Some(path.to_owned());
        entries.push(change);
    }
    entries.extend(todos(item).map(|todos| {
        let done = todos.iter().filter(|it| it.status == COMPLETED).count();
        let words = format!("{done} of {} steps are done", todos.len());
        TaskEntry::new(at, TaskEntryKind::Checklist, words)
    }));
    entries
}

/// What an event that is about no item means for the timeline.
pub(super) fn aside(event: &RuntimeEventEnvelope) -> Option<TaskEntry> {
    let payload = event.payload.to_string();
    let (kind, words) = match Event::decode(&event.event, &payload)?.ok()? {
        Event::ApprovalRequired(asked) => (
            TaskEntryKind::Status,
            format!("Waits for an approval: {}", asked.detail.description),
        ),
        Event::UserInputRequired(_) => (
            TaskEntryKind::Status,
            "Waits for answers of a person".into(),
        ),
        Event::ApprovalDecided(told) if told.expired || told.timeout => (
            TaskEntryKind::RuntimeEvent,
            "Nobody answered in time".into(),
        ),
        Event::ApprovalDecided(_) => (
            TaskEntryKind::RuntimeEvent,
            "An approval was answered".into(),
        ),
        Event::UserInputAnswered(_) => (
            TaskEntryKind::RuntimeEvent,
            "Questions were answered".into(),
        ),
        Event::SandboxDenied(denied) => (
            TaskEntryKind::RuntimeEvent,
            format!("The walls stopped {}: {}", denied.tool_name, denied.reason),
        ),
        Event::TurnSteered(steered) => (
            TaskEntryKind::RuntimeEvent,
            format!("Someone added: {}", steered.input),
        ),
        Event::AgentSpawned(_) => (TaskEntryKind::RuntimeEvent, "A sub-agent began".into()),
        Event::AgentCompleted(_) => (TaskEntryKind::RuntimeEvent, "A sub-agent ended".into()),
        Event::ApprovalTimeout(_)
        | Event::UserInputCanceled(_)
        | Event::TurnInterruptRequested(_)
        | Event::ToolCallRequested(_)
        | Event::ToolCallResolved(_)
        | Event::ToolCallTimeout(_)
        | Event::ToolCallCanceled(_)
        | Event::GoalUpdated(_)
        | Event::GoalCleared(_)
        | Event::CoherenceChanged(_) => (TaskEntryKind::RuntimeEvent, event.event.clone()),
        // The steps of the task say the same, or it is not about its turn.
        Event::ThreadStarted(_)
        | Event::ThreadForked(_)
        | Event::ThreadUpdated(_)
        | Event::TurnStarted(_)
        | Event::TurnLifecycle(_)
        | Event::TurnCompleted(_)
        | Event::ItemStarted(_)
        | Event::ItemDelta(_)
        | Event::ItemCompleted(_)
        | Event::ItemFailed(_)
        | Event::ItemInterrupted(_)
        | Event::ItemCanceled(_)
        | Event::TaskCreated(_)
        | Event::TaskUpdated(_)
        | Event::AutomationUpdated(_)
        | Event::Fleet(_)
        | Event::WorkspaceTrustChanged(_)
        | Event::RoomCreated(_)
        | Event::StoreCreated(_) => return None,
    };
    Some(TaskEntry::new(event.timestamp, kind, task_words(&words)))
}

/// A call as the record of a task that stands so lists it.
pub(super) fn call(item: &TurnItemRecord, task: TaskStatus, path: &str) -> Option<TaskCall> {
    let started_at = item.started_at.filter(|_| item.kind.is_tool())?;
    let given = item.detail.as_deref().filter(|_| item.ended_at.is_some());
    let words = |text: &str| Some(task_words(text)).filter(|it| !it.is_empty());
    Some(TaskCall {
        id: item.id.to_string(),
        name: tool_name(item),
        status: match item.status {
            ItemStatus::Queued | ItemStatus::InProgress => TaskCallStatus::Running,
            ItemStatus::Completed => TaskCallStatus::Success,
            ItemStatus::Failed => TaskCallStatus::Failed,
            // Nobody called it off: time ran out, or the process died under it.
            ItemStatus::Interrupted if task == TaskStatus::Failed => TaskCallStatus::Failed,
            ItemStatus::Interrupted | ItemStatus::Canceled => TaskCallStatus::Canceled,
        },
        started_at,
        ended_at: item.ended_at,
        duration_ms: item.ended_at.map(|at| at.ms_since(started_at)),
        input_summary: words(&item.summary),
        output_summary: given.and_then(words),
        detail_path: long_detail(item, path),
        patch_ref: is_change(item).then(|| path.to_owned()),
    })
}

/// The list that the agent wrote last.
pub(super) fn checklist(items: &[TurnItemRecord]) -> TaskChecklist {
    let mut written = items.iter().rev();
    let Some((item, items)) = written.find_map(|item| Some((item, todos(item)?))) else {
        return TaskChecklist::default();
    };
    let count = |status| items.iter().filter(|it| it.status == status).count() as u64;
    let open = items.len() as u64 - count(CANCELLED);
    let now = items.iter().find(|it| it.status == IN_PROGRESS);
    TaskChecklist {
        completion_pct: (count(COMPLETED) * 100).checked_div(open).unwrap_or(0),
        in_progress_id: now.map(|it| it.id),
        updated_at: item.ended_at,
        items,
    }
}

/// How far a step is, in the words of `todo_write`.
const IN_PROGRESS: &str = "in_progress";
const COMPLETED: &str = "completed";
const CANCELLED: &str = "cancelled";

/// The list that a call has written.
fn todos(item: &TurnItemRecord) -> Option<Vec<TaskTodo>> {
    if item.status != ItemStatus::Completed || tool_name(item) != "todo_write" {
        return None;
    }
    let todos = item.metadata.as_ref()?["result"]["todos"].as_array()?;
    let text = |todo: &Value, key: &str| todo[key].as_str().unwrap_or_default().to_owned();
    let numbered = (1..).zip(todos).map(|(id, todo)| TaskTodo {
        id,
        content: text(todo, "content"),
        status: text(todo, "status"),
    });
    Some(numbered.collect())
}

fn is_change(item: &TurnItemRecord) -> bool {
    item.kind == ItemKind::FileChange && item.status == ItemStatus::Completed
}

fn long_detail(item: &TurnItemRecord, path: &str) -> Option<String> {
    let detail = item.detail.as_deref().filter(|_| item.ended_at.is_some());
    let is_long = detail.is_some_and(|text| text.len() >= limits::DETAIL_BYTES_MIN);
    is_long.then(|| path.to_owned())
}

fn tool_name(item: &TurnItemRecord) -> String {
    let name = item.metadata.as_ref();
    let name = name.and_then(|it| it["tool"]["name"].as_str());
    name.unwrap_or("tool").to_owned()
}
