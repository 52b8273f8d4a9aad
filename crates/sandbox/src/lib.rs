//! Runs a command inside limits. Every child process of the product starts here.
//!
//! [`run()`] takes a [`Command`] and answers with an [`Outcome`] when it is over: the command leads
//! a session of its own without a terminal, gets exactly the environment it is given, has a
//! bounded time and a bounded output, and leaves no process of its group behind, however it ends
//! and whoever loses interest in it.
//!
//! Must not know: protocol, tools, policy. Start reading at [`run()`].

mod capture;
mod command;
mod error;
mod limits;
mod outcome;
mod processes;
mod run;

pub use capture::Captured;
pub use command::{Command, Stdin};
pub use error::Error;
pub use limits::{KILL_GRACE, Limits, OUTPUT_BYTES_MAX, OUTPUT_DRAIN, WALL_TIME};
pub use outcome::{End, Outcome};
pub use run::run;
