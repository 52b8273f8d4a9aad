//! Keeping the files around a turn: before its first call that may change some, and at its end. A
//! turn that only talks or looks costs nothing, and one without a snapshot goes on.

use std::sync::Mutex;

use codewhale_protocol::runtime::Timestamp;
use codewhale_snapshots::SnapshotId;
use codewhale_store::{Batch, Durability, SnapshotKind, SnapshotRow};

use super::Desk;
use crate::limits;
use crate::snapshots::{NoSnapshot, seconds};

/// What is to be kept for a turn, and how far that is.
pub(crate) struct Shots {
    workspace: String,
    /// What was asked, for the label.
    said: String,
    standing: Mutex<Standing>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Nothing could have changed yet.
    Untouched,
    /// How it was before is kept.
    Kept,
    /// It could not be.
    Without,
}

impl Shots {
    pub(crate) fn new(workspace: &str, said: &str) -> Self {
        let said = said.lines().next().unwrap_or_default();
        Self {
            workspace: workspace.to_owned(),
            said: said.chars().take(limits::LABEL_SAID_CHARS_MAX).collect(),
            standing: Mutex::new(Standing::Untouched),
        }
    }

    fn standing(&self) -> Standing {
        *self.lock()
    }

    fn stand(&self, standing: Standing) {
        *self.lock() = standing;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Standing> {
        self.standing
            .lock()
            .expect("nothing panics while it holds this")
    }
}

impl Desk {
    /// Keeps the files, unless that was done, because a call may change some now.
    pub(crate) async fn keep_before(&self) {
        if self.shots.standing() != Standing::Untouched {
            return;
        }
        let kept = self.keep_files(SnapshotKind::PreTurn).await;
        let kept = match kept {
            Ok(()) => Standing::Kept,
            Err(reason) => {
                self.go_without(&reason);
                Standing::Without
            }
        };
        self.shots.stand(kept);
    }

    /// Keeps the files as the turn leaves them, if some may have changed.
    pub(crate) async fn keep_after(&self) {
        if self.shots.standing() != Standing::Kept {
            return;
        }
        if let Err(reason) = self.keep_files(SnapshotKind::PostTurn).await {
            self.status(&format!(
                "There is no snapshot of the files after this turn, so undo will ask again: {reason}."
            ));
        }
    }

    async fn keep_files(&self, kind: SnapshotKind) -> Result<(), NoSnapshot> {
        let side = self.core.side_to_keep(&self.shots.workspace)?;
        let visit = side.enter().await?;
        let at = self.core.env.now();
        let label = self.label(kind);
        let id = visit.take(&label, self.turn.as_str(), seconds(at)).await?;
        drop(visit);
        let id = SnapshotId::as_str(&id).to_owned();
        let mut batch = self.batch(Durability::Synced);
        self.put_row(&mut batch, id, kind, &label, at);
        self.commit(&mut self.state(), batch);
        Ok(())
    }

    fn label(&self, kind: SnapshotKind) -> String {
        let number = self.turn_ordinal + 1;
        let label = format!("{}:{number}: {}", kind.as_str(), self.shots.said);
        self.core.store.redactor().mask(&label).into_owned()
    }

    /// Writes down that the files cannot be brought back to before this turn.
    fn go_without(&self, reason: &NoSnapshot) {
        let mut batch = self.batch(Durability::Synced);
        let id = self.turn.to_string();
        let (kind, at) = (SnapshotKind::Missing, self.core.env.now());
        self.put_row(&mut batch, id, kind, &reason.to_string(), at);
        self.commit(&mut self.state(), batch);
        match reason {
            NoSnapshot::Off => {}
            NoSnapshot::Failed(error) => self.status(&format!(
                "There is no snapshot of the files before this turn, so undo will not bring them \
                 back: {error}."
            )),
        }
    }

    fn put_row(
        &self,
        batch: &mut Batch,
        id: String,
        kind: SnapshotKind,
        label: &str,
        at: Timestamp,
    ) {
        let label = batch.seal(label);
        batch.put_snapshot(SnapshotRow {
            id,
            thread: self.thread.clone(),
            turn: Some(self.turn.clone()),
            workspace: self.shots.workspace.clone(),
            kind,
            label,
            at,
            created_by: self.agents().talker.id.clone(),
            is_copy: false,
        });
    }
}
