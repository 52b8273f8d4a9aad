//! The law: whether a call may run, and who is asked. Pure: no clock, no files, no prompts.
//!
//! A tool states its [`Demand`]; the thread and turn give the [`Authority`]; [`decide`] answers
//! with a [`Decision`] that names the rule it followed. Layers only tighten: mode, then what the
//! thread admits, then the demand itself, then the posture.
//!
//! Must not know: IO of any kind. Start reading at [`decide`].

mod decide;
mod demand;
mod law;

pub use decide::{Answerer, Authority, Call, Decision, Verdict, decide, offers};
pub use demand::{Act, Demand, Execution, File, Host, Walls};
pub use law::Law;
