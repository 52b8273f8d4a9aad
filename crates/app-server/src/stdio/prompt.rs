//! One question, one answer, without anything to follow. It is a turn all the same: on the thread that
//! is named, or on one of its own.

use codewhale_protocol::operations::ThreadsCreate;
use codewhale_protocol::runtime::TurnStatus;
use codewhale_protocol::{EventFrame, PromptRequest, PromptResponse, ResponseChannel};
use serde_json::json;

use super::desk::Desk;
use super::rpc::Fault;
use super::turn::{self, Ended, Message, Stream, response_id};

/// Runs a prompt to its answer, and tells how its turn ended if it began.
pub(super) async fn run(
    desk: &Desk,
    request: PromptRequest,
    key: Option<String>,
) -> (Result<PromptResponse, Fault>, Option<TurnStatus>) {
    match ask(desk, request, key).await {
        Ok(ended) => {
            let status = ended.turn.status;
            (told(ended), Some(status))
        }
        Err(fault) => (Err(fault), None),
    }
}

async fn ask(desk: &Desk, request: PromptRequest, key: Option<String>) -> Result<Ended, Fault> {
    let message = |thread_id: String| Message {
        thread_id,
        input: request.prompt,
        stream: Stream::Silent,
        model: request.model.clone(),
    };
    if let Some(thread) = request.thread_id {
        return turn::run(desk, &message(thread), Stream::Silent, key).await;
    }
    // Nobody sees its questions, so what needs asking is refused.
    let params = json!({
        "model": request.model,
        "permission_posture": "auto_review",
        "archived": true,
    });
    let thread = desk.call_once::<ThreadsCreate>(params, key.clone()).await?;
    let thread = thread.id.to_string();
    desk.live.begin(&thread);
    let ended = turn::run(desk, &message(thread.clone()), Stream::Silent, key).await;
    desk.live.end(&thread);
    ended
}

fn told(ended: Ended) -> Result<PromptResponse, Fault> {
    ended.check()?;
    let response_id = response_id(&ended.turn);
    let start = EventFrame::ResponseStart {
        response_id: response_id.clone(),
    };
    let end = EventFrame::ResponseEnd {
        response_id: response_id.clone(),
    };
    let output = ended.pieces.concat();
    let deltas = ended
        .pieces
        .into_iter()
        .map(|delta| EventFrame::ResponseDelta {
            response_id: response_id.clone(),
            delta,
            channel: ResponseChannel::Text,
        });
    Ok(PromptResponse {
        output,
        model: ended.turn.effective_model.unwrap_or_default(),
        events: [start].into_iter().chain(deltas).chain([end]).collect(),
    })
}
