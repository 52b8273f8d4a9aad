//! Loading: what the actor knows of its thread comes from the store, in one look.

use std::sync::Arc;

use codewhale_protocol::runtime::{Seq, StreamId, ThreadId, ThreadRecord};
use codewhale_store::{Durability, LeaseState, ThreadWords};

use super::ThreadActor;
use super::told::tell;
use crate::Error;
use crate::runtime::Core;

/// A thread as the store had it.
#[derive(Clone)]
pub(super) struct Loaded {
    pub(super) stream: StreamId,
    pub(super) thread: ThreadRecord,
    pub(super) words: ThreadWords,
    /// Its last event.
    pub(super) head: Seq,
    /// The number of its next turn.
    pub(super) next_ordinal: u64,
    pub(super) lease: LeaseState,
}

impl Loaded {
    pub(super) fn read(core: &Core, id: &ThreadId) -> Result<Loaded, Error> {
        let stream = StreamId::Thread(id.clone());
        let loaded = core.store.read(|reader| {
            let found = reader.thread(id)?;
            let Some(thread) = found.filter(|it| it.record.deleted_at.is_none()) else {
                return Ok(None);
            };
            Ok(Some(Loaded {
                head: reader.head(&stream)?,
                next_ordinal: reader.latest_turn(id)?.map_or(0, |turn| turn.ordinal + 1),
                lease: reader.lease(id)?,
                thread: thread.record,
                words: thread.words,
                stream: stream.clone(),
            }))
        })?;
        loaded.ok_or(Error::NotFound { what: "thread" })
    }
}

impl ThreadActor {
    /// Looks again, because another process may have changed the thread.
    pub(super) fn reload(&mut self) -> Result<(), Error> {
        let before = self.state.head;
        self.state = Loaded::read(&self.core, &self.id)?;
        if self.state.head != before {
            self.conversation = None;
        }
        Ok(())
    }

    /// Makes sure that no other process runs a turn of the thread. A dead one's turn is ended.
    pub(super) async fn check_owner(&mut self) -> Result<(), Error> {
        if self.state.lease.owner.is_none() {
            return Ok(());
        }
        self.reload()?;
        let Some(owner) = self.state.lease.owner.clone() else {
            return Ok(());
        };
        if owner != *self.core.store.owner() && self.core.store.is_alive(&owner) {
            let row = self.core.store.read(|reader| reader.owner(&owner))?;
            return Err(Error::OwnedElsewhere {
                pid: row.map_or(0, |row| row.pid),
                owner,
            });
        }
        self.core.recover().await?;
        self.reload()
    }

    /// Loads everything the next turn needs, so that it starts at once.
    pub(super) async fn load_for_turns(&mut self) -> Result<ThreadRecord, Error> {
        if self.active.is_none() {
            self.check_owner().await?;
            self.reload()?;
            self.route(None, None)?;
            if self.conversation.is_none() {
                self.prompt.forget();
                let told = tell(&self.core, &self.id, None).await?;
                if told.is_mended() {
                    let by = self.core.system_stamp("recovery");
                    let mut batch = self.batch(Durability::Synced);
                    told.write(&mut batch, &self.id, &by);
                    self.commit(batch).await?;
                }
                self.conversation = self.core.shelf.keep(told.conversation);
            }
        }
        Ok(self.state.thread.clone())
    }

    pub(super) fn core(&self) -> Arc<Core> {
        Arc::clone(&self.core)
    }
}
