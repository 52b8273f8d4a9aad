//! Hooks: commands of the user's that run when something happens, and may have a say in it.
//!
//! ```text
//! Moment ──► which hooks listen (condition.rs) ──► each is run (run.rs) ──► what it said (verdict.rs)
//!   what happens, as variables and JSON                  in the sandbox         stop, ask, change, go on
//! ```
//!
//! A hook tightens and never widens: it can stop a call, make a person be asked, or change what is
//! asked for before the law looks at it. Its yes means no more than its silence. Hooks of a repository
//! run first and between walls, so that the user's own see what really would happen.
//!
//! Must not know: where hooks are configured, the store. Start reading at [`Hooks`].

mod condition;
mod hook;
mod moment;
mod run;
mod shell_env;
mod stage;
mod steer;
mod verdict;

pub use condition::{Condition, ConditionError, ToolCategory};
pub use hook::{Hook, HookEvent, HookSource};
pub use moment::{CallFacts, Moment};
pub use stage::{HookKeeper, Hooks, Stage};
pub use steer::Stopped;
pub(crate) use steer::{Ruling, Steered};
