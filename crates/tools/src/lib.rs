//! The tools an agent works with.
//!
//! A [`Tool`] is one file: its input type (whose doc comment is what the model reads), how it is
//! prepared, how it runs, its tests. Preparing reads the input and says what would happen; running
//! does exactly that and nothing else, so that what was approved is what runs. A failure is a
//! result the model reads, with the next step in it.
//!
//! Must not know: models, the store, the engine. Start reading at [`Tool`] and [`Registry`].

mod agent;
mod apply_patch;
mod blocking;
mod buffers;
mod context;
mod crew;
mod diff;
mod digest;
mod edit_file;
mod exec_shell;
mod expected;
mod fetch_url;
mod file_search;
mod files;
mod git;
mod globs;
mod goals;
mod grep_files;
mod kind;
mod library;
mod limits;
mod list_dir;
mod live;
mod load_skill;
mod memory_get;
mod memory_search;
mod missing;
mod near;
mod paths;
mod person;
mod pictures;
mod prepared;
mod read_file;
mod registry;
mod remember;
mod request_user_input;
mod results;
mod retrieve_tool_result;
mod roots;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_library;
mod todo_write;
mod tool;
mod typed;
pub mod user_tools;
mod walk;
mod write_file;

pub use buffers::OpenFiles;
pub use context::Context;
pub use crew::{Agents, Goals, Halt, Manner, Order, Refusal, Until, Verdict};
pub use fetch_url::{FetchUrl, Reach};
pub use git::repository::{Repository, StandIn};
pub use library::{
    Catalogue, Library, LibraryError, MemoryChange, MemoryPlan, MemoryStep, Note, Scope, Skill,
};
pub use live::Live;
pub use person::{Person, Unanswered};
pub use pictures::Pictures;
pub use prepared::{Output, Prepared, Preview};
pub use registry::Registry;
pub use remember::note_text;
pub use results::{Fitted, Results, fit};
pub use tool::{Names, Spec, Tool};
