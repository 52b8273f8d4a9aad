//! Who waits for a server right now: whom it may ask something, and what came of that.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codewhale_tools::Person;
use tokio::sync::watch;

use crate::limits::ASKED_MAX;

/// The people behind the calls a server works on.
#[derive(Default)]
pub(crate) struct Callers {
    waiting: Mutex<Waiting>,
    /// How many questions of the server are before a person now.
    questions: watch::Sender<usize>,
}

#[derive(Default)]
struct Waiting {
    last: u64,
    callers: BTreeMap<u64, Arc<Caller>>,
}

/// Somebody who waits for a call.
pub(crate) struct Caller {
    pub(crate) person: Arc<dyn Person>,
    notes: Mutex<Notes>,
}

/// What came of the questions during a call.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Notes {
    asked: usize,
    /// Whether the server was told what a person said, which nobody may keep.
    pub(crate) has_answers: bool,
    /// Why questions were declined.
    pub(crate) declined: Vec<String>,
}

impl Caller {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a question; false when there were enough.
    pub(crate) fn may_ask(&self) -> bool {
        let mut notes = self.notes();
        notes.asked += 1;
        notes.asked <= ASKED_MAX
    }

    pub(crate) fn answered(&self) {
        self.notes().has_answers = true;
    }

    /// Notes why the person was not asked, or did not answer.
    pub(crate) fn declined(&self, why: String) {
        let mut notes = self.notes();
        if notes.declined.len() < ASKED_MAX {
            notes.declined.push(why);
        }
    }
}

impl Callers {
    /// Notes a call until what this returns is dropped.
    pub(crate) fn enter(self: &Arc<Self>, person: Arc<dyn Person>) -> Call {
        let caller = Arc::new(Caller {
            person,
            notes: Mutex::default(),
        });
        let mut waiting = self.waiting();
        waiting.last += 1;
        let number = waiting.last;
        waiting.callers.insert(number, caller.clone());
        Call {
            callers: self.clone(),
            number,
            caller,
        }
    }

    /// Whom a question is for. A question does not say which call it belongs to: with several at
    /// once it might reach somebody it does not concern, so it reaches nobody.
    pub(crate) fn only(&self) -> Option<Arc<Caller>> {
        let waiting = self.waiting();
        let mut callers = waiting.callers.values();
        let only = match (callers.next(), callers.next()) {
            (Some(caller), None) => return Some(caller.clone()),
            _ => None,
        };
        for caller in waiting.callers.values() {
            caller.declined("it is not clear which of several calls it belongs to".to_owned());
        }
        only
    }

    /// A question is before a person until what this returns is dropped.
    pub(crate) fn asking(&self) -> Asking<'_> {
        self.questions.send_modify(|questions| *questions += 1);
        Asking(self)
    }

    /// How many questions are before a person.
    pub(crate) fn questions(&self) -> watch::Receiver<usize> {
        self.questions.subscribe()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that a person thinks about.
pub(crate) struct Asking<'a>(&'a Callers);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.questions.send_modify(|questions| *questions -= 1);
    }
}

/// A call that is being worked on.
pub(crate) struct Call {
    callers: Arc<Callers>,
    number: u64,
    caller: Arc<Caller>,
}

impl Call {
    /// What came of the questions so far.
    pub(crate) fn notes(&self) -> Notes {
        self.caller.notes().clone()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.callers.waiting().callers.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::ext::{UserInputAnswer, UserInputQuestion};
    use codewhale_protocol::service::BoxFuture;
    use codewhale_tools::Unanswered;

    use super::*;

    struct Somebody;

    impl Person for Somebody {
        fn ask(
            &self,
            _: Vec<UserInputQuestion>,
        ) -> BoxFuture<'_, Result<Vec<UserInputAnswer>, Unanswered>> {
            Box::pin(async { Err(Unanswered::Declined) })
        }
    }

    #[test]
    fn a_question_reaches_a_person_only_while_one_call_waits() {
        let callers = Arc::new(Callers::default());
        assert!(callers.only().is_none());
        let one = callers.enter(Arc::new(Somebody));
        assert!(callers.only().is_some());
        let other = callers.enter(Arc::new(Somebody));
        assert!(callers.only().is_none());
        drop(one);
        assert!(callers.only().is_some());
        assert_eq!(other.notes().declined.len(), 1);
        drop(other);
        assert!(callers.only().is_none());
    }

    #[test]
    fn a_server_that_asks_without_end_is_not_heard_without_end() {
        let callers = Arc::new(Callers::default());
        let _call = callers.enter(Arc::new(Somebody));
        let caller = callers.only().unwrap();
        let heard = (0..100).filter(|_| caller.may_ask()).count();
        assert_eq!(heard, ASKED_MAX);
    }
}
