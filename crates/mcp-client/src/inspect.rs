//! What can be said of the servers of a file without starting any: for `doctor`. Counts and labels
//! only: arguments, headers and variables may be secrets.

use std::path::Path;

use serde_json::{Map, Value};

use crate::SettingsError;
use crate::settings::{document, entries};

/// A server of the file, looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inspected {
    /// Its name.
    pub name: String,
    /// Whether it is started.
    pub enabled: bool,
    /// How it is spoken to: `stdio` or `http`; nothing when it does not say.
    pub transport: Option<&'static str>,
    /// What is wrong with it.
    pub verdict: Verdict,
    /// How many arguments it is given.
    pub args: usize,
    /// How many variables.
    pub env: usize,
    /// How many headers.
    pub headers: usize,
}

/// What is wrong with a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing that can be seen from here.
    Fine(&'static str),
    /// It may not do what was meant.
    Doubtful(&'static str),
    /// It cannot work.
    Broken(&'static str),
}

impl Verdict {
    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Fine(_) => "ok",
            Verdict::Doubtful(_) => "warning",
            Verdict::Broken(_) => "error",
        }
    }

    /// The sentence for people.
    pub fn detail(self) -> &'static str {
        match self {
            Verdict::Fine(detail) | Verdict::Doubtful(detail) | Verdict::Broken(detail) => detail,
        }
    }
}

/// Looks at every server of a file, those that are off too.
pub fn inspect(text: &str) -> Result<Vec<Inspected>, SettingsError> {
    let mut document = document(text)?;
    let servers = entries(&mut document)?.into_iter();
    Ok(servers.map(|(name, value)| look(name, &value)).collect())
}

fn look(name: String, value: &Value) -> Inspected {
    let none = Map::new();
    let entry = value.as_object().unwrap_or(&none);
    let flag = |member: &str| entry.get(member).and_then(Value::as_bool);
    let objects = |members: &[&str]| {
        let counts = members
            .iter()
            .filter_map(|member| entry.get(*member)?.as_object());
        counts.map(Map::len).sum()
    };
    Inspected {
        name,
        enabled: flag("enabled").unwrap_or(true) && !flag("disabled").unwrap_or(false),
        transport: match (text_of(entry, "command"), text_of(entry, "url")) {
            (Some(_), _) => Some("stdio"),
            (None, Some(_)) => Some("http"),
            (None, None) => None,
        },
        verdict: verdict(entry),
        args: arguments(entry).count(),
        env: objects(&["env"]),
        headers: objects(&["headers", "env_headers", "env_http_headers"]),
    }
}

fn verdict(entry: &Map<String, Value>) -> Verdict {
    match (text_of(entry, "command"), text_of(entry, "url")) {
        (None, None) => Verdict::Broken("it has neither a command nor a url; give it one"),
        (Some(_), Some(_)) => Verdict::Broken("it has both a command and a url; keep one"),
        (None, Some(url)) => match reqwest::Url::parse(url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => {
                Verdict::Fine("http server configured")
            }
            Ok(_) | Err(_) => Verdict::Doubtful("its url cannot be read; write http(s)://..."),
        },
        (Some(command), None) => program(command, entry),
    }
}

fn program(command: &str, entry: &Map<String, Value>) -> Verdict {
    let has_cwd = text_of(entry, "cwd").is_some();
    let is_relative = |text: &str| text.contains('/') && !Path::new(text).is_absolute();
    if is_relative(command) && !has_cwd {
        return Verdict::Doubtful(
            "its command is a relative path; make it absolute, or set cwd to where it is meant",
        );
    }
    // `@scope/name` behind npx is a package and no path.
    let runs_packages = ["npx", "bunx", "pnpx"].contains(&command);
    let is_path = |text: &str| text.starts_with("./") || text.starts_with("../");
    let is_meant = |text: &str| !(runs_packages && text.starts_with('@')) && is_path(text);
    if !has_cwd && arguments(entry).any(is_meant) {
        return Verdict::Doubtful(
            "an argument is a relative path; make it absolute, or set cwd to where it is meant",
        );
    }
    Verdict::Fine("stdio server configured")
}

fn text_of<'a>(entry: &'a Map<String, Value>, member: &str) -> Option<&'a str> {
    let text = entry.get(member)?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

fn arguments(entry: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let list = entry.get("args").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(entry: &str) -> &'static str {
        let text = format!(r#"{{"mcpServers":{{"x":{entry}}}}}"#);
        let found = inspect(&text).unwrap();
        assert_eq!(found.len(), 1);
        found[0].verdict.word()
    }

    #[test]
    fn what_cannot_work_and_what_may_not_are_told_apart() {
        let cases = [
            (r#"{"command":"npx","args":["-y","@scope/server"]}"#, "ok"),
            (r#"{"command":"/opt/server"}"#, "ok"),
            (r#"{"url":"https://mcp.example/x"}"#, "ok"),
            (r#"{"command":"./server"}"#, "warning"),
            (r#"{"command":"./server","cwd":"/opt"}"#, "ok"),
            (r#"{"command":"node","args":["../x.js"]}"#, "warning"),
            (r#"{"url":"not an address"}"#, "warning"),
            (r#"{"args":["x"]}"#, "error"),
            (r#"{"command":"a","url":"https://b"}"#, "error"),
            ("7", "error"),
        ];
        for (entry, expect) in cases {
            assert_eq!(word(entry), expect, "{entry}");
        }
    }

    #[test]
    fn only_counts_are_told_of_what_may_be_secret() {
        let text = r#"{"servers":{"x":{"command":"a","args":["--key","sk-hidden"],"env":{"K":"hidden"},"disabled":true}}}"#;
        let found = inspect(text).unwrap();
        assert_eq!((found[0].args, found[0].env, found[0].headers), (2, 1, 0));
        assert!(!found[0].enabled);
        assert!(!format!("{found:?}").contains("hidden"));
    }
}
