//! A move of files that is whole or not at all, together with what the log says of it.

use std::sync::{Arc, MutexGuard};

use codewhale_snapshots::{Move, Moved, SnapshotId, Visit};
use codewhale_store::{Batch, Durability, Guard, Restoration, SnapshotRow};

use super::plan::shown;
use crate::runtime::Core;
use crate::{Error, limits};

/// A move of files that is about to begin.
pub(super) struct Moving {
    pub(super) visit: Visit,
    pub(super) workspace: String,
    /// How the files are.
    pub(super) from: SnapshotId,
    /// How they are to be; kept for this move alone.
    pub(super) to: SnapshotId,
    /// What the first belongs to.
    pub(super) kept: Option<SnapshotRow>,
}

/// Marks a move as ours for as long as it is kept.
struct UnderWay<'a> {
    core: &'a Core,
    id: String,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.core.moves_under_way().retain(|id| *id != self.id);
    }
}

impl Core {
    /// Moves the files and then writes what `finish` says, in the commit that ends the move; it is
    /// given the names of those that moved. When that fails anywhere, the files are as they were.
    pub(super) async fn carry_out(
        &self,
        moving: Moving,
        finish: impl FnOnce(&mut Batch, &[String]),
    ) -> Result<(), Error> {
        let moved = self.carry(&moving, finish).await;
        // What could not be brought back needs its plan for the next attempt.
        if !self.is_open(&moving.to)?
            && let Err(error) = moving.visit.let_go(&moving.to).await
        {
            tracing::warn!(%error, "the plan of a move of files was left behind");
        }
        moved
    }

    fn is_open(&self, to: &SnapshotId) -> Result<bool, Error> {
        let open = self.store.read(|reader| reader.open_restorations())?;
        Ok(open.iter().any(|it| it.to == to.as_str()))
    }

    async fn carry(
        &self,
        moving: &Moving,
        finish: impl FnOnce(&mut Batch, &[String]),
    ) -> Result<(), Error> {
        let prepared = moving.visit.prepare(&moving.from, &moving.to).await?;
        let prepared = Arc::new(prepared);
        let names = prepared.paths().take(limits::FILES_NAMED_MAX);
        let names: Vec<String> = names.map(shown).collect();
        let id = self.env.uuid().simple().to_string();
        self.moves_under_way().push(id.clone());
        let under_way = UnderWay { core: self, id };
        self.before_step(0).await;
        self.begin(moving, &under_way.id).await?;
        let moved = match self.forward(&prepared).await {
            Ok(()) => {
                let finish = |batch: &mut Batch| finish(batch, &names);
                self.finish(&prepared, &under_way.id, finish).await
            }
            Err(error) => Err(error),
        };
        if moved.is_err()
            && let Err(error) = self.take_back(&prepared, &under_way.id).await
        {
            tracing::error!(%error, "files could not be brought back; the next turn tries again");
        }
        moved
    }

    async fn begin(&self, moving: &Moving, id: &str) -> Result<(), Error> {
        let workspace = moving.workspace.clone();
        let mut batch = self.store.batch(Durability::Synced);
        batch.guard(Guard::WorkspaceStill {
            workspace: workspace.clone(),
        });
        if let Some(kept) = moving.kept.clone() {
            batch.put_snapshot(kept);
        }
        batch.begin_restoration(Restoration {
            id: id.to_owned(),
            owner: self.store.owner().clone(),
            from: moving.from.to_string(),
            to: moving.to.to_string(),
            begun_at: self.env.now(),
            workspace,
        });
        match self.store.commit(batch).await {
            Ok(_) => Ok(()),
            Err(codewhale_store::Error::Guard(_)) => Err(Error::WorkspaceBusy),
            Err(error) => Err(error.into()),
        }
    }

    async fn forward(&self, prepared: &Arc<Move>) -> Result<(), Error> {
        for step in 0..prepared.steps() {
            self.before_step(step + 1).await;
            let shared = Arc::clone(prepared);
            match self.store.apart(move || shared.forward(step)).await?? {
                Moved::Done => {}
                Moved::Changed => {
                    let file = prepared.paths().nth(step).map(shown);
                    let files = file.into_iter().collect();
                    return Err(Error::FilesChanged { files });
                }
            }
        }
        Ok(())
    }

    async fn finish(
        &self,
        prepared: &Move,
        id: &str,
        finish: impl FnOnce(&mut Batch),
    ) -> Result<(), Error> {
        self.before_step(prepared.steps() + 1).await;
        let mut batch = self.store.batch(Durability::Synced);
        finish(&mut batch);
        batch.end_restoration(id);
        self.store.commit(batch).await?;
        Ok(())
    }

    /// Brings the files back and writes that down.
    pub(super) async fn take_back(&self, prepared: &Arc<Move>, id: &str) -> Result<(), Error> {
        let shared = Arc::clone(prepared);
        let back = move || -> Result<(), codewhale_snapshots::Error> {
            for step in (0..shared.steps()).rev() {
                shared.back(step)?;
            }
            shared.clear();
            Ok(())
        };
        self.store.apart(back).await??;
        let mut batch = self.store.batch(Durability::Synced);
        batch.end_restoration(id);
        self.store.commit(batch).await?;
        Ok(())
    }

    /// Refuses while a turn works in a workspace, or its files are being moved.
    pub(super) fn require_still(&self, workspace: &str) -> Result<(), Error> {
        match self.store.read(|reader| reader.is_still(workspace))? {
            true => Ok(()),
            false => Err(Error::WorkspaceBusy),
        }
    }

    /// The moves of files that this process makes right now.
    pub(super) fn moves_under_way(&self) -> MutexGuard<'_, Vec<String>> {
        self.moving
            .lock()
            .expect("nothing panics while it holds the moves")
    }

    async fn before_step(&self, step: usize) {
        if let Some(settings) = &self.snapshots {
            (settings.before_step)(step).await;
        }
    }
}
