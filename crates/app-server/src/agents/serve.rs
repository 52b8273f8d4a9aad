//! Runs: reading, listing what happened, stopping.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use codewhale_protocol::operations::TurnsInterrupt;
use codewhale_protocol::runtime::{TurnDetail, TurnsInterruptParams};
use codewhale_protocol::{Caller, ErrorBody, ErrorCode};
use futures_util::stream;
use http::{StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::timeout;

use super::ask;
use super::errors::Problem;
use super::event::Event;
use super::follow::{self, Follow};
use super::name::Name;
use super::run::{Run, Status};
use crate::error::{Failure, status_of};
use crate::limits;
use crate::operation::no_text;
use crate::routes::Door;
use crate::sse::event_stream;

/// How a run is answered.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunMode")]
pub(super) enum Mode {
    /// Once it rests.
    #[default]
    Sync,
    /// At once.
    Async,
    /// As it happens.
    Stream,
}

pub(super) type NamedBy = Result<Path<String>, axum::extract::rejection::PathRejection>;

/// The turn that the path names.
pub(super) async fn named(
    door: &Door,
    caller: &Caller,
    path: NamedBy,
) -> Result<TurnDetail, Failure> {
    let Path(text) = path.map_err(|_| no_text())?;
    let name = Name::of_path(&text)?;
    follow::turn(door, caller, name.turn())
        .await
        .map_err(|error| match error.code {
            ErrorCode::NotFound => {
                let message = format!("Run {name} not found");
                Failure::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
            }
            _ => error.into(),
        })
}

/// `GET /acp/ping`.
pub(super) async fn ping() -> Response {
    json(StatusCode::OK, &serde_json::json!({}))
}

/// `GET /acp/runs/{run_id}`.
pub(super) async fn read(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    path: NamedBy,
) -> Result<Response, Failure> {
    let detail = named(&door, &caller, path).await?;
    Ok(json(StatusCode::OK, &now(&door, &caller, &detail).await?))
}

/// The run at the moment that the detail shows.
pub(super) async fn now(door: &Door, caller: &Caller, detail: &TurnDetail) -> Result<Run, Failure> {
    if detail.turn.status.is_terminal() {
        return Run::ended(detail);
    }
    Ok(replayed(door, caller, detail).await?.run())
}

/// The run, read from the log up to the moment that the detail shows.
pub(super) async fn replayed(
    door: &Door,
    caller: &Caller,
    detail: &TurnDetail,
) -> Result<Follow, Failure> {
    let mut follow = Follow::new(door, caller, detail, detail.latest_seq).await?;
    while let Some(told) = follow.until(detail).await {
        told?;
    }
    Ok(follow)
}

/// `GET /acp/runs/{run_id}/events`.
pub(super) async fn events(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    path: NamedBy,
) -> Result<Response, Failure> {
    let detail = named(&door, &caller, path).await?;
    let follow = Follow::new(&door, &caller, &detail, detail.since_seq).await?;
    let listing = Listing {
        follow,
        detail,
        state: Part::Head,
    };
    let pieces = stream::unfold(listing, |mut listing| async {
        let piece = listing.next().await?;
        Some((piece, listing))
    });
    let json = [(header::CONTENT_TYPE, "application/json")];
    Ok((json, Body::from_stream(pieces)).into_response())
}

/// A list that is written as it is read: a long run does not have to fit into memory.
struct Listing {
    follow: Follow,
    detail: TurnDetail,
    state: Part,
}

enum Part {
    Head,
    Events,
    End,
}

impl Listing {
    async fn next(&mut self) -> Option<Result<Bytes, ErrorBody>> {
        let told = match self.state {
            Part::End => return None,
            Part::Head | Part::Events => self.follow.until(&self.detail).await,
        };
        let told = match told {
            Some(Ok(told)) => told,
            Some(Err(error)) => return Some(Err(error)),
            None => {
                self.state = Part::End;
                return Some(Ok(Bytes::from_static(b"]}")));
            }
        };
        let mut text = String::new();
        for event in told {
            text.push_str(match self.state {
                Part::Head => "{\"events\":[",
                Part::Events | Part::End => ",",
            });
            self.state = Part::Events;
            text.push_str(&event.text());
        }
        Some(Ok(Bytes::from(text)))
    }
}

/// `POST /acp/runs/{run_id}/cancel`.
pub(super) async fn cancel(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    path: NamedBy,
) -> Result<Response, Failure> {
    let detail = named(&door, &caller, path).await?;
    let over = || {
        let message = "the run has ended, so it cannot be cancelled; read it to see how";
        Failure::new(StatusCode::FORBIDDEN, ErrorCode::Conflict, message)
    };
    if detail.turn.status.is_terminal() {
        return Err(over());
    }
    let mut run = now(&door, &caller, &detail).await?;
    let params = TurnsInterruptParams {
        thread_id: detail.thread.id.clone(),
        turn_id: detail.turn.id.clone(),
    };
    if let Err(error) = ask::<TurnsInterrupt>(&door, &caller, &params, None).await {
        let ended = follow::turn(&door, &caller, detail.turn.id.clone()).await?;
        return Err(match ended.turn.status.is_terminal() {
            true => over(),
            false => error.into(),
        });
    }
    run.status = Status::Cancelling;
    run.await_request = None;
    Ok(json(StatusCode::ACCEPTED, &run))
}

/// Answers a run in the mode that was asked for. Who leaves meanwhile leaves the run going on: it is
/// a turn like any other, with the bounds of a turn, and can be read later.
pub(super) async fn answer(
    door: &Door,
    mut follow: Follow,
    accepted: Run,
    mode: Mode,
) -> Result<Response, Failure> {
    match mode {
        Mode::Async => Ok(json(StatusCode::ACCEPTED, &accepted)),
        Mode::Stream => {
            let pieces = stream::unfold(Some(follow), tell);
            Ok(event_stream(Box::pin(pieces), door.closing.clone()))
        }
        Mode::Sync => {
            let rest = async {
                while let Some(told) = follow.next().await {
                    told?;
                }
                Ok::<_, ErrorBody>(())
            };
            let rested = timeout(limits::RUN_WAIT, async {
                tokio::select! {
                    rested = rest => rested,
                    () = door.closing.cancelled() => Err(closing()),
                }
            });
            // Who has waited this long is told how far it is.
            if let Ok(rested) = rested.await {
                rested?;
            }
            Ok(json(StatusCode::OK, &follow.run()))
        }
    }
}

fn closing() -> ErrorBody {
    let message = "the server is shutting down; read the run once it is back";
    ErrorBody::new(ErrorCode::Unavailable, message)
}

/// The next frames of a stream; behind an error there are none.
async fn tell(follow: Option<Follow>) -> Option<(Result<Bytes, ErrorBody>, Option<Follow>)> {
    let mut follow = follow?;
    match follow.next().await? {
        Ok(told) => {
            let frames = told
                .iter()
                .map(|event| format!("data: {}\n\n", event.text()));
            let text: String = frames.collect();
            Some((Ok(Bytes::from(text)), Some(follow)))
        }
        Err(error) => {
            let error = Problem::new(status_of(error.code), error);
            let text = format!("data: {}\n\n", Event::Error { error }.text());
            Some((Ok(Bytes::from(text)), None))
        }
    }
}

/// An answer of JSON.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("answers are plain data");
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, text).into_response()
}
