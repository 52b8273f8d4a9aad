//! Command lines. What is run is what is shown, so that anyone can repeat it.

use std::fmt;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// What `cargo run` tells the menu about itself. A cargo below would take it for a change of the
/// environment, and build `ring` and all that stands on it again and again.
const ABOUT_THIS_PACKAGE: &[&str] = &[
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "CARGO_PKG_AUTHORS",
    "CARGO_PKG_DESCRIPTION",
    "CARGO_PKG_HOMEPAGE",
    "CARGO_PKG_LICENSE",
    "CARGO_PKG_LICENSE_FILE",
    "CARGO_PKG_NAME",
    "CARGO_PKG_README",
    "CARGO_PKG_REPOSITORY",
    "CARGO_PKG_RUST_VERSION",
    "CARGO_PKG_VERSION",
    "CARGO_PKG_VERSION_MAJOR",
    "CARGO_PKG_VERSION_MINOR",
    "CARGO_PKG_VERSION_PATCH",
    "CARGO_PKG_VERSION_PRE",
];

/// A command line, run at the root of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    environment: Vec<(&'static str, String)>,
    words: Vec<String>,
}

impl Line {
    /// The line of these words, which are parted by spaces.
    pub(crate) fn new(words: &str) -> Self {
        Self {
            environment: Vec::new(),
            words: words.split_whitespace().map(str::to_owned).collect(),
        }
    }

    pub(crate) fn with(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    pub(crate) fn environment(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// Runs the line; its output goes to the terminal.
    pub(crate) fn run(&self) -> Result<()> {
        let status = self
            .command()
            .status()
            .with_context(|| format!("could not start `{self}`"))?;
        ensure!(status.success(), "`{self}` failed: {status}");
        Ok(())
    }

    /// Runs the line and gives what it wrote to its standard output.
    pub(crate) fn read(&self) -> Result<String> {
        let Output { status, stdout, .. } = self
            .command()
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("could not start `{self}`"))?;
        ensure!(status.success(), "`{self}` failed: {status}");
        String::from_utf8(stdout)
            .with_context(|| format!("`{self}` wrote something else than text"))
    }

    /// Whether the line can be run and ends well; it says nothing.
    pub(crate) fn succeeds(&self) -> bool {
        self.command()
            .output()
            .is_ok_and(|output| output.status.success())
    }

    fn command(&self) -> Command {
        let (program, arguments) = self.words.split_first().expect("a line has a first word");
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place where the menu starts other programs; it is no part of the product"
        )]
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(workspace::root())
            .stdin(Stdio::null());
        for name in ABOUT_THIS_PACKAGE {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl fmt::Display for Line {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(to, "{name}={} ", quoted(value))?;
        }
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        to.write_str(&words.join(" "))
    }
}

/// The word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shown_as_a_shell_takes_it() {
        let line = Line::new("cargo doc  --workspace")
            .with(["it's"])
            .environment("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            line.to_string(),
            r"RUSTDOCFLAGS='-D warnings' cargo doc --workspace 'it'\''s'"
        );
    }

    #[test]
    fn a_line_gets_its_environment_and_gives_its_output() {
        let line = Line::new("sh -c")
            .with(["echo $GREETING"])
            .environment("GREETING", "hello");
        assert_eq!(line.read().unwrap(), "hello\n");
    }

    #[test]
    fn a_line_does_not_hear_about_the_package_of_the_menu() {
        let names = Line::new("env").read().unwrap();
        let about =
            |line: &&str| line.starts_with("CARGO_PKG_") || line.starts_with("CARGO_MANIFEST_");
        assert_eq!(names.lines().find(about), None);
    }

    #[test]
    fn a_failing_line_is_named() {
        let error = Line::new("false").run().unwrap_err();
        assert_eq!(error.to_string(), "`false` failed: exit status: 1");
    }

    #[test]
    fn a_program_that_is_not_there_does_not_succeed() {
        assert!(!Line::new("no-such-program-anywhere").succeeds());
        assert!(Line::new("true").succeeds());
    }
}
