//! A thread as the control protocol describes it. The durable record is
//! [`runtime::ThreadRecord`](crate::runtime::ThreadRecord); this is its older, flatter picture.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a thread is doing.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ThreadStatus {
    /// It can take work; new threads start here.
    Running,
    /// Its last turn is over and none waits.
    Idle,
    /// Its work is done for good.
    Completed,
    /// Its last turn went wrong.
    Failed,
    /// Someone put it on hold.
    Paused,
    /// It is kept but left out of lists.
    Archived,
}

/// How a thread came to be.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// A person opened it.
    Interactive,
    /// It continues an earlier one.
    Resume,
    /// It was split off another.
    Fork,
    /// A program opened it.
    Api,
    /// Nobody wrote it down.
    Unknown,
}

/// One conversation with an agent.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Thread {
    /// Its id.
    pub id: String,
    /// The start of the newest user message, 120 characters at most.
    pub preview: String,
    /// Whether it is forgotten when the process ends.
    pub ephemeral: bool,
    /// Whose model it talks to.
    pub model_provider: String,
    /// When it began, in seconds since the epoch.
    pub created_at: i64,
    /// When it last changed, in seconds since the epoch.
    pub updated_at: i64,
    /// What it is doing.
    pub status: ThreadStatus,
    /// The file it is kept in, where it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The directory its commands run in.
    pub cwd: PathBuf,
    /// The version of the program that made it.
    pub cli_version: String,
    /// How it came to be.
    pub source: SessionSource,
    /// What someone called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
