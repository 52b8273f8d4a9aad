//! Hooks as they are written down: `[hooks]` with a list `[[hooks.hooks]]`, or a file of their own.
//!
//! A hook may be a guard, so one that cannot be understood is an error and not a warning: a guard
//! that silently sleeps is worse than none.

mod condition;
mod reader;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::file::{self, Node, Value};
use crate::{Environment, Error, Warning, home};

pub use condition::HookCondition;
use reader::Reader;

/// The table of hooks.
pub(crate) const HOOKS: &str = "hooks";

/// When a hook can run.
pub const HOOK_EVENTS: &[&str] = &[
    "session_start",
    "session_end",
    "message_submit",
    "tool_call_before",
    "tool_call_after",
    "mode_change",
    "on_error",
    "turn_end",
    "subagent_spawn",
    "subagent_complete",
    "shell_env",
];

/// How long a hook may take when nobody says.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A command that runs when something happens.
#[derive(Clone, PartialEq, Debug)]
pub struct HookSettings {
    /// When: one of [`HOOK_EVENTS`].
    pub event: &'static str,
    /// What, for `sh -c`.
    pub command: String,
    /// What people call it.
    pub name: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether nobody waits for it.
    pub background: bool,
    /// Whether the work goes on when it fails.
    pub continue_on_error: bool,
    /// On which occasions.
    pub condition: HookCondition,
    /// Where it runs.
    pub working_dir: Option<PathBuf>,
}

/// Hooks that were read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HookFile {
    /// Those that are to run, in order.
    pub hooks: Vec<HookSettings>,
    /// What to tell the user.
    pub warnings: Vec<Warning>,
}

/// The hooks of a file of their own: what else stands under `[hooks]`, with or without that name.
/// A file that is not there has none.
pub fn hooks_of_file(path: &Path, environment: &Environment) -> Result<HookFile, Error> {
    let Some(document) = file::read(path)? else {
        return Ok(HookFile::default());
    };
    let named = document.root.iter().find(|(name, _)| name == HOOKS);
    let read = match named {
        Some((_, node)) if matches!(node.value, Value::Table(_)) => read(path, HOOKS, node)?,
        Some(_) | None => {
            let root = Node {
                line: 1,
                value: Value::Table(document.root),
            };
            read(path, "", &root)?
        }
    };
    Ok(HookFile {
        hooks: at_home(read.hooks, environment)?,
        ..read
    })
}

/// Reads the table of hooks. Those that are turned off are checked and left out.
pub(crate) fn read(path: &Path, key: &str, node: &Node) -> Result<HookFile, Error> {
    let mut reader = Reader::new(path);
    let table = reader.table(key, node)?;
    reader.warn_of_others(
        key,
        table,
        &["enabled", "default_timeout_secs", "working_dir", HOOKS],
    );
    let enabled = reader.flag(key, table, "enabled")?.unwrap_or(true);
    let everyones = reader.time(key, table, "default_timeout_secs")?;
    let working_dir = reader.text(key, table, "working_dir")?;
    let mut hooks = Vec::new();
    for (key, node) in reader.tables(key, table, HOOKS)? {
        let hook = reader.hook(&key, &node)?;
        hooks.push(HookSettings {
            timeout: everyones.unwrap_or(hook.timeout),
            working_dir: working_dir.clone().map(PathBuf::from),
            ..hook
        });
    }
    if !enabled {
        hooks.clear();
    }
    Ok(HookFile {
        hooks,
        warnings: reader.warnings,
    })
}

/// The same with the user's directory in the place of a leading `~`.
pub(crate) fn at_home(
    hooks: Vec<HookSettings>,
    environment: &Environment,
) -> Result<Vec<HookSettings>, Error> {
    let placed = |hook: HookSettings| {
        let directory = hook.working_dir.as_deref();
        let working_dir = directory
            .map(|it| home::expand(environment, it))
            .transpose()?;
        Ok(HookSettings {
            working_dir,
            ..hook
        })
    };
    hooks.into_iter().map(placed).collect()
}

#[cfg(test)]
mod tests;
