//! Recovery: letting go, for dead processes, of the runs they drove.

use codewhale_protocol::runtime::FleetRunId;
use codewhale_store::Durability;

use super::change::{Abandoned, Edit};
use crate::runtime::Core;
use crate::{Error, limits};

impl Core {
    /// Ends the attempts that dead processes left, and pauses their runs. Nothing is begun again before
    /// someone asks for it. Workers do not outlive their driver, so no attempt goes on unseen.
    pub(crate) async fn recover_fleets(&self) -> Result<(), Error> {
        let mut runs = self.store.read(|reader| reader.driven_fleets())?;
        runs.retain(|it| {
            let owner = it.owner.as_ref();
            owner.is_some_and(|owner| !self.store.is_alive(owner))
        });
        for stored in runs {
            self.recover_fleet(&stored.run.id).await?;
        }
        Ok(())
    }

    async fn recover_fleet(&self, run: &FleetRunId) -> Result<(), Error> {
        let by = self.system_stamp("recovery");
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let fleet = self.store.read(|reader| reader.fleet(run))?;
            let Some(fleet) = fleet.filter(|it| {
                let owner = it.stored.owner.as_ref();
                owner.is_some_and(|owner| !self.store.is_alive(owner))
            }) else {
                return Ok(());
            };
            let mut edit = Edit::new(fleet, self.env.now());
            edit.pause(Abandoned::ByDeath);
            let mut batch = self.store.batch(Durability::Synced);
            edit.write(&mut batch, &by);
            match self.store.commit(batch).await {
                Ok(_) => {
                    tracing::info!(%run, "paused a fleet run that a dead process drove");
                    return Ok(());
                }
                // Another process was faster: look again.
                Err(codewhale_store::Error::Guard(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }
}
