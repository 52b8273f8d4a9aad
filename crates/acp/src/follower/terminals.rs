//! Which calls of a session are shown in terminals of the editor, and how far that is. Pure, but for
//! the channel by which the follower hears what is new; `views.rs` acts on it.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::sync::Arc;

use codewhale_protocol::lent::Watcher;
use codewhale_protocol::runtime::{ItemId, TurnItemRecord, exit_code, is_watched_command};
use tokio::sync::{mpsc, watch};

use crate::limits::STIRS_MAX;
use crate::terminal::{Exit, Terminal};

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
    pub(super) sender: mpsc::Sender<Stir>,
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
    pub(super) stirs: Option<Stirs>,
    /// Commands that the editor was told of and that are not over.
    told: BTreeSet<ItemId>,
    /// Calls that run and were not told yet.
    early: BTreeSet<ItemId>,
    pub(super) views: BTreeMap<ItemId, View>,
}

/// The view of a call.
pub(super) enum View {
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
pub(super) enum Fate {
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
    pub(super) fn begun(&mut self, item: &TurnItemRecord) -> bool {
        if self.stirs.is_none() || !is_watched_command(item) {
            return false;
        }
        self.told.insert(item.id.clone());
        self.early.remove(&item.id)
    }

    /// Takes that a call runs. True when the editor was told of it.
    pub(super) fn runs(&mut self, item: &ItemId) -> bool {
        match self.told.contains(item) {
            true => true,
            false => {
                self.early.insert(item.clone());
                false
            }
        }
    }

    /// Takes that a call is over, and says what shows its end.
    pub(super) fn over(&mut self, item: &TurnItemRecord) -> Shown {
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

#[cfg(test)]
mod tests;
