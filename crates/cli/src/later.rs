//! Commands that are known but not built yet: each says so, and what works.

use std::ffi::OsString;

use anyhow::{Error, anyhow};

/// What can be used today.
const WORKS: &str = "what works: `codewhale web`, `codewhale app-server --http`, `codewhale app-server --stdio`, `codewhale serve --http`, `codewhale serve --acp`, `codewhale serve --mcp`, `codewhale exec`, `codewhale auth`, `codewhale config`, `codewhale doctor`, `codewhale fleet`, `codewhale mcp`, `codewhale model`, `codewhale models`, `codewhale sessions`, `codewhale thread`, `codewhale sandbox`";

/// Commands of the product that this version does not have.
const COMMANDS: &[&str] = &[
    "run",
    "login",
    "logout",
    "account",
    "cloud",
    "resume",
    "fork",
    "lane",
    "workflow",
    "setup",
    "init",
    "features",
    "review",
    "apply",
    "eval",
    "scorecard",
    "metrics",
    "speech",
    "tts",
    "pr",
    "update",
    "remote-setup",
    "integrations",
    "session-diagnostics",
];

pub(crate) fn terminal() -> Error {
    anyhow!("the terminal interface is not built yet; {WORKS}")
}

pub(crate) fn command(words: &[OsString]) -> Error {
    let first = words
        .first()
        .map(|word| word.to_string_lossy())
        .unwrap_or_default();
    match COMMANDS.contains(&first.as_ref()) {
        true => anyhow!("`codewhale {first}` is not built yet; {WORKS}"),
        false => anyhow!(
            "there is no command {first:?}, and a prompt needs the terminal interface, which is not built yet; {WORKS}"
        ),
    }
}

pub(crate) fn mode(command: &str, mode: &str) -> Error {
    anyhow!("`codewhale {command} {mode}` is not built yet; {WORKS}")
}

pub(crate) fn no_mode(command: &str) -> Error {
    anyhow!(
        "`codewhale {command}` needs a mode: --http, --stdio, --acp and --mcp are built so far; {WORKS}"
    )
}
