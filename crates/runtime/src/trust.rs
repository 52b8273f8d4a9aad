//! Trusting a workspace: a yes to exactly what lies there now. A change asks again.

use std::path::Path;
use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{WorkspacesSetTrust, WorkspacesTrust};
use codewhale_protocol::runtime::{
    Event, StreamId, WorkspaceSetTrustParams, WorkspaceTrust, WorkspaceTrustChanged,
    WorkspaceTrustParams,
};
use codewhale_store::{About, Durability};

use crate::Error;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::workspace::{Luggage, check_workspace};

impl Handler<WorkspacesTrust> for Arc<Core> {
    async fn handle(
        &self,
        _: &Caller,
        params: WorkspaceTrustParams,
    ) -> Result<WorkspaceTrust, Error> {
        self.trust_of(params.workspace).await
    }
}

impl Handler<WorkspacesSetTrust> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: WorkspaceSetTrustParams,
    ) -> Result<WorkspaceTrust, Error> {
        let found = self.trust_of(params.workspace).await?;
        if params.trusted && (params.digest.is_none() || params.digest != found.digest) {
            return Err(Error::TrustChanged {
                digest: found.digest,
            });
        }
        let digest = found.digest.clone().filter(|_| params.trusted);
        let (stream, by) = (StreamId::Store, self.caller_stamp(caller));
        let about = About {
            stream: &stream,
            turn_id: None,
            item_id: None,
            at: self.env.now(),
            by: &by,
        };
        let changed = WorkspaceTrustChanged {
            workspace: found.workspace.clone(),
            digest: digest.clone(),
        };
        let mut batch = self.store.batch(Durability::Synced);
        batch.event(about, &Event::WorkspaceTrustChanged(changed));
        batch.set_trust(&found.workspace, digest);
        self.store.commit(batch).await?;
        if !params.trusted {
            self.leave_servers_of(Path::new(&found.workspace)).await;
        }
        Ok(WorkspaceTrust {
            trusted: params.trusted,
            ..found
        })
    }
}

impl Core {
    /// The digest of what a workspace brings along, if it counts. Who never said yes is not asked
    /// to wait until all of it was looked at.
    pub(crate) async fn trusted_content(&self, workspace: &Path) -> Option<String> {
        let path = workspace.to_str()?;
        let said_yes = self.store.read(|reader| reader.trust(path));
        said_yes.ok().flatten()?;
        let trust = self.trust_of(Some(path.to_owned())).await.ok()?;
        trust.digest.filter(|_| trust.trusted)
    }

    /// What a workspace brings along, and whether the user has said yes to it.
    pub(crate) async fn trust_of(
        &self,
        workspace: Option<String>,
    ) -> Result<WorkspaceTrust, Error> {
        let workspace = workspace.unwrap_or_else(|| self.workspace.clone());
        let workspace = check_workspace(&workspace)?;
        let path = workspace.clone();
        let look = self.store.read_apart(move |reader| {
            let luggage = Luggage::look(Path::new(&path));
            Ok((luggage, reader.trust(&path)?))
        });
        let (luggage, said_yes_to) = look.await?;
        let luggage = luggage?;
        Ok(WorkspaceTrust {
            trusted: luggage.digest.is_some() && said_yes_to == luggage.digest,
            workspace,
            digest: luggage.digest,
            files: luggage.files,
        })
    }
}
