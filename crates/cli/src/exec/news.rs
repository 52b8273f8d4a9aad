//! What happens in a run, as its printers tell it: events of the thread, put into the few kinds that
//! matter to whoever started it.

use std::collections::BTreeMap;

use codewhale_protocol::runtime::{
    AgentNews, ApprovalRequired, Event, ItemChanged, ItemId, ItemKind, ItemStarted, ItemStatus,
    RuntimeEventEnvelope, SandboxDenied, ThreadId, Timestamp, TurnId, TurnItemRecord,
};
use serde_json::{Value, json};

/// Something to tell.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum News {
    /// A turn was accepted.
    Begun { thread: ThreadId, turn: TurnId },
    /// The agent says this.
    Text(String),
    /// It has said what it had to say for now.
    TextEnd,
    /// A tool is called.
    ToolUse {
        name: String,
        id: String,
        input: Value,
        started_at: Option<Timestamp>,
    },
    /// It gave this.
    ToolResult(ToolResult),
    /// A sub-agent was started, so deep below the thread.
    AgentSpawned { agent: AgentNews, depth: u32 },
    /// One has ended.
    AgentCompleted(AgentNews),
    /// The walls kept a call from something, or nobody let it leave them.
    SandboxDenied(SandboxDenied),
    /// A call of the model used this; which call of the run it was.
    Usage { number: u64, usage: Value },
    /// A question waits for an answer.
    Asked(Box<ApprovalRequired>),
    /// A line of information.
    Status(String),
    /// A failure.
    Error(String),
    /// The turn ended; there may be another.
    TurnEnded { turn: TurnId, status: &'static str },
}

/// What came of a call.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ToolResult {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) output: String,
    pub(super) success: bool,
    /// Why it failed, in the word for programs.
    pub(super) error_category: Option<String>,
    pub(super) started_at: Option<Timestamp>,
    pub(super) completed_at: Option<Timestamp>,
    /// Facts of the tool.
    pub(super) facts: Option<Value>,
    pub(super) artifacts: Vec<String>,
}

/// Hears the events of one thread.
pub(super) struct Ear {
    thread: ThreadId,
    /// How deep the agents that are known stand.
    depths: BTreeMap<ThreadId, u32>,
    /// The message that is being said.
    saying: Option<ItemId>,
    /// Calls of the model that told what they used.
    usages: u64,
}

impl Ear {
    pub(super) fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            depths: BTreeMap::new(),
            saying: None,
            usages: 0,
        }
    }

    /// What an event of a turn means to whoever watches. Questions and the end of the turn are not
    /// for the ear.
    pub(super) fn hear(&mut self, event: Event, envelope: &RuntimeEventEnvelope) -> Vec<News> {
        match event {
            Event::ItemStarted(started) => self.started(started),
            Event::ItemDelta(delta) if delta.kind == ItemKind::AgentMessage => {
                self.saying.clone_from(&envelope.item_id);
                vec![News::Text(delta.delta)]
            }
            Event::ItemCompleted(changed)
            | Event::ItemFailed(changed)
            | Event::ItemInterrupted(changed)
            | Event::ItemCanceled(changed) => self.ended(changed),
            Event::SandboxDenied(denied) => vec![News::SandboxDenied(denied)],
            Event::AgentSpawned(agent) => {
                let above = self.depths.get(&agent.parent_thread_id);
                let depth = match agent.parent_thread_id == self.thread {
                    true => 1,
                    false => above.map_or(1, |above| above + 1),
                };
                self.depths.insert(agent.agent_thread_id.clone(), depth);
                vec![News::AgentSpawned { agent, depth }]
            }
            Event::AgentCompleted(agent) => vec![News::AgentCompleted(agent)],
            Event::ItemDelta(_)
            | Event::ThreadStarted(_)
            | Event::ThreadForked(_)
            | Event::ThreadUpdated(_)
            | Event::TurnStarted(_)
            | Event::TurnLifecycle(_)
            | Event::TurnSteered(_)
            | Event::TurnInterruptRequested(_)
            | Event::TurnCompleted(_)
            | Event::ApprovalRequired(_)
            | Event::ApprovalDecided(_)
            | Event::ApprovalTimeout(_)
            | Event::UserInputRequired(_)
            | Event::UserInputAnswered(_)
            | Event::UserInputCanceled(_)
            | Event::ToolCallRequested(_)
            | Event::ToolCallResolved(_)
            | Event::ToolCallTimeout(_)
            | Event::ToolCallCanceled(_)
            | Event::GoalUpdated(_)
            | Event::GoalCleared(_)
            | Event::TaskCreated(_)
            | Event::TaskUpdated(_)
            | Event::AutomationUpdated(_)
            | Event::Fleet(_)
            | Event::CoherenceChanged(_)
            | Event::WorkspaceTrustChanged(_)
            | Event::RoomCreated(_)
            | Event::StoreCreated(_) => Vec::new(),
        }
    }

    fn started(&mut self, started: ItemStarted) -> Vec<News> {
        let Some(tool) = started.tool else {
            return Vec::new();
        };
        let mut news: Vec<News> = self.usage(&started.item).into_iter().collect();
        news.push(News::ToolUse {
            name: tool.name,
            id: tool.id,
            input: tool.input,
            started_at: started.item.started_at,
        });
        news
    }

    fn ended(&mut self, changed: ItemChanged) -> Vec<News> {
        let item = changed.item;
        let text = || item.detail.clone().unwrap_or_default();
        match item.kind {
            kind if kind.is_tool() => vec![News::ToolResult(result(item))],
            ItemKind::AgentMessage => {
                let said = self.saying.take_if(|saying| *saying == item.id);
                let end = said.map(|_| News::TextEnd);
                end.into_iter().chain(self.usage(&item)).collect()
            }
            ItemKind::Status => vec![News::Status(text())],
            ItemKind::Error => vec![News::Error(text())],
            ItemKind::UserMessage
            | ItemKind::AgentReasoning
            | ItemKind::ContextCompaction
            | ItemKind::ToolCall
            | ItemKind::CommandExecution
            | ItemKind::FileChange => Vec::new(),
        }
    }

    fn usage(&mut self, item: &TurnItemRecord) -> Option<News> {
        let usage = item.metadata.as_ref()?.get("usage")?.clone();
        self.usages += 1;
        Some(News::Usage {
            number: self.usages,
            usage,
        })
    }
}

fn result(item: TurnItemRecord) -> ToolResult {
    let metadata = item.metadata.unwrap_or_else(|| json!({}));
    let tool = &metadata["tool"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let facts = metadata.get("result").cloned();
    let success = item.status == ItemStatus::Completed;
    let category = facts.as_ref().and_then(|it| it["error_category"].as_str());
    let category = category.unwrap_or(match item.status {
        ItemStatus::Interrupted | ItemStatus::Canceled => "cancelled",
        ItemStatus::Queued
        | ItemStatus::InProgress
        | ItemStatus::Completed
        | ItemStatus::Failed => "tool_reported_failure",
    });
    ToolResult {
        id: text(&tool["id"]),
        name: text(&tool["name"]),
        output: item.detail.unwrap_or_default(),
        success,
        error_category: (!success).then(|| category.to_owned()),
        started_at: item.started_at,
        completed_at: item.ended_at,
        facts,
        artifacts: item.artifact_refs,
    }
}
