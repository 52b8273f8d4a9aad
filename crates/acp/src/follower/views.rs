//! Views of calls in terminals of the editor: made, watched, and given back.
//!
//! ```text
//!  told ─┐                          ┌─ call over ──► view ends ──► release
//!        ├─► create ──► content ────┤
//!  runs ─┘                          └─ view ends ──┬─ stopped ──► calls/stop
//!                                                  └─ failed ───► text, as without a terminal
//! ```
//!
//! The follower alone decides what is told; tasks wait for the editor and send it what they learn.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use codewhale_protocol::operations::CallsStop;
use codewhale_protocol::runtime::{CallsStopParams, ItemId, TurnItemRecord};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::Follower;
use super::terminals::{Fate, Shown, Stir, View};
use crate::limits::{TERMINAL_PATIENCE, VIEW_END_WAIT};
use crate::session::Session;
use crate::terminal::{Exit, Terminal};
use crate::wire::{ToolCall, ToolContent, Update};

impl Follower {
    /// The editor was told that an item has begun.
    pub(super) fn terminal_begun(&mut self, item: &TurnItemRecord) {
        let fails = self.session.link.views_fail.load(Ordering::Relaxed);
        if !fails && self.terminals.begun(item) {
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
            // It would fail again.
            self.session.link.views_fail.store(true, Ordering::Relaxed);
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
        Err(error) => {
            tracing::debug!(%error, "calls are shown as text");
            session.link.views_fail.store(true, Ordering::Relaxed);
        }
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
