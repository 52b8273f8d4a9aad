//! The turns that a client waits for, one per thread at most.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use codewhale_protocol::runtime::TurnId;

use super::rpc::Id;

/// Who waits for what. A turn is in here from the moment its request was read, so that whatever the
/// client sends behind it finds it.
#[derive(Default)]
pub(super) struct Live(Mutex<HashMap<String, Waiting>>);

#[derive(Default)]
struct Waiting {
    /// None until the turn is accepted.
    turn: Option<TurnId>,
    is_to_stop: bool,
    /// Requests to stop it, which are answered behind it.
    stops: Vec<Option<Id>>,
}

/// What is to be done about a turn that is to stop.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// This turn must be told.
    Tell(TurnId),
    /// Whoever starts it will see.
    Noted,
}

impl Live {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn on this thread is about to be asked for.
    pub(super) fn begin(&self, thread: &str) {
        self.all().insert(thread.to_owned(), Waiting::default());
    }

    /// It was accepted; true when it is to stop already.
    pub(super) fn accepted(&self, thread: &str, turn: &TurnId) -> bool {
        let mut all = self.all();
        let waiting = all.entry(thread.to_owned()).or_default();
        waiting.turn = Some(turn.clone());
        waiting.is_to_stop
    }

    /// It is over; those who wanted it to stop can be told.
    pub(super) fn end(&self, thread: &str) -> Vec<Option<Id>> {
        let ended = self.all().remove(thread);
        ended.map(|waiting| waiting.stops).unwrap_or_default()
    }

    /// Stops the turn on a thread; `None` when there is none. The request is answered behind it.
    pub(super) fn stop(&self, thread: &str, request: Option<Id>) -> Result<Stop, Option<Id>> {
        let mut all = self.all();
        let Some(waiting) = all.get_mut(thread) else {
            return Err(request);
        };
        waiting.is_to_stop = true;
        waiting.stops.push(request);
        Ok(waiting.turn.clone().map_or(Stop::Noted, Stop::Tell))
    }

    /// Stops them all, and tells which must be told.
    pub(super) fn stop_all(&self) -> Vec<(String, TurnId)> {
        let mut told = Vec::new();
        for (thread, waiting) in self.all().iter_mut() {
            waiting.is_to_stop = true;
            told.extend(waiting.turn.clone().map(|turn| (thread.clone(), turn)));
        }
        told
    }

    /// The turn on a thread.
    pub(super) fn turn(&self, thread: &str) -> Option<TurnId> {
        self.all().get(thread).and_then(|it| it.turn.clone())
    }

    /// The threads with a turn.
    pub(super) fn threads(&self) -> Vec<String> {
        self.all().keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_that_comes_before_the_turn_is_accepted_is_kept_for_it() {
        let live = Live::default();
        assert!(live.stop("a", None).is_err());
        live.begin("a");
        assert_eq!(live.stop("a", None).ok(), Some(Stop::Noted));
        let turn = TurnId::from("turn_1");
        assert!(live.accepted("a", &turn));
        assert_eq!(live.stop("a", None).ok(), Some(Stop::Tell(turn.clone())));
        assert_eq!(live.stop_all(), [("a".to_owned(), turn)]);
        assert_eq!(live.end("a").len(), 2);
        assert_eq!(live.threads(), Vec::<String>::new());
    }
}
