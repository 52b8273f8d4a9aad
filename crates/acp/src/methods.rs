//! The requests of the protocol besides prompts, each turned into operations of the service.

use std::sync::Arc;

use codewhale_protocol::operations::{SessionsDelete, ThreadsPatch};
use codewhale_protocol::runtime::MediaKind;
use codewhale_protocol::runtime::{SessionParams as DeleteParams, ThreadId, ThreadsPatchParams};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::door::Door;
use crate::error::RpcError;
use crate::limits::SESSIONS_MAX;
use crate::open::{self, Opened, Past};
use crate::peer::to_value;
use crate::wire::{
    ClientCapabilities, InitializeParams, ListParams, OpenParams, SessionParams, SetConfigParams,
    SetModeParams,
};
use crate::{controls, listing};

/// The version of the protocol that is spoken here.
const VERSION: u64 = 1;

impl Door {
    /// Answers a request; nothing where it was answered already.
    pub(crate) async fn handle(
        self: &Arc<Self>,
        id: &Value,
        method: &str,
        params: Value,
    ) -> Option<Result<Value, RpcError>> {
        let link = &self.link;
        Some(match method {
            "initialize" => read(params).and_then(|params| self.initialize(params)),
            "authenticate" => Err(RpcError::invalid_params(
                "there is nothing to authenticate with here: keys are kept with `codewhale auth set`",
            )),
            "session/new" => match read(params) {
                Ok(params) => return self.opened(id, open::make(link, params).await).await,
                Err(error) => Err(error),
            },
            "session/load" => return self.open(id, params, Past::Told).await,
            "session/resume" => return self.open(id, params, Past::Untold).await,
            "session/list" => match read::<Option<ListParams>>(params) {
                Ok(params) => listing::list(link, params.unwrap_or_default()).await,
                Err(error) => Err(error),
            },
            // A notification by the protocol; some send it as a request and wait.
            "session/cancel" => {
                self.cancel(&params);
                Ok(Value::Null)
            }
            "session/close" => self.close(params).await,
            "session/delete" => self.delete(params).await,
            "session/set_mode" => self.set_mode(params).await,
            "session/set_config_option" => self.set_option(params).await,
            _ => Err(RpcError::unknown_method(method)),
        })
    }

    fn initialize(&self, params: InitializeParams) -> Result<Value, RpcError> {
        let can = params.client_capabilities.unwrap_or_default();
        let methods = self.login(&can);
        if self.link.can.set(can).is_err() {
            return Err(RpcError::invalid_request(
                "this connection is initialized already",
            ));
        }
        let input = &self.link.options.input;
        let lends = self.link.options.lender.is_some();
        // One that speaks a later version is told ours, and may leave.
        let version = params.protocol_version.clamp(VERSION, VERSION);
        Ok(json!({
            "protocolVersion": version,
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {
                    "image": input.contains(&MediaKind::Image),
                    "audio": input.contains(&MediaKind::Audio),
                    "embeddedContext": true,
                },
                "mcpCapabilities": { "http": lends, "sse": lends },
                "sessionCapabilities": {
                    "list": {}, "delete": {}, "resume": {}, "close": {}, "additionalDirectories": {},
                },
            },
            "agentInfo": {
                "name": "codewhale",
                "title": "CodeWhale",
                "version": self.link.options.version,
            },
            "authMethods": methods,
        }))
    }

    fn login(&self, can: &ClientCapabilities) -> Vec<Value> {
        let arguments = self.link.options.login.as_ref();
        let arguments = arguments.filter(|_| can.logs_in_by_terminal());
        let method = arguments.map(|arguments| {
            json!({
                "type": "terminal",
                "id": "codewhale-auth-set",
                "name": "Set the key of the provider",
                "description": "Asks for the key in a terminal and keeps it on this machine",
                "args": arguments,
                "env": {},
            })
        });
        method.into_iter().collect()
    }

    async fn open(
        self: &Arc<Self>,
        id: &Value,
        params: Value,
        past: Past,
    ) -> Option<Result<Value, RpcError>> {
        let params: OpenParams = match read(params) {
            Ok(params) => params,
            Err(error) => return Some(Err(error)),
        };
        // Opening again is closing first: nobody is told twice.
        self.forget(&params.session_id).await;
        let opened = open::open(&self.link, params, past).await;
        self.opened(id, opened).await
    }

    /// A session is known before the answer names it, and told of after that.
    async fn opened(
        self: &Arc<Self>,
        id: &Value,
        opened: Result<Opened, RpcError>,
    ) -> Option<Result<Value, RpcError>> {
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => return Some(Err(error)),
        };
        let Opened {
            session,
            mut follower,
            answer,
            waiting,
        } = opened;
        {
            let mut sessions = self.sessions();
            if sessions.len() >= SESSIONS_MAX {
                let message = format!("more than {SESSIONS_MAX} sessions are open; close some");
                return Some(Err(RpcError::internal(message)));
            }
            sessions.insert(session.id.clone(), Arc::clone(&session));
        }
        self.answered(id.clone(), Ok(answer)).await;
        self.link.tasks.spawn(async move {
            if let Some(detail) = waiting {
                follower.tell_usage(&detail.turns).await;
                let (approvals, inputs) = (detail.pending_approvals, detail.pending_user_inputs);
                follower.ask_again(approvals, inputs).await;
            }
            follower.run().await;
        });
        None
    }

    async fn close(&self, params: Value) -> Result<Value, RpcError> {
        let SessionParams { session_id } = read(params)?;
        let session = self.session(&session_id)?;
        session.stop_prompts();
        session.stop_others().await;
        self.forget(&session_id).await;
        Ok(json!({}))
    }

    async fn delete(&self, params: Value) -> Result<Value, RpcError> {
        let SessionParams { session_id } = read(params)?;
        if let Ok(session) = self.session(&session_id) {
            session.stop_prompts();
            session.stop_others().await;
        }
        let params = DeleteParams {
            session_id: ThreadId::from(session_id.as_str()),
        };
        self.link.client.call::<SessionsDelete>(params).await?;
        self.forget(&session_id).await;
        Ok(json!({}))
    }

    async fn set_mode(&self, params: Value) -> Result<Value, RpcError> {
        let SetModeParams {
            session_id,
            mode_id,
        } = read(params)?;
        let session = self.session(&session_id)?;
        let mut change = ThreadsPatchParams::nothing(session.thread());
        change.mode = Some(controls::known_mode(&mode_id)?.to_owned());
        self.link.client.call::<ThreadsPatch>(change).await?;
        Ok(json!({}))
    }

    async fn set_option(&self, params: Value) -> Result<Value, RpcError> {
        let params: SetConfigParams = read(params)?;
        let session = self.session(&params.session_id)?;
        let change = controls::change(&session.thread(), &params.config_id, &params.value)?;
        let thread = self.link.client.call::<ThreadsPatch>(change).await?;
        let options = controls::options(&thread, &session.models);
        Ok(json!({ "configOptions": to_value(options) }))
    }
}

/// Reads parameters.
pub(crate) fn read<T: DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    serde_json::from_value(params).map_err(|error| {
        let message = format!("the parameters do not read: {error}");
        RpcError::invalid_params(message)
    })
}
