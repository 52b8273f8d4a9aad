//! Who waits for a server right now: whom it may ask something.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use codewhale_tools::Person;

/// The people behind the calls a server works on.
#[derive(Default)]
pub(crate) struct Callers {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    last: u64,
    people: BTreeMap<u64, Arc<dyn Person>>,
}

impl Callers {
    /// Notes a call until what this returns is dropped.
    pub(crate) fn enter(self: &Arc<Self>, person: Arc<dyn Person>) -> Call {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.last += 1;
        let number = waiting.last;
        waiting.people.insert(number, person);
        Call {
            callers: self.clone(),
            number,
        }
    }

    /// The person a question is for. A question does not say which call it belongs to: with
    /// several at once it might reach somebody it does not concern, so it reaches nobody.
    pub(crate) fn only(&self) -> Option<Arc<dyn Person>> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut people = waiting.people.values();
        match (people.next(), people.next()) {
            (Some(person), None) => Some(person.clone()),
            _ => None,
        }
    }
}

/// A call that is being worked on.
pub(crate) struct Call {
    callers: Arc<Callers>,
    number: u64,
}

impl Drop for Call {
    fn drop(&mut self) {
        let waiting = self.callers.waiting.lock();
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        waiting.people.remove(&self.number);
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
        drop(other);
        assert!(callers.only().is_none());
    }
}
