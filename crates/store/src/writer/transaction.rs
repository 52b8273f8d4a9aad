//! One transaction being filled: guards are checked, rows written, events get their places.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use bytes::Bytes;
use codewhale_protocol::ActorId;
use codewhale_protocol::frame;
use codewhale_protocol::runtime::{Seq, StreamId};

use super::{CEILING, Filled, Writer};
use crate::batch::Write;
use crate::chain::Hash;
use crate::db;
use crate::envelope::{self, DELTA};
use crate::hub::Piece;
use crate::migrate::set_meta;
use crate::queue::{Delta, Entry};
use crate::tables::{
    actors, agent_runs, approvals, attachments, automations, client_calls, effects, errands,
    events, fleets, goals, items, leases, requests, restorations, rooms, snapshots, streams,
    subjects, tasks, threads, trust, turns, usage, user_inputs,
};
use crate::{Batch, Committed, Guard, Stamp, limits};

/// What became of one entry: its places in the log, or the guard that did not hold.
pub(super) type Outcome = Result<Committed, Guard>;

pub(super) struct Transaction<'a> {
    writer: &'a Writer,
    /// Whether another process has committed since our last commit.
    foreign: bool,
    last: Seq,
    ceiling: Seq,
    last_stream: i64,
    /// Ordered, because followers are woken in this order.
    streams: BTreeMap<StreamId, Touched>,
    actors: Vec<ActorId>,
    body: String,
}

/// A stream that got events in this transaction.
struct Touched {
    head: streams::Head,
    /// Frames for the followers; `None` when there are none.
    frames: Option<FrameBuilder>,
}

impl<'a> Transaction<'a> {
    pub(super) fn new(writer: &'a Writer, foreign: bool) -> Self {
        Self {
            writer,
            foreign,
            last: writer.log.last,
            ceiling: writer.log.ceiling,
            last_stream: writer.log.last_stream,
            streams: BTreeMap::new(),
            actors: Vec::new(),
            body: String::new(),
        }
    }

    pub(super) fn raise_ceiling(&mut self, ceiling: Seq) -> Result<(), db::Error> {
        self.ceiling = ceiling;
        set_meta(&self.writer.connection, CEILING, &ceiling.to_string())
    }

    pub(super) fn entry(&mut self, entry: &Entry) -> Result<Outcome, db::Error> {
        match entry {
            Entry::Batch(batch, _) => self.batch(batch),
            Entry::Delta(delta) => self.delta(delta),
        }
    }

    fn batch(&mut self, batch: &Batch) -> Result<Outcome, db::Error> {
        for guard in &batch.guards {
            if !self.holds(guard)? {
                return Ok(Err(guard.clone()));
            }
        }
        let before = self.last;
        let mut seqs = Vec::with_capacity(batch.events.len());
        for event in &batch.events {
            self.know(&event.stamp)?;
            let body = std::mem::take(&mut self.body);
            let written = self.append(&event.stream, event.name, body, |out, seq, previous| {
                envelope::write_event(out, seq, previous, event);
            });
            seqs.push(written?);
        }
        for write in &batch.writes {
            self.write(write, before, &seqs)?;
        }
        Ok(Ok(Committed { seqs }))
    }

    fn delta(&mut self, delta: &Delta) -> Result<Outcome, db::Error> {
        let template = &delta.target.template;
        if self.foreign
            && let Some(guard) = self.lost_lease(&template.stream)?
        {
            return Ok(Err(guard));
        }
        let body = std::mem::take(&mut self.body);
        let seq = self.append(&template.stream, DELTA, body, |out, seq, previous| {
            template.write(out, seq, previous, delta.at, &delta.escaped);
        })?;
        Ok(Ok(Committed { seqs: vec![seq] }))
    }

    /// Gives an event its place, its link in the chain and its row.
    fn append(
        &mut self,
        stream: &StreamId,
        name: &str,
        mut body: String,
        write: impl FnOnce(&mut String, Seq, Seq),
    ) -> Result<Seq, db::Error> {
        let seq = self.last.next();
        let touched = self.touch(stream)?;
        let previous_seq = touched.head.seq;
        body.clear();
        write(&mut body, seq, previous_seq);
        let hash = touched.head.hash.next(&body);
        touched.head.seq = seq;
        touched.head.hash = hash;
        if let Some(frames) = &mut touched.frames {
            frames.add(seq, name, &body);
        }
        let hash = hash.to_hex();
        let stream = touched.head.stream;
        let row = events::EventRow {
            seq,
            stream,
            previous_seq,
            name,
            body: &body,
            hash: &hash,
        };
        events::append(&self.writer.connection, &row)?;
        self.last = seq;
        self.body = body;
        Ok(seq)
    }

    fn touch(&mut self, stream: &StreamId) -> Result<&mut Touched, db::Error> {
        let slot = match self.streams.entry(stream.clone()) {
            Slot::Occupied(slot) => return Ok(slot.into_mut()),
            Slot::Vacant(slot) => slot,
        };
        let known = self.writer.log.heads.get(stream).copied();
        let head = match known {
            Some(head) => Some(head),
            None => streams::get(&self.writer.connection, stream.as_str())?,
        };
        let head = head.unwrap_or_else(|| {
            self.last_stream += 1;
            streams::Head {
                stream: self.last_stream,
                seq: Seq::ZERO,
                hash: Hash::genesis(stream.as_str()),
                stored: false,
            }
        });
        let followed = self.writer.hub.channel(stream).is_some();
        let frames = followed.then(|| FrameBuilder::new(head.seq));
        Ok(slot.insert(Touched { head, frames }))
    }

    fn know(&mut self, stamp: &Stamp) -> Result<(), db::Error> {
        if self.writer.log.actors.contains(&stamp.id) || self.actors.contains(&stamp.id) {
            return Ok(());
        }
        self.actors.push(stamp.id.clone());
        actors::put(&self.writer.connection, stamp)
    }

    fn write(&self, write: &Write, before: Seq, seqs: &[Seq]) -> Result<(), db::Error> {
        let connection = &self.writer.connection;
        match write {
            Write::Thread(row) => threads::put(connection, row),
            Write::Turn(row) => turns::put(connection, row),
            Write::Item(row) => items::put(connection, row, before),
            Write::Approval(row) => {
                let decided = row.settled_by.and_then(|index| seqs.get(index).copied());
                approvals::put(connection, row, decided)
            }
            Write::UserInput(row) => user_inputs::put(connection, row),
            Write::SettleUserInput(id) => user_inputs::settle(connection, id),
            Write::ClientCall(row) => client_calls::put(connection, row),
            Write::SettleClientCall(id) => client_calls::settle(connection, id),
            Write::Errand(row) => errands::put(connection, row),
            Write::AnswerErrand(id, answer) => errands::answer(connection, id, answer),
            Write::DropErrand(id) => errands::remove(connection, id),
            Write::DropErrandsOf(owner) => errands::remove_of(connection, owner),
            Write::Attachment(row) => attachments::put(connection, row),
            Write::CopyAttachments { from, to } => attachments::copy(connection, from, to),
            Write::Intent(intent) => effects::intend(connection, intent),
            Write::SettleEffect(item, at) => effects::settle(connection, item, *at),
            Write::Trust { path, digest } => trust::set(connection, path, digest.as_deref()),
            Write::Principal(row) => rooms::put_principal(connection, row),
            Write::Room(row) => rooms::put_room(connection, row),
            Write::Member(row) => rooms::put_member(connection, row),
            Write::RoomWorkspace { path, room_id } => {
                rooms::put_workspace(connection, path, room_id)
            }
            Write::TakeLease(lease) => leases::take(connection, lease),
            Write::ReleaseLease(thread) => leases::release(connection, thread),
            Write::Usage(row) => usage::put(connection, row),
            Write::AgentRun(row) => agent_runs::put(connection, row),
            Write::Goal(row) => goals::set(connection, row),
            Write::MoveGoal(thread, status, at) => goals::move_to(connection, thread, *status, *at),
            Write::CountContinuation(thread, at) => goals::count(connection, thread, *at),
            Write::SpendOnGoal(spending) => goals::spend(connection, spending),
            Write::ClearGoal(thread) => goals::clear(connection, thread),
            Write::Task(row) => tasks::put(connection, row),
            Write::Automation(row) => automations::put(connection, row),
            Write::AutomationRun(row) => automations::put_run(connection, row),
            Write::DropAutomation(id) => automations::remove(connection, id),
            Write::DropAutomationRun(task) => automations::remove_run(connection, task),
            Write::FleetRun(row) => fleets::put_run(connection, row),
            Write::FleetPart(row) => fleets::put_part(connection, row),
            Write::Snapshot(row) => snapshots::put(connection, row),
            Write::BeginRestoration(row) => restorations::begin(connection, row),
            Write::EndRestoration(id) => restorations::end(connection, id),
            Write::Request(row) => requests::put(connection, row),
            Write::NewSubject(row) => subjects::put(connection, row),
            Write::Subject {
                thread,
                change,
                event,
            } => subjects::count(connection, thread, change, seqs[*event]),
        }
    }

    fn holds(&mut self, guard: &Guard) -> Result<bool, db::Error> {
        let connection = &self.writer.connection;
        Ok(match guard {
            Guard::Head { stream, seq } => self.touch(stream)?.head.seq == *seq,
            Guard::LeaseFree { thread } => leases::get(connection, thread)?.owner.is_none(),
            Guard::LeaseHeld { lease } => {
                let state = leases::get(connection, &lease.thread)?;
                state.owner.as_ref() == Some(&lease.owner) && state.epoch == lease.epoch
            }
            Guard::Leasing { owner } => leases::holds_any(connection, owner)?,
            Guard::ApprovalPending { id } => approvals::is_pending(connection, id)?,
            Guard::ItemBegun { id } => items::is_known(connection, id)?,
            Guard::WorkspaceFree { path } => rooms::of_workspace(connection, path)?.is_none(),
            Guard::FilesSettled { workspace } => restorations::is_settled(connection, workspace)?,
            Guard::WorkspaceStill { workspace } => restorations::is_still(connection, workspace)?,
            Guard::TaskAt {
                task,
                lifecycle_seq,
            } => tasks::lifecycle_seq(connection, task)? == *lifecycle_seq,
            Guard::AutomationAt {
                automation,
                version,
            } => {
                let stored = automations::get(connection, automation)?;
                stored.map_or(0, |stored| stored.version) == *version
            }
            Guard::SlotFree { automation, slot } => {
                !automations::has_slot(connection, automation, *slot)?
            }
            Guard::FleetRunAt { run, version } => fleets::version(connection, run)? == *version,
            Guard::NoOperator => rooms::operator(connection)?.is_none(),
            Guard::RequestNew { id, since } => requests::get(connection, id, *since)?.is_none(),
            Guard::AgentsFewer {
                root,
                live_max,
                admitted_max,
            } => {
                let tally = agent_runs::tally(connection, root)?;
                tally.live < *live_max && tally.admitted < *admitted_max
            }
        })
    }

    /// Text may only be added to a thread that this process runs. Checked when another process
    /// was active, because only then can that have changed.
    fn lost_lease(&self, stream: &StreamId) -> Result<Option<Guard>, db::Error> {
        let StreamId::Thread(thread) = stream else {
            return Ok(None);
        };
        let state = leases::get(&self.writer.connection, thread)?;
        if state.owner.as_ref() == Some(&self.writer.owner) {
            return Ok(None);
        }
        Ok(Some(Guard::LeaseFree {
            thread: thread.clone(),
        }))
    }

    /// Writes the heads of the streams that moved.
    pub(super) fn finish(self) -> Result<Filled, db::Error> {
        let mut streams = Vec::with_capacity(self.streams.len());
        for (stream, touched) in self.streams {
            if touched.head.seq > Seq::ZERO {
                streams::put(&self.writer.connection, stream.as_str(), &touched.head)?;
                let pieces = touched.frames.map(FrameBuilder::finish).unwrap_or_default();
                streams.push((stream, touched.head, pieces));
            }
        }
        Ok(Filled {
            last: self.last,
            ceiling: self.ceiling,
            last_stream: self.last_stream,
            actors: self.actors,
            streams,
        })
    }
}

/// Cuts the frames of a stream into pieces of bounded size.
struct FrameBuilder {
    text: String,
    after: Seq,
    last: Seq,
    pieces: Vec<Piece>,
}

impl FrameBuilder {
    fn new(after: Seq) -> Self {
        Self {
            text: String::new(),
            after,
            last: after,
            pieces: Vec::new(),
        }
    }

    fn add(&mut self, seq: Seq, name: &str, body: &str) {
        frame::write_event(&mut self.text, seq, name, body);
        self.last = seq;
        if self.text.len() >= limits::FRAMES_BYTES_MAX {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let bytes = Bytes::from(std::mem::take(&mut self.text));
        self.pieces.push(Piece {
            after: self.after,
            last: self.last,
            bytes,
        });
        self.after = self.last;
    }

    fn finish(mut self) -> Vec<Piece> {
        if !self.text.is_empty() {
            self.cut();
        }
        self.pieces
    }
}
