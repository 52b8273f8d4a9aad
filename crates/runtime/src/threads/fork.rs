//! Copying a thread. The copy has its turns and items under new ids, which follow from the old
//! ones and the copy's own, so that the copy can be told from the source's log again.

use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{
    Event, ItemId, ItemStatus, Seq, StreamId, ThreadForked, ThreadId, ThreadRecord, Timestamp,
    TurnId, TurnStatus,
};
use codewhale_store::{About, Batch, Durability, StoredItem, StoredThread, StoredTurn};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::Error;
use crate::runtime::Core;

/// What a copy is made from: one moment of the source.
struct Source {
    thread: StoredThread,
    turns: Vec<StoredTurn>,
    items: Vec<StoredItem>,
    head: Seq,
}

impl Core {
    pub(super) async fn fork(&self, caller: &Caller, id: ThreadId) -> Result<ThreadRecord, Error> {
        let source = self.store.read_apart(move |reader| {
            let Some(thread) = reader.thread(&id)? else {
                return Ok(None);
            };
            Ok(Some(Source {
                turns: reader.turns(&id)?,
                items: reader.items(&id, 0)?,
                head: reader.head(&StreamId::Thread(id.clone()))?,
                thread,
            }))
        });
        let source = source.await?.ok_or(Error::NotFound { what: "thread" })?;
        let now = self.env.now();
        let copy = copy_of(&source, ThreadId::new(self.env.uuid()), now);
        let mut batch = self.store.batch(Durability::Synced);
        batch.put_thread(&copy, &source.thread.words);
        copy_turns(&mut batch, &source, &copy, now);
        copy_items(&mut batch, &source, &copy, now);
        let stream = StreamId::Thread(copy.id.clone());
        let by = self.caller_stamp(caller);
        let about = About {
            stream: &stream,
            turn_id: None,
            item_id: None,
            at: now,
            by: &by,
        };
        let event = ThreadForked {
            thread: copy.clone(),
            source_thread_id: source.thread.record.id.clone(),
            source_seq: source.head,
        };
        batch.event(about, &Event::ThreadForked(event));
        self.store.commit(batch).await?;
        Ok(copy)
    }
}

fn copy_of(source: &Source, id: ThreadId, now: Timestamp) -> ThreadRecord {
    let record = &source.thread.record;
    let turn = |turn: &TurnId| TurnId::new(derived(turn.as_str(), &id));
    let item = |item: &ItemId| ItemId::new(derived(item.as_str(), &id));
    ThreadRecord {
        created_at: now,
        updated_at: now,
        archived: false,
        latest_turn_id: record.latest_turn_id.as_ref().map(turn),
        latest_response_bookmark: record.latest_response_bookmark.as_ref().map(item),
        id: id.clone(),
        // A copy is someone's own, whoever started the source.
        parent_id: None,
        root_id: None,
        agent_role: None,
        ..record.clone()
    }
}

fn copy_turns(batch: &mut Batch, source: &Source, copy: &ThreadRecord, now: Timestamp) {
    for turn in &source.turns {
        let mut record = turn.record.clone();
        record.id = TurnId::new(derived(record.id.as_str(), &copy.id));
        record.thread_id = copy.id.clone();
        let own = source
            .items
            .iter()
            .filter(|item| item.record.turn_id == turn.record.id);
        record.item_ids = own
            .map(|item| ItemId::new(derived(item.record.id.as_str(), &copy.id)))
            .collect();
        let last = record.final_item_id.as_ref();
        record.final_item_id = last.map(|item| ItemId::new(derived(item.as_str(), &copy.id)));
        // A turn that runs goes on in the source; in the copy it was cut off here.
        if !record.status.is_terminal() {
            record.status = TurnStatus::Interrupted;
            record.ended_at = Some(now);
            record.duration_ms = Some(now.ms_since(record.started_at.unwrap_or(record.created_at)));
        }
        batch.put_turn(turn.ordinal, &record);
    }
}

fn copy_items(batch: &mut Batch, source: &Source, copy: &ThreadRecord, now: Timestamp) {
    for item in &source.items {
        let mut record = item.record.clone();
        record.id = ItemId::new(derived(record.id.as_str(), &copy.id));
        record.turn_id = TurnId::new(derived(record.turn_id.as_str(), &copy.id));
        if !record.status.is_terminal() {
            record.status = ItemStatus::Interrupted;
            record.ended_at = Some(now);
        }
        batch.put_item(&copy.id, item.ordinal, &record);
    }
}

/// The id under which something of the source stands in the copy.
fn derived(source: &str, copy: &ThreadId) -> Uuid {
    let digest = Sha256::digest(format!("{source}\n{copy}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Uuid::from_bytes(bytes)
}
