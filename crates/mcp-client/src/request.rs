//! One request to a server, with its end: an answer, a timeout, or a cancelled turn.
//!
//! Requests and answers go as plain JSON. A server that lies about the shape of one entry must not
//! cost us the whole list, which typed answers would.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, CustomRequest};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::Error;
use crate::callers::Callers;
use crate::limits::{QUOTED_BYTES_MAX, STOP_GRACE};

/// Asks and waits.
pub(crate) async fn ask(
    peer: &Peer<RoleClient>,
    method: &str,
    params: Value,
    at_most: Duration,
    cancel: &CancellationToken,
) -> Result<Value, Error> {
    let nobody = Callers::default();
    ask_for(peer, method, params, at_most, cancel, &nobody).await
}

/// Asks and waits. While the server asks a person in its turn, its time stands still.
pub(crate) async fn ask_for(
    peer: &Peer<RoleClient>,
    method: &str,
    params: Value,
    at_most: Duration,
    cancel: &CancellationToken,
    callers: &Callers,
) -> Result<Value, Error> {
    let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut handle = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(Error::Cancelled),
        sent = timeout(at_most, sent) => match sent {
            Ok(sent) => sent.map_err(|error| understood(&error))?,
            Err(_elapsed) => return Err(Error::TooLate { waited: at_most }),
        },
    };
    let given_up = tokio::select! {
        biased;
        answer = &mut handle.rx => return answered(answer.unwrap_or(Err(ServiceError::TransportClosed))),
        () = cancel.cancelled() => Error::Cancelled,
        () = too_late(at_most, callers) => Error::TooLate { waited: at_most },
    };
    // A server that takes no messages would hold up those who no longer wait.
    let _ = timeout(STOP_GRACE, handle.cancel(Some(given_up.to_string()))).await;
    Err(given_up)
}

/// Waits for as long as a server may take, anew after each of its questions.
async fn too_late(at_most: Duration, callers: &Callers) {
    let mut questions = callers.questions();
    loop {
        tokio::select! {
            biased;
            Ok(_) = questions.wait_for(|questions| *questions > 0) => {}
            () = tokio::time::sleep(at_most) => return,
        }
        let _ = questions.wait_for(|questions| *questions == 0).await;
    }
}

fn answered(answer: Result<rmcp::model::ServerResult, ServiceError>) -> Result<Value, Error> {
    let answer = answer.map_err(|error| understood(&error))?;
    serde_json::to_value(answer).map_err(|error| Error::Nonsense {
        why: error.to_string(),
    })
}

fn understood(error: &ServiceError) -> Error {
    match error {
        ServiceError::McpError(error) => Error::Refused {
            message: quoted(&format!("{} (code {})", error.message, error.code.0)),
        },
        ServiceError::TransportSend(_) | ServiceError::TransportClosed => Error::Lost,
        ServiceError::Cancelled { .. } => Error::Refused {
            message: "it cancelled the request".to_owned(),
        },
        other => Error::Nonsense {
            why: quoted(&other.to_string()),
        },
    }
}

/// As much of a server's words as an error may hold.
pub(crate) fn quoted(words: &str) -> String {
    let end = words.floor_char_boundary(QUOTED_BYTES_MAX);
    match end < words.len() {
        true => format!("{}…", &words[..end]),
        false => words.to_owned(),
    }
}
