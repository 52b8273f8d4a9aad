//! Errands: what only the process that runs a turn can do is done there, whoever was asked.
//!
//! ```text
//!   asked ──► dispatch ──► "another process runs it" ──► row in the store ──► its clerk
//!     ▲                                                        │                 │
//!     └───────────────────── answer ◄──────────────────────────┴──── dispatch ◄──┘
//! ```
//!
//! The way leads through the store, because whoever can write there can decide everything anyway:
//! there is no socket at which a held command could approve itself. A row is left only while the
//! other process runs something, checked in the same commit; its clerk looks once more after its
//! last turn. So a row is either seen or never written. When the other process dies, the request
//! is answered here, as recovery left things.

mod clerk;

use std::sync::Arc;

use codewhale_protocol::operations::{Method, Op};
use codewhale_protocol::runtime::{ErrandId, OwnerId};
use codewhale_protocol::{Call, Caller, ErrorBody, Reply};
use codewhale_store::{Durability, Guard, Store};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::runtime::Core;
use crate::serve::{dispatch, told};
use crate::{Error, limits};

/// A request for another process.
#[derive(Serialize, Deserialize)]
struct Errand {
    caller: Caller,
    operation: String,
    params: Value,
    key: Option<String>,
}

/// What came of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Done {
        json: Value,
        made: bool,
    },
    Failed(ErrorBody),
    /// It is no matter of that process any more, or never was.
    NotHere,
}

impl Errand {
    fn new(caller: &Caller, call: &Call) -> Self {
        Self {
            caller: caller.clone(),
            operation: call.op.row().name.to_owned(),
            params: call.params.clone(),
            key: call.key.clone(),
        }
    }

    /// The call, when the operation is known here.
    fn call(self) -> Option<(Caller, Call)> {
        let call = Call {
            op: Op::from_name(&self.operation)?,
            params: self.params,
            key: self.key,
        };
        Some((self.caller, call))
    }
}

/// An errand on its way. It is taken back when nobody waits for it any more.
struct Left<'a> {
    store: &'a Store,
    id: ErrandId,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        let mut batch = self.store.batch(Durability::Fast);
        batch.drop_errand(&self.id);
        // Rows that stay behind go with the next start.
        drop(self.store.commit(batch));
    }
}

/// Answers a call, here or in the process that runs the turn it is about.
pub(crate) async fn call(
    core: &Arc<Core>,
    caller: &Caller,
    call: Call,
) -> Result<Reply, ErrorBody> {
    // What only looks is answered from the store, wherever the turn runs.
    let attempts = match call.op.row().method {
        Method::Get => 0,
        Method::Post | Method::Patch | Method::Put | Method::Delete => limits::ERRAND_ATTEMPTS,
    };
    for _ in 0..attempts {
        match dispatch(core, caller, call.clone()).await {
            Err(Error::OwnedElsewhere { owner, .. }) if owner != *core.store.owner() => {
                let answer = core.send(&owner, &Errand::new(caller, &call)).await;
                match answer.map_err(|error| told(core, error))? {
                    Answer::Done { json, made } => {
                        let json = to_raw_value(&json).expect("what was read can be written");
                        return Ok(Reply { json, made });
                    }
                    Answer::Failed(error) => return Err(error),
                    Answer::NotHere => {}
                }
            }
            answer => return answer.map_err(|error| told(core, error)),
        }
    }
    let answer = dispatch(core, caller, call).await;
    answer.map_err(|error| told(core, error))
}

impl Core {
    /// Leaves an errand for another process and waits for what comes of it.
    async fn send(&self, to: &OwnerId, errand: &Errand) -> Result<Answer, Error> {
        let mut news = self.store.errand_news();
        let id = ErrandId::new(self.env.uuid());
        let mut batch = self.store.batch(Durability::Fast);
        batch.guard(Guard::Leasing { owner: to.clone() });
        batch.put_errand(&id, (self.store.owner(), to), errand);
        match self.store.commit(batch).await {
            Ok(_) => {}
            Err(codewhale_store::Error::Guard(_)) => return Ok(Answer::NotHere),
            Err(error) => return Err(error.into()),
        }
        let left = Left {
            store: &self.store,
            id,
        };
        loop {
            // Looked at first: who has just died may have answered before.
            let is_alive = self.store.is_alive(to);
            let answer = self.store.read(|reader| reader.errand_answer(&left.id))?;
            if let Some(answer) = answer {
                return Ok(answer);
            }
            if !is_alive {
                self.recover().await?;
                return Ok(Answer::NotHere);
            }
            tokio::select! {
                biased;
                () = self.tasks.stop().cancelled() => return Err(Error::Closing),
                () = news.next() => {}
                () = tokio::time::sleep(limits::ERRAND_LOOK) => {}
            }
        }
    }
}
