//! The actor of a thread: the only one that changes it.
//!
//! ```text
//!   requests ──► mailbox ──► actor ──► store          (rows of thread and turn)
//!                              │ starts
//!                              ▼
//!                            turn ──► desk ──► store   (items, deltas, approvals)
//!                              │ ends
//!                              ▼
//!                            actor ──► store           (the one terminal event)
//! ```
//!
//! It is loaded from the store on first use and dropped when idle. While a turn runs, this process
//! holds the thread's lease; between turns any process may change the thread, and each commit
//! checks that it builds on the newest state.

mod answer;
mod asker;
mod delete;
mod end;
mod goal;
mod handle;
mod hooks;
mod load;
mod lost;
mod patch;
mod prompt;
mod resolve;
mod settle;
mod start;
mod steer;
mod task;
mod told;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use codewhale_engine::Outcome;
use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{
    ApprovalAnswer, ApprovalId, ApprovalReceipt, ClientCallId, ItemId, ThreadId, ThreadRecord,
    ThreadsPatchParams, Timestamp, ToolCallsResultParams, TurnId, TurnItemRecord, TurnOverrides,
    TurnRecord, TurnWithThread, TurnsStartParams, UserInputAnswerParams, UserInputId,
    UserInputReceipt,
};
use codewhale_sandbox::{Job, Jobs, State};
use codewhale_store::{Batch, CommitTicket, Committed, Durability, Guard, Stamp};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::activity::Running;
use crate::hooks::{Spent, Telling};
use crate::host::Desk;
use crate::mcp::News;
use crate::once::Once;
use crate::runtime::Core;
use crate::shelf::Kept;
use crate::walls::Common;
use crate::{Error, limits};

pub(crate) use answer::cancel_input;
pub(crate) use asker::{Asker, Stopping, Superior};
pub(crate) use goal::{GoalChange, GoalChanged};
pub(crate) use handle::ThreadHandle;
use load::Loaded;
pub(crate) use patch::{clean_title, effort};
use prompt::Prompt;
pub(crate) use resolve::cancel_call;
use start::Work;
pub(crate) use start::{Called, grants_more};

type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// What can be asked of a thread.
pub(crate) enum Command {
    Load {
        reply: Reply<ThreadRecord>,
    },
    Start {
        asker: Asker,
        params: Box<TurnsStartParams>,
        once: Option<Once>,
        reply: Reply<TurnWithThread>,
    },
    Compact {
        caller: Caller,
        reason: Option<String>,
        once: Option<Once>,
        reply: Reply<TurnWithThread>,
    },
    /// Runs one call of a tool, without a model.
    Call {
        asker: Asker,
        call: Box<Called>,
        once: Option<Once>,
        reply: Reply<TurnWithThread>,
    },
    Steer {
        asker: Asker,
        turn: TurnId,
        text: String,
        once: Option<Once>,
        reply: Reply<TurnRecord>,
    },
    Interrupt {
        asker: Asker,
        turn: TurnId,
        stopping: Stopping,
        reply: Reply<TurnRecord>,
    },
    StopCall {
        asker: Asker,
        item: ItemId,
        reply: Reply<TurnItemRecord>,
    },
    Patch {
        caller: Caller,
        params: ThreadsPatchParams,
        reply: Reply<ThreadRecord>,
    },
    /// Takes the thread out of sight.
    Delete {
        caller: Caller,
        reply: Reply<()>,
    },
    Decide {
        caller: Caller,
        approval: ApprovalId,
        answer: ApprovalAnswer,
        remember: bool,
        /// Why, where no person answers.
        reason: Option<String>,
        reply: Reply<ApprovalReceipt>,
    },
    Answer {
        caller: Caller,
        params: UserInputAnswerParams,
        reply: Reply<UserInputReceipt>,
    },
    /// What a client says came of a call.
    Resolve {
        caller: Caller,
        params: ToolCallsResultParams,
        reply: Reply<()>,
    },
    Goal {
        asker: Asker,
        change: GoalChange,
        reply: Reply<GoalChanged>,
    },
    /// The time to answer questions has run out; from the turn.
    ExpireInput {
        input: UserInputId,
    },
    /// The time to answer a call has run out; from the turn.
    ExpireCall {
        call: ClientCallId,
    },
    /// The time of an approval has run out; from the turn.
    Expire {
        approval: ApprovalId,
    },
}

/// One thread in use.
struct ThreadActor {
    core: Arc<Core>,
    id: ThreadId,
    /// The thread as the store had it at the last look.
    state: Loaded,
    /// What the model has read and said, if it is at hand; else it is told anew by its items.
    conversation: Option<Kept>,
    /// What that conversation began with.
    prompt: Arc<Prompt>,
    active: Option<Active>,
    /// When the next turn towards the goal begins, and in whose name.
    next: Option<(Instant, Asker)>,
    session_grants: Arc<Mutex<BTreeSet<String>>>,
    /// The time since its first turn here.
    session: Session,
    /// Commands that run in the background, also between turns.
    jobs: Jobs,
    /// What held commands share, made when the first of them may run.
    common: Arc<OnceLock<Common>>,
    /// What was told about MCP servers.
    news: Arc<Mutex<News>>,
    mailbox: mpsc::Receiver<Command>,
    /// Given to turns, so that they can speak to the actor.
    myself: mpsc::WeakSender<Command>,
}

/// The time in which a thread is in use here.
#[derive(Default)]
struct Session {
    /// Whether there was a turn.
    begun: bool,
    spent: Spent,
    telling: Telling,
}

/// The turn that runs.
struct Active {
    turn: TurnRecord,
    /// When the engine took it up, until it is known whether the store took that.
    beginning: Option<(Timestamp, CommitTicket)>,
    ordinal: u64,
    overrides: TurnOverrides,
    asker: Asker,
    desk: Arc<Desk>,
    cancel: CancellationToken,
    task: JoinHandle<Outcome>,
    _running: Running,
    /// Who told it to stop, and when it will be dropped if it does not.
    stopping: Option<(Arc<Stamp>, Instant)>,
    /// Whether it stops for good.
    is_cancelled: bool,
}

/// What wakes an actor.
enum Wake {
    Command(Box<Command>),
    TurnEnded(Result<Outcome, JoinError>),
    StopOverdue,
    GoOn(Asker),
    Shutdown,
    Idle,
}

impl ThreadActor {
    async fn run(mut self) {
        loop {
            match self.wake().await {
                Wake::Command(command) => self.obey(*command).await,
                Wake::TurnEnded(result) => self.end_turn(result).await,
                Wake::StopOverdue => self.drop_turn(),
                Wake::GoOn(asker) => self.continue_to_goal(&asker).await,
                Wake::Shutdown => {
                    self.stop_for_shutdown().await;
                    break;
                }
                // What runs in the background would end with us.
                Wake::Idle if self.has_jobs() => {}
                Wake::Idle => break,
            }
        }
        self.jobs.kill_all().await;
        self.end_session();
        self.leave().await;
    }

    async fn wake(&mut self) -> Wake {
        let idle = match self.has_jobs() {
            true => limits::IDLE_UNLOAD,
            false => self.core.idle_time(),
        };
        let idle = Instant::now() + idle;
        let stop = self.core.tasks.stop().clone();
        match &mut self.active {
            Some(active) => {
                let overdue = active.stopping.as_ref().map(|(_, at)| *at);
                tokio::select! {
                    biased;
                    () = stop.cancelled() => Wake::Shutdown,
                    result = &mut active.task => Wake::TurnEnded(result),
                    Some(command) = self.mailbox.recv() => Wake::Command(Box::new(command)),
                    () = sleep_until(overdue) => Wake::StopOverdue,
                }
            }
            None => {
                let next = self.next.as_ref().map(|(at, _)| *at);
                let wake = tokio::select! {
                    biased;
                    () = stop.cancelled() => Wake::Shutdown,
                    command = self.mailbox.recv() => command.map_or(Wake::Idle, |it| Wake::Command(Box::new(it))),
                    () = sleep_until(next) => Wake::Idle,
                    () = tokio::time::sleep_until(idle), if next.is_none() => Wake::Idle,
                };
                match (wake, next) {
                    (Wake::Idle, Some(at)) if at <= Instant::now() => self
                        .next
                        .take()
                        .map_or(Wake::Idle, |(_, asker)| Wake::GoOn(asker)),
                    (wake, _) => wake,
                }
            }
        }
    }

    /// Whether something runs in the background.
    fn has_jobs(&self) -> bool {
        let is_running = |job: &Job| job.running.state() == State::Running;
        self.jobs.list().iter().any(is_running)
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Load { reply } => answer(reply, self.load_for_turns().await),
            Command::Start {
                asker,
                params,
                once,
                reply,
            } => {
                answer(reply, self.start(&asker, *params, once.as_ref()).await);
            }
            Command::Compact {
                caller,
                reason,
                once,
                reply,
            } => {
                let work = Work::Compact(reason);
                let asker = Asker::from(caller);
                let launched = self.launch(&asker, &work, TurnOverrides::default(), once.as_ref());
                answer(reply, launched.await);
            }
            Command::Call {
                asker,
                call,
                once,
                reply,
            } => {
                let work = Work::Call(call);
                let launched = self.launch(&asker, &work, TurnOverrides::default(), once.as_ref());
                answer(reply, launched.await);
            }
            Command::Steer {
                asker,
                turn,
                text,
                once,
                reply,
            } => {
                let steered = self.steer(&asker, &turn, text, once.as_ref()).await;
                answer(reply, steered);
            }
            Command::Interrupt {
                asker,
                turn,
                stopping,
                reply,
            } => {
                let by = asker.stamp(&self.core);
                answer(reply, self.interrupt(&turn, by, stopping).await);
            }
            Command::StopCall { asker, item, reply } => {
                let by = asker.stamp(&self.core);
                answer(reply, self.stop_call(&item, by).await);
            }
            Command::Patch {
                caller,
                params,
                reply,
            } => {
                answer(reply, self.patch(&caller, &params).await);
            }
            Command::Delete { caller, reply } => answer(reply, self.delete(&caller).await),
            Command::Decide {
                caller,
                approval,
                answer: how,
                remember,
                reason,
                reply,
            } => {
                let given = (how, remember, reason);
                answer(reply, self.decide(&caller, &approval, given).await);
            }
            Command::Answer {
                caller,
                params,
                reply,
            } => {
                answer(reply, self.answer_input(&caller, params).await);
            }
            Command::Resolve {
                caller,
                params,
                reply,
            } => {
                answer(reply, self.resolve_call(&caller, params).await);
            }
            Command::Goal {
                asker,
                change,
                reply,
            } => {
                answer(reply, self.change_goal(&asker, change).await);
            }
            Command::ExpireInput { input } => self.expire_input(&input).await,
            Command::ExpireCall { call } => self.expire_call(&call).await,
            Command::Expire { approval } => self.expire(&approval).await,
        }
    }

    /// Leaves the thread to the store. What came in between the last look and the end is the next
    /// actor's: a turn that began here now would run where nobody can reach it.
    async fn leave(mut self) {
        self.core.loaded().remove(&self.id);
        self.mailbox.close();
        while let Some(command) = self.mailbox.recv().await {
            self.core.pass_on(&self.id, command);
        }
    }

    /// A batch on the thread as it is: under the lease while a turn runs, else on the newest state.
    fn batch(&self, durability: Durability) -> Batch {
        match &self.active {
            Some(active) => active.desk.batch(durability),
            None => {
                let mut batch = self.core.store.batch(durability);
                batch.guard(Guard::LeaseFree {
                    thread: self.id.clone(),
                });
                let stream = self.state.stream.clone();
                batch.guard(Guard::Head {
                    stream,
                    seq: self.state.head,
                });
                batch
            }
        }
    }

    async fn commit(&mut self, batch: Batch) -> Result<Committed, codewhale_store::Error> {
        let committed = self.core.store.commit(batch).await?;
        if let Some(last) = committed.last() {
            self.state.head = last;
        }
        Ok(committed)
    }
}

fn answer<T>(reply: Reply<T>, result: Result<T, Error>) {
    // Whoever asked may have left; what was done stays done.
    let _ = reply.send(result);
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

impl Core {
    /// How long an idle thread stays loaded: shorter when there are many.
    fn idle_time(&self) -> std::time::Duration {
        match self.loaded().len() > limits::LOADED_MAX {
            true => std::time::Duration::ZERO,
            false => limits::IDLE_UNLOAD,
        }
    }
}
