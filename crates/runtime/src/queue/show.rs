//! What a task's record shows: its own steps, and between them what its thread tells.

use codewhale_protocol::runtime::{
    ItemKind, ItemStatus, StreamId, Task, TaskCall, TaskCallStatus, TaskChecklist, TaskEntry,
    TaskEntryKind, TaskRecord, ThreadDetail, TurnItemRecord, task_words,
};
use codewhale_store::StoredTask;
use serde_json::Value;

use crate::runtime::Core;
use crate::{Error, limits};

/// What stands where an answer would, when there is none.
const NO_ANSWER: &str = "(the agent ended without an answer)";

impl Core {
    /// A task with what its thread tells about it.
    pub(super) async fn shown(&self, stored: StoredTask) -> Result<TaskRecord, Error> {
        let Some(thread) = stored.task.thread_id.clone() else {
            return Ok(record(stored.task, None));
        };
        let read = self.store.read_apart(move |reader| {
            let count = reader.event_count(&StreamId::Thread(thread.clone()))?;
            let detail = reader.detail(&thread)?;
            Ok(detail.map(|detail| (detail, count)))
        });
        Ok(record(stored.task, read.await?))
    }
}

fn record(mut task: Task, told: Option<(ThreadDetail, u64)>) -> TaskRecord {
    let (mut items, mut waiting, mut runtime_event_count) = (Vec::new(), false, 0);
    if let Some((detail, count)) = told {
        task.timeline.extend(questions(&detail));
        waiting = !detail.pending_approvals.is_empty() || !detail.pending_user_inputs.is_empty();
        runtime_event_count = count;
        // What someone asked of the thread later is not the task's.
        items = detail.items;
        items.retain(|item| Some(&item.turn_id) == task.turn_id.as_ref());
    }
    task.timeline.extend(items.iter().flat_map(entries));
    // What happened in the same moment happened before the end.
    let is_end = |kind| matches!(kind, TaskEntryKind::Finished | TaskEntryKind::Canceled);
    task.timeline
        .sort_by_key(|entry| (entry.timestamp, is_end(entry.kind)));
    task.timeline = shortened(merged(task.timeline));
    TaskRecord {
        result_summary: result(&task, &items),
        tool_calls: items.iter().filter_map(call).collect(),
        task,
        waiting,
        runtime_event_count,
        checklist: TaskChecklist::default(),
        gates: Vec::new(),
        attempts: Vec::new(),
        artifacts: Vec::new(),
        github_events: Vec::new(),
    }
}

fn result(task: &Task, items: &[TurnItemRecord]) -> Option<String> {
    task.ended_at?;
    task.turn_id.as_ref()?;
    let mut said = items.iter().rev();
    let said = said.find(|item| item.kind == ItemKind::AgentMessage);
    let text = said.and_then(|item| item.detail.as_deref()).unwrap_or("");
    Some(match text.trim() {
        "" => NO_ANSWER.to_owned(),
        text => task_words(text),
    })
}

/// What waits for a person.
fn questions(detail: &ThreadDetail) -> Vec<TaskEntry> {
    let since = detail.thread.updated_at;
    let latest = |turn| {
        let items = detail.items.iter().filter(|item| item.turn_id == turn);
        items
            .filter_map(|item| item.started_at)
            .max()
            .unwrap_or(since)
    };
    let approvals = detail.pending_approvals.iter().map(|it| TaskEntry {
        timestamp: latest(it.turn_id.clone()),
        kind: TaskEntryKind::Status,
        summary: task_words(&format!("Waits for an approval: {}", it.detail.description)),
    });
    let inputs = detail.pending_user_inputs.iter().map(|it| TaskEntry {
        timestamp: latest(it.turn_id.clone()),
        kind: TaskEntryKind::Status,
        summary: "Waits for answers of a person".to_owned(),
    });
    approvals.chain(inputs).collect()
}

/// What an item means for the timeline.
fn entries(item: &TurnItemRecord) -> Vec<TaskEntry> {
    let entry = |timestamp, kind, summary: &str| TaskEntry {
        timestamp,
        kind,
        summary: task_words(summary),
    };
    let (Some(began), ended) = (item.started_at, item.ended_at) else {
        return Vec::new();
    };
    match item.kind {
        ItemKind::AgentMessage => vec![entry(
            ended.unwrap_or(began),
            TaskEntryKind::Message,
            item.detail.as_deref().unwrap_or(&item.summary),
        )],
        ItemKind::Error => vec![entry(began, TaskEntryKind::Error, &item.summary)],
        ItemKind::Status | ItemKind::ContextCompaction => {
            vec![entry(began, TaskEntryKind::Status, &item.summary)]
        }
        ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
            let name = tool_name(item);
            let started = entry(began, TaskEntryKind::ToolStarted, &name);
            let completed = ended.map(|at| {
                let words = format!("{name}: {}", item.status.as_str());
                entry(at, TaskEntryKind::ToolCompleted, &words)
            });
            std::iter::once(started).chain(completed).collect()
        }
        ItemKind::UserMessage | ItemKind::AgentReasoning => Vec::new(),
    }
}

fn call(item: &TurnItemRecord) -> Option<TaskCall> {
    let started_at = item.started_at.filter(|_| item.kind.is_tool())?;
    Some(TaskCall {
        id: item.id.to_string(),
        name: tool_name(item),
        status: match item.status {
            ItemStatus::Queued | ItemStatus::InProgress => TaskCallStatus::Running,
            ItemStatus::Completed => TaskCallStatus::Success,
            ItemStatus::Failed => TaskCallStatus::Failed,
            ItemStatus::Interrupted | ItemStatus::Canceled => TaskCallStatus::Canceled,
        },
        started_at,
        ended_at: item.ended_at,
        duration_ms: item.ended_at.map(|at| at.ms_since(started_at)),
        output_summary: Some(task_words(&item.summary)).filter(|it| !it.is_empty()),
    })
}

fn tool_name(item: &TurnItemRecord) -> String {
    let tool = item.metadata.as_ref().and_then(|it| it.get("tool"));
    let name = tool
        .and_then(|tool| tool.get("name"))
        .and_then(Value::as_str);
    name.unwrap_or("tool").to_owned()
}

/// Messages that follow each other are one line, the last.
fn merged(entries: Vec<TaskEntry>) -> Vec<TaskEntry> {
    let mut merged: Vec<TaskEntry> = Vec::new();
    for entry in entries {
        match merged.last_mut() {
            Some(last)
                if last.kind == TaskEntryKind::Message && entry.kind == TaskEntryKind::Message =>
            {
                *last = entry;
            }
            _ => merged.push(entry),
        }
    }
    merged
}

/// The first lines and the last, with a word about those in between.
fn shortened(mut entries: Vec<TaskEntry>) -> Vec<TaskEntry> {
    let surplus = entries.len().saturating_sub(limits::TIMELINE_MAX);
    if surplus == 0 {
        return entries;
    }
    // One more goes for the line that says so.
    let end = limits::TIMELINE_FIRST + surplus + 1;
    let marker = TaskEntry {
        timestamp: entries[limits::TIMELINE_FIRST].timestamp,
        kind: TaskEntryKind::Omitted,
        summary: format!("{} entries are left out", surplus + 1),
    };
    entries.splice(limits::TIMELINE_FIRST..end, [marker]);
    entries
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::runtime::Timestamp;

    use super::*;

    fn line(ms: i64, kind: TaskEntryKind) -> TaskEntry {
        TaskEntry {
            timestamp: Timestamp::from_ms(ms),
            kind,
            summary: ms.to_string(),
        }
    }

    #[test]
    fn a_long_timeline_keeps_its_first_lines_and_its_end() {
        let all: Vec<_> = (0..300).map(|ms| line(ms, TaskEntryKind::Status)).collect();
        assert_eq!(shortened(all[..256].to_vec()), all[..256]);
        let shown = shortened(all.clone());
        assert_eq!(shown.len(), limits::TIMELINE_MAX);
        assert_eq!(shown[..8], all[..8]);
        assert_eq!(shown[8].kind, TaskEntryKind::Omitted);
        assert_eq!(shown[8].summary, "45 entries are left out");
        assert_eq!(shown[9..], all[53..]);
    }

    #[test]
    fn messages_that_follow_each_other_are_one_line() {
        use TaskEntryKind::{Message, Status};
        let all = [Message, Message, Status, Message].into_iter();
        let all = (0..).zip(all).map(|(ms, kind)| line(ms, kind)).collect();
        let words: Vec<_> = merged(all).into_iter().map(|it| it.summary).collect();
        assert_eq!(words, ["1", "2", "3"]);
    }
}
