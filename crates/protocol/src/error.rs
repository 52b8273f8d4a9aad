//! What a failed operation answers, before any door turns it into its own numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why an operation failed, as far as a client can act on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request does not read as the operation's parameters.
    Malformed,
    /// It reads, but a member is missing or has the wrong type.
    InvalidShape,
    /// It has the right shape, but a value is not acceptable.
    InvalidParams,
    /// There is no valid token.
    Unauthenticated,
    /// The caller may see this, but not do it.
    Forbidden,
    /// There is no such thing, or the caller may not know of it.
    NotFound,
    /// The present state does not allow it.
    Conflict,
    /// Too much at once; try again.
    Overloaded,
    /// The store or another part cannot serve now.
    Unavailable,
    /// The operation is there, and this is more than it can do yet.
    Unsupported,
    /// There is no such operation.
    UnknownOperation,
    /// A fault of ours; the message names the id under which it was logged.
    Internal,
}

impl ErrorCode {
    /// Every code, for those who must answer each.
    pub const ALL: &'static [ErrorCode] = &[
        ErrorCode::Malformed,
        ErrorCode::InvalidShape,
        ErrorCode::InvalidParams,
        ErrorCode::Unauthenticated,
        ErrorCode::Forbidden,
        ErrorCode::NotFound,
        ErrorCode::Conflict,
        ErrorCode::Overloaded,
        ErrorCode::Unavailable,
        ErrorCode::Unsupported,
        ErrorCode::UnknownOperation,
        ErrorCode::Internal,
    ];
}

/// A failed operation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct ErrorBody {
    /// Why, for programs.
    pub code: ErrorCode,
    /// Why and what to do, for people.
    pub message: String,
    /// The present state, where that helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ErrorBody {
    /// An error without data.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same with the present state attached.
    pub fn with_data(self, data: Value) -> Self {
        Self {
            data: Some(data),
            ..self
        }
    }
}
