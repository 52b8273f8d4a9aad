//! Runs: a turn as the protocol sees it.

use codewhale_protocol::runtime::{
    FailureClass, Timestamp, TurnDetail, TurnItemRecord, TurnRecord, TurnStatus,
};
use codewhale_protocol::{ErrorBody, ErrorCode};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use super::errors::Problem;
use super::manifest::Agent;
use super::message::Message;
use super::name::Name;
use super::question::Awaited;
use crate::error::Failure;

/// Where a run stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RunStatus")]
pub(super) enum Status {
    /// Accepted.
    Created,
    /// At work.
    InProgress,
    /// Waits for a message.
    Awaiting,
    /// Told to stop.
    Cancelling,
    /// Stopped.
    Cancelled,
    /// Ended with an answer.
    Completed,
    /// Ended without one.
    Failed,
}

/// A turn as the protocol sees it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(super) struct Run {
    /// The turn.
    pub(super) run_id: Name,
    /// Who works.
    pub(super) agent_name: String,
    /// The thread.
    pub(super) session_id: Option<Name>,
    /// Where it stands.
    pub(super) status: Status,
    /// What it waits for.
    pub(super) await_request: Option<Awaited>,
    /// What was said and done so far.
    pub(super) output: Vec<Message>,
    /// Why it failed.
    pub(super) error: Option<Problem>,
    /// When it was accepted.
    pub(super) created_at: Timestamp,
    /// When it ended.
    pub(super) finished_at: Option<Timestamp>,
}

impl Run {
    /// A turn that has just been accepted, whatever became of it since.
    pub(super) fn begun(turn: &TurnRecord, agent: &Agent) -> Result<Self, Failure> {
        let unnamed = || {
            let message = format!("the turn {} has no UUID, so it is no run", turn.id);
            Failure::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
        };
        Ok(Self {
            run_id: Name::of(turn.id.as_str()).ok_or_else(unnamed)?,
            agent_name: agent.name(),
            session_id: Name::of(turn.thread_id.as_str()),
            status: Status::Created,
            await_request: None,
            output: Vec::new(),
            error: None,
            created_at: turn.created_at,
            finished_at: None,
        })
    }

    /// A turn that has ended, from its row and those of its items.
    pub(super) fn ended(detail: &TurnDetail) -> Result<Self, Failure> {
        let mut run = Self::begun(&detail.turn, &Agent::of(&detail.thread, &detail.turn))?;
        let role = run.role();
        let said = |item: &TurnItemRecord| Message::of(item, &role);
        run.output = detail.items.iter().filter_map(said).collect();
        run.end(&detail.turn);
        Ok(run)
    }

    /// Takes over how the turn ended.
    pub(super) fn end(&mut self, turn: &TurnRecord) {
        self.await_request = None;
        self.finished_at = turn.ended_at;
        self.status = end_of(turn);
        if self.status == Status::Failed {
            let message = turn.error.clone();
            let message = message.unwrap_or_else(|| "the run ended without an answer".to_owned());
            let body = ErrorBody::new(ErrorCode::Internal, message);
            self.error = Some(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, body));
        }
    }

    /// Who its messages are from.
    pub(super) fn role(&self) -> String {
        format!("agent/{}", self.agent_name)
    }
}

fn end_of(turn: &TurnRecord) -> Status {
    match turn.status {
        TurnStatus::Queued => Status::Created,
        TurnStatus::InProgress => Status::InProgress,
        TurnStatus::Completed => Status::Completed,
        TurnStatus::Failed => Status::Failed,
        // Nobody cancelled what ended with its process.
        TurnStatus::Interrupted if turn.failure_class == Some(FailureClass::Restart) => {
            Status::Failed
        }
        TurnStatus::Interrupted | TurnStatus::Canceled => Status::Cancelled,
    }
}
