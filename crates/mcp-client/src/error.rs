//! Why a server did not do what was asked.

use std::time::Duration;

use crate::LoginError;

/// A server that cannot be reached, or a request that came to nothing.
#[derive(thiserror::Error, Debug)]
pub enum Error {
    /// There is none of this name.
    #[error("there is no MCP server named {server:?}; `mcp list` shows those there are")]
    UnknownServer {
        /// The name.
        server: String,
    },
    /// Its process did not start.
    #[error("the process did not start; check `command`, `cwd` and the PATH in mcp.json")]
    Start(#[source] codewhale_sandbox::Error),
    /// The pipes to its process could not be made.
    #[error("could not make the pipes of the process")]
    Pipes(#[source] std::io::Error),
    /// Its process ended.
    #[error("the process ended: {how}{}", after(said))]
    Ended {
        /// How.
        how: String,
        /// Its last words.
        said: String,
    },
    /// It cannot be spoken to over HTTP as configured.
    #[error("cannot be reached over HTTP: {why}; check `url` and `headers` in mcp.json")]
    Http {
        /// What stood in the way.
        why: String,
    },
    /// The user's network policy shuts its host.
    #[error("is not spoken to: the network policy shuts {host}; the user can change [network]")]
    Shut {
        /// The host.
        host: String,
    },
    /// It wants to know who we are.
    #[error(
        "wants authorisation: run `codewhale mcp login {server}`, or set `bearer_token_env_var`, or \
         an Authorization header, in mcp.json"
    )]
    NeedsAuth {
        /// Its name.
        server: String,
    },
    /// The login at it does not work any more.
    #[error("the login does not work; run `codewhale mcp login {server}` again")]
    Login {
        /// Its name.
        server: String,
        /// Why not.
        #[source]
        source: LoginError,
    },
    /// It spoke, and not as agreed.
    #[error("did not shake hands: {why}")]
    Handshake {
        /// What it did instead.
        why: String,
    },
    /// It takes too long.
    #[error("has not answered for {} s", waited.as_secs_f64())]
    TooLate {
        /// How long it was waited for.
        waited: Duration,
    },
    /// It is not there now.
    #[error("is not connected ({why}); it is being started again, repeat the call later")]
    NotConnected {
        /// Why not.
        why: String,
    },
    /// The connection broke while it worked.
    #[error(
        "went away during the call, which may or may not have had its effect; it is being started \
         again. Check what happened before you repeat the call"
    )]
    Lost,
    /// It refused.
    #[error("answered with an error: {message}")]
    Refused {
        /// Its words.
        message: String,
    },
    /// It sent something else than was asked for.
    #[error("sent an answer that makes no sense: {why}")]
    Nonsense {
        /// What is wrong with it.
        why: String,
    },
    /// The turn was stopped.
    #[error("did not answer before the call was stopped")]
    Cancelled,
}

/// A server that nothing goes on without, and that is not there.
#[derive(thiserror::Error, Debug, PartialEq, Eq)]
#[error(
    "the MCP server {server:?} is required and did not come up: {why}; mend it, or set `required` \
     to false in mcp.json"
)]
pub struct NotUp {
    /// Its name.
    pub server: String,
    /// What stands in the way.
    pub why: String,
}

/// A settings file that cannot be used at all, or a change of it that cannot be made.
#[derive(thiserror::Error, Debug, PartialEq, Eq)]
pub enum SettingsError {
    /// It is not JSON of the right shape.
    #[error("mcp.json cannot be read: {why}; mend it by hand")]
    Unreadable {
        /// Where and why.
        why: String,
    },
    /// A server of this name is there.
    #[error("there is an MCP server named {server:?} already; remove it first")]
    Exists {
        /// The name.
        server: String,
    },
    /// No server of this name is there.
    #[error("there is no MCP server named {server:?} in this file")]
    Missing {
        /// The name.
        server: String,
    },
    /// The server would not work.
    #[error("{server:?} was not added: {why}")]
    Unusable {
        /// The name.
        server: String,
        /// What to mend.
        why: String,
    },
}

fn after(said: &str) -> String {
    match said.is_empty() {
        true => String::new(),
        false => format!("; its last words were:\n{said}"),
    }
}

/// An error with all its causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_with_the_last_words_if_there_were_any() {
        let ended = |said: &str| {
            let error = Error::Ended {
                how: "exit code 1".to_owned(),
                said: said.to_owned(),
            };
            error.to_string()
        };
        assert_eq!(ended(""), "the process ended: exit code 1");
        assert_eq!(
            ended("no token"),
            "the process ended: exit code 1; its last words were:\nno token"
        );
    }
}
