//! Restore: all files of a workspace as a snapshot has them.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{Right, SnapshotsRestore};
use codewhale_protocol::runtime::{SnapshotRestored, SnapshotsRestoreParams, Timestamp};
use codewhale_snapshots::{SideRepository, SnapshotId};
use codewhale_store::{Batch, Located, SnapshotKind, SnapshotRow, StoredSnapshot};

use super::restoration::Moving;
use super::{NoSnapshot, seconds};
use crate::Error;
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::threads::{Cut, ForkSource};

impl Handler<SnapshotsRestore> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SnapshotsRestoreParams,
    ) -> Result<SnapshotRestored, Error> {
        self.restore(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: SnapshotsRestoreParams,
        once: Once,
    ) -> Result<SnapshotRestored, Error> {
        self.restore(caller, params, Some(once)).await
    }
}

const GONE: Error = Error::NotFound { what: "snapshot" };

/// What to go back to.
struct Target {
    id: SnapshotId,
    workspace: String,
    side: SideRepository,
    /// What it belongs to. Nothing when the process was cut off before that was written down.
    row: Option<StoredSnapshot>,
}

impl Core {
    /// Restores, whether whoever asked stays to hear of it or not.
    async fn restore(
        self: &Arc<Self>,
        caller: &Caller,
        params: SnapshotsRestoreParams,
        once: Option<Once>,
    ) -> Result<SnapshotRestored, Error> {
        let id = SnapshotId::read(&params.snapshot_id).ok_or(GONE)?;
        let target = self.target(caller, id).await?;
        let (core, caller) = (Arc::clone(self), caller.clone());
        let work = async move { core.restore_whole(&caller, target, once).await };
        self.tasks.spawn(work).await.map_err(|_| Error::Closing)?
    }

    /// Finds a snapshot, if the caller may go there.
    async fn target(&self, caller: &Caller, id: SnapshotId) -> Result<Target, Error> {
        let row = self.store.read(|reader| reader.snapshot(id.as_str()))?;
        let workspace = row.as_ref().map(|row| row.workspace.clone());
        let workspace = workspace.unwrap_or_else(|| self.workspace.clone());
        let room = self
            .store
            .read(|reader| reader.room_of_workspace(&workspace))?;
        let located = match (&row, &room) {
            (Some(row), _) => Located::Thread(&row.thread),
            (None, Some(room)) => Located::Room(room),
            (None, None) => return Err(GONE),
        };
        let may = self.require_right(caller, Right::Run, located);
        may.map_err(|error| match error {
            Error::NotFound { .. } => GONE,
            error => error,
        })?;
        let side = self.side_of(&workspace).map_err(|error| match error {
            NoSnapshot::Off => GONE,
            NoSnapshot::Failed(error) => error.into(),
        })?;
        let listed = side.list(usize::MAX).await?;
        if listed.iter().all(|snapshot| snapshot.id != id) {
            return Err(GONE);
        }
        Ok(Target {
            id,
            workspace,
            side,
            row,
        })
    }

    async fn restore_whole(
        &self,
        caller: &Caller,
        target: Target,
        once: Option<Once>,
    ) -> Result<SnapshotRestored, Error> {
        self.recover().await?;
        self.recover_files().await?;
        self.require_still(&target.workspace)?;
        let copy = match &target.row {
            Some(row) => self.copy_at(row).await?,
            None => None,
        };
        let visit = target.side.enter().await?;
        if !visit.has(&target.id).await? {
            return Err(GONE);
        }
        let at = self.env.now();
        let now = visit.now().await?;
        // Kept for itself: the snapshot may be the oldest, which makes room for the next.
        let to = visit.compose(&target.id, &[], seconds(at)).await?;
        let label = format!("pre-restore:{}", target.id);
        let note = self.env.uuid().simple().to_string();
        let from = visit.keep(&now, &label, &note, seconds(at)).await?;
        let previous = from.to_string();
        let moving = Moving {
            kept: target
                .row
                .as_ref()
                .map(|row| self.pre_restore(caller, row, &from, &label, at)),
            workspace: target.workspace,
            visit,
            from,
            to,
        };
        let mut restored = SnapshotRestored {
            restored: target.id.to_string(),
            previous,
            files: Vec::new(),
            thread: None,
        };
        let finish = |batch: &mut Batch, files: &[String]| {
            restored.files = files.to_vec();
            restored.thread =
                copy.map(|(source, cut)| self.fork_into(batch, caller, &source, cut.as_ref()));
            if let Some(once) = once {
                once.settle(self, batch, &restored);
            }
        };
        self.carry_out(moving, finish).await?;
        Ok(restored)
    }

    /// What the snapshot before a move belongs to: the same as the one that is gone back to.
    pub(super) fn pre_restore(
        &self,
        caller: &Caller,
        target: &StoredSnapshot,
        id: &SnapshotId,
        label: &str,
        at: Timestamp,
    ) -> SnapshotRow {
        SnapshotRow {
            id: id.to_string(),
            thread: target.thread.clone(),
            turn: None,
            workspace: target.workspace.clone(),
            kind: SnapshotKind::PreRestore,
            label: self.store.redactor().seal(label),
            at,
            created_by: self.caller_stamp(caller).id.clone(),
            is_copy: false,
        }
    }

    /// The conversation that belongs to a snapshot, when it is one of a turn.
    async fn copy_at(
        &self,
        row: &StoredSnapshot,
    ) -> Result<Option<(ForkSource, Option<Cut>)>, Error> {
        let Some(turn) = &row.turn else {
            return Ok(None);
        };
        let source = self.fork_source(row.thread.clone()).await?;
        let place = source.turns.iter().position(|it| it.record.id == *turn);
        let Some(place) = place else {
            return Ok(None);
        };
        let first = match row.kind {
            SnapshotKind::PreTurn => place,
            SnapshotKind::PostTurn => place + 1,
            SnapshotKind::PreRestore | SnapshotKind::Missing => return Ok(None),
        };
        let cut = source.cut_at_turn(first);
        Ok(Some((source, cut)))
    }
}
