//! Bringing files back that a dead process was moving. What a person changed since is left alone.

use std::sync::Arc;

use codewhale_snapshots::{Error as Side, SnapshotId};
use codewhale_store::{Durability, Restoration};

use super::NoSnapshot;
use crate::Error;
use crate::runtime::Core;

impl Core {
    /// Ends every move of files that nobody makes any more. What cannot be ended now is told, and
    /// tried again; until then no turn begins there.
    pub(crate) async fn recover_files(&self) -> Result<(), Error> {
        for row in self.store.read(|reader| reader.open_restorations())? {
            if self.is_under_way(&row) {
                continue;
            }
            let workspace = &row.workspace;
            match self.bring_back(&row).await {
                Ok(()) => tracing::info!(workspace, "files that were being moved are back"),
                Err(Error::Snapshots(Side::Unknown)) => {
                    tracing::error!(
                        workspace,
                        "files were being moved and cannot be brought back: their snapshot is gone"
                    );
                    self.forget_move(&row.id).await?;
                }
                Err(error) => {
                    tracing::error!(%error, workspace, "files that were being moved are not back yet");
                }
            }
        }
        Ok(())
    }

    fn is_under_way(&self, row: &Restoration) -> bool {
        match row.owner == *self.store.owner() {
            true => self.moves_under_way().contains(&row.id),
            false => self.store.is_alive(&row.owner),
        }
    }

    /// Lets a turn begin only where no files are being moved.
    pub(crate) async fn require_settled(&self, workspace: &str) -> Result<(), Error> {
        self.recover_files().await?;
        match self.store.read(|reader| reader.is_settled(workspace))? {
            true => Ok(()),
            false => Err(Error::FilesMoving),
        }
    }

    async fn bring_back(&self, row: &Restoration) -> Result<(), Error> {
        let read = |id: &str| SnapshotId::read(id).ok_or(Side::Unknown);
        let (from, to) = (read(&row.from)?, read(&row.to)?);
        let side = self.side_of(&row.workspace).map_err(|error| match error {
            NoSnapshot::Off => Side::Unknown,
            NoSnapshot::Failed(error) => error,
        })?;
        if !side.exists() {
            return Err(Side::Unknown.into());
        }
        let visit = side.enter().await?;
        let open = self.store.read(|reader| reader.open_restorations());
        if open.is_ok_and(|open| open.iter().all(|it| it.id != row.id)) {
            // Another process was faster.
            return Ok(());
        }
        let prepared = Arc::new(visit.prepare(&from, &to).await?);
        self.take_back(&prepared, &row.id).await?;
        visit.let_go(&to).await?;
        Ok(())
    }

    async fn forget_move(&self, id: &str) -> Result<(), Error> {
        let mut batch = self.store.batch(Durability::Synced);
        batch.end_restoration(id);
        self.store.commit(batch).await?;
        Ok(())
    }
}
