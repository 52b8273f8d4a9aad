//! What became of a command.

use std::time::Duration;

use crate::{Captured, Denial};

/// A command that is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What it said, standard output and standard error in the order they were written.
    pub output: Captured,
    /// Its standard error, where that was kept apart.
    pub errors: Captured,
    /// How long it ran until it ended or was stopped.
    pub duration: Duration,
    /// What the walls seem to have kept it from.
    pub denial: Option<Denial>,
}

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which was not ours.
    Signaled(i32),
    /// It was stopped because its time was up.
    TimedOut,
    /// It was stopped because the caller asked for it.
    Cancelled,
}
