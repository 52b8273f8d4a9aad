//! Which files go back when turns are undone, and whether someone else has changed them since.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codewhale_snapshots::{Change, Entry, Error as Side, SnapshotId, Visit};
use codewhale_store::{SnapshotKind, StoredSnapshot, StoredTurn};

use super::NoSnapshot;
use crate::runtime::Core;
use crate::{Error, limits};

/// Turns that are to be undone, with what is known of their files.
pub(super) struct Dropped<'a> {
    pub(super) turns: &'a [StoredTurn],
    pub(super) snapshots: &'a [StoredSnapshot],
}

/// What becomes of the files.
pub(super) enum Plan {
    /// They stay as they are, for this reason.
    Stay(String),
    /// Some go back.
    Go(Box<Going>),
}

/// Files that go back.
pub(super) struct Going {
    pub(super) visit: Visit,
    pub(super) workspace: String,
    /// The files as they are.
    pub(super) now: SnapshotId,
    /// What is to be where.
    pub(super) parts: Vec<(PathBuf, Option<Entry>)>,
    /// The snapshot before the first of the turns.
    pub(super) first: StoredSnapshot,
}

/// The snapshots around one turn.
struct Around<'a> {
    before: &'a StoredSnapshot,
    /// Missing when the turn was cut off.
    after: Option<&'a StoredSnapshot>,
}

/// A file that the turns changed.
struct Touched {
    /// How it was before the first of them that changed it.
    target: Option<Entry>,
    /// How the last of them left it.
    left: Option<Entry>,
    /// Which one that was.
    by: usize,
    /// Whether someone else changed it since, or may have.
    is_contested: bool,
}

impl Core {
    /// Looks what undoing would do to the files. Changes none.
    pub(super) async fn plan(&self, dropped: &Dropped<'_>, force: bool) -> Result<Plan, Error> {
        let around = match dropped.around() {
            Ok(around) if around.is_empty() => {
                let nothing = "What was undone had changed no files.";
                return Ok(Plan::Stay(nothing.to_owned()));
            }
            Ok(around) => around,
            Err(reason) => return Ok(Plan::Stay(reason)),
        };
        let workspace = around[0].before.workspace.clone();
        let side = match self.side_of(&workspace) {
            Ok(side) => side,
            Err(reason) => return Ok(stay(&reason)),
        };
        let visit = match side.enter().await {
            Ok(visit) => visit,
            Err(Side::Busy) => return Err(Side::Busy.into()),
            Err(error) => return Ok(stay(&error.into())),
        };
        let beside = self.beside(dropped, &workspace)?;
        let look = compare(&visit, &around, &turns_in(&beside)).await;
        let (now, touched) = match look {
            Ok(look) => look,
            Err(error) => return Ok(stay(&error.into())),
        };
        let contested = touched.iter().filter(|(_, it)| it.is_contested);
        let contested: Vec<String> = contested.map(|(path, _)| shown(path)).collect();
        if !force && !contested.is_empty() {
            return Err(Error::FilesChanged { files: contested });
        }
        let parts = touched.into_iter().map(|(path, it)| (path, it.target));
        Ok(Plan::Go(Box::new(Going {
            parts: parts.collect(),
            first: around[0].before.clone(),
            visit,
            workspace,
            now,
        })))
    }
}

impl Core {
    /// What others kept in the same workspace. What sub-agents do is done by the turn that has them.
    fn beside(
        &self,
        dropped: &Dropped<'_>,
        workspace: &str,
    ) -> Result<Vec<StoredSnapshot>, codewhale_store::Error> {
        self.store.read(|reader| {
            let mut beside = reader.snapshots_in(workspace, limits::SNAPSHOTS_BESIDE)?;
            if let Some(turn) = dropped.turns.first() {
                let below =
                    reader.agent_runs_below(&turn.record.thread_id, limits::AGENT_RUNS_MAX)?;
                beside.retain(|it| !below.iter().any(|run| run.kin.thread == it.thread));
            }
            Ok(beside)
        })
    }
}

/// A path for people.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn stay(reason: &NoSnapshot) -> Plan {
    Plan::Stay(format!("The files were left as they are: {reason}."))
}

impl Dropped<'_> {
    /// The snapshots around the turns that changed something, or why that is not known of all.
    fn around(&self) -> Result<Vec<Around<'_>>, String> {
        let mut all: Vec<Around<'_>> = Vec::new();
        for turn in self.turns {
            let of = |kind| {
                let mut own = self.snapshots.iter();
                own.find(|it| it.turn.as_ref() == Some(&turn.record.id) && it.kind == kind)
            };
            let number = turn.ordinal + 1;
            if of(SnapshotKind::Missing).is_some() {
                return Err(format!(
                    "Turn {number} may have changed files and has no snapshot: the files were left \
                     as they are."
                ));
            }
            let Some(before) = of(SnapshotKind::PreTurn) else {
                continue;
            };
            if all
                .first()
                .is_some_and(|it| it.before.workspace != before.workspace)
            {
                return Err(
                    "The turns worked in different directories: the files were left as \
                            they are."
                        .to_owned(),
                );
            }
            let after = of(SnapshotKind::PostTurn);
            all.push(Around { before, after });
        }
        Ok(all)
    }
}

/// The files as they are, and those that the turns changed and that are not as before.
async fn compare(
    visit: &Visit,
    around: &[Around<'_>],
    beside: &[Around<'_>],
) -> Result<(SnapshotId, BTreeMap<PathBuf, Touched>), Side> {
    let now = visit.now().await?;
    let mut touched = BTreeMap::new();
    for (by, turn) in around.iter().enumerate() {
        let before = read(turn.before)?;
        let after = turn.after.map(read).transpose()?;
        let changes = visit
            .changes(&before, after.as_ref().unwrap_or(&now))
            .await?;
        for change in changes {
            note(&mut touched, change, by, after.is_none());
        }
    }
    for (by, turn) in around.iter().enumerate() {
        let Some(after) = turn.after.map(read).transpose()? else {
            continue;
        };
        for change in visit.changes(&after, &now).await? {
            if let Some(it) = touched.get_mut(&change.path).filter(|it| it.by == by) {
                it.is_contested = true;
                it.left = change.after;
            }
        }
    }
    for path in changed_beside(visit, around, beside).await? {
        if let Some(it) = touched.get_mut(&path) {
            it.is_contested = true;
        }
    }
    // By now `left` is how the file is.
    touched.retain(|_, it| it.left != it.target);
    Ok((now, touched))
}

/// All turns that snapshots were taken around.
fn turns_in(snapshots: &[StoredSnapshot]) -> Vec<Around<'_>> {
    let starts = snapshots
        .iter()
        .filter(|it| it.kind == SnapshotKind::PreTurn);
    let around = starts.map(|before| {
        let mut ends = snapshots.iter().filter(|it| it.turn == before.turn);
        let after = ends.find(|it| it.kind == SnapshotKind::PostTurn);
        Around { before, after }
    });
    around.collect()
}

/// Files that others changed while the turns ran: nobody can tell whose changes lie between the
/// snapshots then.
async fn changed_beside(
    visit: &Visit,
    around: &[Around<'_>],
    beside: &[Around<'_>],
) -> Result<Vec<PathBuf>, Side> {
    let kept = visit.list(usize::MAX).await?;
    let order = Order(kept.iter().rev().map(|it| it.id.as_str()).collect());
    let mut paths = Vec::new();
    for turn in around {
        for other in beside.iter().filter(|other| order.overlap(turn, other)) {
            let Some(end) = other.after.or(turn.after) else {
                continue;
            };
            match visit.changes(&read(other.before)?, &read(end)?).await {
                Ok(changes) => paths.extend(changes.into_iter().map(|change| change.path)),
                // Too long ago to be kept.
                Err(Side::Unknown) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(paths)
}

/// The snapshots in the order they were taken. Clocks do not tell it: they differ and go back.
struct Order<'a>(Vec<&'a str>);

impl Order<'_> {
    fn place(&self, snapshot: &StoredSnapshot) -> Option<usize> {
        self.0.iter().position(|id| *id == snapshot.id)
    }

    /// Whether two turns were at work at the same time, as far as that is still known. One that was
    /// cut off counts for the moment it began.
    fn overlap(&self, turn: &Around<'_>, other: &Around<'_>) -> bool {
        if turn.before.id == other.before.id {
            return false;
        }
        let ends = [turn.after, other.after.or(Some(other.before))];
        let [end, other_end] = ends.map(|it| it.and_then(|it| self.place(it)));
        let begin = self.place(turn.before);
        let other_begin = self.place(other.before);
        let is_before = end.is_some() && end < other_begin;
        !is_before && other_end > begin
    }
}

fn note(touched: &mut BTreeMap<PathBuf, Touched>, change: Change, by: usize, is_open: bool) {
    let Change {
        path,
        before,
        after,
    } = change;
    let known = touched.entry(path).or_insert_with(|| Touched {
        target: before.clone(),
        left: before.clone(),
        by,
        is_contested: false,
    });
    // Between two of the turns it became something else; or the turn has no end, and nobody knows
    // whose change this is.
    known.is_contested |= known.left != before || is_open;
    known.left = after;
    known.by = by;
}

fn read(snapshot: &StoredSnapshot) -> Result<SnapshotId, Side> {
    SnapshotId::read(&snapshot.id).ok_or(Side::Unknown)
}
