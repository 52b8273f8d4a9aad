//! The engine at work on one turn: everything it needs is brought together here, off the path of
//! the request that started it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use codewhale_engine::{Failure, Host, Note, Outcome, Turn, TurnEnd};
use codewhale_model::{Message, Route};
use codewhale_policy::Authority;
use codewhale_protocol::runtime::FailureClass;
use codewhale_sandbox::{Jobs, Walls};
use codewhale_tools::Context;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Command;
use super::load::tell;
use crate::host::{Desk, TurnHost};
use crate::runtime::Core;
use crate::spill::Spill;
use crate::walls::Common;

pub(super) struct EngineTask {
    pub(super) desk: Arc<Desk>,
    pub(super) actor: mpsc::Sender<Command>,
    pub(super) route: Route,
    /// The thread's own standing instructions.
    pub(super) own_prompt: Option<String>,
    pub(super) workspace: PathBuf,
    pub(super) cancel: CancellationToken,
    pub(super) jobs: Jobs,
    pub(super) common: Arc<OnceLock<Common>>,
    /// Whether the conversation is to be shortened, and nothing else.
    pub(super) is_compaction: bool,
    /// The conversation with the new prompt, when it was at hand.
    pub(super) known: Option<Vec<Message>>,
}

impl EngineTask {
    pub(super) async fn run(mut self) -> Outcome {
        let conversation = match self.known.take() {
            Some(conversation) => conversation,
            None => match tell(&self.desk.core, &self.desk.thread).await {
                Ok(conversation) => conversation,
                Err(error) => return unreadable(&error),
            },
        };
        let core = Arc::clone(&self.desk.core);
        let host = TurnHost {
            desk: Arc::clone(&self.desk),
            actor: self.actor.clone(),
        };
        let is_trusted = core.is_trusted(&self.workspace).await;
        let tools = core.tools_for(&self.workspace, is_trusted).await;
        let shelf = core.library_for(&self.workspace, is_trusted).await;
        for problem in &shelf.standing.problems {
            host.note(Note::Status(problem.to_string()));
        }
        let system = shelf.standing.system_prompt(
            &self.workspace.to_string_lossy(),
            self.own_prompt.as_deref(),
        );
        let authority = host.desk.state().authority;
        let walls = self.walls(&core, &authority);
        let mut context = self.context(&core, &host).with_walls(walls);
        if let Some(sources) = shelf.sources {
            context = context.with_library(Arc::new(sources));
        }
        let turn = Turn {
            route: &self.route,
            system,
            conversation,
            tools: &tools,
            context,
            retry: core.retry,
            host: &host,
        };
        match self.is_compaction {
            true => codewhale_engine::compact(turn).await,
            false => {
                let outcome = codewhale_engine::run(turn).await;
                self.desk.keep_after().await;
                outcome
            }
        }
    }

    fn context(&self, core: &Arc<Core>, host: &TurnHost) -> Context {
        let results = Spill {
            core: Arc::clone(core),
            thread: host.desk.thread.clone(),
        };
        let environment = Arc::clone(&core.child_environment);
        Context::new(&self.workspace, environment, self.cancel.clone())
            .with_person(Arc::new(host.clone()))
            .with_results(Arc::new(results))
            .with_jobs(self.jobs.clone())
    }

    fn walls(&self, core: &Core, authority: &Authority) -> Walls {
        if !authority.confined {
            return Walls::Open;
        }
        let made = || Common::furnish(core.temporary_root());
        let common = self.common.get_or_init(made);
        core.walls.around(authority, &self.workspace, common)
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
