//! Turns: starting, adding to and stopping them.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{ThreadsCompact, TurnsInterrupt, TurnsStart, TurnsSteer};
use codewhale_protocol::runtime::{
    InputPart, ThreadsCompactParams, TurnRecord, TurnWithThread, TurnsInterruptParams,
    TurnsStartParams, TurnsSteerParams,
};

use crate::Error;
use crate::actor::{Asker, Command, Stopping};
use crate::client_tools;
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;

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
            params.input = None;
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
