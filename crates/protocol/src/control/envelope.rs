//! The wrapper that lets a reply find its request.

use serde::{Deserialize, Serialize};

/// Any message, with the ids that tell two conversations on one pipe apart.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Envelope<T> {
    /// Chosen by the sender; the answer repeats it.
    pub request_id: String,
    /// The conversation it is about, unless it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The message itself.
    pub body: T,
}
