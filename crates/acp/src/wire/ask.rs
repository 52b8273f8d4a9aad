//! What the client is asked, and how it answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An answer that a person may give to a question about a call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PermissionOption {
    pub(crate) option_id: &'static str,
    pub(crate) name: String,
    pub(crate) kind: PermissionKind,
}

/// What sort of answer it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PermissionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

/// The client's answer to a question about a call.
#[derive(Deserialize)]
pub(crate) struct PermissionAnswer {
    pub(crate) outcome: PermissionOutcome,
}

/// What became of it.
#[derive(PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(crate) enum PermissionOutcome {
    /// The turn was stopped meanwhile.
    Cancelled,
    /// One of the options was chosen.
    #[serde(rename_all = "camelCase")]
    Selected { option_id: String },
}

/// The client's answer to a form.
#[derive(PartialEq, Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub(crate) enum FormAnswer {
    /// Filled in.
    Accept {
        #[serde(default)]
        content: Option<Map<String, Value>>,
    },
    /// The person does not want to answer.
    Decline,
    /// The person has closed it.
    Cancel,
}
