//! Restore points of a workspace, kept in a git repository beside it.
//!
//! [`SideRepository`] is the place; [`SideRepository::enter`] waits for one's turn there and gives a
//! [`Visit`], which takes snapshots, compares them and prepares a [`Move`] of files from one to
//! another. Bytes are kept exactly as they are: no configuration and no attribute of a person or a
//! repository has a say, and the workspace's own `.git` is never touched.
//!
//! What is left out: what the workspace ignores, directories that tools fill (`node_modules` and the
//! like), repositories inside the workspace, very large files, and empty directories.
//!
//! Must not know: threads, turns, the store. Start reading at [`SideRepository`].
#![warn(missing_docs)]

mod blocking;
mod changes;
mod error;
mod files;
mod git;
mod history;
mod limits;
mod lock;
mod moves;
mod place;
mod repository;

pub use changes::{Change, Entry};
pub use error::Error;
pub use history::{Snapshot, SnapshotId};
pub use limits::{Bounds, SNAPSHOTS_KEPT_MAX};
pub use moves::{Move, Moved};
pub use repository::{Settings, SideRepository, Visit};
