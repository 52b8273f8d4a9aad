//! One hook: a command, when it runs, and what it may hold up.

use std::path::PathBuf;
use std::time::Duration;

use super::Condition;
use crate::limits;

/// A command that runs when something happens.
#[derive(Clone, Debug)]
pub struct Hook {
    /// When.
    pub event: HookEvent,
    /// What, for `sh -c`.
    pub command: String,
    /// What people call it.
    pub name: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether nobody waits for it. Means nothing where it has a say.
    pub background: bool,
    /// Whether the work goes on when it fails. One that does not let it is strict.
    pub continue_on_error: bool,
    /// On which occasions.
    pub condition: Condition,
    /// Whose it is.
    pub source: HookSource,
    /// Where it runs; in the workspace where it says nothing.
    pub working_dir: Option<PathBuf>,
}

/// Whose a hook is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HookSource {
    /// A repository's that the user trusts: between walls, and the first to run.
    Repository,
    /// The user's own: runs as the user does.
    User,
}

impl Hook {
    /// How it is named to people and models.
    pub fn label(&self) -> String {
        let name = self.name.as_deref().unwrap_or(&self.command).trim();
        let short: String = name.chars().take(limits::HOOK_LABEL_CHARS).collect();
        match short.len() < name.len() {
            true => format!("{short}..."),
            false => short,
        }
    }
}

macro_rules! events {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal;)*) => {
        /// When a hook can run.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum HookEvent {
            $($(#[doc = $doc])* $name,)*
        }

        impl HookEvent {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Its name in configuration files.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

events! {
    /// The first turn of a thread that was not in use.
    SessionStart = "session_start";
    /// A thread is put away, or the program ends.
    SessionEnd = "session_end";
    /// Someone says something to the agent.
    MessageSubmit = "message_submit";
    /// The agent wants to call a tool.
    ToolCallBefore = "tool_call_before";
    /// A tool has run.
    ToolCallAfter = "tool_call_after";
    /// A thread works in another mode from now on.
    ModeChange = "mode_change";
    /// A turn failed.
    OnError = "on_error";
    /// A turn is over.
    TurnEnd = "turn_end";
    /// A sub-agent begins.
    SubagentSpawn = "subagent_spawn";
    /// A sub-agent is done.
    SubagentComplete = "subagent_complete";
    /// A command is about to get its environment.
    ShellEnv = "shell_env";
}

impl HookEvent {
    /// The event of a name.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == word)
    }

    /// Whether what its hooks say is listened to.
    pub fn steers(self) -> bool {
        match self {
            Self::MessageSubmit | Self::ToolCallBefore | Self::ShellEnv => true,
            Self::SessionStart
            | Self::SessionEnd
            | Self::ToolCallAfter
            | Self::ModeChange
            | Self::OnError
            | Self::TurnEnd
            | Self::SubagentSpawn
            | Self::SubagentComplete => false,
        }
    }
}
