//! All routes of the door, and which of them are public.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::Extension;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, on, post};
use codewhale_protocol::operations::{Method, Op};
use codewhale_protocol::{Caller, ErrorCode, Service};
use http::StatusCode;
use tokio_util::sync::CancellationToken;

use crate::error::Failure;
use crate::{
    Access, Mount, Options, agents, auth, cors, doc, fleet, hosts, info, one_shot, operation, page,
    sse,
};

/// What all routes share.
#[derive(Clone)]
pub(crate) struct Door(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) service: Arc<dyn Service>,
    pub(crate) access: Access,
    pub(crate) caller: Caller,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) origins: Vec<String>,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) version: String,
    pub(crate) commit: String,
    pub(crate) sandbox: fn() -> Option<&'static str>,
    pub(crate) turned_off: Vec<&'static str>,
    /// The description of the routes, once someone has asked for it.
    pub(crate) document: OnceLock<String>,
    /// Fires when streams are to end.
    pub(crate) closing: CancellationToken,
}

impl std::ops::Deref for Door {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Door {
    pub(crate) fn new(
        service: Arc<dyn Service>,
        options: &Options,
        port: u16,
        closing: CancellationToken,
    ) -> Self {
        Self(Arc::new(Inner {
            service,
            access: options.access.clone(),
            caller: options.caller.clone(),
            host: options.host.clone(),
            port,
            origins: cors::origins(&options.cors_origins),
            allowed_hosts: options.allowed_hosts.clone(),
            version: options.version.clone(),
            commit: options.commit.clone(),
            sandbox: options.sandbox,
            turned_off: options.turned_off.clone(),
            document: OnceLock::new(),
            closing,
        }))
    }
}

/// Routes for which no token is needed. Everything else is behind it.
fn public(with_page: bool) -> Router<Door> {
    let router = Router::new()
        .route("/health", get(info::health))
        .route("/v1/runtime/info", get(info::info))
        .merge(page::docs());
    match with_page {
        true => router.merge(page::routes()),
        false => router,
    }
}

/// Routes that are no operations of the table: streams, and the description of the rest.
fn hand_written() -> Router<Door> {
    Router::new()
        .route("/v1/threads/{thread_id}/events", get(sse::events))
        .route("/v1/fleet/runs/{run_id}/events", get(fleet::events))
        .route("/v1/stream", post(one_shot::one_shot))
        .route("/v1/openapi.json", get(doc::serve))
}

/// Routes of the table.
fn operations() -> Router<Door> {
    let mut by_path: BTreeMap<&'static str, MethodRouter<Door>> = BTreeMap::new();
    for op in Op::ALL.iter().copied() {
        let row = op.row();
        let handler = move |state, extension: Extension<Caller>, request| async move {
            operation::serve(op, state, extension, request).await
        };
        let filter = match row.method {
            Method::Get => axum::routing::MethodFilter::GET,
            Method::Post => axum::routing::MethodFilter::POST,
            Method::Patch => axum::routing::MethodFilter::PATCH,
            Method::Put => axum::routing::MethodFilter::PUT,
            Method::Delete => axum::routing::MethodFilter::DELETE,
        };
        let router = by_path.remove(row.path).unwrap_or_default();
        by_path.insert(row.path, router.merge(on(filter, handler)));
    }
    by_path
        .into_iter()
        .fold(Router::new(), |router, (path, methods)| {
            router.route(path, methods)
        })
}

/// The whole door.
pub(crate) fn router(door: Door, with_page: bool, mounts: Vec<Mount>) -> Router {
    let authenticate = middleware::from_fn_with_state(door.clone(), auth::authenticate);
    let check = middleware::from_fn_with_state(door.clone(), hosts::check);
    // Around wrong methods too: the token is asked for before the method is judged.
    let mounts = mounts.into_iter().map(Mount::into_routes);
    let guarded = mounts
        .fold(operations(), Router::merge)
        .merge(hand_written())
        .merge(agents::routes())
        .method_not_allowed_fallback(wrong_method)
        .layer(authenticate);
    public(with_page)
        .method_not_allowed_fallback(wrong_method)
        .merge(guarded)
        .fallback(unknown_path)
        .layer(check)
        .layer(middleware::from_fn(agents::speak))
        .with_state(door)
}

async fn unknown_path() -> Response {
    let message = "there is no such path; GET /v1/openapi.json lists them all";
    Failure::new(StatusCode::NOT_FOUND, ErrorCode::UnknownOperation, message).into_response()
}

async fn wrong_method() -> Response {
    let message = "this path exists, but not with this method";
    let code = ErrorCode::UnknownOperation;
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, code, message).into_response()
}
