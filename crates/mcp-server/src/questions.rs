//! The questions of one turn that wait for a person: put to the client, and taken back when they are
//! settled elsewhere.

use std::collections::BTreeMap;

use codewhale_protocol::runtime::TurnId;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rmcp::model::{InputRequest, InputRequests, InputRequiredResult};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::ask::{Asked, AskedHow, Question, QuestionId};
use crate::limits;
use crate::turn::Watch;

#[derive(Default)]
pub(crate) struct Questions<'a> {
    /// Those that just came. They are put once it is clear that nobody settles them in the same moment.
    fresh: Vec<Question>,
    asked: FuturesUnordered<Asked<'a>>,
    /// What takes each back that was put.
    open: BTreeMap<QuestionId, CancellationToken>,
}

impl<'a> Questions<'a> {
    pub(crate) fn add(&mut self, question: Question) {
        self.fresh.push(question);
    }

    pub(crate) fn has_fresh(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Puts the new ones to the client, where it can show them. What its call is answered with, if that
    /// is how it is asked: it goes on by calling again, and names the turn.
    pub(crate) fn put(
        &mut self,
        watch: &'a Watch<'a>,
        turn: &TurnId,
    ) -> Option<InputRequiredResult> {
        let fresh = std::mem::take(&mut self.fresh);
        match watch.asked_how() {
            AskedHow::NotAtAll => None,
            AskedHow::Request => {
                for question in fresh {
                    let (id, taken_back) = (question.id(), CancellationToken::new());
                    self.asked.push(watch.ask(question, taken_back.clone()));
                    self.open.insert(id, taken_back);
                }
                None
            }
            AskedHow::Result => {
                let form = |it: Question| Some((it.key(), InputRequest::Elicitation(it.form()?)));
                let forms: InputRequests = fresh.into_iter().filter_map(form).collect();
                let is_asked = !forms.is_empty();
                is_asked.then(|| InputRequiredResult::new(Some(forms), Some(turn.to_string())))
            }
        }
    }

    /// A question is settled, whoever did it.
    pub(crate) fn settle(&mut self, id: &QuestionId) {
        self.fresh.retain(|question| question.id() != *id);
        if let Some(taken_back) = self.open.remove(id) {
            taken_back.cancel();
        }
    }

    /// Waits until one of them leaves the client, for ever where there is none.
    pub(crate) async fn left(&mut self) {
        match self.asked.next().await {
            Some(id) => drop(self.open.remove(&id)),
            None => std::future::pending().await,
        }
    }

    /// Takes back what still stands in the client, if it reads.
    pub(crate) async fn take_back(mut self) {
        for taken_back in self.open.values() {
            taken_back.cancel();
        }
        let taken = async { while self.asked.next().await.is_some() {} };
        if timeout(limits::PROGRESS_WAIT, taken).await.is_err() {
            tracing::debug!("a client does not take back its questions");
        }
    }
}
