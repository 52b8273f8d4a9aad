//! What happens on a thread, in the frames of the control protocol.
//!
//! One event is told by none, one or several frames. A call is told twice: as a call of a tool, and as
//! what it is, a command, a patch or a call of an MCP server. A call begins for its reader when the
//! model has made it; whether it may run is asked behind that.

use std::collections::HashMap;

use codewhale_protocol::operations::McpTools;
use codewhale_protocol::runtime::{
    ApprovalRequired, Event, Goal, ItemDelta, ItemId, ItemKind, ItemStarted, ItemStatus,
    RuntimeEventEnvelope, TurnId, TurnItemRecord, TurnRecord, TurnStatus, UserInputRequired,
};
use codewhale_protocol::{
    EventFrame, ExecApprovalRequestEvent, McpStartupCompleteEvent, McpStartupUpdateEvent,
    ResponseChannel, ToolOutput, ext,
};
use serde_json::{Value, json};

use super::call_frames::Call;
use super::desk::Desk;
use super::turn::response_id;

/// Tells the events of one turn.
pub(super) struct EventMap {
    turn: TurnId,
    response: String,
    workspace: String,
    /// Server and tool, by the name that the model calls.
    servers: HashMap<String, (String, String)>,
    /// The calls that are going on.
    open: HashMap<ItemId, Call>,
}

impl EventMap {
    pub(super) fn new(turn: &TurnRecord, workspace: &str) -> Self {
        Self {
            turn: turn.id.clone(),
            response: response_id(turn),
            workspace: workspace.to_owned(),
            servers: HashMap::new(),
            open: HashMap::new(),
        }
    }

    /// Asks which server a tool belongs to, when it is called for the first time.
    pub(super) async fn learn_servers(&mut self, desk: &Desk, event: &Event) {
        let Event::ItemStarted(ItemStarted {
            tool: Some(tool), ..
        }) = event
        else {
            return;
        };
        if !tool.name.starts_with("mcp_") || self.servers.contains_key(&tool.name) {
            return;
        }
        let params = json!({ "workspace": self.workspace });
        match desk.call::<McpTools>(params).await {
            Ok(list) => self.servers.extend(
                list.tools
                    .into_iter()
                    .map(|tool| (tool.prefixed_name, (tool.server, tool.name))),
            ),
            Err(error) => tracing::debug!(%error, "the tools of MCP servers are not known"),
        }
    }

    /// The frames of an event. What the protocol has no word for is not told.
    pub(super) fn frames(
        &mut self,
        envelope: &RuntimeEventEnvelope,
        event: &Event,
    ) -> Vec<ext::EventFrame> {
        match event {
            Event::TurnStarted(started) if started.turn.id == self.turn => self.started(),
            Event::TurnCompleted(completed) if completed.turn.id == self.turn => {
                self.completed(&completed.turn)
            }
            Event::ItemStarted(started) => self.item_started(started),
            Event::ItemDelta(delta) => self.item_delta(envelope, delta),
            Event::ItemCompleted(changed)
            | Event::ItemFailed(changed)
            | Event::ItemInterrupted(changed)
            | Event::ItemCanceled(changed) => self.item_ended(&changed.item),
            Event::ApprovalRequired(required) => vec![self.approval(envelope, required)],
            Event::UserInputRequired(required) => self.questions(required),
            Event::GoalUpdated(updated) => vec![ext::EventFrame::ThreadGoalUpdated {
                goal: goal(&updated.goal),
            }],
            Event::GoalCleared(cleared) => base([EventFrame::ThreadGoalCleared {
                thread_id: cleared.thread_id.to_string(),
            }]),
            // Another turn than the one that is waited for.
            Event::TurnStarted(_) | Event::TurnCompleted(_) => Vec::new(),
            Event::ThreadStarted(_)
            | Event::ThreadForked(_)
            | Event::ThreadUpdated(_)
            | Event::TurnLifecycle(_)
            | Event::TurnSteered(_)
            | Event::TurnInterruptRequested(_)
            | Event::ApprovalDecided(_)
            | Event::ApprovalTimeout(_)
            | Event::UserInputAnswered(_)
            | Event::UserInputCanceled(_)
            | Event::ToolCallRequested(_)
            | Event::ToolCallResolved(_)
            | Event::ToolCallTimeout(_)
            | Event::ToolCallCanceled(_)
            | Event::SandboxDenied(_)
            | Event::AgentSpawned(_)
            | Event::AgentCompleted(_)
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

    fn started(&self) -> Vec<ext::EventFrame> {
        base([
            EventFrame::TurnStarted {
                turn_id: self.turn.to_string(),
            },
            EventFrame::ResponseStart {
                response_id: self.response.clone(),
            },
        ])
    }

    fn completed(&self, turn: &TurnRecord) -> Vec<ext::EventFrame> {
        let response_id = self.response.clone();
        let turn_id = self.turn.to_string();
        let reason = turn.error.clone();
        let reason = reason.unwrap_or_else(|| turn.status.as_str().to_owned());
        let end = EventFrame::ResponseEnd {
            response_id: response_id.clone(),
        };
        match turn.status {
            TurnStatus::Completed | TurnStatus::Queued | TurnStatus::InProgress => {
                base([end, EventFrame::TurnComplete { turn_id }])
            }
            TurnStatus::Failed => base([
                EventFrame::Error {
                    response_id,
                    message: reason.clone(),
                },
                end,
                EventFrame::TurnAborted { turn_id, reason },
            ]),
            TurnStatus::Interrupted | TurnStatus::Canceled => {
                base([end, EventFrame::TurnAborted { turn_id, reason }])
            }
        }
    }

    fn item_started(&mut self, started: &ItemStarted) -> Vec<ext::EventFrame> {
        let Some(tool) = &started.tool else {
            return Vec::new();
        };
        let server = self.servers.get(&tool.name).cloned();
        let call = Call::new(started.item.kind, tool, server, &self.workspace);
        let mut frames = vec![EventFrame::ToolCallStart {
            response_id: self.response.clone(),
            tool_name: tool.name.clone(),
            arguments: tool.input.clone(),
        }];
        frames.extend(call.begun());
        self.open.insert(started.item.id.clone(), call);
        base(frames)
    }

    fn item_delta(
        &mut self,
        envelope: &RuntimeEventEnvelope,
        delta: &ItemDelta,
    ) -> Vec<ext::EventFrame> {
        let (response_id, text) = (self.response.clone(), delta.delta.clone());
        let said = |channel| {
            base([EventFrame::ResponseDelta {
                response_id,
                delta: text,
                channel,
            }])
        };
        match delta.kind {
            ItemKind::AgentMessage => said(ResponseChannel::Text),
            ItemKind::AgentReasoning => said(ResponseChannel::Reasoning),
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                let id = envelope.item_id.as_ref();
                let open = id.and_then(|id| self.open.get_mut(id));
                base(open.and_then(|call| call.printed(&delta.delta)))
            }
            ItemKind::UserMessage
            | ItemKind::ContextCompaction
            | ItemKind::Status
            | ItemKind::Error => Vec::new(),
        }
    }

    fn item_ended(&mut self, item: &TurnItemRecord) -> Vec<ext::EventFrame> {
        match item.kind {
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                self.call_ended(item)
            }
            ItemKind::Status => base(startup(item)),
            ItemKind::Error => base([EventFrame::Error {
                response_id: self.response.clone(),
                message: item.detail.as_ref().unwrap_or(&item.summary).clone(),
            }]),
            ItemKind::UserMessage
            | ItemKind::AgentMessage
            | ItemKind::AgentReasoning
            | ItemKind::ContextCompaction => Vec::new(),
        }
    }

    fn call_ended(&mut self, item: &TurnItemRecord) -> Vec<ext::EventFrame> {
        let Some(call) = self.open.remove(&item.id) else {
            return Vec::new();
        };
        let output = ToolOutput::Function {
            body: item.detail.clone().map(Value::String),
            success: item.status == ItemStatus::Completed,
        };
        let mut frames = call.ended(item);
        frames.push(EventFrame::ToolCallResult {
            response_id: self.response.clone(),
            tool_name: call.tool,
            output: serde_json::to_value(output).unwrap_or_default(),
        });
        base(frames)
    }

    fn approval(
        &self,
        envelope: &RuntimeEventEnvelope,
        required: &ApprovalRequired,
    ) -> ext::EventFrame {
        let asked_by = required.asked_by.as_ref().map(|by| &by.turn_id);
        let turn = asked_by.or(envelope.turn_id.as_ref()).unwrap_or(&self.turn);
        let detail = &required.detail;
        let request = ExecApprovalRequestEvent {
            call_id: detail.call_id.clone(),
            approval_id: required.id.to_string(),
            turn_id: turn.to_string(),
            command: detail
                .command
                .clone()
                .unwrap_or_else(|| detail.description.clone()),
            cwd: detail.cwd.clone().unwrap_or_else(|| self.workspace.clone()),
            reason: detail.reason.clone(),
            matched_rule: detail.matched_rule.as_deref().map(Into::into),
            network_approval_context: None,
            proposed_execpolicy_amendment: detail.proposed_execpolicy_amendment.clone(),
            proposed_network_policy_amendments: detail.proposed_network_policy_amendments.clone(),
            additional_permissions: detail
                .wider_walls
                .then(|| "wider_sandbox".to_owned())
                .into_iter()
                .collect(),
            available_decisions: detail.available_decisions.clone(),
        };
        let is_patch = detail.diff.is_some() || detail.path.is_some();
        ext::EventFrame::Base(match is_patch && detail.command.is_none() {
            true => EventFrame::ApplyPatchApprovalRequest { request },
            false => EventFrame::ExecApprovalRequest { request },
        })
    }

    /// Questions of the agent. Those of a server are announced as such, and then told the same way,
    /// because the announcement has no room for what can be answered.
    fn questions(&self, required: &UserInputRequired) -> Vec<ext::EventFrame> {
        let questions = &required.request.questions;
        let header = questions.first().map(|question| question.header.as_str());
        let is_of_a_server = self.open.values().any(|call| call.asks(header));
        let prompts: Vec<&str> = questions.iter().map(|it| it.question.as_str()).collect();
        let elicitation = is_of_a_server.then(|| EventFrame::ElicitationRequest {
            server_name: header.unwrap_or_default().to_owned(),
            request_id: required.id.to_string(),
            prompt: prompts.join("\n\n"),
        });
        let mut frames = base(elicitation);
        let asked_by = required.asked_by.as_ref().map(|by| &by.turn_id);
        frames.push(ext::EventFrame::UserInputRequest {
            request: ext::UserInputRequestEvent {
                call_id: self.asking_call(),
                turn_id: asked_by.unwrap_or(&self.turn).to_string(),
                request_id: required.id.to_string(),
                questions: questions.clone(),
            },
        });
        frames
    }

    /// The call that asks, as far as that can be told.
    fn asking_call(&self) -> String {
        let mut open = self.open.values();
        let asking = open.find(|call| call.tool == "request_user_input");
        let asking = asking.or_else(|| self.open.values().find(|call| call.is_of_a_server()));
        asking.map(|call| call.id.clone()).unwrap_or_default()
    }
}

/// How MCP servers came up, where a line of information tells of that.
fn startup(item: &TurnItemRecord) -> Option<EventFrame> {
    let facts = item.metadata.as_ref()?;
    if let Some(update) = facts.get("mcp_startup_update") {
        let update: McpStartupUpdateEvent = serde_json::from_value(update.clone()).ok()?;
        return Some(EventFrame::McpStartupUpdate { update });
    }
    let summary = facts.get("mcp_startup_complete")?.clone();
    let summary: McpStartupCompleteEvent = serde_json::from_value(summary).ok()?;
    Some(EventFrame::McpStartupComplete { summary })
}

/// A goal in the words of the control protocol.
pub(super) fn goal(goal: &Goal) -> ext::ThreadGoal {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    ext::ThreadGoal {
        thread_id: goal.thread_id.to_string(),
        goal_id: goal.goal_id.to_string(),
        objective: goal.objective.clone(),
        status: goal.status,
        token_budget: goal.token_budget.map(number),
        tokens_used: number(goal.tokens_used),
        time_used_seconds: number(goal.time_used_seconds),
        continuation_count: number(goal.continuation_count),
        created_at: number(goal.created_at),
        updated_at: number(goal.updated_at),
    }
}

fn base(frames: impl IntoIterator<Item = EventFrame>) -> Vec<ext::EventFrame> {
    frames.into_iter().map(ext::EventFrame::Base).collect()
}
