//! Requests about the program itself, the newer kinds included.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use super::UserInputSubmission;

/// Everything that can be asked without naming a thread.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AppRequest {
    /// Read the configuration files again.
    ConfigReload,
    /// Answer what the agent asked.
    SubmitUserInput(UserInputSubmission),
    /// A request the root type knows.
    #[serde(untagged)]
    Base(crate::AppRequest),
}

// By hand for the same reason as `ThreadRequest`: errors that name the member.
impl<'de> Deserialize<'de> for AppRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let request = Value::deserialize(deserializer)?;
        match request.get("kind").and_then(Value::as_str) {
            Some("config_reload") => Ok(Self::ConfigReload),
            Some("submit_user_input") => {
                UserInputSubmission::deserialize(request).map(Self::SubmitUserInput)
            }
            _ => crate::AppRequest::deserialize(request).map(Self::Base),
        }
        .map_err(de::Error::custom)
    }
}

impl From<crate::AppRequest> for AppRequest {
    fn from(request: crate::AppRequest) -> Self {
        Self::Base(request)
    }
}
