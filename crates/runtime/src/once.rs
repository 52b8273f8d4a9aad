//! Requests that may be sent again: whoever gives one a key has it done once.
//!
//! The key is written in the commit that does what was asked, together with the answer. So there is
//! no moment at which one of them is on the disk and the other is not: who asks again is told what
//! was told before, or it is done now. Nothing is written for what was refused.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::Timestamp;
use codewhale_protocol::{Caller, Reply};
use codewhale_store::{Batch, RequestId, RequestRow};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;

use crate::runtime::Core;
use crate::{Error, limits};

/// A request with a key that has no answer yet.
#[derive(Clone)]
pub(crate) struct Once(Box<Request>);

#[derive(Clone)]
struct Request {
    id: RequestId,
    /// Of what is asked for: the same key with another one is a mistake of the caller.
    digest: String,
    /// Members of the answer that are known before the rest.
    known: Map<String, Value>,
    at: Timestamp,
}

/// An answer with what was known before.
#[derive(Serialize)]
struct Whole<'a, T> {
    #[serde(flatten)]
    answer: &'a T,
    #[serde(flatten)]
    known: &'a Map<String, Value>,
}

/// Requests that are being answered here, by their names.
#[derive(Default)]
pub(crate) struct Lines(Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>);

impl Once {
    pub(crate) fn new(
        core: &Core,
        caller: &Caller,
        (op, key, params): (Op, String, &Value),
    ) -> Result<Self, Error> {
        let is_plain = key.bytes().all(|byte| byte.is_ascii_graphic());
        if key.is_empty() || key.len() > limits::KEY_BYTES_MAX || !is_plain {
            let most = limits::KEY_BYTES_MAX;
            return Err(Error::Invalid(format!(
                "the idempotency key must be 1 to {most} visible ASCII characters without spaces"
            )));
        }
        Ok(Self(Box::new(Request {
            id: RequestId {
                principal: caller.principal.clone(),
                op,
                // What callers think of may be anything, and the store holds no secret.
                key: digest(&key),
                part: "",
            },
            digest: digest(&params.to_string()),
            known: Map::new(),
            at: core.env.now(),
        })))
    }

    /// A part of the same request that is done and written down by itself.
    pub(crate) fn part(&self, part: &'static str) -> Self {
        let mut once = self.clone();
        once.0.id.part = part;
        once
    }

    /// The same request, some of whose answer is known.
    pub(crate) fn with(mut self, member: &str, value: &impl Serialize) -> Self {
        let value = serde_json::to_value(value).expect("answers are plain data with text keys");
        self.0.known.insert(member.to_owned(), value);
        self
    }

    /// Adds the answer to the batch that does what was asked.
    pub(crate) fn settle(&self, core: &Core, batch: &mut Batch, answer: &impl Serialize) {
        let redactor = core.store.redactor();
        let answer = match self.0.known.is_empty() {
            true => redactor.seal_json(answer),
            false => redactor.seal_json(&Whole {
                answer,
                known: &self.0.known,
            }),
        };
        batch.answer_request(RequestRow {
            id: self.0.id.clone(),
            digest: self.0.digest.clone(),
            answer,
            at: self.0.at,
            since: self.since(),
            kept_max: limits::KEYS_KEPT_MAX,
        });
    }

    /// What the same request was answered with before.
    pub(crate) fn answered<T: DeserializeOwned>(&self, core: &Core) -> Result<Option<T>, Error> {
        let known = core
            .store
            .read(|reader| reader.answered(&self.0.id, self.since()))?;
        match known {
            None => Ok(None),
            Some(answered) if answered.digest == self.0.digest => Ok(Some(answered.read()?)),
            Some(_) => Err(Error::KeyReused),
        }
    }

    /// The same, ready to be sent.
    pub(crate) fn reply(&self, core: &Core) -> Result<Option<Reply>, Error> {
        let json = self.answered::<Box<RawValue>>(core)?;
        Ok(json.map(Reply::from))
    }

    fn since(&self) -> Timestamp {
        let kept_ms = i64::try_from(limits::KEYS_KEPT.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_ms(self.0.at.as_ms().saturating_sub(kept_ms))
    }
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Lines {
    /// Waits until nobody else here answers the same request.
    pub(crate) async fn enter(&self, once: &Once) -> Result<OwnedMutexGuard<()>, Error> {
        let RequestId {
            principal, op, key, ..
        } = &once.0.id;
        let name = format!("{principal} {} {key}", op.row().name);
        let line = {
            let mut lines = self
                .0
                .lock()
                .expect("nothing panics while it holds the lines");
            // Those that nobody stands in any more.
            lines.retain(|_, line| Arc::strong_count(line) > 1);
            Arc::clone(lines.entry(name).or_default())
        };
        let turn = timeout(limits::KEY_WAIT, line.lock_owned()).await;
        turn.map_err(|_| Error::KeyInProgress)
    }
}
