//! Follows a run through the log: all of it from the start, told from a place on.

use codewhale_protocol::frame::Decoder;
use codewhale_protocol::operations::TurnsGet;
use codewhale_protocol::runtime::{RuntimeEventEnvelope, Seq, TurnDetail, TurnId, TurnParams};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Caller, ErrorBody, ErrorCode, EventStream, Source};
use futures_util::StreamExt;

use super::ask;
use super::event::Event;
use super::question::Question;
use super::run::Run;
use super::story::Story;
use crate::error::Failure;
use crate::routes::Door;

/// A reader of one run.
pub(super) struct Follow {
    door: Door,
    caller: Caller,
    turn: TurnId,
    frames: EventStream,
    decoder: Decoder,
    story: Story,
    /// What happened up to here is known to the reader.
    known: Seq,
    /// Whether that place lies behind.
    crossed: bool,
    /// Whether the reader was told that the run rests.
    rested: bool,
    /// Where the log was read to.
    at: Seq,
}

/// Reads a turn.
pub(super) async fn turn(
    door: &Door,
    caller: &Caller,
    turn_id: TurnId,
) -> Result<TurnDetail, ErrorBody> {
    ask::<TurnsGet>(door, caller, &TurnParams { turn_id }, None).await
}

impl Follow {
    /// Follows a run; what happened up to `known` is not told again.
    pub(super) async fn new(
        door: &Door,
        caller: &Caller,
        detail: &TurnDetail,
        known: Seq,
    ) -> Result<Self, Failure> {
        let mut story = Story::new(detail)?;
        let crossed = known <= detail.since_seq;
        if !crossed {
            story.told();
        }
        let source = Source::Thread(detail.thread.id.clone());
        let cursor = Cursor::after(detail.since_seq);
        Ok(Self {
            door: door.clone(),
            caller: caller.clone(),
            turn: detail.turn.id.clone(),
            frames: door.service.events(caller, source, cursor).await?,
            decoder: Decoder::new(),
            story,
            known,
            crossed,
            rested: false,
            at: detail.since_seq,
        })
    }

    /// The run as it stands.
    pub(super) fn run(&self) -> Run {
        self.story.run()
    }

    /// What it is told to wait for.
    pub(super) fn question(&self) -> Option<&Question> {
        self.story.question()
    }

    /// What happens next; nothing once the run rests, waiting or at its end.
    pub(super) async fn next(&mut self) -> Option<Result<Vec<Event>, ErrorBody>> {
        loop {
            let told = self.story.told();
            if !told.is_empty() {
                self.rested |= told.iter().any(Event::is_rest);
                return Some(Ok(told));
            }
            // The question that was just answered is still open until the log says so.
            if self.story.rests() && self.rested {
                return None;
            }
            if let Err(error) = self.read().await? {
                return Some(Err(error));
            }
        }
    }

    /// What has happened up to a moment of the log, piece by piece; nothing behind it.
    pub(super) async fn until(
        &mut self,
        detail: &TurnDetail,
    ) -> Option<Result<Vec<Event>, ErrorBody>> {
        loop {
            let told = self.story.told();
            if !told.is_empty() {
                return Some(Ok(told));
            }
            if self.at >= detail.latest_seq {
                self.story.settle(detail);
                let told = self.story.told();
                return (!told.is_empty()).then_some(Ok(told));
            }
            if let Err(error) = self.read_until(detail).await? {
                return Some(Err(error));
            }
        }
    }

    async fn read_until(&mut self, detail: &TurnDetail) -> Option<Result<(), ErrorBody>> {
        let frames = match self.frames.next().await? {
            Ok(frames) => frames,
            Err(error) => return Some(Err(error)),
        };
        if let Err(error) = self.take(&frames.bytes, detail.latest_seq) {
            return Some(Err(error));
        }
        self.at = frames.last;
        let waits = self
            .story
            .holds()
            .is_some_and(|held| asks(detail, held.id()));
        if self.at >= detail.latest_seq && waits {
            self.story.release();
        }
        Some(Ok(()))
    }

    async fn read(&mut self) -> Option<Result<(), ErrorBody>> {
        let frames = match self.frames.next().await? {
            Ok(frames) => frames,
            Err(error) => return Some(Err(error)),
        };
        if let Err(error) = self.take(&frames.bytes, Seq(u64::MAX)) {
            return Some(Err(error));
        }
        self.at = frames.last;
        if self.at >= self.known {
            self.cross();
        }
        if let Some(held) = self.story.holds().filter(|_| self.crossed) {
            let id = held.id().to_owned();
            let now = turn(&self.door, &self.caller, self.turn.clone()).await;
            match now {
                Ok(detail) if asks(&detail, &id) => self.story.release(),
                // Its answer comes next.
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(()))
    }

    /// Leaves behind what the reader knows. A question that is open there was told.
    fn cross(&mut self) {
        if !std::mem::replace(&mut self.crossed, true) {
            self.story.release();
            self.story.told();
        }
    }

    fn take(&mut self, bytes: &[u8], last: Seq) -> Result<(), ErrorBody> {
        self.decoder.push(bytes);
        let unread = |error: &dyn std::fmt::Display| {
            let message = format!("the log of the run does not read: {error}");
            ErrorBody::new(ErrorCode::Internal, message)
        };
        while let Some(frame) = self.decoder.next_frame().map_err(|error| unread(&error))? {
            // Other turns of the thread are passed over unread.
            if !frame.data.contains(self.turn.as_str()) {
                continue;
            }
            let envelope: RuntimeEventEnvelope =
                serde_json::from_str(&frame.data).map_err(|error| unread(&error))?;
            if envelope.turn_id.as_ref() != Some(&self.turn) || envelope.seq > last {
                continue;
            }
            if envelope.seq > self.known {
                self.cross();
            }
            if let Some(event) = envelope.decode() {
                let event = event.map_err(|error| unread(&error))?;
                self.story.take(event, &envelope);
            }
            if envelope.seq <= self.known {
                self.story.told();
            }
        }
        Ok(())
    }
}

/// Whether the turn waits for the answer to this.
fn asks(detail: &TurnDetail, id: &str) -> bool {
    let mut approvals = detail.pending_approvals.iter();
    let mut inputs = detail.pending_user_inputs.iter();
    approvals.any(|asked| asked.id.as_str() == id) || inputs.any(|asked| asked.id.as_str() == id)
}
