//! On which occasions a hook runs. Pure.

use codewhale_policy::Act;
use codewhale_protocol::runtime::Mode;
use globset::{Glob, GlobMatcher};

/// What must hold for a hook to run.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Nothing.
    Always,
    /// The tool has such a name.
    ToolName(GlobMatcher),
    /// The tool does such things.
    ToolCategory(ToolCategory),
    /// The thread is in this mode.
    Mode(Mode),
    /// The command ended with this code.
    ExitCode(i64),
    /// All of these.
    All(Vec<Condition>),
    /// At least one of these.
    Any(Vec<Condition>),
}

/// A word in a condition that means nothing. A hook whose condition never holds would be a guard
/// that sleeps, so this is an error.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConditionError {
    /// A name with wildcards that does not read.
    #[error("{pattern:?} is no pattern for names of tools; write it like `exec_shell` or `mcp_*`")]
    Pattern {
        /// What stands there.
        pattern: String,
    },
    /// No such kind of tool.
    #[error(
        "{word:?} is no category of tools; use read, write, shell, network, mcp, client or inward"
    )]
    Category {
        /// What stands there.
        word: String,
    },
    /// No such mode.
    #[error("{word:?} is no mode; use agent, plan or operate")]
    Mode {
        /// What stands there.
        word: String,
    },
}

/// What a tool does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToolCategory {
    /// Looks at files.
    Read,
    /// Changes files.
    Write,
    /// Runs commands.
    Shell,
    /// Speaks to hosts.
    Network,
    /// A server of the user does something.
    Mcp,
    /// The client of the turn runs something.
    Client,
    /// Nothing that leaves the turn.
    Inward,
}

/// What is known of an occasion.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub(crate) mode: Option<Mode>,
    pub(crate) tool: Option<(String, ToolCategory)>,
    pub(crate) exit_code: Option<i64>,
}

impl Condition {
    /// The tool has such a name; `*` and `?` stand for others.
    pub fn tool_name(pattern: &str) -> Result<Self, ConditionError> {
        let glob = Glob::new(pattern).map_err(|_| ConditionError::Pattern {
            pattern: pattern.to_owned(),
        })?;
        Ok(Self::ToolName(glob.compile_matcher()))
    }

    /// The tool does such things.
    pub fn tool_category(word: &str) -> Result<Self, ConditionError> {
        let category = match word {
            "read" | "safe" => ToolCategory::Read,
            "write" | "file_write" => ToolCategory::Write,
            "shell" => ToolCategory::Shell,
            "network" | "external" => ToolCategory::Network,
            "mcp" => ToolCategory::Mcp,
            "client" => ToolCategory::Client,
            "inward" => ToolCategory::Inward,
            word => {
                let word = word.to_owned();
                return Err(ConditionError::Category { word });
            }
        };
        Ok(Self::ToolCategory(category))
    }

    /// The thread is in this mode.
    pub fn mode(word: &str) -> Result<Self, ConditionError> {
        let modes = [Mode::Agent, Mode::Plan, Mode::Operate];
        let mode = modes.into_iter().find(|mode| mode.as_str() == word);
        mode.map(Self::Mode)
            .ok_or_else(|| ConditionError::Mode { word: word.into() })
    }

    /// Whether it holds. What is not known of an occasion does not hold.
    pub(crate) fn holds(&self, facts: &Facts) -> bool {
        let tool = facts.tool.as_ref();
        match self {
            Self::Always => true,
            Self::ToolName(pattern) => tool.is_some_and(|(name, _)| pattern.is_match(name)),
            Self::ToolCategory(category) => tool.is_some_and(|(_, it)| it == category),
            Self::Mode(mode) => facts.mode == Some(*mode),
            Self::ExitCode(code) => facts.exit_code == Some(*code),
            Self::All(conditions) => conditions.iter().all(|it| it.holds(facts)),
            Self::Any(conditions) => conditions.iter().any(|it| it.holds(facts)),
        }
    }
}

impl From<Act> for ToolCategory {
    fn from(act: Act) -> Self {
        match act {
            Act::Inward => Self::Inward,
            Act::Read => Self::Read,
            Act::Write => Self::Write,
            Act::Execute => Self::Shell,
            Act::Fetch => Self::Network,
            Act::McpLook | Act::McpCall => Self::Mcp,
            Act::Client => Self::Client,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            mode: Some(Mode::Agent),
            tool: Some(("mcp_files_read".into(), ToolCategory::Shell)),
            exit_code: Some(1),
        }
    }

    #[test]
    fn a_condition_holds_when_what_it_names_is_so() {
        let name = |pattern| Condition::tool_name(pattern).unwrap();
        let category = |word| Condition::tool_category(word).unwrap();
        let cases = [
            (Condition::Always, true),
            (name("mcp_*"), true),
            (name("mcp_files_read"), true),
            (name("mcp"), false),
            (name("*_{read,write}"), true),
            (category("shell"), true),
            (category("file_write"), false),
            (Condition::mode("agent").unwrap(), true),
            (Condition::mode("plan").unwrap(), false),
            (Condition::ExitCode(1), true),
            (Condition::ExitCode(0), false),
            (
                Condition::All(vec![name("mcp_*"), Condition::ExitCode(0)]),
                false,
            ),
            (
                Condition::Any(vec![name("mcp_*"), Condition::ExitCode(0)]),
                true,
            ),
            (Condition::All(vec![]), true),
            (Condition::Any(vec![]), false),
        ];
        for (condition, expect) in cases {
            assert_eq!(condition.holds(&facts()), expect, "{condition:?}");
        }
    }

    #[test]
    fn what_is_not_known_does_not_hold() {
        let conditions = [
            Condition::tool_name("*").unwrap(),
            Condition::tool_category("read").unwrap(),
            Condition::mode("agent").unwrap(),
            Condition::ExitCode(0),
        ];
        for condition in conditions {
            assert!(!condition.holds(&Facts::default()), "{condition:?}");
        }
    }

    #[test]
    fn words_that_mean_nothing_are_named() {
        assert!(Condition::tool_name("a[").is_err());
        let told = Condition::tool_category("shel").unwrap_err().to_string();
        assert!(told.contains("read, write, shell"), "{told}");
        assert!(Condition::mode("sleep").is_err());
    }
}
