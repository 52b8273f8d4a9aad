//! The host of a turn: what the engine reports becomes items and events; what it asks becomes
//! approvals.
//!
//! The desk is shared by the turn's task, which works on it, and the thread's actor, which reads
//! it when the turn ends. Rows of the turn and the thread are the actor's alone.

mod agents;
mod ask;
mod calls;
mod client;
mod desk;
mod goal;
mod items;
mod person;
mod shots;
mod text;

use std::sync::Arc;

use codewhale_engine::{Answer, Closing, Host, Note, Opening, Question, Unsettled};
use codewhale_model::Route;
use codewhale_policy::{Authority, Law};
use codewhale_protocol::Caller;
use codewhale_protocol::runtime::ItemId;
use codewhale_protocol::service::BoxFuture;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::actor::Command;
use crate::bounds;

pub(crate) use agents::Agents;
pub(crate) use calls::RunningCall;
pub(crate) use client::{Answered, PendingCall};
pub(crate) use desk::{Belongings, Desk, OpenItem, Pending, PendingInput, State};
pub(crate) use items::{end_of_open, new_item, said_item, with_error};
pub(crate) use shots::Shots;

/// The engine's way to the desk and to the actor.
#[derive(Clone)]
pub(crate) struct TurnHost {
    pub(crate) desk: Arc<Desk>,
    pub(crate) actor: mpsc::Sender<Command>,
    /// In whose name it works.
    pub(crate) caller: Caller,
}

impl Host for TurnHost {
    fn open(&self, opening: Opening) -> ItemId {
        self.desk.open(opening)
    }

    fn text<'a>(&'a self, item: &'a ItemId, text: &'a str) -> Option<BoxFuture<'a, ()>> {
        let look = self.desk.text(item, text);
        look.then(|| -> BoxFuture<'a, ()> { Box::pin(self.desk.room()) })
    }

    fn close(&self, item: ItemId, closing: Closing) {
        self.desk.close(&item, closing);
    }

    fn note(&self, note: Note) {
        match note {
            Note::Status(text) => self.desk.status(&text),
            Note::Dispatched => self.desk.dispatched(),
            Note::Usage(usage, purpose) => self.desk.used(usage, purpose),
        }
    }

    fn switch(&self, route: &Route) {
        self.desk.switch(route.clone());
    }

    fn intend<'a>(
        &'a self,
        item: &'a ItemId,
        digest: &'a str,
    ) -> BoxFuture<'a, Result<(), Unsettled>> {
        Box::pin(async move {
            self.desk.keep_before().await;
            self.desk.intend(item, digest);
            self.desk.settle().await.map_err(|_| Unsettled)
        })
    }

    fn running(&self, item: &ItemId, stop: &CancellationToken) {
        self.desk.running(item, stop.clone());
    }

    fn ran(&self, item: &ItemId) {
        self.desk.ran(item);
    }

    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(self.put_question(question))
    }

    fn authority(&self) -> Authority {
        self.desk.state().authority
    }

    fn law(&self) -> Arc<Law> {
        let law = self.desk.core.rules.law();
        match bounds::writable(&self.desk.bounds) {
            Some(places) => Arc::new(Law::clone(&law).with_writable(places)),
            None => law,
        }
    }

    fn spent(&self) -> Option<String> {
        self.desk.tree.spent(self.desk.member())
    }

    fn calls_spent(&self) -> Option<String> {
        self.desk.tree.calls_spent()
    }

    fn take_input(&self) -> Vec<String> {
        self.desk.state().input.take()
    }

    fn close_input(&self) -> BoxFuture<'_, bool> {
        Box::pin(self.desk.close_input())
    }
}
