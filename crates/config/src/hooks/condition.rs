//! The condition of a hook, as it is written down.

use super::reader::{Reader, find, joined};
use crate::Error;
use crate::file::{Node, Value};

/// On which occasions a hook runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HookCondition {
    /// On all.
    Always,
    /// `name`: the tool's, with `*` and `?` for others.
    ToolName(String),
    /// `category`: what the tool does.
    ToolCategory(String),
    /// `mode`: the thread's.
    Mode(String),
    /// `code`: how the command ended.
    ExitCode(i64),
    /// `conditions`: when all of them hold.
    All(Vec<HookCondition>),
    /// `conditions`: when one of them holds.
    Any(Vec<HookCondition>),
}

/// What `type` can be.
const TYPES: &[&str] = &[
    "always",
    "tool_name",
    "tool_category",
    "mode",
    "exit_code",
    "all",
    "any",
];

impl HookCondition {
    pub(super) fn read(reader: &mut Reader<'_>, key: &str, node: &Node) -> Result<Self, Error> {
        let table = reader.table(key, node)?;
        let kind = reader.word(key, table, "type", TYPES)?;
        let kind = kind.ok_or_else(|| {
            let expected = "set: always, tool_name, tool_category, mode, exit_code, all or any";
            reader.wrong(&joined(key, "type"), node.line, expected)
        })?;
        let members: &'static [&'static str] = match kind {
            "tool_name" => &["type", "name"],
            "tool_category" => &["type", "category"],
            "mode" => &["type", "mode"],
            "exit_code" => &["type", "code"],
            "all" | "any" => &["type", "conditions"],
            _ => &["type"],
        };
        reader.warn_of_others(key, table, members);
        let text = |name: &str| {
            let text = reader.text(key, table, name)?;
            text.ok_or_else(|| reader.wrong(&joined(key, name), node.line, "text in quotes"))
        };
        Ok(match kind {
            "tool_name" => Self::ToolName(text("name")?),
            "tool_category" => Self::ToolCategory(text("category")?),
            "mode" => Self::Mode(text("mode")?),
            "exit_code" => match find(table, "code").map(|node| &node.value) {
                Some(Value::Whole(code)) => Self::ExitCode(*code),
                _ => {
                    let key = joined(key, "code");
                    return Err(reader.wrong(&key, node.line, "a whole number"));
                }
            },
            "all" => Self::All(Self::read_all(reader, key, node)?),
            "any" => Self::Any(Self::read_all(reader, key, node)?),
            _ => Self::Always,
        })
    }

    fn read_all(reader: &mut Reader<'_>, key: &str, node: &Node) -> Result<Vec<Self>, Error> {
        let table = reader.table(key, node)?;
        let tables = reader.tables(key, table, "conditions")?;
        if tables.is_empty() {
            let key = joined(key, "conditions");
            return Err(reader.wrong(&key, node.line, "a list of conditions"));
        }
        let parts = tables.iter();
        parts
            .map(|(key, node)| Self::read(reader, key, node))
            .collect()
    }
}
