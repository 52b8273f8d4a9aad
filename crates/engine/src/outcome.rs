//! How a turn ended.

use codewhale_model::{Error, ErrorKind, Message};
use codewhale_protocol::runtime::FailureClass;

/// A turn that is over.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: TurnEnd,
    /// The conversation as it stands now, for the next turn.
    pub conversation: Vec<Message>,
}

/// How a turn ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TurnEnd {
    /// The model gave its final answer.
    Completed,
    /// It did not.
    Failed(Failure),
    /// Someone stopped it.
    Interrupted,
}

/// Why a turn failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// For people: what happened and what to do.
    pub message: String,
    /// For programs.
    pub class: FailureClass,
    /// Whether the same request may well succeed later.
    pub retryable: bool,
}

impl Failure {
    pub(crate) fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            class,
            retryable: false,
        }
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let (class, retryable) = match error.kind {
            ErrorKind::Transient | ErrorKind::Garbled => (FailureClass::Network, true),
            ErrorKind::RateLimited { .. } => (FailureClass::RateLimit, true),
            // The provider's allowance is used up: waiting alone does not help.
            ErrorKind::Exhausted => (FailureClass::RateLimit, false),
            ErrorKind::Stalled => (FailureClass::Timeout, true),
            ErrorKind::Auth => (FailureClass::Authentication, false),
            ErrorKind::Unusable | ErrorKind::Rejected | ErrorKind::ContextOverflow => {
                (FailureClass::InvalidRequest, false)
            }
        };
        Self {
            message: error.message.clone(),
            class,
            retryable,
        }
    }
}
