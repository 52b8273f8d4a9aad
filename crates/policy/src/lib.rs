//! The law: whether a call may run, and who is asked. Pure: no clock, no files, no prompts.
//!
//! A tool states its [`Demand`]; the thread and turn give the [`Authority`]; the user's rules stand
//! in the [`Law`]; [`decide`] answers with a [`Decision`] that names the rule it followed.
//!
//! ```text
//! mode and thread admit it? ─► rules (deny > ask > allow) ─► harm? ─► walls wide enough?
//!                              ─► proven to only look? ─► approval policy ─► posture answers
//! ```
//!
//! A later step only tightens what an earlier one left, and a deny holds in every posture. Commands
//! are read as the shell reads them ([`shell`]); what cannot be read is never taken for harmless.
//!
//! Must not know: IO of any kind. Start reading at [`decide`].

mod arity;
mod authority;
mod decide;
mod decision;
mod demand;
mod harm;
mod law;
mod limits;
mod network;
mod paths;
mod prefix;
mod question;
mod rule;
mod ruling;
mod safe;
pub mod shell;

pub use authority::{Authority, Confinement};
pub use decide::{Call, decide, decide_with_person, offers, wants_wider_walls};
pub use decision::{
    Amendments, Answerer, Decision, ExecPolicyAmendment, ExecPolicyDecision, Requirement, Verdict,
};
pub use demand::{Act, Demand, Execution, File, Host, McpCall, Walls};
pub use law::Law;
pub use network::{HostVerdict, NetworkDefault, NetworkPolicy};
pub use rule::{Action, Layer, Rule};
