//! What is known of a turn while a client waits for it, and what it came to.

use codewhale_client::{Client, Envelopes};
use codewhale_protocol::operations::AttachmentsGet;
use codewhale_protocol::runtime::{
    ApprovalId, AttachmentContent, AttachmentParams, ItemKind, TurnId, TurnItemRecord, TurnRecord,
};
use rmcp::model::{InputRequiredResult, ProgressToken};
use tokio::time::Instant;

use crate::questions::Questions;

/// A turn that is over.
pub(crate) struct Ended {
    pub(crate) turn: TurnRecord,
    /// The last message of the agent.
    pub(crate) said: String,
    /// The last call of a tool.
    pub(crate) call: Option<TurnItemRecord>,
    /// What is to be seen or heard of that call, as far as it was asked for.
    pub(crate) shown: Vec<AttachmentContent>,
    /// Approvals that nobody answered in time.
    pub(crate) unanswered: Vec<ApprovalId>,
}

/// How far a turn is.
pub(crate) enum Outcome {
    Ended(Box<Ended>),
    /// It waits for a person, whom the client asks before it calls again.
    Asks(InputRequiredResult),
}

/// What is known on the way.
pub(crate) struct Way<'a> {
    pub(crate) turn: TurnId,
    pub(crate) events: Envelopes,
    pub(crate) said: String,
    pub(crate) call: Option<TurnItemRecord>,
    pub(crate) unanswered: Vec<ApprovalId>,
    pub(crate) questions: Questions<'a>,
    pub(crate) progress: Option<Progress>,
    /// When the end is waited for no longer, once the turn was told to stop.
    pub(crate) deadline: Option<Instant>,
}

/// Who is told how far it is.
pub(crate) struct Progress {
    pub(crate) token: ProgressToken,
    pub(crate) count: f64,
}

impl<'a> Way<'a> {
    pub(crate) fn new(turn: TurnId, events: Envelopes, token: Option<ProgressToken>) -> Self {
        Self {
            turn,
            events,
            said: String::new(),
            call: None,
            unanswered: Vec::new(),
            questions: Questions::default(),
            progress: token.map(|token| Progress { token, count: 0.0 }),
            deadline: None,
        }
    }

    /// Keeps what the result may show of an item.
    pub(crate) fn keep(&mut self, item: TurnItemRecord) {
        match item.kind {
            ItemKind::AgentMessage => self.said = item.detail.unwrap_or(item.summary),
            ItemKind::ToolCall | ItemKind::CommandExecution | ItemKind::FileChange => {
                self.call = Some(item);
            }
            ItemKind::UserMessage
            | ItemKind::AgentReasoning
            | ItemKind::ContextCompaction
            | ItemKind::Status
            | ItemKind::Error => {}
        }
    }

    pub(crate) fn end(self, turn: TurnRecord) -> Outcome {
        Outcome::Ended(Box::new(Ended {
            turn,
            said: self.said,
            call: self.call,
            shown: Vec::new(),
            unanswered: self.unanswered,
        }))
    }
}

impl Outcome {
    /// The same with what is to be seen or heard of its call. What cannot be read is left out: the
    /// text tells of it.
    pub(crate) async fn shown(mut self, client: &Client) -> Self {
        if let Self::Ended(ended) = &mut self
            && let Some(call) = &ended.call
        {
            for attachment_id in call.attachments() {
                let params = AttachmentParams {
                    thread_id: ended.turn.thread_id.clone(),
                    attachment_id,
                };
                let content = client.call::<AttachmentsGet>(params).await;
                ended.shown.extend(content.ok());
            }
        }
        self
    }
}

/// How to answer questions that stayed open, for whoever reads the result.
pub(crate) fn how_to_approve(unanswered: &[ApprovalId]) -> Option<String> {
    let ids: Vec<&str> = unanswered.iter().map(ApprovalId::as_str).collect();
    (!ids.is_empty()).then(|| {
        format!(
            "Nobody answered {} in time. Approvals are answered in this client if it supports elicitation, \
             else through another door of the same program: POST /v1/approvals/{{id}} or the page of \
             `codewhale web`.",
            ids.join(", ")
        )
    })
}
