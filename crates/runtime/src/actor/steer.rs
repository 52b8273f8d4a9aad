//! Speaking to a running turn: adding to it, stopping it.

use std::collections::BTreeMap;
use std::sync::Arc;

use codewhale_engine::Answer;
use codewhale_protocol::runtime::{
    ApprovalDecision, ApprovalId, Event, InputPart, ItemChanged, ItemId, TurnId,
    TurnInterruptRequested, TurnItemRecord, TurnRecord, TurnSteered,
};
use codewhale_store::{Batch, Durability, Guard, Reader, Stamp};
use tokio::time::Instant;

use super::settle::{Settlement, settle};
use super::{Active, Asker, Stopping, ThreadActor};
use crate::host::{Desk, Pending, said_item};
use crate::once::Once;
use crate::{Error, limits};

impl ThreadActor {
    /// Adds to the running turn. What is accepted is always taken by the turn.
    pub(super) async fn steer(
        &mut self,
        asker: &Asker,
        turn: &TurnId,
        text: String,
        once: Option<&Once>,
    ) -> Result<TurnRecord, Error> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::Invalid(
                "the prompt is blank; say what to add to the turn".into(),
            ));
        }
        self.check_here().await?;
        self.settle_beginning().await;
        let active = self.active(turn)?;
        if active.stopping.is_some() {
            return Err(Error::TurnStopping);
        }
        let desk = Arc::clone(&active.desk);
        let reserved = desk.reserve_input().ok_or(Error::TurnStopping)?;
        let (by, now) = (asker.stamp(&self.core), self.core.env.now());
        let id = ItemId::new(self.core.env.uuid());
        let item = said_item(id.clone(), turn, &by.id, vec![InputPart::text(text)], now);
        let active = self.active(turn)?;
        let mut steered = active.turn.clone();
        steered.steer_count += 1;
        let mut thread = self.state.thread.clone();
        thread.updated_at = now;
        let steered_event = Event::TurnSteered(TurnSteered {
            thread_id: self.id.clone(),
            turn_id: turn.clone(),
            input: text.to_owned(),
        });
        let mut batch = self.batch(Durability::Synced);
        batch.put_turn(desk.turn_ordinal, &steered);
        batch.put_thread(&thread, &self.state.words);
        let about = desk.about(Some(&id), now, &by);
        batch.event(about.clone(), &steered_event);
        batch.event(
            about,
            &Event::ItemCompleted(ItemChanged::from(item.clone())),
        );
        let (answer, ticket) = {
            // Place and commit in one go, so that the order of places is the order of the log.
            let mut state = desk.state();
            let ordinal = desk.place(&mut state, &id);
            state.input.unread += 1;
            batch.put_item(&self.id, ordinal, &item);
            let answer = TurnRecord {
                item_ids: state.items.clone(),
                ..steered.clone()
            };
            if let Some(once) = once {
                once.settle(&self.core, &mut batch, &answer);
            }
            (answer, self.core.store.commit(batch))
        };
        if let Err(error) = ticket.await {
            let mut state = desk.state();
            state.items.retain(|item| *item != id);
            state.input.unread -= 1;
            return Err(error.into());
        }
        reserved.fill(text.to_owned());
        self.state.thread = thread;
        let active = self
            .active
            .as_mut()
            .expect("the turn was running a moment ago");
        active.turn = steered;
        Ok(answer)
    }

    /// Tells the running turn to stop. Its end follows as an event.
    pub(super) async fn interrupt(
        &mut self,
        turn: &TurnId,
        by: Arc<Stamp>,
        stopping: Stopping,
    ) -> Result<TurnRecord, Error> {
        self.check_here().await?;
        self.settle_beginning().await;
        let active = self.active(turn)?;
        if active.stopping.is_some() {
            return Ok(active.turn_now());
        }
        let desk = Arc::clone(&active.desk);
        // Nobody needs to answer what will not run.
        let mut pending = std::mem::take(&mut desk.state().pending);
        loop {
            let batch = self.interrupt_batch(&desk, &pending, &by);
            match self.commit(batch).await {
                Ok(_) => break,
                // The store could not take that question: nobody has seen it.
                Err(codewhale_store::Error::Guard(Guard::ApprovalPending { id })) => {
                    pending.remove(&id);
                }
                Err(error) => {
                    desk.state().pending.extend(pending);
                    return Err(error.into());
                }
            }
        }
        for (_, waiting) in pending {
            let _ = waiting.reply.send(Answer::Stop);
        }
        let active = self
            .active
            .as_mut()
            .expect("the turn was running a moment ago");
        active.stopping = Some((by, Instant::now() + limits::STOP_GRACE));
        active.is_cancelled = stopping == Stopping::ForGood;
        active.cancel.cancel();
        Ok(active.turn_now())
    }

    /// Stops one call of the running turn. The turn goes on.
    pub(super) async fn stop_call(
        &mut self,
        item: &ItemId,
        by: Arc<Stamp>,
    ) -> Result<TurnItemRecord, Error> {
        self.check_here().await?;
        let active = self.active.as_ref();
        if let Some(stopped) = active.and_then(|active| active.desk.stop_call(item, by)) {
            return Ok(stopped);
        }
        let known = |reader: &Reader<'_>| reader.item(&self.id, item);
        match self.core.store.read(known)? {
            Some(_) => Err(Error::CallNotRunning),
            None => Err(Error::NotFound { what: "item" }),
        }
    }

    fn interrupt_batch(
        &self,
        desk: &Desk,
        pending: &BTreeMap<ApprovalId, Pending>,
        by: &Arc<Stamp>,
    ) -> Batch {
        let now = self.core.env.now();
        let mut batch = desk.batch(Durability::Synced);
        let event = Event::TurnInterruptRequested(TurnInterruptRequested {
            thread_id: desk.thread.clone(),
            turn_id: desk.turn.clone(),
        });
        batch.event(desk.about(None, now, by), &event);
        let settlement = Settlement::decided(ApprovalDecision::Deny, by, "the turn was stopped");
        for waiting in pending.values() {
            settle(&mut batch, desk, &waiting.record, &settlement, now);
        }
        batch
    }

    /// Drops a turn that does not stop. What it had in the open is closed by its end.
    pub(super) fn drop_turn(&mut self) {
        if let Some(active) = &mut self.active {
            tracing::warn!(turn = %active.turn.id, "a turn did not stop in time and was dropped");
            active.task.abort();
            if let Some((_, overdue)) = &mut active.stopping {
                *overdue += limits::STOP_GRACE;
            }
        }
    }

    /// Stops the running turn because the process ends.
    pub(super) async fn stop_for_shutdown(&mut self) {
        let Some(active) = &self.active else { return };
        let turn = active.turn.id.clone();
        let by = self.core.system_stamp("shutdown");
        if let Err(error) = self.interrupt(&turn, by, Stopping::ForNow).await {
            tracing::warn!(%error, "a turn could not be told to stop");
        }
        let Some(active) = &mut self.active else {
            return;
        };
        let ended = tokio::time::timeout(limits::STOP_GRACE, &mut active.task).await;
        let result = match ended {
            Ok(result) => result,
            Err(_) => {
                active.task.abort();
                (&mut active.task).await
            }
        };
        self.end_turn(result).await;
    }

    /// Makes sure that no other process runs a turn of the thread, which only that one can steer
    /// and stop.
    async fn check_here(&mut self) -> Result<(), Error> {
        if self.active.is_some() {
            return Ok(());
        }
        self.reload()?;
        self.check_owner().await
    }

    /// The running turn, if it is this one.
    pub(super) fn active(&self, turn: &TurnId) -> Result<&Active, Error> {
        match &self.active {
            Some(active) if active.turn.id == *turn => Ok(active),
            active => {
                let active = active.as_ref().map(|active| active.turn.id.clone());
                Err(Error::TurnNotActive { active })
            }
        }
    }
}

impl Active {
    /// The record as it would read from the store now.
    pub(super) fn turn_now(&self) -> TurnRecord {
        TurnRecord {
            item_ids: self.desk.state().items.clone(),
            ..self.turn.clone()
        }
    }
}
