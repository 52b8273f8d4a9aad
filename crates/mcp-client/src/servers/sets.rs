//! Which servers make up a set: those that were there, others in their place, others over them.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::{Inner, Kept, Listener, Servers};
use crate::Settings;
use crate::place::Place;
use crate::settings::Server;
use crate::startup::Startups;
use crate::supervisor::Supervisor;

impl Servers {
    /// No servers yet; who looks at these looks at those of the others too.
    pub(crate) fn none_beside(&self) -> Self {
        Self::none(self.inner.revision.clone())
    }

    pub(super) fn none(revision: watch::Sender<u64>) -> Self {
        Self::of(BTreeMap::new(), revision, false)
    }

    fn of(kept: BTreeMap<String, Arc<Kept>>, revision: watch::Sender<u64>, is_view: bool) -> Self {
        let inner = Inner {
            kept,
            revision,
            is_view,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// These, after their settings were changed: those that stay as they were go on, the others
    /// are started. What is gone ends when nobody works with it any more.
    pub(crate) fn renewed(
        &self,
        settings: Settings,
        place: &Arc<Place>,
        listener: Listener,
    ) -> Self {
        let same = |name: &str, server: &Server| {
            let kept = self.inner.kept.get(name)?;
            let is_same = kept.supervisor.server == *server;
            is_same.then(|| kept.clone())
        };
        let new = settings.servers.iter();
        let new = new.filter(|(name, server)| server.enabled && same(name, server).is_none());
        let new = new.map(|(name, _)| name.clone());
        let startups = Arc::new(Startups::new(new, listener));
        let servers = settings.servers.into_iter();
        let kept = servers.map(|(name, server)| {
            let kept = same(&name, &server).unwrap_or_else(|| {
                let supervisor = self.supervisor(&name, server, place, &startups);
                let is_on = supervisor.server.enabled;
                Arc::new(Kept {
                    _task: is_on.then(|| spawn(supervisor.clone())),
                    supervisor,
                })
            });
            (name, kept)
        });
        Self::of(kept.collect(), self.inner.revision.clone(), false)
    }

    /// Servers that are not started: what there would be.
    pub(crate) fn idle(&self, settings: Settings, place: &Arc<Place>) -> Self {
        let nobody = std::iter::empty();
        let startups = Arc::new(Startups::new(nobody, Arc::new(|_| {})));
        let servers = settings.servers.into_iter();
        let kept = servers.map(|(name, server)| {
            let supervisor = self.supervisor(&name, server, place, &startups);
            supervisor.rest();
            let kept = Kept {
                supervisor,
                _task: None,
            };
            (name, Arc::new(kept))
        });
        Self::of(kept.collect(), self.inner.revision.clone(), true)
    }

    /// Others over these: of two with one name, the other counts.
    pub fn below(&self, others: &Self) -> Self {
        let mut kept = self.inner.kept.clone();
        kept.extend(others.inner.kept.clone());
        Self::of(kept, self.inner.revision.clone(), true)
    }

    fn supervisor(
        &self,
        name: &str,
        server: Server,
        place: &Arc<Place>,
        startups: &Arc<Startups>,
    ) -> Arc<Supervisor> {
        Arc::new(Supervisor::new(
            name.to_owned(),
            server,
            place.clone(),
            startups.clone(),
            self.inner.revision.clone(),
        ))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the task is owned by Servers, and ends with its last handle"
)]
fn spawn(supervisor: Arc<Supervisor>) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(supervisor.keep()))
}
