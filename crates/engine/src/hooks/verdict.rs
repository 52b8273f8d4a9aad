//! What a hook said, read. Pure: from how it ended and what it wrote to what it wants.

use std::time::Duration;

use codewhale_sandbox::{Captured, End};
use serde::Deserialize;
use serde_json::Value;

use super::moment::cut;
use crate::limits;

/// A hook that ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ran {
    pub(crate) end: End,
    pub(crate) output: Captured,
    pub(crate) errors: Captured,
}

/// Why a hook has nothing to say.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("did not start: {0}")]
    NotStarted(String),
    #[error("is a repository's, and this system cannot hold it in walls, so it does not run")]
    NoWalls,
    #[error("took longer than {} s and was stopped", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("failed with exit code {0}")]
    Failed(i32),
    #[error("was ended by signal {0}")]
    Signaled(i32),
    #[error("wrote more than {} KiB", limits::HOOK_OUTPUT_BYTES_MAX / 1024)]
    TooLong,
    #[error("wrote something that does not read: {0}")]
    Unreadable(String),
    #[error("gave no verdict")]
    Silent,
    #[error("was stopped with the turn")]
    Cancelled,
}

/// How it stands with a call.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct CallVerdict {
    pub(crate) decision: Option<Decision>,
    pub(crate) input: Option<Value>,
    /// For the model, beside the result.
    pub(crate) context: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// No more than silence, but a strict hook has spoken.
    Allow,
    /// A person is to be asked, for this reason.
    Ask(String),
    /// It does not run, for this reason.
    Deny(String),
}

/// How it stands with a message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum MessageVerdict {
    #[default]
    Keep,
    Replace(String),
    Block(String),
}

/// The exit code that says no.
const REFUSED: i32 = 2;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SaidOfCall {
    decision: Option<Value>,
    reason: Option<String>,
    updated_input: Option<Value>,
    additional_context: Option<String>,
}

#[derive(Deserialize)]
struct SaidOfMessage {
    text: Option<String>,
}

impl Ran {
    /// What it says about a call.
    pub(crate) fn of_call(&self, timeout: Duration) -> Result<CallVerdict, Fault> {
        if self.end == End::Exited(REFUSED) {
            let said = self.json::<SaidOfCall>().ok().flatten();
            let reason = said.and_then(|said| said.reason);
            return Ok(CallVerdict {
                decision: Some(Decision::Deny(self.words(reason))),
                ..CallVerdict::default()
            });
        }
        self.check(timeout)?;
        let Some(said) = self.json::<SaidOfCall>()? else {
            return Ok(CallVerdict::default());
        };
        if said
            .updated_input
            .as_ref()
            .is_some_and(|it| !it.is_object())
        {
            return Err(Fault::Unreadable("updatedInput is no object".into()));
        }
        let reason = shortened(said.reason.unwrap_or_default());
        Ok(CallVerdict {
            decision: said.decision.and_then(|word| decision(&word, reason)),
            input: said.updated_input,
            context: said.additional_context.map(shortened),
        })
    }

    /// What it says about a message.
    pub(crate) fn of_message(&self, timeout: Duration) -> Result<MessageVerdict, Fault> {
        if self.end == End::Exited(REFUSED) {
            return Ok(MessageVerdict::Block(self.words(None)));
        }
        self.check(timeout)?;
        let said = self.json::<SaidOfMessage>()?.and_then(|said| said.text);
        match said {
            None => Ok(MessageVerdict::Keep),
            Some(text) if text.trim().is_empty() => {
                Err(Fault::Unreadable("the text is blank".into()))
            }
            Some(text) => Ok(MessageVerdict::Replace(text)),
        }
    }

    /// Whether it ended well.
    pub(crate) fn check(&self, timeout: Duration) -> Result<(), Fault> {
        match self.end {
            End::Exited(0) if self.output.bytes_left_out > 0 => Err(Fault::TooLong),
            End::Exited(0) => Ok(()),
            End::Exited(code) => Err(Fault::Failed(code)),
            End::Signaled(signal) => Err(Fault::Signaled(signal)),
            End::TimedOut => Err(Fault::TimedOut(timeout)),
            End::Cancelled => Err(Fault::Cancelled),
        }
    }

    /// The object it wrote. A hook that writes plain words says nothing to us.
    fn json<'a, T: Deserialize<'a>>(&'a self) -> Result<Option<T>, Fault> {
        let text = self.output.text.trim();
        if !text.starts_with('{') {
            return Ok(None);
        }
        // The text of the failure may repeat a piece of the output; the place is enough.
        serde_json::from_str(text).map(Some).map_err(|error| {
            Fault::Unreadable(format!("line {}, column {}", error.line(), error.column()))
        })
    }

    /// Its reason: the one it gave, else what it wrote.
    fn words(&self, reason: Option<String>) -> String {
        let texts = [
            reason.as_deref().unwrap_or_default(),
            &self.errors.text,
            &self.output.text,
        ];
        let words = texts.into_iter().map(str::trim).find(|it| !it.is_empty());
        shortened(words.unwrap_or("no reason given").to_owned())
    }
}

/// A word we do not know may be a no in another language: it is never a yes.
fn decision(word: &Value, reason: String) -> Option<Decision> {
    match word.as_str() {
        None if word.is_null() => None,
        Some("allow") => Some(Decision::Allow),
        Some("ask") => Some(Decision::Ask(reason)),
        Some("deny") => Some(Decision::Deny(reason)),
        Some(_) | None => Some(Decision::Deny(
            "its decision is none of allow, deny and ask".to_owned(),
        )),
    }
}

fn shortened(mut words: String) -> String {
    let kept = cut(&words, limits::HOOK_WORDS_BYTES_MAX).len();
    words.truncate(kept);
    words
}

#[cfg(test)]
mod tests;
