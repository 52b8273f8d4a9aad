//! What a client lends to a thread for as long as it is there: files as its person sees them, servers
//! of tools, and its attention. A door hands it to whatever runs threads in the same process.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::ErrorBody;
use crate::runtime::{ItemId, ThreadId};
use crate::service::BoxFuture;

/// Files as they are in an editor, saved or not.
pub trait Buffers: Send + Sync {
    /// The text of a file there; nothing when the editor cannot tell, and the disk decides.
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Option<String>>;

    /// Has the editor put this text into a file and save it. An error says why it did not.
    fn write<'a>(&'a self, path: &'a Path, text: &'a str) -> BoxFuture<'a, Result<(), String>>;
}

impl fmt::Debug for dyn Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Buffers")
    }
}

/// Somebody who shows what calls do while they run.
pub trait Watcher: Send + Sync {
    /// The call of an item runs now: it was allowed, and its item was begun. Must not wait.
    fn runs(&self, item: &ItemId);
}

impl fmt::Debug for dyn Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watcher")
    }
}

/// What is lent.
#[derive(Clone, Default, Debug)]
pub struct Lent {
    /// The files of the client.
    pub buffers: Option<Arc<dyn Buffers>>,
    /// Its MCP servers, in the form of `mcp.json`.
    pub servers: Option<LentServers>,
    /// Who watches its calls.
    pub watcher: Option<Arc<dyn Watcher>>,
}

/// Servers of tools, which may hold secrets: not shown.
#[derive(Clone)]
pub struct LentServers(pub String);

impl fmt::Debug for LentServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LentServers(..)")
    }
}

/// Whoever runs threads and can use what is lent.
pub trait Lender: Send + Sync {
    /// Lends to a thread, in place of what was lent before. Waits until servers were heard of, and
    /// tells what could not be used of them.
    fn lend<'a>(
        &'a self,
        thread: &'a ThreadId,
        lent: Lent,
    ) -> BoxFuture<'a, Result<Vec<String>, ErrorBody>>;

    /// Takes back what was lent to a thread.
    fn take_back<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, ()>;
}
