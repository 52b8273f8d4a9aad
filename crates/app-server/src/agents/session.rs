//! Sessions: threads, and what was said on them.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use codewhale_protocol::operations::ThreadsGet;
use codewhale_protocol::runtime::{ThreadDetail, ThreadParams, TurnDetail, TurnItemRecord};
use codewhale_protocol::{Caller, ErrorCode};
use http::{HeaderMap, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use super::ask;
use super::follow;
use super::manifest::Agent;
use super::message::Message;
use super::name::{Name, Resource};
use super::serve::{NamedBy, json};
use crate::error::Failure;
use crate::operation::no_text;
use crate::routes::Door;

/// A thread as the protocol sees it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Session {
    /// Its id.
    id: Name,
    /// Where its messages are, oldest first. Reading them takes the token too.
    history: Vec<String>,
    /// Always null: there is no state besides the messages.
    state: Option<String>,
}

/// `GET /acp/sessions/{session_id}`.
pub(super) async fn read(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    path: NamedBy,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let Path(text) = path.map_err(|_| no_text())?;
    let name = Name::of_path(&text)?;
    let params = ThreadParams {
        thread_id: name.thread(),
    };
    let detail = ask::<ThreadsGet>(&door, &caller, &params, None).await;
    let detail = detail.map_err(|error| match error.code {
        ErrorCode::NotFound => missing(&format!("Session {name} not found")),
        _ => error.into(),
    })?;
    let host = headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    let session = Session {
        id: name,
        history: history(&detail, host),
        state: None,
    };
    Ok(json(StatusCode::OK, &session))
}

fn history(detail: &ThreadDetail, host: &str) -> Vec<String> {
    let is_said = |item: &&TurnItemRecord| {
        let ended = item.status.is_terminal();
        ended && (Message::of_user(item).is_some() || Message::of(item, "agent").is_some())
    };
    let said = detail.items.iter().filter(is_said);
    let names = said.filter_map(|item| Resource::of(&item.turn_id, &item.id));
    names
        .map(|name| format!("http://{host}/acp/resources/{name}"))
        .collect()
}

/// `GET /acp/resources/{resource_id}`.
pub(super) async fn resource(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    path: NamedBy,
) -> Result<Response, Failure> {
    let Path(text) = path.map_err(|_| no_text())?;
    let unknown = || missing("there is no such message; read the session for those there are");
    let resource = Resource::parse(&text).ok_or_else(unknown)?;
    let detail = follow::turn(&door, &caller, resource.turn.clone()).await;
    let detail = detail.map_err(|error| match error.code {
        ErrorCode::NotFound => unknown(),
        _ => error.into(),
    })?;
    let message = said(&detail, &resource).ok_or_else(unknown)?;
    Ok(json(StatusCode::OK, &message))
}

fn said(detail: &TurnDetail, resource: &Resource) -> Option<Message> {
    let item = detail.items.iter().find(|item| item.id == resource.item)?;
    let role = format!("agent/{}", Agent::of(&detail.thread, &detail.turn).name());
    let message = Message::of_user(item).or_else(|| Message::of(item, &role));
    message.filter(|_| item.status.is_terminal())
}

fn missing(message: &str) -> Failure {
    Failure::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
}
