//! All servers of one workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

use codewhale_tools::Tool;
use futures_util::future::{join_all, try_join_all};
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::catalogue::Catalogue;
use crate::place::Place;
use crate::settings::Origin;
use crate::startup::Startups;
use crate::supervisor::Supervisor;
use crate::tool::{ListedTool, McpTool};
use crate::{
    Error, Health, NotUp, Prompt, Quarantined, Resource, ResourceTemplate, Settings, Startup,
    content, extra,
};

/// The servers that count in one workspace. Cloning gives another handle; with the last one, all
/// processes end that were started for it.
#[derive(Clone)]
pub struct Servers {
    inner: Arc<Inner>,
}

struct Inner {
    supervisors: BTreeMap<String, Arc<Supervisor>>,
    startups: Arc<Startups>,
    revision: watch::Sender<u64>,
    /// Stops those that were started here.
    stop: CancellationToken,
    /// Those that others started.
    below: Option<Servers>,
    _tasks: Vec<AbortOnDropHandle<()>>,
}

impl Servers {
    /// Starts the enabled servers and returns at once. `listener` hears how they come up; it must
    /// not block.
    pub fn start(
        settings: Settings,
        place: Place,
        listener: impl Fn(Startup) + Send + Sync + 'static,
    ) -> Self {
        Self::begin(settings, place, listener, None)
    }

    /// Starts those of a workspace over these: of two with one name, the workspace's counts.
    pub fn start_over(
        &self,
        settings: Settings,
        place: Place,
        listener: impl Fn(Startup) + Send + Sync + 'static,
    ) -> Self {
        Self::begin(settings, place, listener, Some(self.clone()))
    }

    fn begin(
        settings: Settings,
        place: Place,
        listener: impl Fn(Startup) + Send + Sync + 'static,
        below: Option<Self>,
    ) -> Self {
        let enabled = settings.servers.iter().filter(|(_, it)| it.enabled);
        let enabled = enabled.map(|(name, _)| name.clone());
        let startups = Arc::new(Startups::new(enabled, Arc::new(listener)));
        let (place, stop) = (Arc::new(place), CancellationToken::new());
        // Who looks at these looks at those below too.
        let revision = below.as_ref().map(|below| below.inner.revision.clone());
        let revision = revision.unwrap_or_else(|| watch::Sender::new(0));
        let own: BTreeMap<_, _> = settings
            .servers
            .into_iter()
            .map(|(name, server)| {
                let supervisor = Supervisor::new(
                    name.clone(),
                    server,
                    place.clone(),
                    startups.clone(),
                    stop.clone(),
                    revision.clone(),
                );
                (name, Arc::new(supervisor))
            })
            .collect();
        let started = own.values().filter(|it| it.server.enabled);
        let tasks = started.map(|it| spawn(it.clone())).collect();
        let below_it = below.as_ref().map(|below| below.inner.supervisors.clone());
        let mut supervisors = below_it.unwrap_or_default();
        supervisors.extend(own);
        Self {
            inner: Arc::new(Inner {
                supervisors,
                startups,
                revision,
                stop,
                below,
                _tasks: tasks,
            }),
        }
    }

    /// Waits until every server was heard of: it is ready, slow, or did not come up.
    pub async fn settled(&self) {
        let mut settled = self.inner.startups.settled();
        let _ = settled.wait_for(|settled| *settled).await;
        if let Some(below) = &self.inner.below {
            Box::pin(below.settled()).await;
        }
    }

    /// Waits for the servers that nothing goes on without, for their time to connect.
    pub async fn required(&self) -> Result<(), NotUp> {
        let supervisors = self.inner.supervisors.values();
        let required = supervisors.filter(|it| it.server.enabled && it.server.required);
        let up = required.map(|supervisor| async {
            let up = supervisor.up().await;
            up.map_err(|why| NotUp {
                server: supervisor.name.clone(),
                why,
            })
        });
        try_join_all(up).await.map(drop)
    }

    /// Counts up whenever a server moves or what it offers changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.revision.subscribe()
    }

    /// The tools there are now, in the order of their names, so that a prompt stays the same. The
    /// tools of a server that is away stay: a call brings it back.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let (offered, _) = self.offered();
        let tools = offered
            .into_iter()
            .map(|tool| Arc::new(tool) as Arc<dyn Tool>);
        let mut tools: Vec<_> = tools.chain(extra::tools(self)).collect();
        tools.sort_by(|one, other| one.spec().name.cmp(&other.spec().name));
        tools
    }

    /// The same tools as they are listed, by server and name.
    pub fn listed(&self) -> Vec<ListedTool> {
        let (offered, _) = self.offered();
        let mut listed: Vec<_> = offered.iter().map(McpTool::listed).collect();
        listed.sort_by(|one, other| (&one.server, &one.name).cmp(&(&other.server, &other.name)));
        listed
    }

    /// Wants every server that is away, and waits until each was heard of.
    pub async fn connect(&self) {
        let supervisors = self.inner.supervisors.values();
        let enabled = supervisors.filter(|it| it.server.enabled);
        // That one did not come up is part of its health.
        join_all(enabled.map(|it| it.up())).await;
    }

    /// The tools that were put aside, and why.
    pub fn quarantined(&self) -> Vec<Quarantined> {
        let own = self.catalogues();
        let own = own.iter().flat_map(|(_, it)| it.quarantined.clone());
        own.chain(self.offered().1).collect()
    }

    /// How each server is, those that are off too.
    pub fn health(&self) -> Vec<Health> {
        let supervisors = self.inner.supervisors.values();
        supervisors.map(|it| Health::of(it)).collect()
    }

    /// The resources of all servers, or of one.
    pub fn resources(&self) -> Vec<(String, Resource)> {
        self.all(|catalogue| catalogue.resources.clone())
    }

    /// The templates of resources.
    pub fn resource_templates(&self) -> Vec<(String, ResourceTemplate)> {
        self.all(|catalogue| catalogue.templates.clone())
    }

    /// The prompts.
    pub fn prompts(&self) -> Vec<(String, Prompt)> {
        self.all(|catalogue| catalogue.prompts.clone())
    }

    /// Reads a resource that was offered, as text.
    pub async fn read_resource(
        &self,
        server: &str,
        uri: &str,
        cancel: &CancellationToken,
    ) -> Result<String, Error> {
        let supervisor = self.named(server)?;
        if !supervisor.state().catalogue.offers(uri) {
            return Err(Error::Refused {
                message: format!("it offers no resource {uri:?}; list its resources first"),
            });
        }
        let at_most = supervisor.server.timeouts.read;
        let params = json!({"uri": uri});
        let answer = supervisor
            .ask("resources/read", params, at_most, cancel)
            .await?;
        content::of_resource(&answer)
    }

    /// Gets a prompt with its gaps filled in, as text.
    pub async fn prompt(
        &self,
        server: &str,
        name: &str,
        arguments: Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<String, Error> {
        let supervisor = self.named(server)?;
        let at_most = supervisor.server.timeouts.read;
        let params = json!({"name": name, "arguments": arguments});
        let answer = supervisor
            .ask("prompts/get", params, at_most, cancel)
            .await?;
        content::of_prompt(&answer)
    }

    /// Tries a server again now that is away.
    pub fn reconnect(&self, server: &str) -> Result<(), Error> {
        self.named(server)?.want();
        Ok(())
    }

    /// Stops the servers that were started here, politely first, and waits until their processes
    /// are gone.
    pub async fn stop(&self) {
        self.inner.stop.cancel();
        let all = self.inner.supervisors.values();
        let started = all.filter(|it| it.server.enabled && it.stop.is_cancelled());
        for supervisor in started {
            supervisor.gone().await;
        }
    }

    /// The host of a server that is spoken to over HTTP.
    pub(crate) fn host(&self, server: &str) -> Option<String> {
        self.named(server).ok().and_then(|it| it.server.host())
    }

    pub(crate) fn is_of_workspace(&self, server: &str) -> bool {
        let found = self.named(server);
        found.is_ok_and(|it| it.server.origin == Origin::Workspace)
    }

    fn named(&self, server: &str) -> Result<&Arc<Supervisor>, Error> {
        let found = self.inner.supervisors.get(server);
        found
            .filter(|it| it.server.enabled)
            .ok_or_else(|| Error::UnknownServer {
                server: server.to_owned(),
            })
    }

    fn catalogues(&self) -> Vec<(&Arc<Supervisor>, Arc<Catalogue>)> {
        let supervisors = self.inner.supervisors.values();
        supervisors
            .map(|supervisor| (supervisor, supervisor.state().catalogue))
            .collect()
    }

    fn all<T>(&self, of: impl Fn(&Catalogue) -> Vec<T>) -> Vec<(String, T)> {
        let mut all = Vec::new();
        for (supervisor, catalogue) in self.catalogues() {
            let some = of(&catalogue).into_iter();
            all.extend(some.map(|it| (supervisor.name.clone(), it)));
        }
        all
    }

    /// The tools that are offered, and those that share a name across servers: which would run?
    fn offered(&self) -> (Vec<McpTool>, Vec<Quarantined>) {
        let mut by_name: BTreeMap<String, Vec<McpTool>> = BTreeMap::new();
        for (supervisor, catalogue) in self.catalogues() {
            for tool in &catalogue.tools {
                let tool = McpTool::new(supervisor.clone(), tool);
                let name = tool.spec().name.clone().into_owned();
                by_name.entry(name).or_default().push(tool);
            }
        }
        let (mut offered, mut aside) = (Vec::new(), Vec::new());
        for (name, mut tools) in by_name {
            match tools.len() {
                1 => offered.append(&mut tools),
                _ => aside.extend(tools.iter().map(|tool| Quarantined {
                    server: tool.server().to_owned(),
                    tool: tool.raw_name().to_owned(),
                    why: format!("it shares the name {name:?} with a tool of another server"),
                })),
            }
        }
        (offered, aside)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the task is owned by Servers, and ends with its last handle"
)]
fn spawn(supervisor: Arc<Supervisor>) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(supervisor.keep()))
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.inner.supervisors.keys();
        f.debug_tuple("Servers").field(&names).finish()
    }
}
