//! Restore: all files of a workspace as a snapshot has them.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{Right, SnapshotsRestore};
use codewhale_protocol::runtime::{SnapshotRestored, SnapshotsRestoreParams, ThreadId};
use codewhale_snapshots::SnapshotId;
use codewhale_store::{Batch, Located, SnapshotKind, SnapshotRow, StoredSnapshot};

use super::restoration::Moving;
use super::{NoSnapshot, seconds};
use crate::Error;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::threads::{Cut, ForkSource};

impl Handler<SnapshotsRestore> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SnapshotsRestoreParams,
    ) -> Result<SnapshotRestored, Error> {
        let id = SnapshotId::read(&params.snapshot_id).ok_or(GONE)?;
        let row = self.store.read(|reader| reader.snapshot(id.as_str()))?;
        let row = row.ok_or(GONE)?;
        self.require_right(caller, Right::Run, Located::Thread(&row.thread))
            .map_err(|error| match error {
                Error::NotFound { .. } => GONE,
                error => error,
            })?;
        let (core, caller) = (Arc::clone(self), caller.clone());
        let work = async move { core.restore(&caller, &id, &row).await };
        self.tasks.spawn(work).await.map_err(|_| Error::Closing)?
    }
}

const GONE: Error = Error::NotFound { what: "snapshot" };

impl Core {
    async fn restore(
        &self,
        caller: &Caller,
        id: &SnapshotId,
        row: &StoredSnapshot,
    ) -> Result<SnapshotRestored, Error> {
        self.recover().await?;
        self.recover_files().await?;
        self.require_still(&row.workspace)?;
        let copy = self.copy_at(row).await?;
        let side = self.side_of(&row.workspace).map_err(|error| match error {
            NoSnapshot::Off => GONE,
            NoSnapshot::Failed(error) => error.into(),
        })?;
        let visit = side.enter().await?;
        if !visit.has(id).await? {
            return Err(GONE);
        }
        let at = self.env.now();
        let now = visit.now().await?;
        // Kept for itself: the snapshot may be the oldest, which makes room for the next.
        let to = visit.compose(id, &[], seconds(at)).await?;
        let label = format!("pre-restore:{id}");
        let note = self.env.uuid().simple().to_string();
        let from = visit.keep(&now, &label, &note, seconds(at)).await?;
        let previous = from.to_string();
        let kept = SnapshotRow {
            id: previous.clone(),
            thread: row.thread.clone(),
            turn: None,
            workspace: row.workspace.clone(),
            kind: SnapshotKind::PreRestore,
            label: self.store.redactor().seal(&label),
            at,
            created_by: self.caller_stamp(caller).id.clone(),
            is_copy: false,
        };
        let moving = Moving {
            workspace: row.workspace.clone(),
            visit,
            from,
            to,
        };
        let mut thread = None;
        let finish = |batch: &mut Batch| {
            batch.put_snapshot(kept);
            thread = copy.map(|(source, cut)| self.fork_into(batch, caller, &source, cut.as_ref()));
        };
        let files = self.carry_out(moving, finish).await?;
        Ok(SnapshotRestored {
            restored: id.to_string(),
            previous,
            files,
            thread,
        })
    }

    /// The conversation that belongs to a snapshot, when it is one of a turn.
    async fn copy_at(
        &self,
        row: &StoredSnapshot,
    ) -> Result<Option<(ForkSource, Option<Cut>)>, Error> {
        let Some(turn) = &row.turn else {
            return Ok(None);
        };
        let thread: ThreadId = row.thread.clone();
        let source = self.fork_source(thread).await?;
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
