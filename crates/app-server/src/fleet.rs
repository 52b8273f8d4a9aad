//! The event stream of a fleet run: what is already there, then what happens.

use axum::Extension;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::response::Response;
use bytes::Bytes;
use codewhale_protocol::frame::write_event;
use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{FleetReplay, FleetRunId, Seq};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Call, Caller, ErrorBody, ErrorCode, Source};
use futures_util::{StreamExt, stream};
use http::HeaderMap;
use serde::Deserialize;
use serde_json::json;

use crate::error::Failure;
use crate::limits;
use crate::operation::no_text;
use crate::routes::Door;
use crate::sse::{bad_request, event_stream, last_event_id};

/// The query of the stream.
#[derive(Deserialize)]
pub(crate) struct FleetQuery {
    /// Only events behind this one.
    #[serde(default, alias = "since_seq")]
    after: Option<String>,
    /// Without a cursor: the newest so many.
    #[serde(default, alias = "replay_limit")]
    limit: Option<u64>,
}

/// `GET /v1/fleet/runs/{run_id}/events`.
pub(crate) async fn events(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    path: Result<Path<String>, PathRejection>,
    query: Result<Query<FleetQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let Path(run) = path.map_err(|_| no_text())?;
    let Query(query) = query.map_err(|error| bad_request(error.body_text()))?;
    let most = limits::FLEET_PAGE_MAX;
    if query
        .limit
        .is_some_and(|limit| !(1..=most).contains(&limit))
    {
        return Err(bad_request(format!("limit must be between 1 and {most}")));
    }
    // A browser that reconnects says where it was; that is newer than its address.
    let resumed = last_event_id(&headers)?.map(|seq| seq.to_string());
    let after = resumed.or(query.after);
    // The same page as without a stream, so that both count alike and refuse alike.
    let limit = query.limit.filter(|_| after.is_none());
    let params = json!({ "run_id": run, "after": after, "limit": limit });
    let page = door
        .service
        .call(&caller, Call::new(Op::FleetReplay, params));
    let page: FleetReplay = serde_json::from_str(page.await?.get()).map_err(|_| unreadable())?;
    let (first, last) = written(&page).map_err(|_| unreadable())?;
    let source = Source::FleetRun(FleetRunId::from(run.as_str()));
    let frames = door.service.events(&caller, source, Cursor::after(last));
    let frames = frames
        .await?
        .map(|frames| frames.map(|frames| frames.bytes));
    let first = (!first.is_empty()).then(|| Ok(Bytes::from(first)));
    let pieces = stream::iter(first).chain(frames);
    Ok(event_stream(Box::pin(pieces), door.closing.clone()))
}

/// A page as frames, and the place behind it.
fn written(page: &FleetReplay) -> Result<(String, Seq), serde_json::Error> {
    let mut text = String::new();
    if page.history_truncated {
        let data = json!({ "run_id": page.run_id, "reload_projection": true });
        text.push_str(&format!("event: fleet.replay.truncated\ndata: {data}\n\n"));
    }
    for event in &page.events {
        let data = serde_json::to_string(event)?;
        write_event(&mut text, place(&event.cursor), &event.event, &data);
    }
    let last = page.next_cursor.as_deref().map_or(Seq::ZERO, place);
    Ok((text, last))
}

/// The cursors of our own pages are places in the log.
fn place(cursor: &str) -> Seq {
    Seq(cursor.parse().unwrap_or_default())
}

fn unreadable() -> ErrorBody {
    let message = "the events of the run do not read; see the log of the program";
    ErrorBody::new(ErrorCode::Internal, message)
}
