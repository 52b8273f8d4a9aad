//! Copying a thread, whole or up to a turn. The copy has its turns and items under new ids, which
//! follow from the old ones and the copy's own, so that the copy can be told from the source's log
//! again.

use std::collections::BTreeSet;

use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{
    CoherenceState, Event, ItemId, ItemKind, ItemStatus, Seq, StreamId, ThreadForked, ThreadId,
    ThreadRecord, Timestamp, TurnId, TurnItemRecord, TurnStatus,
};
use codewhale_store::{
    About, Batch, Durability, SnapshotRow, StoredItem, StoredSnapshot, StoredThread, StoredTurn,
    ThreadWords,
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::Error;
use crate::once::Once;
use crate::runtime::Core;

/// What a copy is made from: one moment of the source.
pub(crate) struct ForkSource {
    pub(crate) thread: StoredThread,
    pub(crate) turns: Vec<StoredTurn>,
    items: Vec<StoredItem>,
    pub(crate) snapshots: Vec<StoredSnapshot>,
    pub(crate) head: Seq,
}

/// Where a copy ends.
pub(crate) struct Cut {
    /// The place of the first turn that is left out.
    place: usize,
    /// Which one that is.
    turn: TurnId,
    /// How many messages of people before the newest that is, when it was counted so.
    depth: Option<u64>,
}

impl Core {
    pub(super) async fn fork(
        &self,
        caller: &Caller,
        id: ThreadId,
        once: Option<Once>,
    ) -> Result<ThreadRecord, Error> {
        let source = self.fork_source(id).await?;
        let mut batch = self.store.batch(Durability::Synced);
        let copy = self.fork_into(&mut batch, caller, &source, None);
        if let Some(once) = once {
            once.settle(self, &mut batch, &copy);
        }
        self.store.commit(batch).await?;
        Ok(copy)
    }

    /// Reads what a copy is made from.
    pub(crate) async fn fork_source(&self, id: ThreadId) -> Result<ForkSource, Error> {
        let source = self.store.read_apart(move |reader| {
            let Some(thread) = reader.thread(&id)? else {
                return Ok(None);
            };
            Ok(Some(ForkSource {
                turns: reader.turns(&id)?,
                items: reader.items(&id, 0)?,
                snapshots: reader.snapshots(&id)?,
                head: reader.head(&StreamId::Thread(id.clone()))?,
                thread,
            }))
        });
        source.await?.ok_or(Error::NotFound { what: "thread" })
    }

    /// Writes a copy into a batch.
    pub(crate) fn fork_into(
        &self,
        batch: &mut Batch,
        caller: &Caller,
        source: &ForkSource,
        cut: Option<&Cut>,
    ) -> ThreadRecord {
        let now = self.env.now();
        let turns = match cut {
            Some(cut) => &source.turns[..cut.place],
            None => &source.turns,
        };
        let id = ThreadId::new(self.env.uuid());
        let (copy, words) = match cut {
            Some(_) => source.shortened(turns, id, now),
            None => (copy_of(source, id, now), source.thread.words.clone()),
        };
        batch.put_thread(&copy, &words);
        copy_turns(batch, source, turns, &copy, now);
        copy_items(batch, source, turns, &copy, now);
        copy_snapshots(batch, source, turns, &copy);
        batch.copy_attachments(&source.thread.record.id, &copy.id);
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
            backtrack_depth_from_tail: cut.and_then(|cut| cut.depth),
            dropped_turn_id: cut.map(|cut| cut.turn.clone()),
        };
        batch.event(about, &Event::ThreadForked(event));
        copy
    }
}

impl ForkSource {
    /// The events of the source.
    pub(crate) fn stream(&self) -> StreamId {
        StreamId::Thread(self.thread.record.id.clone())
    }

    /// Refuses while a turn runs.
    pub(crate) fn require_quiet(&self) -> Result<(), Error> {
        let mut turns = self.turns.iter().map(|turn| &turn.record);
        match turns.find(|turn| !turn.status.is_terminal()) {
            Some(turn) => Err(Error::TurnActive {
                turn: turn.id.clone(),
            }),
            None => Ok(()),
        }
    }

    /// A cut before the turn of a message of a person, counted from the newest.
    pub(crate) fn cut_at_message(&self, depth: u64) -> Result<Cut, Error> {
        let said = self.items.iter().map(|item| &item.record);
        let said: Vec<_> = said
            .filter(|item| item.kind == ItemKind::UserMessage)
            .collect();
        let index = usize::try_from(depth).unwrap_or(usize::MAX);
        let turn = said.iter().rev().nth(index).map(|item| &item.turn_id);
        let place = turn.and_then(|id| self.turns.iter().position(|it| it.record.id == *id));
        let cut = place.and_then(|place| self.cut_at_turn(place));
        let mut cut = cut.ok_or_else(|| {
            Error::Invalid(match said.len() {
                0 => "the thread has no turn to undo".to_owned(),
                count => format!("depth must be below {count}: so often was something asked"),
            })
        })?;
        cut.depth = Some(depth);
        Ok(cut)
    }

    /// A cut before a turn, by its place; none behind the last one.
    pub(crate) fn cut_at_turn(&self, place: usize) -> Option<Cut> {
        let turn = self.turns.get(place)?;
        Some(Cut {
            place,
            turn: turn.record.id.clone(),
            depth: None,
        })
    }

    /// The turns that a cut leaves out.
    pub(crate) fn behind(&self, cut: &Cut) -> &[StoredTurn] {
        &self.turns[cut.place..]
    }

    /// What was asked first in the turn that a cut leaves out first.
    pub(crate) fn said_in(&self, cut: &Cut) -> Option<&TurnItemRecord> {
        let items = self.items.iter().map(|item| &item.record);
        let mut said = items.filter(|item| item.kind == ItemKind::UserMessage);
        said.find(|item| item.turn_id == cut.turn)
    }

    /// The copy with only these turns, and the words that lists show for it.
    fn shortened(
        &self,
        turns: &[StoredTurn],
        id: ThreadId,
        now: Timestamp,
    ) -> (ThreadRecord, ThreadWords) {
        let latest = turns.last().map(|turn| &turn.record);
        let mut answered = turns.iter().rev().map(|turn| &turn.record);
        let answer = answered.find_map(|turn| turn.final_item_id.clone());
        let copy = ThreadRecord {
            latest_turn_id: latest.map(|turn| TurnId::new(derived(turn.id.as_str(), &id))),
            latest_response_bookmark: answer
                .as_ref()
                .map(|item| ItemId::new(derived(item.as_str(), &id))),
            coherence_state: CoherenceState::Healthy,
            ..copy_of(self, id, now)
        };
        let items = self.items.iter().map(|item| &item.record);
        let kept: BTreeSet<&TurnId> = turns.iter().map(|turn| &turn.record.id).collect();
        let of_these = items.filter(|item| kept.contains(&item.turn_id));
        let mut said = of_these.filter(|item| {
            matches!(item.kind, ItemKind::UserMessage | ItemKind::AgentMessage)
                && !item.summary.is_empty()
        });
        let words = ThreadWords {
            latest_input: latest.map(|turn| turn.input_summary.clone()),
            latest_message: said.next_back().map(|item| item.summary.clone()),
        };
        (copy, words)
    }
}

fn copy_of(source: &ForkSource, id: ThreadId, now: Timestamp) -> ThreadRecord {
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
        deleted_at: None,
        ..record.clone()
    }
}

fn copy_turns(
    batch: &mut Batch,
    source: &ForkSource,
    turns: &[StoredTurn],
    copy: &ThreadRecord,
    now: Timestamp,
) {
    for turn in turns {
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

fn copy_items(
    batch: &mut Batch,
    source: &ForkSource,
    turns: &[StoredTurn],
    copy: &ThreadRecord,
    now: Timestamp,
) {
    let kept: BTreeSet<&TurnId> = turns.iter().map(|turn| &turn.record.id).collect();
    let is_kept = |item: &&StoredItem| kept.contains(&item.record.turn_id);
    for item in source.items.iter().filter(is_kept) {
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

/// What was kept of the files belongs to the copied turns too.
fn copy_snapshots(
    batch: &mut Batch,
    source: &ForkSource,
    turns: &[StoredTurn],
    copy: &ThreadRecord,
) {
    for snapshot in &source.snapshots {
        let mut turns = turns.iter().map(|turn| &turn.record.id);
        let Some(turn) = turns.find(|id| Some(*id) == snapshot.turn.as_ref()) else {
            continue;
        };
        batch.put_snapshot(SnapshotRow {
            id: snapshot.id.clone(),
            thread: copy.id.clone(),
            turn: Some(TurnId::new(derived(turn.as_str(), &copy.id))),
            workspace: snapshot.workspace.clone(),
            kind: snapshot.kind,
            label: batch.seal(&snapshot.label),
            at: snapshot.at,
            created_by: snapshot.created_by.clone(),
            is_copy: true,
        });
    }
}

/// The id under which something of the source stands in the copy.
fn derived(source: &str, copy: &ThreadId) -> Uuid {
    let digest = Sha256::digest(format!("{source}\n{copy}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Uuid::from_bytes(bytes)
}
