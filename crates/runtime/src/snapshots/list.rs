//! Telling which restore points there are.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{Right, SnapshotsList};
use codewhale_protocol::runtime::{SnapshotSummary, SnapshotsListParams};
use codewhale_store::Located;

use super::NoSnapshot;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::workspace::check_workspace;
use crate::{Error, limits};

impl Handler<SnapshotsList> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SnapshotsListParams,
    ) -> Result<Vec<SnapshotSummary>, Error> {
        let limit = params.limit.unwrap_or(limits::SNAPSHOTS_LISTED);
        if !(1..=limits::SNAPSHOTS_LISTED_MAX).contains(&limit) {
            let max = limits::SNAPSHOTS_LISTED_MAX;
            return Err(Error::Invalid(format!("limit must be from 1 to {max}")));
        }
        let workspace = match params.workspace {
            Some(workspace) => check_workspace(&workspace)?,
            None => self.workspace.clone(),
        };
        // Labels are words of prompts: they are for those who may read the threads there.
        let room = self
            .store
            .read(|reader| reader.room_of_workspace(&workspace))?;
        match room {
            Some(room) => self.require_right(caller, Right::ReadThread, Located::Room(&room))?,
            None if caller.principal == self.operator => {}
            None => return Ok(Vec::new()),
        }
        let side = match self.side_of(&workspace) {
            Ok(side) => side,
            Err(NoSnapshot::Off) => return Ok(Vec::new()),
            // There never was one.
            Err(NoSnapshot::Failed(codewhale_snapshots::Error::NoProject { .. })) => {
                return Ok(Vec::new());
            }
            Err(NoSnapshot::Failed(error)) => return Err(error.into()),
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let listed = side.list(limit).await?.into_iter();
        Ok(listed
            .map(|snapshot| SnapshotSummary {
                id: snapshot.id.to_string(),
                label: snapshot.label,
                timestamp: snapshot.at,
            })
            .collect())
    }
}
