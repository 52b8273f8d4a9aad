//! What to run.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::Limits;

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
    /// What bounds it.
    pub limits: Limits,
}

/// What a command finds on its standard input.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum Stdin {
    /// Nothing.
    #[default]
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
}
