//! Who acts: the operator of the store, the callers, the agents, the runtime itself.

use std::sync::Arc;

use codewhale_engine::Purpose;
use codewhale_model::Route;
use codewhale_protocol::runtime::{Event, PrincipalId, StoreCreated, StreamId, ThreadId};
use codewhale_protocol::{Actor, ActorKind, ActorRecord, AgentIdentity, Caller, Scopes, Surface};
use codewhale_store::{About, Durability, Guard, PrincipalRow, Stamp};

use crate::Error;
use crate::runtime::Core;

impl Core {
    /// The operator of the store; made with the store.
    pub(crate) async fn ensure_operator(&self) -> Result<PrincipalId, Error> {
        if let Some(operator) = self.store.read(|reader| reader.operator())? {
            return Ok(operator);
        }
        let now = self.env.now();
        let mut batch = self.store.batch(Durability::Synced);
        batch.guard(Guard::NoOperator);
        let id = PrincipalId::new(self.env.uuid());
        let name = batch.seal("operator");
        batch.put_principal(PrincipalRow {
            id,
            name,
            is_operator: true,
            created_at: now,
        });
        let event = Event::StoreCreated(StoreCreated {
            version: self.version.clone(),
        });
        let by = self.store.stamp(Actor::system("bootstrap").into());
        let stream = StreamId::Store;
        let about = About {
            stream: &stream,
            turn_id: None,
            item_id: None,
            at: now,
            by: &by,
        };
        batch.event(about, &event);
        match self.store.commit(batch).await {
            Ok(_) | Err(codewhale_store::Error::Guard(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let operator = self.store.read(|reader| reader.operator())?;
        operator.ok_or(Error::NotFound { what: "operator" })
    }

    /// The stamp of whoever asks.
    pub(crate) fn caller_stamp(&self, caller: &Caller) -> Arc<Stamp> {
        self.store.stamp(ActorRecord::from(caller))
    }

    /// The stamp of an agent of a thread, with the model that really answers. Who shortens the
    /// conversation is another agent than who talks.
    pub(crate) fn agent_stamp(
        &self,
        thread: &ThreadId,
        route: &Route,
        caller: &Caller,
        purpose: Purpose,
    ) -> Arc<Stamp> {
        let hex = thread.as_str().trim_start_matches(ThreadId::PREFIX);
        let agent_id = match purpose {
            Purpose::Answer => format!("agt_{hex}"),
            Purpose::Compaction => format!("agt_{hex}_compaction"),
        };
        let actor = Actor {
            kind: ActorKind::Agent,
            id: agent_id.clone(),
            agent: Some(AgentIdentity {
                agent_id,
                provider: route.provider.clone(),
                model: route.model.clone(),
            }),
            surface: caller.surface,
        };
        let on_behalf_of = Some(caller.principal.clone());
        self.store.stamp(ActorRecord {
            on_behalf_of,
            ..actor.into()
        })
    }

    /// The stamp of a part of the runtime that acts by itself.
    pub(crate) fn system_stamp(&self, part: &str) -> Arc<Stamp> {
        self.store.stamp(Actor::system(part).into())
    }

    /// The operator as a caller, through a door.
    pub(crate) fn operator_caller(&self, surface: Surface) -> Caller {
        Caller {
            principal: self.operator.clone(),
            scopes: Scopes::ALL,
            token_id: None,
            device_id: None,
            surface,
            on_behalf_of: None,
        }
    }
}
