//! Going on with a session of another program: a thread is made of it, once. The file stays as it is.

use std::sync::Arc;

use codewhale_engine::tool_metadata;
use codewhale_model::ToolCall;
use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{
    Event, ItemId, ItemKind, ItemStatus, Seq, SessionBlock, SessionMessage, SessionsResumeParams,
    StreamId, ThreadId, ThreadRecord, ThreadStarted, ThreadUpdated, ThreadsCreateParams, Timestamp,
    TurnId, TurnItemRecord, TurnRecord, TurnStatus, summarize,
};
use codewhale_store::{About, Batch, Durability, Guard, Stamp, ThreadWords};
use serde_json::{Map, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::old::Old;
use crate::host::new_item;
use crate::runtime::Core;
use crate::workspace::check_workspace;
use crate::{Error, limits};

/// Stands in the list of turns where a session does not begin with a person.
const NOBODY: &str = "(nobody asked)";

impl Core {
    /// The thread that was made of a session of another program, if it is still there.
    pub(super) fn imported(&self, old: &ThreadId) -> Result<Option<ThreadId>, Error> {
        let (id, is_there) = self.place_of(old)?;
        Ok(Some(id).filter(|_| is_there))
    }

    /// Where the thread of such a session is or will be: behind those that were deleted.
    fn place_of(&self, old: &ThreadId) -> Result<(ThreadId, bool), Error> {
        let mut times = 0;
        loop {
            let id = ThreadId::new(derived(old.as_str(), times));
            let thread = self.store.read(|reader| reader.thread(&id))?;
            match thread {
                Some(thread) if thread.record.deleted_at.is_some() => times += 1,
                thread => return Ok((id, thread.is_some())),
            }
        }
    }

    /// Makes a thread of a session, or finds the one that was made.
    pub(super) async fn import(
        &self,
        caller: &Caller,
        params: SessionsResumeParams,
        old: Old,
    ) -> Result<ThreadId, Error> {
        let (id, is_there) = self.place_of(&old.head.id)?;
        if is_there {
            return Ok(id);
        }
        let mut thread = self.thread_of(caller, params, &old).await?;
        thread.id = id.clone();
        thread.session_id = Some(old.head.id.to_string());
        let by = self.caller_stamp(caller);
        let mut batch = self.store.batch(Durability::Synced);
        // Of two who do this at once, one does.
        let stream = StreamId::Thread(id.clone());
        batch.guard(Guard::Head {
            stream: stream.clone(),
            seq: Seq::ZERO,
        });
        let told = Story::of(&id, &old, &by).told(&mut batch, &mut thread);
        batch.put_thread(&thread, &told);
        let about = About {
            stream: &stream,
            turn_id: None,
            item_id: None,
            at: thread.created_at,
            by: &by,
        };
        let started = ThreadStarted {
            thread: thread.clone(),
        };
        batch.event(about.clone(), &Event::ThreadStarted(started));
        let session = json!(thread.session_id);
        let updated = ThreadUpdated {
            thread,
            changes: Map::from_iter([("session_id".to_owned(), session)]),
            reason: Some("session_resume".to_owned()),
        };
        batch.event(about, &Event::ThreadUpdated(updated));
        match self.store.commit(batch).await {
            Ok(_) | Err(codewhale_store::Error::Guard(Guard::Head { .. })) => Ok(id),
            Err(error) => Err(error.into()),
        }
    }

    async fn thread_of(
        &self,
        caller: &Caller,
        params: SessionsResumeParams,
        old: &Old,
    ) -> Result<ThreadRecord, Error> {
        let head = &old.head;
        let filled = |text: Option<String>| text.filter(|it| !it.trim().is_empty());
        // A directory that is gone is no reason not to go on.
        let workspace = Some(head.workspace.clone()).filter(|it| check_workspace(it).is_ok());
        let wanted = ThreadsCreateParams {
            model: filled(params.model).or(filled(Some(head.model.clone()))),
            model_provider: head.provider.clone(),
            workspace,
            mode: filled(params.mode).or(Some(head.mode.as_str().to_owned())),
            title: Some(head.title.clone()),
            system_prompt: old.system_prompt.clone(),
            ..ThreadsCreateParams::default()
        };
        self.new_thread(caller, wanted).await
    }
}

/// What becomes of the messages.
struct Story<'a> {
    thread: &'a ThreadId,
    at: Timestamp,
    by: &'a Arc<Stamp>,
    turns: Vec<TurnRecord>,
    items: Vec<(u64, TurnItemRecord)>,
    /// Which answer of its turn the next item belongs to.
    step: u32,
}

impl<'a> Story<'a> {
    fn of(thread: &'a ThreadId, old: &Old, by: &'a Arc<Stamp>) -> Self {
        let mut story = Self {
            thread,
            at: old.head.created_at,
            by,
            turns: Vec::new(),
            items: Vec::new(),
            step: 0,
        };
        for message in &old.messages {
            if story.items.len() < limits::OLD_ITEMS_MAX {
                story.take(message);
            }
        }
        story
    }

    fn take(&mut self, message: &SessionMessage) {
        let is_user = message.role == "user";
        if !is_user {
            self.step += 1;
        }
        for block in &message.content {
            match block {
                SessionBlock::Text { text } if text.trim().is_empty() => {}
                SessionBlock::Text { text } if is_user => {
                    self.begin(text);
                    self.said(ItemKind::UserMessage, text);
                }
                SessionBlock::Text { text } => self.said(ItemKind::AgentMessage, text),
                SessionBlock::Thinking { text } => self.said(ItemKind::AgentReasoning, text),
                SessionBlock::ToolUse { id, name, input } => {
                    let call = ToolCall {
                        id: id.clone(),
                        name: name.clone(),
                        arguments: input.to_string(),
                    };
                    let mut item = self.item(ItemKind::ToolCall);
                    item.summary = summarize(name);
                    item.metadata = Some(tool_metadata(&call, input, self.step));
                    // Until its result is met.
                    item.status = ItemStatus::Interrupted;
                    self.add(item);
                }
                SessionBlock::ToolResult {
                    tool_use_id,
                    content,
                    is_error,
                } => self.result(tool_use_id, content, *is_error),
            }
        }
    }

    /// Begins a turn with what a person said.
    fn begin(&mut self, text: &str) {
        let id = TurnId::new(derived(self.thread.as_str(), self.turns.len() as u64));
        let mut turn = TurnRecord::new(id, self.thread.clone(), self.at, self.by.actor.clone());
        turn.status = TurnStatus::Completed;
        turn.ended_at = Some(self.at);
        turn.duration_ms = Some(0);
        turn.input_summary = summarize(text);
        self.turns.push(turn);
        self.step = 0;
    }

    fn item(&mut self, kind: ItemKind) -> TurnItemRecord {
        if self.turns.is_empty() {
            self.begin(NOBODY);
        }
        let turn = self.turns.last().map(|turn| turn.id.clone());
        let turn = turn.expect("there is a turn by now");
        let place = self.items.len() as u64;
        let id = ItemId::new(derived(turn.as_str(), place));
        let mut item = new_item(id, &turn, kind, &self.by.id, self.at);
        item.status = ItemStatus::Completed;
        item.ended_at = Some(self.at);
        item
    }

    fn said(&mut self, kind: ItemKind, text: &str) {
        let mut item = self.item(kind);
        item.summary = summarize(text);
        item.detail = Some(text.to_owned());
        if kind != ItemKind::UserMessage {
            item.metadata = Some(json!({ "step": self.step }));
        }
        self.add(item);
    }

    fn add(&mut self, item: TurnItemRecord) {
        let Some(turn) = self.turns.last_mut() else {
            return;
        };
        if item.kind == ItemKind::AgentMessage {
            turn.final_item_id = Some(item.id.clone());
        }
        let index = turn.item_ids.len() as u64;
        turn.item_ids.push(item.id.clone());
        let ordinal = (self.turns.len() as u64 - 1) * limits::ITEMS_PER_TURN + index;
        self.items.push((ordinal, item));
    }

    fn result(&mut self, call: &str, content: &str, is_error: bool) {
        let mut items = self.items.iter_mut().rev().map(|(_, item)| item);
        let found = items.find(|item| {
            let tool = item.metadata.as_ref().map(|it| &it["tool"]["id"]);
            item.kind == ItemKind::ToolCall && tool.is_some_and(|id| id == call)
        });
        if let Some(item) = found {
            item.detail = Some(content.to_owned());
            item.status = match is_error {
                true => ItemStatus::Failed,
                false => ItemStatus::Completed,
            };
        }
    }

    /// Writes everything, and the words that lists show.
    fn told(self, batch: &mut Batch, thread: &mut ThreadRecord) -> ThreadWords {
        for (ordinal, turn) in (0..).zip(&self.turns) {
            batch.put_turn(ordinal, turn);
        }
        for (ordinal, item) in &self.items {
            batch.put_item(self.thread, *ordinal, item);
        }
        let latest = self.turns.last();
        thread.latest_turn_id = latest.map(|turn| turn.id.clone());
        let mut answered = self.turns.iter().rev();
        thread.latest_response_bookmark = answered.find_map(|turn| turn.final_item_id.clone());
        let mut said = self.items.iter().rev().map(|(_, item)| item);
        let said =
            said.find(|it| matches!(it.kind, ItemKind::UserMessage | ItemKind::AgentMessage));
        ThreadWords {
            latest_input: latest.map(|turn| turn.input_summary.clone()),
            latest_message: said.map(|item| item.summary.clone()),
        }
    }
}

/// The same for the same session, so that it becomes one thread however often it is gone on with.
fn derived(of: &str, number: u64) -> Uuid {
    let digest = Sha256::digest(format!("session {number}\n{of}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Uuid::from_bytes(bytes)
}
