//! Reads the parts of a hook, and says where something is wrong.

use std::path::Path;
use std::time::Duration;

use super::{HOOK_EVENTS, HookCondition, HookSettings, TIMEOUT};
use crate::check::SUGGESTION_DISTANCE_MAX;
use crate::file::{Node, Table, Value};
use crate::shape::Shape;
use crate::{Error, Warning};

/// What a hook can say of itself.
const MEMBERS: &[&str] = &[
    "event",
    "command",
    "name",
    "timeout_secs",
    "background",
    "continue_on_error",
    "condition",
];

pub(super) struct Reader<'a> {
    path: &'a Path,
    pub(super) warnings: Vec<Warning>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(path: &'a Path) -> Self {
        Self {
            path,
            warnings: Vec::new(),
        }
    }

    pub(super) fn hook(&mut self, key: &str, node: &Node) -> Result<HookSettings, Error> {
        let table = self.table(key, node)?;
        self.warn_of_others(key, table, MEMBERS);
        let event = self.word(key, table, "event", HOOK_EVENTS)?;
        let command = self.text(key, table, "command")?;
        let condition = find(table, "condition");
        let condition = condition
            .map(|node| HookCondition::read(self, &joined(key, "condition"), node))
            .transpose()?;
        let missing = |name: &str, expected| self.wrong(&joined(key, name), node.line, expected);
        Ok(HookSettings {
            event: event.ok_or_else(|| missing("event", "set: it says when the hook runs"))?,
            command: command.ok_or_else(|| missing("command", "set: it says what is run"))?,
            name: self.text(key, table, "name")?,
            timeout: self.time(key, table, "timeout_secs")?.unwrap_or(TIMEOUT),
            background: self.flag(key, table, "background")?.unwrap_or(false),
            continue_on_error: self.flag(key, table, "continue_on_error")?.unwrap_or(true),
            condition: condition.unwrap_or(HookCondition::Always),
            working_dir: None,
        })
    }

    pub(super) fn table<'t>(&self, key: &str, node: &'t Node) -> Result<&'t Table, Error> {
        match &node.value {
            Value::Table(table) => Ok(table),
            _ => Err(self.wrong(key, node.line, "a table")),
        }
    }

    /// The tables of a list, each with its key.
    pub(super) fn tables(
        &self,
        key: &str,
        table: &Table,
        name: &str,
    ) -> Result<Vec<(String, Node)>, Error> {
        let Some(node) = find(table, name) else {
            return Ok(Vec::new());
        };
        let key = joined(key, name);
        let Value::List(values) = &node.value else {
            return Err(self.wrong(&key, node.line, "a list of tables"));
        };
        let mut tables = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let Value::Table(table) = value else {
                return Err(self.wrong(&key, node.line, "a list of tables"));
            };
            let line = table.first().map_or(node.line, |(_, node)| node.line);
            let value = Value::Table(table.clone());
            tables.push((format!("{key}[{index}]"), Node { line, value }));
        }
        Ok(tables)
    }

    /// A word out of a list of those that mean something.
    pub(super) fn word(
        &self,
        key: &str,
        table: &Table,
        name: &str,
        known: &'static [&'static str],
    ) -> Result<Option<&'static str>, Error> {
        let Some(text) = self.text(key, table, name)? else {
            return Ok(None);
        };
        let found = known.iter().copied().find(|word| *word == text);
        found.map(Some).ok_or_else(|| Error::UnknownWord {
            path: self.path.to_owned(),
            line: find(table, name).map_or(0, |node| node.line),
            key: joined(key, name),
            known,
            suggestion: nearest(&text, known),
        })
    }

    pub(super) fn text(
        &self,
        key: &str,
        table: &Table,
        name: &str,
    ) -> Result<Option<String>, Error> {
        self.value(key, table, name, String::EXPECTED)
    }

    pub(super) fn flag(&self, key: &str, table: &Table, name: &str) -> Result<Option<bool>, Error> {
        self.value(key, table, name, bool::EXPECTED)
    }

    pub(super) fn time(
        &self,
        key: &str,
        table: &Table,
        name: &str,
    ) -> Result<Option<Duration>, Error> {
        let expected = "a number of seconds above 0";
        let time: Option<Duration> = self.value(key, table, name, expected)?;
        match (time, find(table, name)) {
            (Some(time), Some(node)) if time.is_zero() => {
                Err(self.wrong(&joined(key, name), node.line, expected))
            }
            (time, _) => Ok(time),
        }
    }

    fn value<T: Shape>(
        &self,
        key: &str,
        table: &Table,
        name: &str,
        expected: &'static str,
    ) -> Result<Option<T>, Error> {
        let Some(node) = find(table, name) else {
            return Ok(None);
        };
        let wrong = |_| self.wrong(&joined(key, name), node.line, expected);
        T::from_value(&node.value).map_err(wrong)
    }

    /// Names keys that mean nothing.
    pub(super) fn warn_of_others(
        &mut self,
        key: &str,
        table: &Table,
        known: &'static [&'static str],
    ) {
        let others = table
            .iter()
            .filter(|(name, _)| !known.contains(&name.as_str()));
        self.warnings
            .extend(others.map(|(name, node)| Warning::UnknownKey {
                file: self.path.to_owned(),
                line: node.line,
                key: joined(key, name),
                suggestion: nearest(name, known).map(|it| joined(key, it)),
            }));
    }

    pub(super) fn wrong(&self, key: &str, line: usize, expected: &'static str) -> Error {
        Error::WrongValue {
            path: self.path.to_owned(),
            line,
            key: key.to_owned(),
            expected,
        }
    }
}

pub(super) fn find<'t>(table: &'t Table, name: &str) -> Option<&'t Node> {
    let (_, node) = table.iter().find(|(key, _)| key == name)?;
    Some(node)
}

pub(super) fn joined(key: &str, name: &str) -> String {
    match key {
        "" => name.to_owned(),
        key => format!("{key}.{name}"),
    }
}

/// The word that was probably meant.
fn nearest(word: &str, known: &'static [&'static str]) -> Option<&'static str> {
    let distance = |it: &&&str| strsim::osa_distance(word, it);
    let best = known.iter().min_by_key(distance)?;
    let distance_max = SUGGESTION_DISTANCE_MAX.min(word.chars().count() / 2);
    (distance(&best) <= distance_max).then_some(*best)
}
