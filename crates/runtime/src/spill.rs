//! Results of tools that are too long for the model, kept as files beside the store: one directory
//! per thread, masked like everything that is kept, forgotten after a week.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Once;

use codewhale_protocol::Redactor;
use codewhale_protocol::runtime::ThreadId;
use codewhale_tools::Results;

use crate::limits;
use crate::runtime::Core;

/// What every reference starts with.
const PREFIX: &str = "res_";

/// The results of one thread.
pub(crate) struct Spill {
    pub(crate) core: Arc<Core>,
    pub(crate) thread: ThreadId,
}

/// The place of the results of all threads.
pub(crate) struct Shelves {
    directory: PathBuf,
    redactor: Arc<Redactor>,
    cleaned: Once,
}

impl Results for Spill {
    fn keep(&self, text: &str) -> Option<String> {
        let shelves = self.core.shelves.as_ref()?;
        let reference = format!("{PREFIX}{}", self.core.env.uuid().simple());
        match shelves.keep(&self.thread, &reference, text) {
            Ok(()) => Some(reference),
            Err(error) => {
                tracing::warn!(%error, "a long result could not be kept");
                None
            }
        }
    }

    fn read(&self, reference: &str) -> Option<String> {
        self.core.shelves.as_ref()?.read(&self.thread, reference)
    }
}

impl Shelves {
    pub(crate) fn new(directory: PathBuf, redactor: Arc<Redactor>) -> Self {
        Self {
            directory,
            redactor,
            cleaned: Once::new(),
        }
    }

    fn keep(&self, thread: &ThreadId, reference: &str, text: &str) -> io::Result<()> {
        self.cleaned.call_once(|| self.forget_old());
        let directory = self.directory.join(thread.as_str());
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&directory)?;
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(directory.join(format!("{reference}.txt")))?;
        file.write_all(self.redactor.seal(text).as_str().as_bytes())
    }

    fn read(&self, thread: &ThreadId, reference: &str) -> Option<String> {
        let digits = reference.strip_prefix(PREFIX)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let directory = self.directory.join(thread.as_str());
        fs::read_to_string(directory.join(format!("{reference}.txt"))).ok()
    }

    /// Removes what is older than a week. What cannot be removed now can be later.
    fn forget_old(&self) {
        let threads = entries(&self.directory);
        for thread in threads {
            for file in entries(&thread).into_iter().filter(|file| is_old(file)) {
                let _ = fs::remove_file(file);
            }
            // Only one that has become empty goes.
            let _ = fs::remove_dir(thread);
        }
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(directory).into_iter().flatten().flatten();
    found.map(|entry| entry.path()).collect()
}

fn is_old(file: &Path) -> bool {
    let written = file.symlink_metadata().and_then(|found| found.modified());
    written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > limits::RESULTS_KEPT))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use codewhale_protocol::Secret;

    use super::*;

    fn shelves(directory: &Path) -> Shelves {
        let redactor = Redactor::new(&[Secret::new("the-secret-key")]);
        Shelves::new(directory.join("tool_outputs"), Arc::new(redactor))
    }

    #[test]
    fn a_result_is_read_back_by_its_own_thread_only_and_without_secrets() {
        let home = tempfile::tempdir().unwrap();
        let shelves = shelves(home.path());
        let (one, other) = (ThreadId::from("thr_1"), ThreadId::from("thr_2"));
        shelves.keep(&one, "res_1", "with the-secret-key").unwrap();
        let read = shelves.read(&one, "res_1").unwrap();
        assert!(read.starts_with("with ") && !read.contains("the-secret-key"));
        assert_eq!(shelves.read(&other, "res_1"), None);
        assert_eq!(shelves.read(&other, "res_../thr_1/res_1"), None);
        assert_eq!(shelves.read(&other, "../thr_1/res_1"), None);
    }

    #[test]
    fn what_is_older_than_a_week_is_forgotten_at_the_first_keeping() {
        let home = tempfile::tempdir().unwrap();
        let thread = ThreadId::from("thr_1");
        shelves(home.path()).keep(&thread, "res_1", "old").unwrap();
        let file = home.path().join("tool_outputs/thr_1/res_1.txt");
        let long_ago = SystemTime::UNIX_EPOCH;
        File::options()
            .write(true)
            .open(file)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
        let shelves = shelves(home.path());
        shelves
            .keep(&ThreadId::from("thr_2"), "res_2", "new")
            .unwrap();
        assert_eq!(shelves.read(&thread, "res_1"), None);
        assert!(!home.path().join("tool_outputs/thr_1").exists());
    }
}
