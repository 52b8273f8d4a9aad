//! What is known of a run on its way.

use codewhale_client::Envelopes;
use codewhale_protocol::runtime::{ApprovalDecided, ApprovalDecision, TurnId, TurnRecord, Usage};

use super::news::{Ear, News};
use super::session::Session;

/// What is known of a run on its way.
pub(super) struct Progress {
    pub(super) session: Session,
    pub(super) events: Envelopes,
    pub(super) ear: Ear,
    /// The turn that runs.
    pub(super) active: Option<TurnId>,
    /// What was asked last, and what the agent said to it.
    pub(super) prompt: String,
    pub(super) output: String,
    /// Whether the next text begins a message.
    pub(super) is_new_message: bool,
    /// Something was refused because nobody was there to answer.
    pub(super) refused: bool,
    pub(super) tool_failed: bool,
    pub(super) error_told: bool,
    pub(super) usage: Option<Usage>,
    pub(super) duration_ms: u64,
    pub(super) ended: Option<TurnRecord>,
    /// The number of the signal that told us to stop.
    pub(super) stopped: Option<u8>,
    pub(super) is_warned: bool,
    /// The turn was stopped because nobody reads any more.
    pub(super) is_unread: bool,
    /// What is wrong with the answer, once it was asked for again.
    pub(super) unfit: Option<String>,
    pub(super) is_repaired: bool,
}

impl Progress {
    /// A run in this session, before its first turn.
    pub(super) fn new(session: Session, events: Envelopes) -> Self {
        Self {
            events,
            ear: Ear::new(session.thread.id.clone()),
            session,
            active: None,
            prompt: String::new(),
            output: String::new(),
            is_new_message: true,
            refused: false,
            tool_failed: false,
            error_told: false,
            usage: None,
            duration_ms: 0,
            ended: None,
            stopped: None,
            is_warned: false,
            is_unread: false,
            unfit: None,
            is_repaired: false,
        }
    }

    /// A question that ran out of time was one that nobody answered.
    pub(super) fn settled(&mut self, decided: &ApprovalDecided) {
        self.refused |= decided.timeout && decided.decision == ApprovalDecision::Deny;
    }

    /// Keeps what the end will tell.
    pub(super) fn note(&mut self, news: &News) {
        match news {
            News::Text(text) => {
                if std::mem::take(&mut self.is_new_message) {
                    self.output.clear();
                }
                self.output.push_str(text);
            }
            News::TextEnd => self.is_new_message = true,
            News::ToolResult(result) => self.tool_failed |= !result.success,
            News::Error(_) => self.error_told = true,
            News::Begun { .. }
            | News::ToolUse { .. }
            | News::AgentSpawned { .. }
            | News::AgentCompleted(_)
            | News::SandboxDenied(_)
            | News::Usage { .. }
            | News::Asked(_)
            | News::Status(_)
            | News::TurnEnded { .. } => {}
        }
    }
}
