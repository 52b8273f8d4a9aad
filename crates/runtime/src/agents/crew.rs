//! The crew of a turn: the sub-agents its thread started, as the `agent` tool reaches them.

mod spawn;

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{
    AgentRun, AgentRunStatus, InputPart, ThreadId, TurnId, TurnOverrides, TurnsStartParams,
};
use codewhale_protocol::service::BoxFuture;
use codewhale_store::StoredRun;
use codewhale_tools::{Agents, Halt, Manner, Order, Refusal, Until};

use super::wait;
use crate::Error;
use crate::actor::{Asker, Command, Stopping, Superior};
use crate::host::Desk;
use crate::limits;
use crate::runtime::Core;

/// What a turn needs to have sub-agents.
#[derive(Clone)]
pub(crate) struct Crew {
    pub(crate) desk: Arc<Desk>,
    /// In whose name all of them work.
    pub(crate) caller: Caller,
}

impl Agents for Crew {
    fn start(&self, order: Order) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        let crew = self.clone();
        // Not given up halfway when the turn is stopped: an agent that was made is also begun.
        let task = self
            .core()
            .tasks
            .spawn(async move { crew.spawn(order).await });
        Box::pin(async {
            task.await
                .unwrap_or_else(|_| Err("codewhale failed here".into()))
        })
    }

    fn look(&self, agent: Option<String>) -> BoxFuture<'_, Result<Vec<AgentRun>, Refusal>> {
        Box::pin(async move { self.runs(agent.as_deref()) })
    }

    fn peek(&self, agent: String) -> BoxFuture<'_, Result<Vec<String>, Refusal>> {
        Box::pin(async move {
            let thread = self.find(&agent)?.kin.thread;
            let newest = limits::PEEK_ITEMS;
            let items = self.core().store.read_apart(move |reader| {
                let latest = reader.latest_turn(&thread)?;
                let from = latest.map_or(0, |turn| turn.ordinal * limits::ITEMS_PER_TURN);
                reader.items(&thread, from)
            });
            let items = items.await.map_err(|error| refusal(&error.into()))?;
            let newest = items.iter().rev().take(newest).rev();
            let line = |item: &codewhale_store::StoredItem| {
                let record = &item.record;
                let text = match record.summary.is_empty() {
                    true => record.detail.as_deref().unwrap_or_default(),
                    false => &record.summary,
                };
                let text = codewhale_protocol::runtime::summarize(text);
                format!(
                    "{} {}: {text}",
                    record.kind.as_str(),
                    record.status.as_str()
                )
            };
            Ok(newest.map(line).collect())
        })
    }

    fn say(
        &self,
        agent: String,
        text: String,
        manner: Manner,
    ) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        Box::pin(async move {
            let found = self.find(&agent)?;
            let thread = found.kin.thread.clone();
            match manner {
                Manner::Add => {
                    let turn = self.running_turn(&thread)?;
                    let asker = self.asker();
                    let steered = self.core().ask_thread(&thread, |reply| Command::Steer {
                        asker,
                        turn,
                        text,
                        once: None,
                        reply,
                    });
                    steered.await.map_err(|error| refusal(&error))?;
                }
                Manner::FollowUp if found.run.status == AgentRunStatus::Cancelled => {
                    return Err("it was called off for good; start another one".into());
                }
                Manner::FollowUp => self.give(&thread, text).await?,
            }
            self.run_now(&thread)
        })
    }

    fn stop(&self, agent: String, halt: Halt) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        Box::pin(async move {
            let thread = self.find(&agent)?.kin.thread;
            let turn = self.running_turn(&thread)?;
            let asker = self.asker();
            let stopping = match halt {
                Halt::Interrupt => Stopping::ForNow,
                Halt::Cancel => Stopping::ForGood,
            };
            let stopped = self.core().ask_thread(&thread, |reply| Command::Interrupt {
                asker,
                turn,
                stopping,
                reply,
            });
            stopped.await.map_err(|error| refusal(&error))?;
            let ended = |run: &AgentRun| run.status.is_terminal();
            wait::until(self, Some(&agent), limits::AGENT_STOP, |runs| {
                runs.iter().all(ended)
            })
            .await?;
            self.run_now(&thread)
        })
    }

    fn wait(
        &self,
        agent: Option<String>,
        until: Until,
    ) -> BoxFuture<'_, Result<Vec<AgentRun>, Refusal>> {
        Box::pin(async move { wait::for_agents(self, agent.as_deref(), until).await })
    }
}

impl Crew {
    pub(super) fn core(&self) -> &Arc<Core> {
        &self.desk.core
    }

    /// Whom a sub-agent is told to come from, and what it may do at the most.
    fn asker(&self) -> Asker {
        Asker {
            caller: self.caller.clone(),
            superior: Some(Superior {
                stamp: Arc::clone(&self.desk.agents().talker),
                authority: self.desk.state().authority,
                patience: self.desk.patience,
            }),
            task: None,
        }
    }

    /// Sets a sub-agent to work.
    async fn give(&self, thread: &ThreadId, prompt: String) -> Result<(), Refusal> {
        let params = TurnsStartParams {
            thread_id: thread.clone(),
            prompt,
            input: None::<Vec<InputPart>>,
            overrides: TurnOverrides::default(),
        };
        let asker = self.asker();
        let started = self.core().ask_thread(thread, |reply| Command::Start {
            asker,
            params: Box::new(params),
            once: None,
            reply,
        });
        started.await.map(drop).map_err(|error| refusal(&error))
    }

    /// Those that this thread started, as they stand now; or just one of them.
    pub(super) fn runs(&self, agent: Option<&str>) -> Result<Vec<AgentRun>, Refusal> {
        let runs = match agent {
            Some(agent) => vec![self.find(agent)?],
            None => self.all()?,
        };
        let runs = self.core().as_they_stand(runs);
        runs.map_err(|error| refusal(&error))
    }

    fn run_now(&self, thread: &ThreadId) -> Result<AgentRun, Refusal> {
        let runs = self.runs(Some(&thread.agent_id()))?;
        runs.into_iter().next().ok_or_else(|| "it is gone".into())
    }

    fn all(&self) -> Result<Vec<StoredRun>, Refusal> {
        let store = &self.core().store;
        let runs = store.read(|reader| reader.agent_runs_of(&self.desk.thread));
        runs.map_err(|error| refusal(&error.into()))
    }

    /// One of them, by its id or its name.
    fn find(&self, agent: &str) -> Result<StoredRun, Refusal> {
        let id = ThreadId::of_agent(agent);
        let mut all = self.all()?;
        let is_meant = |stored: &StoredRun| {
            id.as_ref() == Some(&stored.kin.thread)
                || stored.run.spec.session_name.as_deref() == Some(agent)
        };
        let found = all.iter().rposition(is_meant);
        let found = found.map(|at| all.swap_remove(at));
        found.ok_or_else(|| {
            Refusal(format!(
                "there is no sub-agent {agent:?} of yours; `status` lists them"
            ))
        })
    }

    fn running_turn(&self, thread: &ThreadId) -> Result<TurnId, Refusal> {
        let latest = self.core().store.read(|reader| reader.latest_turn(thread));
        let latest = latest.map_err(|error| refusal(&error.into()))?;
        let running = latest.filter(|turn| !turn.record.status.is_terminal());
        running
            .map(|turn| turn.record.id)
            .ok_or_else(|| "it is not at work; `followup` gives it another task".into())
    }
}

/// A failure in words for the model.
pub(super) fn refusal(error: &Error) -> Refusal {
    Refusal(error.to_string())
}

impl Core {
    /// Stops what a thread has started, because the thread itself was stopped. Those that were
    /// started to go on by themselves do.
    pub(crate) fn stop_crew(self: &Arc<Self>, thread: &ThreadId, asker: &Asker) {
        let (core, thread, asker) = (Arc::clone(self), thread.clone(), asker.clone());
        self.tasks.spawn(async move {
            let runs = core.store.read(|reader| reader.agent_runs_of(&thread));
            let is_meant = |stored: &StoredRun| {
                let is_detached = &stored.run.spec.runtime_profile["detached"];
                !stored.run.status.is_terminal() && is_detached != &serde_json::Value::Bool(true)
            };
            for stored in runs.into_iter().flatten().filter(is_meant) {
                core.stop_agent(&stored.kin.thread, asker.clone()).await;
            }
        });
    }

    async fn stop_agent(self: &Arc<Self>, thread: &ThreadId, asker: Asker) {
        let latest = self.store.read(|reader| reader.latest_turn(thread));
        let Some(turn) = latest.ok().flatten() else {
            return;
        };
        let turn = turn.record.id;
        let stopped = self.ask_thread(thread, |reply| Command::Interrupt {
            asker,
            turn,
            stopping: Stopping::ForNow,
            reply,
        });
        if let Err(error) = stopped.await {
            tracing::debug!(%error, %thread, "a sub-agent had ended before it was stopped");
        }
    }
}
