//! What to run.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Limits, Walls};

/// A command, with everything that decides what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The program: a path, or a name that is looked up in the `PATH` of `environment`.
    pub program: PathBuf,
    /// Its arguments, without its name.
    pub arguments: Vec<OsString>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// Its whole environment: nothing is inherited.
    pub environment: Vec<(String, String)>,
    /// What it reads.
    pub stdin: Stdin,
    /// Where its standard error goes. On a terminal there is one output only.
    pub errors: Errors,
    /// What bounds it.
    pub limits: Limits,
    /// What it can reach.
    pub walls: Walls,
    /// A terminal of its own, instead of plain pipes. What it reads is then typed, whatever
    /// `stdin` says about staying open.
    pub terminal: Option<Terminal>,
}

impl Command {
    /// A program in a directory, with nothing else said: no arguments, no environment, nothing to
    /// read, the usual limits, no walls, no terminal.
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            cwd: cwd.into(),
            environment: Vec::new(),
            stdin: Stdin::Null,
            errors: Errors::WithOutput,
            limits: Limits::default(),
            walls: Walls::Open,
            terminal: None,
        }
    }
}

/// What a command finds on its standard input.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum Stdin {
    /// Nothing.
    #[default]
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// What is written to it while it runs, see [`crate::Running::write_stdin`]. A command run to
    /// its end by [`crate::run()`] finds nothing.
    Open,
}

/// Where a command's standard error goes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Errors {
    /// Into the output, so that the order is kept.
    #[default]
    WithOutput,
    /// Into a text of its own, where a program reads the output.
    Apart,
}

/// The size of a terminal, in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terminal {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Default for Terminal {
    fn default() -> Self {
        Self {
            rows: 24,
            columns: 80,
        }
    }
}
