//! The models that may answer a turn: the one that was chosen, then those declared to stand in for
//! it.

use std::collections::VecDeque;

use codewhale_model::{Error, Route, RouteError};

use crate::{Host, Note};

/// The model that answers now, and who comes after it. What has failed in a turn is not tried again
/// in it.
#[derive(Clone, Debug)]
pub struct Chain {
    now: Route,
    next: VecDeque<Result<Route, RouteError>>,
}

impl Chain {
    /// A chosen model with its stand-ins, the first choice first. One that leads nowhere stands for
    /// the reason, which is shown when it would have been needed.
    pub fn new(route: Route, fallbacks: Vec<Result<Route, RouteError>>) -> Self {
        Self {
            now: route,
            next: fallbacks.into(),
        }
    }

    /// Who answers.
    pub fn now(&self) -> &Route {
        &self.now
    }

    /// Who comes next, when someone else may do better. Those that cannot be used are left out, and
    /// that is shown.
    pub(crate) fn next(&mut self, error: &Error, host: &dyn Host) -> Option<Route> {
        if !error.kind.calls_for_another_route() {
            return None;
        }
        while let Some(next) = self.next.pop_front() {
            match next {
                Ok(route) => return Some(route),
                Err(problem) => {
                    let line = format!("A fallback is left out: {problem}");
                    host.note(Note::Status(line));
                }
            }
        }
        None
    }

    /// Goes on with another one, and shows why.
    pub(crate) fn switch(&mut self, route: Route, error: &Error, host: &dyn Host) {
        let line = format!("{}; going on with {}", error.message, route.label());
        host.note(Note::Status(line));
        host.switch(&route);
        self.now = route;
    }
}
