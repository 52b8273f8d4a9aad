//! What the model reads: the standing instructions, and the conversation told by the items.

mod front_matter;
mod instructions;
mod limits;
mod memory;
mod prompt;
mod repository;
mod skills;
mod sources;
#[cfg(test)]
mod testing;
mod text;
mod told;

pub use memory::KeptNote;
pub use prompt::tools_update;
pub use skills::{ListedSkill, SkillListing, count_skills};
pub use sources::{Problem, Sources, Standing};
pub use told::{
    NOT_RUN, OUTCOME_UNKNOWN, TurnMetas, compaction_metadata, conversation, cut_off, tool_metadata,
};
