//! `POST /acp/runs/{run_id}`: the message that a run waits for.

use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::{Extension, RequestExt};
use codewhale_protocol::operations::{ApprovalsDecide, UserInputAnswer};
use codewhale_protocol::{Caller, ErrorCode};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::ask;
use super::create::body;
use super::follow::Follow;
use super::message::Given;
use super::question::Answer;
use super::run::Status;
use super::serve::{Mode, answer, named, replayed};
use crate::error::Failure;
use crate::routes::Door;

/// What lets a run go on.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RunResumeRequest")]
pub(super) struct ResumeRequest {
    /// What it waits for.
    await_resume: AwaitResume,
    /// How it is answered.
    #[serde(default)]
    mode: Mode,
}

/// What a run waits for.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "MessageAwaitResume")]
pub(super) enum AwaitResume {
    /// A message: for an approval a word or JSON, for questions of the agent their answers.
    Message {
        /// The message.
        message: Given,
    },
}

pub(super) async fn resume(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    mut request: Request,
) -> Result<Response, Failure> {
    let path = request.extract_parts::<Path<String>>().await;
    let detail = named(&door, &caller, path).await?;
    let request: ResumeRequest = body(request).await?;
    let AwaitResume::Message { message } = request.await_resume;
    // Answered is what was told, not what rows show first.
    let replayed = replayed(&door, &caller, &detail).await?;
    let question = replayed.question().ok_or_else(|| {
        let message = "the run waits for nothing; read it to see how it stands";
        Failure::new(StatusCode::FORBIDDEN, ErrorCode::Conflict, message)
    })?;
    let meant = question.answer(&message, &detail.thread.id)?;
    // Made first, so that nothing of what follows is missed.
    let follow = Follow::new(&door, &caller, &detail, detail.latest_seq).await?;
    let mut accepted = replayed.run();
    match meant {
        Answer::Decide(params) => {
            ask::<ApprovalsDecide>(&door, &caller, &params, None).await?;
        }
        Answer::Tell(params) => {
            ask::<UserInputAnswer>(&door, &caller, &params, None).await?;
        }
    }
    accepted.status = Status::InProgress;
    answer(&door, follow, accepted, request.mode).await
}
