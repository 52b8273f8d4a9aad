//! All servers of one workspace.

mod sets;

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
use crate::supervisor::Supervisor;
use crate::tool::{ListedTool, McpTool};
use crate::{
    Error, Health, NotUp, Prompt, Quarantined, Resource, ResourceTemplate, Settings, Startup,
    content, extra,
};

/// The servers that count in one workspace. Cloning gives another handle; a process ends with the
/// last handle that knows its server.
#[derive(Clone)]
pub struct Servers {
    inner: Arc<Inner>,
}

struct Inner {
    kept: BTreeMap<String, Arc<Kept>>,
    revision: watch::Sender<u64>,
    /// Whether others stop them.
    is_view: bool,
}

/// A server, and the task that keeps it alive.
struct Kept {
    supervisor: Arc<Supervisor>,
    _task: Option<AbortOnDropHandle<()>>,
}

/// Hears how servers come up; it must not block.
type Listener = Arc<dyn Fn(Startup) + Send + Sync>;

impl Servers {
    /// Starts the enabled servers and returns at once. `listener` hears how they come up; it must
    /// not block.
    pub fn start(
        settings: Settings,
        place: Place,
        listener: impl Fn(Startup) + Send + Sync + 'static,
    ) -> Self {
        let nobody = Self::none(watch::Sender::new(0));
        nobody.renewed(settings, &Arc::new(place), Arc::new(listener))
    }

    /// All servers, those that are off too.
    fn supervisors(&self) -> impl Iterator<Item = &Arc<Supervisor>> {
        self.inner.kept.values().map(|kept| &kept.supervisor)
    }

    /// Those that are on.
    fn enabled(&self) -> impl Iterator<Item = &Arc<Supervisor>> {
        self.supervisors().filter(|it| it.server.enabled)
    }

    /// Waits until every server was heard of: it is ready, slow, or did not come up.
    pub async fn settled(&self) {
        let heard = self.enabled().map(|it| it.startups.heard(&it.name));
        join_all(heard).await;
    }

    /// Tries those again that waited for a login, where there is one now.
    pub(crate) async fn notice_logins(&self) {
        join_all(self.enabled().map(|it| it.notice_login())).await;
    }

    /// Waits for the servers that nothing goes on without, for their time to connect.
    pub async fn required(&self) -> Result<(), NotUp> {
        let required = self.enabled().filter(|it| it.server.required);
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
        // That one did not come up is part of its health.
        join_all(self.enabled().map(|it| it.up())).await;
    }

    /// The tools that were put aside, and why.
    pub fn quarantined(&self) -> Vec<Quarantined> {
        let own = self.catalogues();
        let own = own.iter().flat_map(|(_, it)| it.quarantined.clone());
        own.chain(self.offered().1).collect()
    }

    /// How each server is, those that are off too.
    pub fn health(&self) -> Vec<Health> {
        self.supervisors().map(|it| Health::of(it)).collect()
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

    /// Stops the servers, politely first, and waits until their processes are gone. Those that were
    /// started elsewhere go on.
    pub async fn stop(&self) {
        if self.inner.is_view {
            return;
        }
        self.enabled().for_each(|it| it.stop.cancel());
        join_all(self.enabled().map(|it| it.gone())).await;
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
        let found = self.inner.kept.get(server).map(|kept| &kept.supervisor);
        found
            .filter(|it| it.server.enabled)
            .ok_or_else(|| Error::UnknownServer {
                server: server.to_owned(),
            })
    }

    fn catalogues(&self) -> Vec<(&Arc<Supervisor>, Arc<Catalogue>)> {
        self.supervisors()
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

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.inner.kept.keys();
        f.debug_tuple("Servers").field(&names).finish()
    }
}
