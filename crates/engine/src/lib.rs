//! The engine: one turn, from a conversation to its end.
//!
//! [`run`] is a short loop: ask the model, show what it says, run the tools it calls, ask again.
//! Everything it does to the world goes through four seams: the model, the tools, the clock of
//! tokio, and the [`Host`] that owns the turn. Its decisions (what to send, when to try again,
//! what a failure means) are pure functions beside the loop.
//!
//! Must not know: the store, threads, HTTP, a terminal. Start reading at [`run`], then [`Host`].

mod answer;
mod call;
mod chain;
mod compaction;
mod context;
mod hooks;
mod host;
mod limits;
mod live;
mod outcome;
mod retry;
mod shorten;
mod turn;

pub use answer::TextKind;
pub use call::Asking;
pub use chain::Chain;
pub use context::{
    KeptNote, ListedSkill, NOT_RUN, OUTCOME_UNKNOWN, Problem, SkillListing, Sources, Standing,
    TurnMetas, compaction_metadata, conversation, count_skills, cut_off, tool_metadata,
    tools_update,
};
pub use hooks::{
    CallFacts, Condition, ConditionError, Hook, HookEvent, HookKeeper, HookSource, Hooks, Moment,
    Stage, Stopped, ToolCategory,
};
pub use host::{Answer, Closing, Compacted, Host, Note, Opening, Purpose, Question, Unsettled};
pub use limits::STEPS_MAX;
pub use outcome::{Failure, Outcome, TurnEnd};
pub use retry::RetryPolicy;
pub use turn::{Prefix, Turn, call, compact, offered, run};
