//! Event frames, the newer ones included.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use super::{ThreadGoal, UserInputRequestEvent};

/// One thing that happened, named by its `event` member.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventFrame {
    /// The agent asks the person something.
    UserInputRequest {
        /// The questions.
        request: UserInputRequestEvent,
    },
    /// A goal is new or has changed. Stands for the root's frame of the same name, which reading
    /// and `From` therefore never put into `Base`.
    ThreadGoalUpdated {
        /// The goal as it is now.
        goal: ThreadGoal,
    },
    /// A frame the root type knows.
    #[serde(untagged)]
    Base(crate::EventFrame),
}

// By hand for the same reason as `ThreadRequest`: errors that name the member.
impl<'de> Deserialize<'de> for EventFrame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Asked {
            request: UserInputRequestEvent,
        }
        #[derive(Deserialize)]
        struct Updated {
            goal: ThreadGoal,
        }

        let frame = Value::deserialize(deserializer)?;
        match frame.get("event").and_then(Value::as_str) {
            Some("user_input_request") => Asked::deserialize(frame)
                .map(|Asked { request }| Self::UserInputRequest { request }),
            Some("thread_goal_updated") => {
                Updated::deserialize(frame).map(|Updated { goal }| Self::ThreadGoalUpdated { goal })
            }
            _ => crate::EventFrame::deserialize(frame).map(Self::Base),
        }
        .map_err(de::Error::custom)
    }
}

impl From<crate::EventFrame> for EventFrame {
    fn from(frame: crate::EventFrame) -> Self {
        match frame {
            crate::EventFrame::ThreadGoalUpdated { goal } => {
                Self::ThreadGoalUpdated { goal: goal.into() }
            }
            frame => Self::Base(frame),
        }
    }
}
