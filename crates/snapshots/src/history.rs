//! The snapshots that are kept, and which of them go.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use crate::blocking::blocking;
use crate::git::Git;
use crate::{Error, Visit, limits};

/// The name of a snapshot: that of a commit in the side repository.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnapshotId(String);

impl SnapshotId {
    /// Reads a name. `None` for text that cannot be one.
    pub fn read(text: &str) -> Option<Self> {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_name = matches!(text.len(), 40 | 64) && text.bytes().all(is_hex);
        is_name.then(|| Self(text.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One snapshot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Its name.
    pub id: SnapshotId,
    /// What it was taken for.
    pub label: String,
    /// When, in seconds since the epoch.
    pub at: i64,
    /// Its number: newer ones have higher ones.
    number: u64,
}

/// Where the names of snapshots stand.
const SNAPSHOTS: &str = "refs/snapshots/";
/// Where the names of trees stand that files are being moved to.
const PLANS: &str = "refs/plans/";

/// Everyone is nobody here.
const NOBODY: &str = "codewhale";

impl Visit {
    /// Keeps the files as they are now. `note` makes the name differ from that of any other
    /// snapshot; `at` is in seconds since the epoch.
    pub async fn take(&self, label: &str, note: &str, at: i64) -> Result<SnapshotId, Error> {
        let tree = self.now().await?;
        self.keep(&tree, label, note, at).await
    }

    /// Keeps a tree that was read before.
    pub async fn keep(
        &self,
        tree: &SnapshotId,
        label: &str,
        note: &str,
        at: i64,
    ) -> Result<SnapshotId, Error> {
        let id = self.commit(tree, label, note, at).await?;
        let before = self.list(usize::MAX).await?;
        let number = before.first().map_or(1, |newest| newest.number + 1);
        let name = format!("{SNAPSHOTS}{number:010}");
        self.git
            .run(["update-ref", &name, id.as_str()], Vec::new())
            .await?;
        self.drop_old(before, at).await?;
        if number % limits::TIDY_EVERY == 0 {
            self.forget_plans(at).await?;
            self.tidy().await?;
        }
        Ok(id)
    }

    pub(crate) async fn commit(
        &self,
        tree: &SnapshotId,
        label: &str,
        note: &str,
        at: i64,
    ) -> Result<SnapshotId, Error> {
        let label: String = label
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .take(limits::LABEL_CHARS_MAX)
            .collect();
        let mut git = self.git.clone();
        for role in ["AUTHOR", "COMMITTER"] {
            git = git
                .with(&format!("GIT_{role}_NAME"), NOBODY.to_owned())
                .with(&format!("GIT_{role}_EMAIL"), NOBODY.to_owned())
                .with(&format!("GIT_{role}_DATE"), format!("@{at} +0000"));
        }
        let message = format!("{label}\n\n{note}\n").into_bytes();
        let id = git.line(["commit-tree", tree.as_str()], message).await?;
        SnapshotId::read(&id).ok_or(Error::Answer {
            task: "commit-tree",
        })
    }

    /// The newest snapshots, newest first.
    pub async fn list(&self, limit: usize) -> Result<Vec<Snapshot>, Error> {
        list(&self.git, limit).await
    }

    /// Whether a snapshot, or the tree of one, is still there.
    pub async fn has(&self, id: &SnapshotId) -> Result<bool, Error> {
        match self
            .git
            .run(["cat-file", "-e", id.as_str()], Vec::new())
            .await
        {
            Ok(_) => Ok(true),
            Err(Error::Git { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Keeps what files are being moved to from being tidied away.
    pub(crate) async fn hold(&self, id: &SnapshotId) -> Result<(), Error> {
        let name = format!("{PLANS}{id}");
        self.git
            .run(["update-ref", &name, id.as_str()], Vec::new())
            .await?;
        Ok(())
    }

    /// The files were moved, or will not be.
    pub async fn let_go(&self, id: &SnapshotId) -> Result<(), Error> {
        let name = format!("{PLANS}{id}");
        self.git
            .run(["update-ref", "-d", &name], Vec::new())
            .await?;
        Ok(())
    }

    /// Drops plans of processes that were cut off.
    async fn forget_plans(&self, now: i64) -> Result<(), Error> {
        let list = [
            "for-each-ref",
            "--format=%(committerdate:unix) %(refname)",
            PLANS,
        ];
        let plans = self.git.run(list, Vec::new()).await?;
        let plans = String::from_utf8_lossy(&plans);
        let is_old = |at: &str| {
            let at = at.parse::<i64>().unwrap_or(now);
            now.saturating_sub(at) > limits::PLAN_AGE_SECS_MAX
        };
        let old = plans.lines().filter_map(|line| line.split_once(' '));
        let old = old.filter(|(at, _)| is_old(at));
        let lines: String = old.map(|(_, name)| format!("delete {name}\n")).collect();
        if !lines.is_empty() {
            self.git
                .run(["update-ref", "--stdin"], lines.into_bytes())
                .await?;
        }
        Ok(())
    }

    /// Drops what is too old and too many.
    async fn drop_old(&self, before: Vec<Snapshot>, now: i64) -> Result<(), Error> {
        let age_max = i64::try_from(self.bounds.age_max.as_secs()).unwrap_or(i64::MAX);
        let is_old = |snapshot: &Snapshot| now.saturating_sub(snapshot.at) > age_max;
        let room = self.bounds.snapshots_max.saturating_sub(1);
        let old = before.into_iter().enumerate();
        let old = old.filter(|(index, snapshot)| *index >= room || is_old(snapshot));
        self.forget(old.map(|(_, snapshot)| snapshot)).await
    }

    async fn forget(&self, snapshots: impl Iterator<Item = Snapshot>) -> Result<(), Error> {
        let lines = snapshots.map(|it| format!("delete {SNAPSHOTS}{:010}\n", it.number));
        let lines: String = lines.collect();
        if !lines.is_empty() {
            let forget = ["update-ref", "--stdin"].map(OsString::from);
            self.git.run(forget, lines.into_bytes()).await?;
        }
        Ok(())
    }

    /// Frees the disk of what nothing names any more; when that is not enough, of the oldest
    /// snapshots too. Never packs: that could take any time.
    pub async fn tidy(&self) -> Result<(), Error> {
        self.git.run(["prune", "--expire=now"], Vec::new()).await?;
        if self.disk_bytes().await <= self.bounds.disk_bytes_high {
            return Ok(());
        }
        let mut kept = self.list(usize::MAX).await?;
        while kept.len() > 1 && self.disk_bytes().await > self.bounds.disk_bytes_low {
            let oldest = kept.split_off(kept.len() - kept.len().div_ceil(8));
            self.forget(oldest.into_iter()).await?;
            self.git.run(["prune", "--expire=now"], Vec::new()).await?;
        }
        Ok(())
    }

    async fn disk_bytes(&self) -> u64 {
        let objects = self.git_dir.join("objects");
        blocking(move || bytes_below(&objects)).await
    }
}

/// The newest snapshots, newest first.
pub(crate) async fn list(git: &Git, limit: usize) -> Result<Vec<Snapshot>, Error> {
    const FORMAT: &str = "--format=%(refname:lstrip=2)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)";
    let list = ["for-each-ref", "--sort=-refname", FORMAT, SNAPSHOTS];
    let answer = git.run(list, Vec::new()).await?;
    let answer = String::from_utf8_lossy(&answer);
    let read = answer.lines().take(limit).map(read_line);
    let read: Option<Vec<Snapshot>> = read.collect();
    read.ok_or(Error::Answer {
        task: "for-each-ref",
    })
}

fn read_line(line: &str) -> Option<Snapshot> {
    let mut parts = line.splitn(4, '\0');
    let number = parts.next()?.parse().ok()?;
    Some(Snapshot {
        id: SnapshotId::read(parts.next()?)?,
        at: parts.next()?.parse().ok()?,
        label: parts.next()?.to_owned(),
        number,
    })
}

fn bytes_below(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    bytes.sum()
}
