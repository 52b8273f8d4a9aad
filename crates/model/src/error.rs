//! How a model can fail.

use std::time::Duration;

/// A request that got no whole answer. Only `kind` steers what happens next.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What to do about it.
    pub kind: ErrorKind,
    /// What happened, for people; never contains a key.
    pub message: String,
    /// The cause, for logs.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What to do about a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The network or the provider broke off; the same request may succeed.
    Transient,
    /// The provider asked to slow down, and may have said for how long.
    RateLimited {
        /// The wait it asked for.
        retry_after: Option<Duration>,
    },
    /// Nothing came for too long.
    Stalled,
    /// The key is missing or was refused.
    Auth,
    /// The account has no quota or balance left.
    Exhausted,
    /// The provider cannot be used as it is configured: it does not know the model or the address,
    /// or nobody can speak to it safely.
    Unusable,
    /// The provider refused the request; it will do so again.
    Rejected,
    /// The conversation is longer than the model takes; a shorter one may pass.
    ContextOverflow,
    /// The answer does not read as the dialect.
    Garbled,
}

impl ErrorKind {
    /// Whether the same request may well be answered by another provider or model. One that was
    /// refused for what it says would be refused there too, and one that is too long has to become
    /// shorter.
    pub fn calls_for_another_route(self) -> bool {
        match self {
            Self::Transient
            | Self::RateLimited { .. }
            | Self::Stalled
            | Self::Auth
            | Self::Exhausted
            | Self::Unusable
            | Self::Garbled => true,
            Self::Rejected | Self::ContextOverflow => false,
        }
    }
}

impl Error {
    /// An error without a deeper cause.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    /// The same with its cause.
    pub fn caused_by(self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self {
            source: Some(Box::new(cause)),
            ..self
        }
    }
}
