//! Calls that are shown in terminals of the editor.
//!
//! ```text
//!  told ─┐                          ┌─ call over ──► view ends ──► release
//!        ├─► create ──► content ────┤
//!  runs ─┘                          └─ view ends ──┬─ stopped ──► calls/stop
//!                                                  └─ failed ───► text, as without a terminal
//! ```
//!
//! The follower alone decides what is told; tasks wait for the editor and send it what they learn.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::sync::Arc;

use codewhale_protocol::lent::Watcher;
use codewhale_protocol::operations::CallsStop;
use codewhale_protocol::runtime::{
    CallsStopParams, ItemId, TurnItemRecord, exit_code, is_watched_command,
};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::Follower;
use crate::limits::{STIRS_MAX, TERMINAL_PATIENCE, VIEW_END_WAIT};
use crate::session::Session;
use crate::terminal::{Exit, Terminal};
use crate::wire::{ToolCall, ToolContent, Update};

/// What is new about the terminals of a session.
pub(crate) enum Stir {
    /// A call runs now.
    Runs(ItemId),
    /// It has been running for a while.
    Lasts(ItemId),
    /// The editor has made a terminal for it.
    Made(ItemId, Terminal),
    /// The view in it has ended before the call was known to be over.
    Exited(ItemId, Exit),
    /// It has, and the call goes on.
    Left(ItemId, Exit),
}

/// Hears from the runtime which calls run.
struct Ear(mpsc::Sender<Stir>);

impl Watcher for Ear {
    fn runs(&self, item: &ItemId) {
        // One that is not heard of is shown as text.
        let _ = self.0.try_send(Stir::Runs(item.clone()));
    }
}

/// Where a session's terminals stir, and who hears of it.
pub(crate) struct Stirs {
    sender: mpsc::Sender<Stir>,
    receiver: mpsc::Receiver<Stir>,
}

impl Stirs {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel(STIRS_MAX);
        Self { sender, receiver }
    }

    /// Who tells which calls run.
    pub(crate) fn watcher(&self) -> Arc<dyn Watcher> {
        Arc::new(Ear(self.sender.clone()))
    }
}

/// The calls of a session that are or will be shown in terminals.
pub(super) struct Terminals {
    /// `None` for an editor without terminals.
    stirs: Option<Stirs>,
    /// Commands that the editor was told of and that are not over.
    told: BTreeSet<ItemId>,
    /// Calls that run and were not told yet.
    early: BTreeSet<ItemId>,
    views: BTreeMap<ItemId, View>,
}

/// The view of a call.
enum View {
    /// The editor is asked for a terminal.
    Wanted,
    /// It hangs there.
    Up {
        /// Tells the task that looks after it how the call ended.
        fate: watch::Sender<Fate>,
        exit: Option<Exit>,
    },
    /// It was there and shows nothing any more. Dropped, it lets its task go.
    Lost { _fate: watch::Sender<Fate> },
}

/// What has become of a call with a view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It runs.
    Open,
    /// It ended with a result, and its view ends by itself.
    Ended,
    /// In the middle.
    CutOff,
}

/// What shows the end of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shown {
    /// The text of its result.
    AsText,
    /// Its terminal.
    InTerminal,
}

impl Terminals {
    pub(super) fn new(stirs: Option<Stirs>) -> Self {
        Self {
            stirs,
            told: BTreeSet::new(),
            early: BTreeSet::new(),
            views: BTreeMap::new(),
        }
    }

    /// What is new.
    pub(super) async fn stir(&mut self) -> Stir {
        match &mut self.stirs {
            Some(stirs) => match stirs.receiver.recv().await {
                Some(stir) => stir,
                None => pending().await,
            },
            None => pending().await,
        }
    }

    /// A turn is over, and all its calls with it.
    pub(super) fn forget(&mut self) {
        self.told.clear();
        self.early.clear();
        self.views.clear();
    }

    /// Takes that the editor was told of a call. True when it runs already.
    fn begun(&mut self, item: &TurnItemRecord) -> bool {
        if self.stirs.is_none() || !is_watched_command(item) {
            return false;
        }
        self.told.insert(item.id.clone());
        self.early.remove(&item.id)
    }

    /// Takes that a call runs. True when the editor was told of it.
    fn runs(&mut self, item: &ItemId) -> bool {
        match self.told.contains(item) {
            true => true,
            false => {
                self.early.insert(item.clone());
                false
            }
        }
    }

    /// Takes that a call is over, and says what shows its end.
    fn over(&mut self, item: &TurnItemRecord) -> Shown {
        self.told.remove(&item.id);
        self.early.remove(&item.id);
        let metadata = item.metadata.as_ref();
        let has_result = metadata.is_some_and(|it| it.get("result").is_some());
        match self.views.remove(&item.id) {
            Some(View::Up { fate, exit: None }) if has_result => {
                fate.send_replace(Fate::Ended);
                Shown::InTerminal
            }
            Some(View::Up { fate, exit: None }) => {
                fate.send_replace(Fate::CutOff);
                Shown::AsText
            }
            // It saw the end first, unless it is another one.
            Some(View::Up {
                exit: Some(exit), ..
            }) => match exit == Exit::Code(exit_code(item).into()) && has_result {
                true => Shown::InTerminal,
                false => Shown::AsText,
            },
            Some(View::Wanted | View::Lost { .. }) | None => Shown::AsText,
        }
    }
}

impl Follower {
    /// The editor was told that an item has begun.
    pub(super) fn terminal_begun(&mut self, item: &TurnItemRecord) {
        if self.terminals.begun(item) {
            self.want_terminal(&item.id);
        }
    }

    /// The end of an item, as it is told beside its terminal.
    pub(super) fn terminal_over(&mut self, item: &TurnItemRecord, update: Update) -> Update {
        match (self.terminals.over(item), update) {
            (Shown::InTerminal, Update::ToolCallUpdate(mut call)) => {
                call.content = None;
                Update::ToolCallUpdate(call)
            }
            (Shown::InTerminal | Shown::AsText, update) => update,
        }
    }

    pub(super) async fn stirred(&mut self, stir: Stir) {
        match stir {
            Stir::Runs(item) => {
                if self.terminals.runs(&item) {
                    self.want_terminal(&item);
                }
            }
            Stir::Lasts(item) => self.make_terminal(item),
            Stir::Made(item, terminal) => self.terminal_made(item, terminal).await,
            Stir::Exited(item, exit) => {
                if let Some(View::Up { exit: known, .. }) = self.terminals.views.get_mut(&item) {
                    *known = Some(exit);
                }
                // Only from outside can it end so.
                if exit == Exit::Stopped {
                    self.stop_call(item);
                }
            }
            Stir::Left(item, exit) if exit.is_a_stop() => self.stop_call(item),
            Stir::Left(item, _) => self.terminal_lost(item).await,
        }
    }

    /// Wants a terminal for a call, if that goes on for a while.
    fn want_terminal(&mut self, item: &ItemId) {
        let Some(stirs) = &self.terminals.stirs else {
            return;
        };
        self.terminals.views.insert(item.clone(), View::Wanted);
        let (session, stirs) = (Arc::clone(&self.session), stirs.sender.clone());
        let item = item.clone();
        self.session.link.tasks.spawn(async move {
            tokio::select! {
                () = session.closed.cancelled() => return,
                () = sleep(TERMINAL_PATIENCE) => {}
            }
            let _ = stirs.send(Stir::Lasts(item)).await;
        });
    }

    /// Has the editor make the terminal of a call that still runs.
    fn make_terminal(&self, item: ItemId) {
        let view = self.terminals.views.get(&item);
        let (Some(View::Wanted), Some(stirs)) = (view, &self.terminals.stirs) else {
            return;
        };
        let (session, stirs) = (Arc::clone(&self.session), stirs.sender.clone());
        self.session.link.tasks.spawn(async move {
            make(&session, item, &stirs).await;
        });
    }

    async fn terminal_made(&mut self, item: ItemId, terminal: Terminal) {
        let view = self.terminals.views.get_mut(&item);
        let (Some(view @ View::Wanted), Some(stirs)) = (view, &self.terminals.stirs) else {
            // The call was over before.
            self.session.link.tasks.spawn(terminal.release());
            return;
        };
        let (fate, follows) = watch::channel(Fate::Open);
        *view = View::Up { fate, exit: None };
        let content = ToolContent::Terminal {
            terminal_id: terminal.id.clone(),
        };
        let watching = watch(terminal, item.clone(), follows, stirs.sender.clone());
        self.session.link.tasks.spawn(watching);
        self.tell(Some(shown(&item, vec![content]))).await;
    }

    /// The view could not stay: the call is shown as without it.
    async fn terminal_lost(&mut self, item: ItemId) {
        if let Some(View::Up { fate, .. }) = self.terminals.views.remove(&item) {
            let view = View::Lost { _fate: fate };
            self.terminals.views.insert(item.clone(), view);
            self.tell(Some(shown(&item, Vec::new()))).await;
        }
    }

    /// The person has stopped the view, and means the command.
    fn stop_call(&self, item: ItemId) {
        if !self.terminals.views.contains_key(&item) {
            return;
        }
        let session = Arc::clone(&self.session);
        self.session.link.tasks.spawn(async move {
            let params = CallsStopParams {
                thread_id: session.thread(),
                item_id: item,
            };
            // One that is over meanwhile is stopped.
            if let Err(error) = session.link.client.call::<CallsStop>(params).await {
                tracing::debug!(%error, "a call was not stopped");
            }
        });
    }
}

async fn make(session: &Session, item: ItemId, stirs: &mpsc::Sender<Stir>) {
    let Some(viewer) = &session.link.options.viewer else {
        return;
    };
    match Terminal::make(session, viewer, &item).await {
        Ok(terminal) => {
            let stir = Stir::Made(item, terminal);
            if let Err(mpsc::error::SendError(Stir::Made(_, terminal))) = stirs.send(stir).await {
                terminal.release().await;
            }
        }
        Err(error) => tracing::debug!(%error, "a call is shown as text"),
    }
}

/// Looks after a view until its call is over, and gives the terminal back.
async fn watch(
    terminal: Terminal,
    item: ItemId,
    mut fate: watch::Receiver<Fate>,
    stirs: mpsc::Sender<Stir>,
) {
    {
        let exit = terminal.exit();
        tokio::pin!(exit);
        tokio::select! {
            biased;
            ended = over(&mut fate) => match ended {
                Fate::Ended => {
                    if timeout(VIEW_END_WAIT, &mut exit).await.is_err() {
                        terminal.kill().await;
                    }
                }
                Fate::CutOff | Fate::Open => terminal.kill().await,
            },
            exited = &mut exit => {
                match exited {
                    Ok(exit) => view_exited(&terminal, item, exit, &mut fate, &stirs).await,
                    // Whether it stands is not known. The person sees it.
                    Err(error) => tracing::debug!(%error, "a view cannot be watched"),
                }
                over(&mut fate).await;
            }
        }
    }
    terminal.release().await;
}

/// Waits until a call is over, or nobody follows it any more.
async fn over(fate: &mut watch::Receiver<Fate>) -> Fate {
    let known = fate.wait_for(|fate| *fate != Fate::Open).await;
    known.map_or(Fate::CutOff, |fate| *fate)
}

/// The view has ended: with its call, as is soon seen, or before it.
async fn view_exited(
    terminal: &Terminal,
    item: ItemId,
    exit: Exit,
    fate: &mut watch::Receiver<Fate>,
    stirs: &mpsc::Sender<Stir>,
) {
    let _ = stirs.send(Stir::Exited(item.clone(), exit)).await;
    if exit == Exit::Stopped || timeout(VIEW_END_WAIT, over(fate)).await.is_ok() {
        return;
    }
    if !exit.is_a_stop() {
        let words = terminal.words().await;
        tracing::warn!(
            ?exit,
            words,
            "the view of a call failed in the editor's terminal"
        );
    }
    let _ = stirs.send(Stir::Left(item, exit)).await;
}

fn shown(item: &ItemId, content: Vec<ToolContent>) -> Update {
    Update::ToolCallUpdate(Box::new(ToolCall {
        tool_call_id: item.to_string(),
        content: Some(content),
        ..ToolCall::default()
    }))
}

#[cfg(test)]
mod tests;
