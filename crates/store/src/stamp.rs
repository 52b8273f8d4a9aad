//! A stamp: who did something, ready to be written into the log.

use codewhale_protocol::{Actor, ActorId, ActorRecord, Redactor, Sealed};
use sha2::{Digest, Sha256};

use crate::chain::hex;

/// An actor with the texts the log needs of it. Made once per caller or agent and shared.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// Names the actor, token and device included.
    pub id: ActorId,
    /// The public part.
    pub actor: Actor,
    /// The public part as JSON.
    pub(crate) wire: Sealed,
    /// The whole as JSON.
    pub(crate) record: Sealed,
}

impl Stamp {
    /// Makes the stamp of an actor.
    pub fn new(redactor: &Redactor, record: ActorRecord) -> Self {
        let sealed = redactor.seal_json(&record);
        let digest = Sha256::digest(sealed.as_str().as_bytes());
        Self {
            id: ActorId::from(format!("act_{}", hex(&digest[..16])).as_str()),
            wire: redactor.seal_json(&record.actor),
            actor: record.actor,
            record: sealed,
        }
    }
}
