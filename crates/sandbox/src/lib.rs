//! Runs a command inside limits and walls. Every child process of the product starts here.
//!
//! [`run()`] takes a [`Command`] and answers with an [`Outcome`] when it is over, [`run_told`] also
//! tells what it says meanwhile; [`start`] leaves it
//! running and gives a [`Running`] to follow and stop it, and [`Jobs`] keeps those of one thread. A
//! command leads a session of its own, gets exactly the environment it is given, has a bounded time
//! and a bounded output, and leaves no process behind, however it ends and whoever loses interest
//! in it. [`Walls`] say what it can reach; [`probe`] says what this system can do about that.
//! Walls that cannot be put up are an error: nothing ever runs with weaker ones than it was given.
//!
//! Must not know: protocol, tools, policy. Start reading at [`run()`], then `life.rs`.

mod capture;
mod command;
mod confinement;
mod denial;
mod error;
mod guards;
mod jobs;
mod life;
mod limits;
#[cfg(target_os = "linux")]
mod linux;
mod loopback;
mod measure;
mod outcome;
mod processes;
mod run;
mod running;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
mod stream;
mod support;
mod telling;

pub use capture::{Captured, Piece};
pub use command::{Command, Errors, Stdin, Terminal};
pub use confinement::{Backend, Confinement, Network, Temporary, Walls};
pub use denial::{Certainty, Denial, Denied};
pub use error::Error;
pub use jobs::{Job, JobId, Jobs};
pub use limits::{
    INPUT_WAIT, JOB_WALL_TIME, JOBS_RUNNING_MAX, KILL_GRACE, Limits, OUTPUT_BYTES_MAX,
    OUTPUT_DRAIN, WALL_TIME,
};
pub use loopback::Loopback;
pub use measure::measure;
pub use outcome::{End, Outcome};
pub use run::{run, run_told};
pub use running::{Running, State, start};
pub use support::{Support, probe};
