//! What a task's record shows: its own steps, and between them what its thread tells.

use codewhale_protocol::runtime::{
    ItemKind, RuntimeEventEnvelope, StreamId, Task, TaskArtifact, TaskEntry, TaskEntryKind,
    TaskRecord, ThreadDetail, TurnItemRecord, task_words,
};
use codewhale_store::StoredTask;
use sha2::{Digest, Sha256};

use super::story;
use crate::runtime::Core;
use crate::{Error, limits};

/// What stands where an answer would, when there is none.
const NO_ANSWER: &str = "(the agent ended without an answer)";

/// What a thread tells about its task.
#[derive(Default)]
struct Told {
    items: Vec<TurnItemRecord>,
    asides: Vec<RuntimeEventEnvelope>,
    waiting: bool,
    events: u64,
}

impl Core {
    /// A task with what its thread tells about it.
    pub(super) async fn shown(&self, stored: StoredTask) -> Result<TaskRecord, Error> {
        let Some(thread) = stored.task.thread_id.clone() else {
            return Ok(record(stored.task, Told::default()));
        };
        let stream = StreamId::Thread(thread.clone());
        let read = self.store.read_apart(move |reader| {
            let events = reader.event_count(&stream)?;
            let asides = reader.asides(&stream, limits::TIMELINE_EVENTS_MAX)?;
            let detail = reader.detail(&thread)?;
            Ok(detail.map_or_else(Told::default, |detail| told(detail, asides, events)))
        });
        Ok(record(stored.task, read.await?))
    }
}

fn told(detail: ThreadDetail, asides: Vec<RuntimeEventEnvelope>, events: u64) -> Told {
    Told {
        waiting: !detail.pending_approvals.is_empty() || !detail.pending_user_inputs.is_empty(),
        items: detail.items,
        asides,
        events,
    }
}

fn record(mut task: Task, mut told: Told) -> TaskRecord {
    // What someone asked of the thread later is not the task's.
    let turn = task.turn_id.as_ref();
    told.items.retain(|item| Some(&item.turn_id) == turn);
    told.asides.retain(|event| event.turn_id.as_ref() == turn);
    let thread = task.thread_id.as_ref().map_or("", |id| id.as_str());
    let path = |item: &TurnItemRecord| format!("threads/{thread}/items/{}", item.id);
    let artifact = artifact(&task, &told.items, &path);
    let calls = told.items.iter();
    let calls = calls.filter_map(|item| story::call(item, task.status, &path(item)));
    let tool_calls = calls.collect();
    let mut timeline = std::mem::take(&mut task.timeline);
    timeline.extend(told.asides.iter().filter_map(story::aside));
    let items = told.items.iter();
    timeline.extend(items.flat_map(|item| story::entries(item, &path(item))));
    timeline.extend(artifact.as_ref().map(|artifact| TaskEntry {
        detail_path: Some(artifact.path.clone()),
        ..TaskEntry::new(
            artifact.created_at,
            TaskEntryKind::ResultRef,
            format!("The whole answer, {} bytes", artifact.bytes),
        )
    }));
    // What happened in the same moment happened before the end.
    let is_end = |kind| matches!(kind, TaskEntryKind::Finished | TaskEntryKind::Canceled);
    timeline.sort_by_key(|entry| (entry.timestamp, is_end(entry.kind)));
    task.timeline = shortened(merged(timeline));
    TaskRecord {
        result_summary: result(&task, &told.items),
        result_detail_path: artifact.as_ref().map(|it| it.path.clone()),
        tool_calls,
        waiting: told.waiting,
        runtime_event_count: told.events,
        checklist: story::checklist(&told.items),
        gates: Vec::new(),
        attempts: Vec::new(),
        artifacts: artifact.into_iter().collect(),
        github_events: Vec::new(),
        task,
    }
}

/// The last words of the agent.
fn answer(items: &[TurnItemRecord]) -> Option<(&TurnItemRecord, &str)> {
    let mut said = items.iter().rev();
    let item = said.find(|item| item.kind == ItemKind::AgentMessage)?;
    Some((item, item.detail.as_deref()?.trim()))
}

fn result(task: &Task, items: &[TurnItemRecord]) -> Option<String> {
    task.ended_at?;
    task.turn_id.as_ref()?;
    Some(match answer(items) {
        None | Some((_, "")) => NO_ANSWER.to_owned(),
        Some((_, text)) => task_words(text),
    })
}

/// An answer that is too long for the record. It stands in the thread; here is what leads there.
fn artifact(
    task: &Task,
    items: &[TurnItemRecord],
    path: &impl Fn(&TurnItemRecord) -> String,
) -> Option<TaskArtifact> {
    let (item, text) = answer(items).filter(|(_, text)| text.len() >= limits::DETAIL_BYTES_MIN)?;
    let whole = item.detail.as_deref().unwrap_or(text);
    let digest = Sha256::digest(whole.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(TaskArtifact {
        label: "result".to_owned(),
        path: path(item),
        digest: format!("sha256:{digest}"),
        bytes: u64::try_from(whole.len()).unwrap_or(u64::MAX),
        summary: task_words(text),
        created_at: item.ended_at.filter(|_| task.ended_at.is_some())?,
    })
}

/// Words of the agent that follow each other are one line, the last; so are events.
fn merged(entries: Vec<TaskEntry>) -> Vec<TaskEntry> {
    let mut merged: Vec<TaskEntry> = Vec::new();
    for entry in entries {
        match merged.last_mut() {
            Some(last) if last.kind == entry.kind && is_merged(entry.kind) => *last = entry,
            _ => merged.push(entry),
        }
    }
    merged
}

fn is_merged(kind: TaskEntryKind) -> bool {
    matches!(kind, TaskEntryKind::Message | TaskEntryKind::RuntimeEvent)
}

/// The first lines and the last, with a word about those in between.
fn shortened(mut entries: Vec<TaskEntry>) -> Vec<TaskEntry> {
    let surplus = entries.len().saturating_sub(limits::TIMELINE_MAX);
    if surplus == 0 {
        return entries;
    }
    // One more goes for the line that says so.
    let end = limits::TIMELINE_FIRST + surplus + 1;
    let at = entries[limits::TIMELINE_FIRST].timestamp;
    let words = format!("{} entries are left out", surplus + 1);
    let marker = TaskEntry::new(at, TaskEntryKind::Omitted, words);
    entries.splice(limits::TIMELINE_FIRST..end, [marker]);
    entries
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::runtime::Timestamp;

    use super::*;

    fn line(ms: i64, kind: TaskEntryKind) -> TaskEntry {
        TaskEntry::new(Timestamp::from_ms(ms), kind, ms.to_string())
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
    fn words_and_events_that_follow_each_other_are_one_line() {
        use TaskEntryKind::{Message, RuntimeEvent, Status};
        let all = [
            Message,
            Message,
            Status,
            Status,
            Message,
            RuntimeEvent,
            RuntimeEvent,
        ];
        let all = all.into_iter();
        let all = (0..).zip(all).map(|(ms, kind)| line(ms, kind)).collect();
        let words: Vec<_> = merged(all).into_iter().map(|it| it.summary).collect();
        assert_eq!(words, ["1", "2", "3", "4", "6"]);
    }
}
