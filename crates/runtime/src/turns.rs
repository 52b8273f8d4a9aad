//! Turns: starting, reading, adding to and stopping them.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{
    Right, ThreadsCompact, TurnsGet, TurnsInterrupt, TurnsStart, TurnsSteer,
};
use codewhale_protocol::runtime::{
    InputPart, Seq, StreamId, ThreadsCompactParams, TurnDetail, TurnId, TurnParams, TurnRecord,
    TurnWithThread, TurnsInterruptParams, TurnsStartParams, TurnsSteerParams,
};
use codewhale_store::{Located, Reader};

use crate::actor::{Asker, Command, Stopping};
use crate::client_tools;
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<TurnsStart> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: TurnsStartParams,
    ) -> Result<TurnWithThread, Error> {
        self.start_turn(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: TurnsStartParams,
        once: Once,
    ) -> Result<TurnWithThread, Error> {
        self.start_turn(caller, params, Some(once)).await
    }
}

impl Handler<ThreadsCompact> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ThreadsCompactParams,
    ) -> Result<TurnWithThread, Error> {
        self.compact(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: ThreadsCompactParams,
        once: Once,
    ) -> Result<TurnWithThread, Error> {
        self.compact(caller, params, Some(once)).await
    }
}

impl Handler<TurnsSteer> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: TurnsSteerParams) -> Result<TurnRecord, Error> {
        self.steer(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: TurnsSteerParams,
        once: Once,
    ) -> Result<TurnRecord, Error> {
        self.steer(caller, params, Some(once)).await
    }
}

impl Core {
    async fn start_turn(
        self: &Arc<Self>,
        caller: &Caller,
        mut params: TurnsStartParams,
        once: Option<Once>,
    ) -> Result<TurnWithThread, Error> {
        let own = params.overrides.dynamic_tools.as_deref();
        client_tools::check(own.unwrap_or_default(), &self.tools)?;
        if let Some(parts) = params.parts()
            && let Some(text) = self.submitted(&params.thread_id, &parts).await?
        {
            params.prompt = text;
            let attached = parts.into_iter().filter(|it| it.attachment().is_some());
            params.input = Some(attached.collect());
        }
        let (id, asker) = (params.thread_id.clone(), Asker::from(caller.clone()));
        self.ask_thread(&id, |reply| Command::Start {
            asker,
            params: Box::new(params),
            once,
            reply,
        })
        .await
    }

    async fn compact(
        self: &Arc<Self>,
        caller: &Caller,
        params: ThreadsCompactParams,
        once: Option<Once>,
    ) -> Result<TurnWithThread, Error> {
        let (caller, reason) = (caller.clone(), params.reason);
        self.ask_thread(&params.thread_id, |reply| Command::Compact {
            caller,
            reason,
            once,
            reply,
        })
        .await
    }

    async fn steer(
        self: &Arc<Self>,
        caller: &Caller,
        params: TurnsSteerParams,
        once: Option<Once>,
    ) -> Result<TurnRecord, Error> {
        let said = [InputPart::text(&params.prompt)];
        let text = match params.prompt.trim().is_empty() {
            true => None,
            false => self.submitted(&params.thread_id, &said).await?,
        };
        let text = text.unwrap_or(params.prompt);
        let (asker, turn) = (Asker::from(caller.clone()), params.turn_id);
        self.ask_thread(&params.thread_id, |reply| Command::Steer {
            asker,
            turn,
            text,
            once,
            reply,
        })
        .await
    }
}

impl Handler<TurnsGet> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: TurnParams) -> Result<TurnDetail, Error> {
        const UNKNOWN: Error = Error::NotFound { what: "turn" };
        let read = move |reader: &Reader<'_>| read_turn(reader, &params.turn_id);
        let detail = self.store.read_apart(read).await?.ok_or(UNKNOWN)?;
        let thread = Located::Thread(&detail.thread.id);
        let visible = self.require_right(caller, Right::ReadThread, thread);
        // What the caller may not see does not exist for them, under whatever name.
        visible.map_err(|error| match error {
            Error::NotFound { .. } => UNKNOWN,
            other => other,
        })?;
        Ok(detail)
    }
}

fn read_turn(
    reader: &Reader<'_>,
    id: &TurnId,
) -> Result<Option<TurnDetail>, codewhale_store::Error> {
    let Some(stored) = reader.turn(id)? else {
        return Ok(None);
    };
    let mut turn = stored.record;
    let Some(thread) = reader.thread(&turn.thread_id)? else {
        return Ok(None);
    };
    let first = stored.ordinal * limits::ITEMS_PER_TURN;
    let ordinals = first..first + limits::ITEMS_PER_TURN;
    let items = reader.items_within(&turn.thread_id, ordinals)?;
    // The first item is written with its turn, or by it.
    let since_seq = items.first().map_or(Seq::ZERO, |item| item.since_seq);
    let items: Vec<_> = items.into_iter().map(|item| item.record).collect();
    let (mut approvals, mut inputs) = (Vec::new(), Vec::new());
    if !turn.status.is_terminal() {
        turn.item_ids = items.iter().map(|item| item.id.clone()).collect();
        approvals = reader.shown_approvals(&turn.thread_id)?;
        inputs = reader.pending_user_inputs(&turn.thread_id)?;
    }
    Ok(Some(TurnDetail {
        since_seq,
        latest_seq: reader.head(&StreamId::Thread(turn.thread_id.clone()))?,
        turn,
        thread: thread.record,
        items,
        pending_approvals: approvals,
        pending_user_inputs: inputs,
    }))
}

impl Handler<TurnsInterrupt> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: TurnsInterruptParams,
    ) -> Result<TurnRecord, Error> {
        let (asker, turn) = (Asker::from(caller.clone()), params.turn_id);
        self.ask_thread(&params.thread_id, |reply| Command::Interrupt {
            asker,
            turn,
            stopping: Stopping::ForNow,
            reply,
        })
        .await
    }
}
