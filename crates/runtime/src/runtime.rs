//! The runtime as a whole.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use codewhale_model::catalogue::prices::PriceBook;
use codewhale_protocol::operations::Right;
use codewhale_protocol::runtime::{PrincipalId, StreamId, ThreadId, ThreadRecord};
use codewhale_protocol::service::{BoxFuture, Cursor};
use codewhale_protocol::{
    Call, Caller, ErrorBody, EventStream, Reply, Scope, Service, Source, Surface,
};
use codewhale_store::{Located, Store};
use codewhale_tools::Registry;
use tokio::sync::Semaphore;

use crate::activity::Activity;
use crate::actor::ThreadHandle;
use crate::agents::{Tree, Trees};
use crate::fleet::Fleets;
use crate::gate::require_scope;
use crate::lent::Loans;
use crate::mcp::Mcp;
use crate::once::Lines;
use crate::queue::Queue;
use crate::rules::RuleBook;
use crate::sessions::OldSessions;
use crate::shelf::Shelf;
use crate::spill::Shelves;
use crate::tasks::Tasks;
use crate::workspace::GitLooks;
use crate::{
    AgentSettings, Env, Error, GoalSettings, HookSettings, LibrarySettings, Options, Preferences,
    SnapshotSettings, TimeZone, WallSettings, limits,
};
use crate::{errands, settings};

/// Serves every operation and every stream of one store. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Runtime {
    core: Arc<Core>,
}

/// What all parts of the runtime share.
pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) env: Env,
    pub(crate) workspace: String,
    pub(crate) settings: settings::Desk,
    /// What other programs recorded.
    pub(crate) old_sessions: Arc<OldSessions>,
    pub(crate) prices: PriceBook,
    pub(crate) tools: Registry,
    pub(crate) child_environment: Arc<[(String, String)]>,
    pub(crate) approval_timeout: Duration,
    pub(crate) version: String,
    pub(crate) operator: PrincipalId,
    pub(crate) tasks: Tasks,
    pub(crate) git: GitLooks,
    /// The MCP servers.
    pub(crate) mcp: Option<Mcp>,
    pub(crate) library: Option<LibrarySettings>,
    pub(crate) hooks: HookSettings,
    /// Room for hooks that nobody waits for.
    pub(crate) hook_room: Arc<Semaphore>,
    /// Room for calls that wait for clients.
    pub(crate) client_calls: Semaphore,
    pub(crate) rules: Arc<RuleBook>,
    pub(crate) walls: WallSettings,
    pub(crate) shelf: Shelf,
    pub(crate) shelves: Option<Shelves>,
    pub(crate) activity: Activity,
    pub(crate) agents: AgentSettings,
    pub(crate) fleets: Fleets,
    pub(crate) goals: GoalSettings,
    pub(crate) trees: Trees,
    pub(crate) queue: Queue,
    pub(crate) time_zone: LazyLock<TimeZone>,
    /// Held while receipts are written into a workspace.
    pub(crate) exports: tokio::sync::Mutex<()>,
    pub(crate) snapshots: Option<SnapshotSettings>,
    /// Moves of files that are under way here.
    pub(crate) moving: Mutex<Vec<String>>,
    /// Requests with a key that are being answered.
    pub(crate) lines: Lines,
    /// What clients lend.
    pub(crate) loans: Loans,
    /// The threads in use.
    threads: Mutex<BTreeMap<ThreadId, ThreadHandle>>,
}

impl Runtime {
    /// Takes a store into service: ends what dead processes left running, then serves.
    pub async fn start(store: Store, options: Options) -> Result<Runtime, Error> {
        let redactor = store.redactor();
        let shelves = options
            .results
            .map(|directory| Shelves::new(directory, redactor));
        let preferences = Preferences {
            routes: options.routes,
            effort: options.effort,
            allow_shell: options.allow_shell,
            retry: options.retry,
        };
        let mut core = Core {
            store,
            env: options.env,
            workspace: options.workspace,
            old_sessions: Arc::new(OldSessions::new(options.old_sessions)),
            settings: settings::Desk::new(preferences, options.settings),
            prices: options.prices,
            tools: options.tools,
            child_environment: options.child_environment,
            approval_timeout: options.approval_timeout,
            version: options.version,
            operator: PrincipalId::from(""),
            tasks: Tasks::default(),
            git: GitLooks::default(),
            mcp: None,
            library: options.library,
            hooks: options.hooks,
            hook_room: Arc::new(Semaphore::new(limits::HOOKS_IN_BACKGROUND_MAX)),
            client_calls: Semaphore::new(limits::CLIENT_CALLS_MAX),
            rules: Arc::new(options.rules),
            walls: options.walls,
            shelf: Shelf::default(),
            shelves,
            activity: Activity::default(),
            agents: options.agents,
            fleets: Fleets::new(options.fleet),
            goals: options.goals,
            trees: Trees::default(),
            queue: Queue::new(options.workers),
            time_zone: options.time_zone,
            exports: tokio::sync::Mutex::default(),
            snapshots: options.snapshots,
            moving: Mutex::default(),
            lines: Lines::default(),
            loans: Loans::default(),
            threads: Mutex::default(),
        };
        core.operator = core.ensure_operator().await?;
        core.wait_for_the_dying().await?;
        core.recover().await?;
        core.recover_fleets().await?;
        core.mcp = options.mcp.map(|settings| core.start_servers(settings));
        core.recover_files().await?;
        let core = Arc::new(core);
        core.tasks.spawn(Arc::clone(&core).sweep());
        core.tasks.spawn(Arc::clone(&core).attend());
        // Who only came to look does no work.
        if core.queue.workers > 0 {
            core.tasks.spawn(Arc::clone(&core).work());
            core.tasks.spawn(Arc::clone(&core).keep_schedule());
        }
        Ok(Runtime { core })
    }

    /// The operator of the store as a caller, for a door that has checked the operator's token.
    pub fn operator(&self, surface: Surface) -> Caller {
        self.core.operator_caller(surface)
    }

    pub(crate) fn core(&self) -> &Core {
        &self.core
    }

    /// Waits until turns have run and none does any more.
    pub async fn quiet(&self) {
        self.core.activity.quiet().await;
    }

    /// Stops the turns that run, writes their ends down and closes the store.
    pub async fn shutdown(&self) -> Result<(), Error> {
        if tokio::time::timeout(limits::SHUTDOWN, self.core.tasks.end())
            .await
            .is_err()
        {
            tracing::warn!("some turns did not stop in time; the next start will end them");
        }
        self.core.stop_servers().await;
        if let Some(root) = self.core.temporary_root() {
            // Only when nothing of it is in use any more.
            let _ = std::fs::remove_dir(root);
        }
        self.core.store.close_apart().await?;
        Ok(())
    }
}

impl Service for Runtime {
    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        call: Call,
    ) -> BoxFuture<'a, Result<Reply, ErrorBody>> {
        Box::pin(async move { errands::call(&self.core, caller, call).await })
    }

    fn events<'a>(
        &'a self,
        caller: &'a Caller,
        source: Source,
        cursor: Cursor,
    ) -> BoxFuture<'a, Result<EventStream, ErrorBody>> {
        Box::pin(async move { Ok(self.core.follow(caller, source, cursor)?) })
    }
}

impl Core {
    /// Follows a source, when the caller may.
    fn follow(
        &self,
        caller: &Caller,
        source: Source,
        cursor: Cursor,
    ) -> Result<EventStream, Error> {
        require_scope(caller, Scope::Read)?;
        let thread = match source {
            Source::Thread(thread) => thread,
            Source::FleetRun(run) => return self.follow_fleet(caller, run, cursor),
        };
        self.require_right(caller, Right::ReadThread, Located::Thread(&thread))?;
        let subscription = self.store.subscribe(StreamId::Thread(thread), cursor)?;
        Ok(Box::pin(futures_util::stream::unfold(
            Some(subscription),
            |subscription| async {
                let mut subscription = subscription?;
                match subscription.next().await {
                    Ok(frames) => Some((Ok(frames), Some(subscription))),
                    Err(error) => Some((Err(ErrorBody::from(Error::from(error))), None)),
                }
            },
        )))
    }

    /// What a thread and those it belongs with may cost.
    pub(crate) fn tree_of(&self, thread: &ThreadRecord) -> Result<Arc<Tree>, Error> {
        let root = thread.root_id.as_ref().unwrap_or(&thread.id);
        let budget = self.agents.token_budget;
        Ok(self.trees.of(&self.store, root, budget)?)
    }

    /// The threads in use.
    pub(crate) fn loaded(&self) -> MutexGuard<'_, BTreeMap<ThreadId, ThreadHandle>> {
        self.threads
            .lock()
            .expect("nothing panics while it holds the threads")
    }
}
