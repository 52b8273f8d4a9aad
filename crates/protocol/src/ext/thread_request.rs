//! Thread requests, the newer kind included.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use super::ThreadGoalProgressParams;

/// Everything that can be asked about threads.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "a request is read, answered and gone; its root twin is this large itself"
)]
pub enum ThreadRequest {
    /// Add to what a goal has cost.
    GoalRecordProgress(ThreadGoalProgressParams),
    /// A request the root type knows.
    #[serde(untagged)]
    Base(crate::ThreadRequest),
}

// By hand, because a derived fall-through answers every mistake with "did not match any variant",
// and a caller deserves to hear which member was wrong.
impl<'de> Deserialize<'de> for ThreadRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let request = Value::deserialize(deserializer)?;
        match request.get("kind").and_then(Value::as_str) {
            Some("goal_record_progress") => {
                ThreadGoalProgressParams::deserialize(request).map(Self::GoalRecordProgress)
            }
            _ => crate::ThreadRequest::deserialize(request).map(Self::Base),
        }
        .map_err(de::Error::custom)
    }
}

impl From<crate::ThreadRequest> for ThreadRequest {
    fn from(request: crate::ThreadRequest) -> Self {
        Self::Base(request)
    }
}
