//! One call of a tool, spoken to while it runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ItemId, ThreadId};

/// What `calls/stop` takes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CallsStopParams {
    /// The thread.
    pub thread_id: ThreadId,
    /// The item of the call that runs.
    pub item_id: ItemId,
}
