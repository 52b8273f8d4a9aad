//! A terminal of the editor with a view of a call in it.
//!
//! Commands run in the runtime, inside their walls. What runs in the editor's terminal is a program of
//! ours that reads the log of the call and prints it. It is a picture: when it cannot be hung up,
//! everything goes on as without it.

use std::sync::Arc;

use codewhale_protocol::runtime::ItemId;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::door::Viewer;
use crate::limits::{TERMINAL_BYTES_MAX, TERMINAL_WAIT, VIEW_WORDS_BYTES_MAX};
use crate::peer::Unanswered;
use crate::session::{Link, Session};

/// A terminal that the editor has made.
pub(crate) struct Terminal {
    link: Arc<Link>,
    session: String,
    /// The editor's name for it.
    pub(crate) id: String,
}

/// How the program in a terminal ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// By itself, with this code.
    Code(u32),
    /// By a signal: somebody stopped it.
    Stopped,
    /// Nobody can tell.
    Unknown,
}

impl Exit {
    /// Whether it looks as if somebody had stopped it: a signal that people send, in the way that a
    /// shell tells of one.
    pub(crate) fn is_a_stop(self) -> bool {
        match self {
            Exit::Stopped => true,
            Exit::Code(code) => matches!(code, 129 | 130 | 137 | 143),
            Exit::Unknown => false,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    terminal_id: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Exited {
    exit_code: Option<u32>,
    signal: Option<String>,
}

impl From<Exited> for Exit {
    fn from(exited: Exited) -> Self {
        match (exited.signal, exited.exit_code) {
            (Some(_), _) => Exit::Stopped,
            (None, Some(code)) => Exit::Code(code),
            (None, None) => Exit::Unknown,
        }
    }
}

#[derive(Deserialize)]
struct Output {
    output: String,
}

impl Terminal {
    /// Has the editor make a terminal with a view of a call. Its answer is waited for as long as it is
    /// there: a terminal that nobody knows of could not be released.
    pub(crate) async fn make(
        session: &Session,
        viewer: &Viewer,
        item: &ItemId,
    ) -> Result<Self, Unanswered> {
        let thread = session.thread();
        let call = ["--thread", thread.as_str(), "--item", item.as_str()];
        let arguments = viewer.arguments.iter().map(String::as_str).chain(call);
        let params = json!({
            "sessionId": session.id,
            "command": viewer.program,
            "args": arguments.collect::<Vec<_>>(),
            "outputByteLimit": TERMINAL_BYTES_MAX,
        });
        let link = Arc::clone(&session.link);
        let made: Made = link.peer.ask("terminal/create", params, &link.gone).await?;
        Ok(Self {
            session: session.id.clone(),
            id: made.terminal_id,
            link,
        })
    }

    /// Waits until the program in it has ended.
    pub(crate) async fn exit(&self) -> Result<Exit, Unanswered> {
        let exited: Exited = self.ask("terminal/wait_for_exit").await?;
        Ok(exited.into())
    }

    /// What the program in it has said, to learn why it failed.
    pub(crate) async fn words(&self) -> String {
        let asked = timeout(TERMINAL_WAIT, self.ask::<Output>("terminal/output")).await;
        match asked {
            Ok(Ok(output)) => {
                let end = output.output.floor_char_boundary(VIEW_WORDS_BYTES_MAX);
                output.output[..end].to_owned()
            }
            Ok(Err(_)) | Err(_) => String::new(),
        }
    }

    /// Ends the program in it.
    pub(crate) async fn kill(&self) {
        self.tell("terminal/kill").await;
    }

    /// Gives it back.
    pub(crate) async fn release(self) {
        self.tell("terminal/release").await;
    }

    async fn tell(&self, method: &str) {
        match timeout(TERMINAL_WAIT, self.ask::<Value>(method)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::debug!(%error, method, "a terminal stays as it is"),
            Err(_) => tracing::debug!(method, "the editor does not answer about a terminal"),
        }
    }

    async fn ask<A: DeserializeOwned>(&self, method: &str) -> Result<A, Unanswered> {
        let params = json!({ "sessionId": self.session, "terminalId": self.id });
        self.link.peer.ask(method, params, &self.link.gone).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(exited: Value, exit: Exit, is_a_stop: bool) {
        let read: Exited = serde_json::from_value(exited).unwrap();
        let read = Exit::from(read);
        assert_eq!((read, read.is_a_stop()), (exit, is_a_stop));
    }

    #[test]
    fn an_end_by_a_signal_is_a_stop_however_it_is_told() {
        check(json!({ "exitCode": 0 }), Exit::Code(0), false);
        check(
            json!({ "exitCode": 127, "signal": null }),
            Exit::Code(127),
            false,
        );
        check(
            json!({ "exitCode": null, "signal": "SIGKILL" }),
            Exit::Stopped,
            true,
        );
        check(
            json!({ "exitCode": 0, "signal": "SIGHUP" }),
            Exit::Stopped,
            true,
        );
        check(json!({}), Exit::Unknown, false);
        check(json!({ "exitCode": 130 }), Exit::Code(130), true);
    }
}
