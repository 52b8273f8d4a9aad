//! A prompt: read, given to the thread, and answered when its turn is over and all of it was told.

mod pieces;

use std::sync::Arc;

use codewhale_protocol::operations::{AttachmentsAdd, TurnsStart};
use codewhale_protocol::runtime::{
    AttachmentsAddParams, FailureClass, InputPart, PendingUserInput, TurnId, TurnOverrides,
    TurnRecord, TurnStatus, TurnsStartParams,
};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::commands::{self, Done};
use crate::door::Door;
use crate::error::RpcError;
use crate::limits::END_WAIT;
use crate::session::{News, Session};
use crate::turn_line::Ticket;
use crate::wire::{ContentBlock, PromptParams, StopReason};
use crate::{methods, question};
use pieces::Piece;

/// A prompt with its place in the line of its session.
pub(crate) struct Prompt {
    session: Arc<Session>,
    ticket: Ticket,
    blocks: Vec<ContentBlock>,
    stop: CancellationToken,
}

impl Prompt {
    /// Reads a prompt and puts it in the line.
    pub(crate) fn read(door: &Door, params: Value) -> Result<Self, RpcError> {
        let PromptParams { session_id, prompt } = methods::read(params)?;
        let session = door.session(&session_id)?;
        let ticket = session.line.enter().ok_or_else(|| {
            RpcError::internal("too many prompts wait in this session; wait for an answer")
        })?;
        Ok(Self {
            ticket,
            blocks: prompt,
            stop: session.stopper(),
            session,
        })
    }

    /// Serves it to the end, sooner when the request is called off.
    pub(crate) async fn serve(self, called_off: &CancellationToken) -> Result<Value, RpcError> {
        let Self {
            session,
            ticket,
            blocks,
            stop,
        } = self;
        let serving = serve(&session, ticket, blocks, &stop);
        tokio::pin!(serving);
        let reason = tokio::select! {
            reason = &mut serving => reason,
            () = called_off.cancelled() => {
                stop.cancel();
                serving.await
            }
        };
        Ok(json!({ "stopReason": reason? }))
    }
}

async fn serve(
    session: &Session,
    ticket: Ticket,
    blocks: Vec<ContentBlock>,
    stop: &CancellationToken,
) -> Result<StopReason, RpcError> {
    let _served = session.line.served(ticket).await;
    if stop.is_cancelled() {
        return Ok(StopReason::Cancelled);
    }
    let pieces = pieces::read(blocks)?;
    let texts = pieces::texts(&pieces);
    let turn = match waiting_question(session) {
        Some((input, turn)) => {
            let Some(texts) = texts else {
                return Err(RpcError::invalid_params("answer the question in words"));
            };
            let answers = question::read(&input.request, &texts.join("\n"));
            session.answer(&input, answers).await?;
            // Its end is told soon; who asks for it meanwhile must not meet it again.
            let is_it = |it: &PendingUserInput| it.id == input.id;
            session
                .news
                .send_modify(|news| news.questions.retain(|it| !is_it(it)));
            turn
        }
        None => match commands::run(session, &texts.unwrap_or_default()).await? {
            Done::Turn(turn) => turn,
            Done::Shortening(turn) => {
                return until_over(session, &turn, stop, stop_reason_of_shortening).await;
            }
            Done::Said => return Ok(StopReason::EndTurn),
            Done::NoCommand => start(session, pieces).await?,
        },
    };
    until_over(session, &turn, stop, stop_reason).await
}

/// A question that was asked as a message, and the turn that waits for the answer.
fn waiting_question(session: &Session) -> Option<(PendingUserInput, TurnId)> {
    let news = session.news.borrow();
    Some((news.questions.first()?.clone(), news.active.clone()?))
}

async fn start(session: &Session, pieces: Vec<Piece>) -> Result<TurnId, RpcError> {
    let (client, thread_id) = (&session.link.client, session.thread());
    let mut input = Vec::new();
    for piece in pieces {
        input.push(match piece {
            Piece::Text(text) => InputPart::Text { text },
            Piece::Attached(data) => {
                let thread_id = thread_id.clone();
                let params = AttachmentsAddParams { thread_id, data };
                let attached = client.call::<AttachmentsAdd>(params).await?;
                InputPart::attached(attached.media_type.kind(), attached.id)
            }
        });
    }
    let params = TurnsStartParams {
        thread_id,
        prompt: String::new(),
        input: Some(input),
        overrides: TurnOverrides::default(),
    };
    let started = client.call::<TurnsStart>(params).await?;
    Ok(started.turn.id)
}

/// Waits for the end of a turn, or stops it.
async fn until_over(
    session: &Session,
    turn: &TurnId,
    stop: &CancellationToken,
    reason: fn(&TurnRecord) -> Result<StopReason, RpcError>,
) -> Result<StopReason, RpcError> {
    let mut news = session.news.subscribe();
    let met = tokio::select! {
        biased;
        () = stop.cancelled() => {
            session.interrupt(turn).await;
            // However it ended: whoever said stop is told that it has.
            let _ = timeout(END_WAIT, ended(&mut news, turn)).await;
            return Ok(StopReason::Cancelled);
        }
        met = met(&mut news, turn) => met,
    };
    match met {
        Met::End(turn) => reason(&turn),
        Met::Question => Ok(StopReason::EndTurn),
        Met::Nothing => Err(RpcError::internal(
            "the thread could not be followed to the end of the turn; load the session again to see it",
        )),
    }
}

/// What a prompt waits for.
enum Met {
    End(Box<TurnRecord>),
    /// The agent asks something, and the next prompt is the answer.
    Question,
    Nothing,
}

async fn met(news: &mut watch::Receiver<News>, turn: &TurnId) -> Met {
    let seen = news.wait_for(|news| {
        let is_active = news.active.as_ref() == Some(turn);
        end_of(news, turn).is_some() || (is_active && !news.questions.is_empty()) || news.is_over
    });
    match seen.await {
        Ok(news) => match end_of(&news, turn) {
            Some(turn) => Met::End(Box::new(turn.clone())),
            None if news.is_over => Met::Nothing,
            None => Met::Question,
        },
        Err(_) => Met::Nothing,
    }
}

async fn ended(news: &mut watch::Receiver<News>, turn: &TurnId) {
    let over = |news: &News| end_of(news, turn).is_some() || news.is_over;
    let _ = news.wait_for(over).await;
}

fn end_of<'a>(news: &'a News, turn: &TurnId) -> Option<&'a TurnRecord> {
    news.ended.iter().find(|ended| ended.id == *turn)
}

/// The same where a bound means that there was nothing to shorten.
fn stop_reason_of_shortening(turn: &TurnRecord) -> Result<StopReason, RpcError> {
    match (turn.failure_class, &turn.error) {
        (Some(FailureClass::Limit), Some(why)) => Err(RpcError::internal(why.clone())),
        _ => stop_reason(turn),
    }
}

/// How the end of a turn is told.
fn stop_reason(turn: &TurnRecord) -> Result<StopReason, RpcError> {
    let failed = match turn.status {
        TurnStatus::Completed => return Ok(StopReason::EndTurn),
        TurnStatus::Interrupted if turn.failure_class != Some(FailureClass::Restart) => {
            return Ok(StopReason::Cancelled);
        }
        TurnStatus::Canceled => return Ok(StopReason::Cancelled),
        TurnStatus::Failed
        | TurnStatus::Interrupted
        | TurnStatus::Queued
        | TurnStatus::InProgress => turn.failure_class.unwrap_or(FailureClass::Internal),
    };
    let why = turn.error.clone();
    let why = why.unwrap_or_else(|| "the turn failed without a reason".to_owned());
    let error = match failed {
        FailureClass::Truncated => return Ok(StopReason::MaxTokens),
        FailureClass::Refused => return Ok(StopReason::Refusal),
        FailureClass::Limit => return Ok(StopReason::MaxTurnRequests),
        FailureClass::Interrupted => return Ok(StopReason::Cancelled),
        FailureClass::Authentication => RpcError::authentication_required(why),
        FailureClass::Network
        | FailureClass::Timeout
        | FailureClass::RateLimit
        | FailureClass::InvalidRequest
        | FailureClass::Empty
        | FailureClass::McpServer
        | FailureClass::Storage
        | FailureClass::Restart
        | FailureClass::Internal => RpcError::internal(why),
    };
    Err(error.with(json!({
        "turnId": turn.id,
        "failureClass": failed,
        "retryable": turn.retryable,
    })))
}

#[cfg(test)]
mod tests;
