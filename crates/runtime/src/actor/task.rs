//! The engine at work on one turn: everything it needs is brought together here, off the path of
//! the request that started it.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use codewhale_engine::{
    Chain, Failure, Hooks, Host, Moment, Note, Outcome, Turn, TurnEnd, offered,
};
use codewhale_mcp_client::Servers;
use codewhale_model::{Effort, Message, Sense};
use codewhale_policy::Authority;
use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{AgentRole, DynamicTool, FailureClass, TurnMeta};
use codewhale_sandbox::{Jobs, Walls};
use codewhale_store::Durability;
use codewhale_tools::{Context, OpenFiles, Registry};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::prompt::{Present, Prompt};
use super::told::tell;
use super::{Called, Command, Work};
use crate::agents::{Crew, withheld};
use crate::bounds;
use crate::client_tools::ClientTool;
use crate::hooks::HookScene;
use crate::host::{Desk, TurnHost};
use crate::mcp::{News, told};
use crate::runtime::Core;
use crate::spill::Spill;
use crate::walls::Common;

pub(super) struct EngineTask {
    pub(super) desk: Arc<Desk>,
    pub(super) actor: mpsc::Sender<Command>,
    /// In whose name it works.
    pub(super) caller: Caller,
    /// What the agent is for, when another started it.
    pub(super) role: Option<AgentRole>,
    pub(super) chain: Chain,
    /// Tools that the client runs itself.
    pub(super) client_tools: Vec<DynamicTool>,
    /// How hard the model thinks.
    pub(super) effort: Effort,
    /// What the conversation began with.
    pub(super) prompt: Arc<Prompt>,
    /// The thread's own standing instructions.
    pub(super) own_prompt: Option<String>,
    pub(super) workspace: PathBuf,
    /// Where it works as well.
    pub(super) added: Arc<[PathBuf]>,
    pub(super) cancel: CancellationToken,
    pub(super) jobs: Jobs,
    pub(super) common: Arc<OnceLock<Common>>,
    /// Whether it is the first turn of the session.
    pub(super) is_first: bool,
    /// What hooks are told in any case.
    pub(super) scene: HookScene,
    pub(super) news: Arc<Mutex<News>>,
    pub(super) work: TaskWork,
    /// What the model is told behind each message.
    pub(super) meta: Option<TurnMeta>,
    /// The conversation with the new prompt, when it was at hand.
    pub(super) known: Option<Vec<Message>>,
}

/// What the engine does in a turn.
#[derive(Clone)]
pub(super) enum TaskWork {
    /// Asks the model until it has answered.
    Answer,
    /// Shortens the conversation.
    Compact,
    /// Runs one call.
    Call(Box<Called>),
}

impl TaskWork {
    pub(super) fn of(work: &Work) -> Self {
        match work {
            Work::Answer(_) | Work::Continue(_) => Self::Answer,
            Work::Compact(_) => Self::Compact,
            Work::Call(called) => Self::Call(called.clone()),
        }
    }

    /// Whether the model answers what is said in the turn.
    pub(super) fn asks_model(&self) -> bool {
        matches!(self, Self::Answer)
    }

    fn is_compaction(&self) -> bool {
        matches!(self, Self::Compact)
    }
}

impl EngineTask {
    pub(super) async fn run(mut self) -> Outcome {
        let mut conversation = match self.known.take() {
            Some(conversation) => conversation,
            None => match self.told().await {
                Ok(conversation) => conversation,
                Err(error) => return unreadable(&error),
            },
        };
        let core = Arc::clone(&self.desk.core);
        let media = match core.media_of(&self.desk.thread, &conversation).await {
            Ok(media) => media,
            Err(error) => return unreadable(&error),
        };
        let host = TurnHost {
            desk: Arc::clone(&self.desk),
            actor: self.actor.clone(),
            caller: self.caller.clone(),
        };
        let seal = core.trusted_content(&self.workspace).await;
        let is_trusted = seal.is_some();
        let hooks = self.hooks(&core, &host).await;
        let (servers, problems) = core.servers_for(&self.workspace, seal.as_deref()).await;
        let root = self.desk.root.as_ref().map(|root| &root.thread);
        let loan = core.loans.of(&self.desk.thread, root);
        // What a client lends for this thread goes before what everyone has.
        let servers = match (servers, loan.servers) {
            (Some(servers), Some(lent)) => Some(servers.below(&lent)),
            (servers, lent) => servers.or(lent),
        };
        for problem in problems {
            host.note(Note::Status(problem));
        }
        if let Some(end) = self.wait_for_required(servers.as_ref()).await {
            return Outcome { end, conversation };
        }
        let tools = core
            .tools_for(&self.workspace, is_trusted, servers.as_ref())
            .await;
        let tools = match self.role {
            // Goals are those of people; what is below them works on a task.
            Some(role) => tools
                .without(&["create_goal", "get_goal", "update_goal"])
                .without(withheld(role)),
            None => tools,
        };
        let tools = self.with_client_tools(tools, &host);
        let bounds = &self.desk.bounds;
        let tools = tools.only(|spec| {
            let aliases = spec.aliases.iter().copied();
            bounds.admits(aliases.chain([&*spec.name]))
        });
        let shelf = core.library_for(&self.workspace, is_trusted).await;
        for problem in &shelf.standing.problems {
            host.note(Note::Status(problem.to_string()));
        }
        let authority = host.desk.state().authority;
        let settled = self.prompt.settle(Present {
            standing: &shelf.standing,
            workspace: &self.workspace.to_string_lossy(),
            seal: seal.as_deref(),
            own: self.own_prompt.as_deref(),
            tools: &offered(&tools, &authority),
        });
        // What is asked now stays the last word.
        let asked = usize::from(!self.work.is_compaction());
        for text in settled.updates {
            let place = conversation.len().saturating_sub(asked);
            conversation.insert(place, Message::user(text));
        }
        let first = conversation.first().cloned();
        let prompt = Arc::clone(&self.prompt);
        let walls = self.walls(&core, &authority);
        let mut context = self.context(&core, &host).with_walls(walls);
        context = context.with_files(OpenFiles::of(loan.buffers));
        if let Some(sources) = shelf.sources {
            context = context.with_library(Arc::new(sources));
        }
        let turn = Turn {
            chain: self.chain.clone(),
            effort: self.effort,
            prefix: settled.prefix,
            renewed_system: settled.renewed_system,
            meta: self.meta.clone(),
            conversation,
            media,
            tools: &tools,
            context,
            steps_max: self.desk.bounds.max_steps,
            retry: core.preferences().retry,
            hooks: hooks.as_ref(),
            host: &host,
        };
        let work = async {
            let outcome = match self.work.clone() {
                TaskWork::Compact => return codewhale_engine::compact(turn).await,
                TaskWork::Answer => codewhale_engine::run(turn).await,
                TaskWork::Call(called) => {
                    codewhale_engine::call(turn, called.call, called.asking).await
                }
            };
            self.desk.keep_after().await;
            outcome
        };
        let outcome = tokio::select! {
            biased;
            outcome = self.in_time(work) => outcome,
            never = self.tell_news(servers.as_ref()) => match never {},
        };
        if outcome.conversation.first() != first.as_ref() {
            prompt.forget();
        }
        outcome
    }

    /// The tools there are, and those of the client.
    fn with_client_tools(&mut self, tools: Registry, host: &TurnHost) -> Registry {
        let own = std::mem::take(&mut self.client_tools).into_iter();
        let own = own.map(|tool| ClientTool::offered(host.clone(), tool));
        let (tools, taken) = tools.with(own);
        for name in taken {
            let line = format!("The dynamic tool {name} is left out: another tool has its name.");
            host.note(Note::Status(line));
        }
        tools
    }

    /// Lets the turn work for as long as it may.
    async fn in_time(&self, work: impl Future<Output = Outcome>) -> Outcome {
        let Some(seconds) = self.desk.bounds.max_seconds else {
            return work.await;
        };
        tokio::pin!(work);
        tokio::select! {
            biased;
            outcome = &mut work => return outcome,
            () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
        }
        self.cancel.cancel();
        let outcome = work.await;
        let end = match outcome.end {
            TurnEnd::Completed => TurnEnd::Completed,
            TurnEnd::Failed(_) | TurnEnd::Interrupted => TurnEnd::Failed(Failure {
                message: format!("the turn's time of {seconds} seconds is used up"),
                class: FailureClass::Limit,
                retryable: false,
            }),
        };
        Outcome { end, ..outcome }
    }

    /// The conversation told by the items, which are mended where they have no end.
    async fn told(&self) -> Result<Vec<Message>, codewhale_store::Error> {
        let desk = &self.desk;
        let told = tell(&desk.core, &desk.thread, Some(&desk.turn)).await?;
        if told.is_mended() {
            let by = desk.core.system_stamp("recovery");
            let mut batch = desk.batch(Durability::Synced);
            told.write(&mut batch, &desk.thread, &by);
            desk.core.store.commit(batch).await?;
        }
        Ok(told.conversation)
    }

    /// Waits for the servers that nothing goes on without. How the turn ends, if it cannot go on.
    async fn wait_for_required(&self, servers: Option<&Servers>) -> Option<TurnEnd> {
        let servers = servers.filter(|_| !self.work.is_compaction())?;
        let up = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Some(TurnEnd::Interrupted),
            never = self.tell_news(Some(servers)) => match never {},
            up = servers.required() => up,
        };
        let not_up = up.err()?;
        Some(TurnEnd::Failed(Failure {
            message: not_up.to_string(),
            class: FailureClass::McpServer,
            retryable: true,
        }))
    }

    /// Tells how the servers come up, for as long as anyone works.
    async fn tell_news(&self, servers: Option<&Servers>) -> Infallible {
        let Some(servers) = servers else {
            return std::future::pending().await;
        };
        let mut changes = servers.changes();
        loop {
            changes.mark_unchanged();
            let news = self.news.lock().map(|mut it| it.look(&servers.health()));
            for startup in news.unwrap_or_default() {
                let (line, value) = told(&startup);
                self.desk.status_with(&line, Some(value));
            }
            if changes.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// The hooks of this turn, told that the session begins if it does.
    async fn hooks(&self, core: &Arc<Core>, host: &TurnHost) -> Option<Hooks> {
        let found = core.hooks_for(&self.scene).await;
        let mut lines = found.problems;
        if let Some(hooks) = found.hooks.as_ref().filter(|_| self.is_first) {
            let moment = Moment::session_start(self.scene.permission.mode);
            lines.extend(hooks.fire(&moment, &self.cancel).await);
        }
        for line in lines {
            host.note(Note::Status(line));
        }
        found.hooks
    }

    fn context(&self, core: &Arc<Core>, host: &TurnHost) -> Context {
        let results = Spill {
            core: Arc::clone(core),
            thread: host.desk.thread.clone(),
        };
        let environment = Arc::clone(&core.child_environment);
        Context::new(&self.workspace, environment, self.cancel.clone())
            .with_added(Arc::clone(&self.added))
            .with_sight(self.is_seen())
            .with_person(Arc::new(host.clone()))
            .with_results(Arc::new(results))
            .with_jobs(self.jobs.clone())
            .with_goals(Arc::new(host.clone()))
            .with_agents(Arc::new(Crew {
                desk: Arc::clone(&self.desk),
                caller: self.caller.clone(),
            }))
    }

    /// Whether pictures in results may be shown: to the model, or to whoever made the call.
    fn is_seen(&self) -> bool {
        !self.work.asks_model() || self.chain.now().senses.sees != Sense::No
    }

    fn walls(&self, core: &Core, authority: &Authority) -> Walls {
        if !authority.confined {
            return Walls::Open;
        }
        let made = || Common::furnish(core.temporary_root());
        let common = self.common.get_or_init(made);
        let writable = bounds::writable(&self.desk.bounds);
        core.walls.around(
            authority,
            (&self.workspace, &self.added),
            writable.as_deref(),
            common,
        )
    }
}

fn unreadable(error: &codewhale_store::Error) -> Outcome {
    tracing::error!(%error, "the history of a thread could not be read");
    Outcome {
        end: TurnEnd::Failed(Failure {
            message: "the history of the thread could not be read from the store".to_owned(),
            class: FailureClass::Storage,
            retryable: true,
        }),
        conversation: Vec::new(),
    }
}
