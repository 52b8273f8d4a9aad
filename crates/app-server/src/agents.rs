//! The Agent Communication Protocol: other agents find this one over REST, give it runs and drive
//! the threads that are there. Mounted at `/acp/`, behind the same checks as the Runtime API.
//!
//! A session is a thread and a run is a turn on it, under the same digits: the protocol wants UUIDs,
//! and our ids are one behind a prefix. So nothing is kept here. What a run looks like is read from
//! its turn, what happened in it from the log, and both are there after a restart.
//!
//! Start reading at `serve.rs`; `story.rs` turns events of a turn into events of a run.

mod create;
mod document;
mod errors;
mod event;
mod follow;
mod manifest;
mod message;
mod name;
mod question;
mod resume;
mod run;
mod serve;
mod session;
mod story;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use codewhale_protocol::operations::{Op, Operation};
use codewhale_protocol::{Call, Caller, ErrorBody, ErrorCode, Surface};

use crate::routes::Door;

pub use document::openapi;
pub(crate) use errors::speak;

/// The routes of the protocol.
pub(crate) fn routes() -> Router<Door> {
    Router::new()
        .route("/acp/ping", get(serve::ping))
        .route("/acp/agents", get(manifest::list))
        .route("/acp/agents/{name}", get(manifest::read))
        .route("/acp/runs", axum::routing::post(create::create))
        .route("/acp/runs/{run_id}", get(serve::read).post(resume::resume))
        .route("/acp/runs/{run_id}/events", get(serve::events))
        .route(
            "/acp/runs/{run_id}/cancel",
            axum::routing::post(serve::cancel),
        )
        .route("/acp/sessions/{session_id}", get(session::read))
        .route("/acp/resources/{resource_id}", get(session::resource))
        .route("/acp/openapi.json", get(document::serve))
        .layer(middleware::from_fn(from_an_agent))
}

/// Whoever comes in here is an agent, whatever the door took them for.
async fn from_an_agent(mut request: Request, next: Next) -> Response {
    if let Some(caller) = request.extensions_mut().get_mut::<Caller>() {
        caller.surface = Surface::AcpRest;
    }
    next.run(request).await
}

/// Asks the service.
async fn ask<O: Operation>(
    door: &Door,
    caller: &Caller,
    params: &O::Params,
    key: Option<String>,
) -> Result<O::Output, ErrorBody> {
    let op: Op = O::OP;
    let params = serde_json::to_value(params).expect("parameters are plain data");
    let call = Call { op, params, key };
    let reply = door.service.call(caller, call).await?;
    serde_json::from_str(reply.get()).map_err(|error| {
        let message = format!("the answer to {} does not read: {error}", op.row().name);
        ErrorBody::new(ErrorCode::Internal, message)
    })
}
