//! The tools an agent works with.
//!
//! A [`Tool`] is one file: its input type (whose doc comment is what the model reads), how it is
//! prepared, how it runs, its tests. Preparing reads the input and says what would happen; running
//! does exactly that and nothing else, so that what was approved is what runs. A failure is a
//! result the model reads, with the next step in it.
//!
//! Must not know: models, the store, the engine. Start reading at [`Tool`] and [`Registry`].

mod blocking;
mod context;
mod diff;
mod digest;
mod exec_shell;
mod kind;
mod limits;
mod list_dir;
mod missing;
mod paths;
mod prepared;
mod read_file;
mod registry;
#[cfg(test)]
mod testing;
mod tool;
mod typed;
mod write_file;

pub use context::Context;
pub use prepared::{Output, Prepared, Preview};
pub use registry::Registry;
pub use tool::{Spec, Tool};
