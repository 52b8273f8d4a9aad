//! Who answers the questions of a tool.

use std::fmt;

use codewhale_protocol::ext::{UserInputAnswer, UserInputQuestion};
use codewhale_protocol::service::BoxFuture;

/// The person behind a turn, as far as tools may speak to them.
pub trait Person: Send + Sync {
    /// Puts these questions and waits for the answers. Dropping the future withdraws them.
    fn ask(
        &self,
        questions: Vec<UserInputQuestion>,
    ) -> BoxFuture<'_, Result<Vec<UserInputAnswer>, Unanswered>>;

    /// Whether MCP servers may put questions of their own.
    fn hears_servers(&self) -> bool {
        true
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unanswered {
    /// Nobody can be asked.
    #[error("nobody is here to answer; decide yourself and say what you assumed")]
    NobodyHere,
    /// Nobody answered in time.
    #[error("nobody answered in time; go on with what is safe, and say what is still open")]
    TooLate,
    /// The person would rather not.
    #[error("the user declined to answer; go on without, or end the turn and say what is needed")]
    Declined,
}

/// For turns that no person watches.
pub(crate) struct Nobody;

impl Person for Nobody {
    fn ask(
        &self,
        _: Vec<UserInputQuestion>,
    ) -> BoxFuture<'_, Result<Vec<UserInputAnswer>, Unanswered>> {
        Box::pin(async { Err(Unanswered::NobodyHere) })
    }
}

impl fmt::Debug for dyn Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Person")
    }
}
