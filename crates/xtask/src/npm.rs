//! The packages for JavaScript, tested against the program as the suite builds it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell::Line;

/// The tests of the packages alone. They build the program themselves when nobody names it.
pub(crate) const TEST: &str = "npm test --workspace @codewhale/runtime-sdk";

/// What the suite builds first. The program is among it, so that it is built once for both.
const BUILD: &str =
    "cargo test --workspace --locked --no-run --message-format json-render-diagnostics";

/// The program under test, by the name of its target.
const PROGRAM: &str = "codewhale";

pub(crate) fn test() -> Result<()> {
    let messages = Line::new(BUILD).read()?;
    let program = program(&messages).context("cargo built no program for the packages to test")?;
    let program = program.to_str().context("a path that is no text")?;
    Line::new(TEST).environment("CODEWHALE_BIN", program).run()
}

/// A message of cargo, as far as it is about a program.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Where the program is, not the tests inside it, which have the same name.
fn program(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Message>(line).ok())
        .filter(|message| {
            let is_program = |target: &Target| target.name == PROGRAM && target.kind == ["bin"];
            message.target.as_ref().is_some_and(is_program)
                && message
                    .profile
                    .as_ref()
                    .is_some_and(|profile| !profile.test)
        })
        .find_map(|message| message.executable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_the_messages_of_cargo() {
        let message = |name: &str, kind: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"name":"{name}","kind":["{kind}"]}},"profile":{{"test":{test}}},"executable":"/t/{name}-{kind}-{test}"}}"#
            )
        };
        let messages = [
            r#"{"reason":"build-script-executed","package_id":"x"}"#.to_owned(),
            message("codewhale", "bin", true),
            message("it", "test", true),
            message("xtask", "bin", false),
            message("codewhale", "bin", false),
        ];
        let found = program(&messages.join("\n"));
        assert_eq!(found, Some("/t/codewhale-bin-false".into()));
        assert_eq!(program(&messages[..4].join("\n")), None);
    }
}
