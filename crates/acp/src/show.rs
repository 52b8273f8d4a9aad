//! What happens in a thread, in the words of the protocol. Pure: items in, updates out.

mod call;
mod plan;

use std::collections::{BTreeMap, BTreeSet};

use codewhale_protocol::runtime::{
    AttachmentContent, FailureClass, ItemId, ItemKind, ItemStatus, MediaKind, TurnItemRecord,
    TurnRecord,
};

use crate::wire::{Chunk, CompactionStatus, ContentBlock, Severity, Update};

pub(crate) use call::{asked, running};

/// What has been shown of a thread so far.
pub(crate) struct Show {
    workspace: String,
    /// Whether the client shows lines of information.
    notices: bool,
    /// Whether it shows that a conversation is shortened.
    compaction: bool,
    /// Messages of which something was shown.
    begun: BTreeSet<ItemId>,
    /// The calls of the turn that runs, by the model's own ids.
    calls: BTreeMap<String, ItemId>,
}

impl Show {
    pub(crate) fn new(workspace: &str, notices: bool, compaction: bool) -> Self {
        Self {
            workspace: workspace.to_owned(),
            notices,
            compaction,
            begun: BTreeSet::new(),
            calls: BTreeMap::new(),
        }
    }

    /// The item of a call, by the model's own id.
    pub(crate) fn item_of(&self, call: &str) -> Option<&ItemId> {
        self.calls.get(call)
    }

    /// A turn is over: calls of the next one may have the same ids.
    pub(crate) fn forget_calls(&mut self) {
        self.calls.clear();
        self.begun.clear();
    }

    /// The thread works elsewhere from now on.
    pub(crate) fn work_in(&mut self, workspace: &str) {
        workspace.clone_into(&mut self.workspace);
    }

    /// An item has begun.
    pub(crate) fn begun(&mut self, item: &TurnItemRecord) -> Option<Update> {
        match item.kind {
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                self.call_begun(item)
            }
            ItemKind::ContextCompaction if self.compaction => {
                Some(compaction(item, CompactionStatus::InProgress))
            }
            ItemKind::AgentMessage | ItemKind::AgentReasoning => {
                let text = item.detail.as_deref().unwrap_or_default();
                self.more(&item.id, item.kind, text)
            }
            ItemKind::ContextCompaction
            | ItemKind::UserMessage
            | ItemKind::Status
            | ItemKind::Error => None,
        }
    }

    /// Text was added to an item.
    pub(crate) fn more(&mut self, id: &ItemId, kind: ItemKind, text: &str) -> Option<Update> {
        let chunk = match kind {
            ItemKind::AgentMessage => Update::AgentMessageChunk,
            ItemKind::AgentReasoning => Update::AgentThoughtChunk,
            ItemKind::UserMessage
            | ItemKind::ToolCall
            | ItemKind::CommandExecution
            | ItemKind::FileChange
            | ItemKind::ContextCompaction
            | ItemKind::Status
            | ItemKind::Error => return None,
        };
        if text.is_empty() {
            return None;
        }
        self.begun.insert(id.clone());
        Some(chunk(piece(id, text)))
    }

    /// An item has ended. What was shown of it while it ran is not shown again.
    pub(crate) fn over(&mut self, item: &TurnItemRecord) -> Option<Update> {
        let text = item.detail.as_deref().unwrap_or_default();
        match item.kind {
            ItemKind::UserMessage => Some(Update::UserMessageChunk(piece(&item.id, text))),
            ItemKind::AgentMessage | ItemKind::AgentReasoning => {
                match self.begun.remove(&item.id) {
                    true => None,
                    false => self.more(&item.id, item.kind, text),
                }
            }
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                self.call_over(item)
            }
            ItemKind::ContextCompaction => Some(self.shortened(item)),
            ItemKind::Status => self.notice(Severity::Info, item),
            ItemKind::Error => self.notice(Severity::Error, item),
        }
    }

    /// An item of the past, whole; or as much as there is of one that still runs.
    pub(crate) fn again(&mut self, item: &TurnItemRecord) -> Option<Update> {
        if !item.status.is_terminal() {
            return self.begun(item);
        }
        match item.kind {
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                self.call_again(item)
            }
            ItemKind::Error if !self.notices => {
                let text = item.detail.as_deref().unwrap_or(&item.summary);
                Some(Update::AgentMessageChunk(piece(&item.id, text)))
            }
            ItemKind::UserMessage
            | ItemKind::AgentMessage
            | ItemKind::AgentReasoning
            | ItemKind::ContextCompaction
            | ItemKind::Status
            | ItemKind::Error => {
                let update = self.over(item);
                self.begun.remove(&item.id);
                update
            }
        }
    }

    /// Says that a turn was cut off by the end of the process that ran it: nothing else shows that it
    /// did not come to an end of its own.
    pub(crate) fn cut_off(&self, turn: &TurnRecord) -> Option<Update> {
        if turn.failure_class != Some(FailureClass::Restart) {
            return None;
        }
        let text = turn.error.as_deref().unwrap_or("Interrupted");
        let chunk = || Chunk {
            content: ContentBlock::text(text),
            message_id: turn.id.to_string(),
        };
        let notice = self.information(Severity::Warning, text);
        Some(notice.unwrap_or_else(|| Update::AgentMessageChunk(chunk())))
    }

    /// A line of information, for clients that show them.
    pub(crate) fn information(&self, severity: Severity, title: &str) -> Option<Update> {
        self.notices.then(|| Update::Notice {
            severity,
            title: title.to_owned(),
            description: None,
        })
    }

    fn notice(&self, severity: Severity, item: &TurnItemRecord) -> Option<Update> {
        let detail = item.detail.clone().filter(|text| *text != item.summary);
        self.notices.then(|| Update::Notice {
            severity,
            title: item.summary.clone(),
            description: detail,
        })
    }

    /// Clients that do not know of it are told in a sentence.
    fn shortened(&self, item: &TurnItemRecord) -> Update {
        let status = match item.status {
            ItemStatus::Completed => CompactionStatus::Completed,
            ItemStatus::Canceled | ItemStatus::Interrupted => CompactionStatus::Cancelled,
            ItemStatus::Failed | ItemStatus::Queued | ItemStatus::InProgress => {
                CompactionStatus::Failed
            }
        };
        match self.compaction {
            true => compaction(item, status),
            false => Update::AgentMessageChunk(piece(&item.id, &item.summary)),
        }
    }
}

fn compaction(item: &TurnItemRecord, status: CompactionStatus) -> Update {
    let text = item.detail.clone().filter(|text| !text.is_empty());
    let (summary, error) = match status {
        CompactionStatus::Completed => (text.map(|text| vec![ContentBlock::text(text)]), None),
        CompactionStatus::Failed => (None, Some(item.summary.clone())),
        CompactionStatus::InProgress | CompactionStatus::Cancelled => (None, None),
    };
    Update::CompactionUpdate {
        compaction_id: item.id.to_string(),
        status,
        summary,
        error,
    }
}

/// What is attached to an item.
pub(crate) fn attached(item: &TurnItemRecord, contents: Vec<AttachmentContent>) -> Vec<Update> {
    let blocks = contents.into_iter().map(block);
    match item.kind {
        _ if blocks.len() == 0 => Vec::new(),
        ItemKind::UserMessage => {
            let chunk = |content| Chunk {
                content,
                message_id: item.id.to_string(),
            };
            blocks.map(chunk).map(Update::UserMessageChunk).collect()
        }
        ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
            vec![call::showing(item, blocks)]
        }
        ItemKind::AgentMessage
        | ItemKind::AgentReasoning
        | ItemKind::ContextCompaction
        | ItemKind::Status
        | ItemKind::Error => Vec::new(),
    }
}

fn block(attached: AttachmentContent) -> ContentBlock {
    let (form, data) = (attached.attachment.media_type, attached.data);
    let mime_type = form.as_str().to_owned();
    match form.kind() {
        MediaKind::Image => ContentBlock::Image { data, mime_type },
        MediaKind::Audio => ContentBlock::Audio { data, mime_type },
    }
}

fn piece(id: &ItemId, text: &str) -> Chunk {
    Chunk {
        content: ContentBlock::text(text),
        message_id: id.to_string(),
    }
}

#[cfg(test)]
mod tests;
