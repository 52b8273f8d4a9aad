//! Errors in the words of the protocol. Whatever a request below `/acp/` fails at, at the checks of
//! the door or behind them, is told in one shape: `{"code", "message", "data"}`.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use codewhale_protocol::ErrorBody;
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// What went wrong.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct Problem {
    /// `server_error`, `invalid_input` or `not_found`.
    pub(super) code: &'static str,
    /// What is wrong and what to do.
    pub(super) message: String,
    /// The present state, where that helps; an object or null.
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    pub(super) data: Value,
}

impl Problem {
    /// What an error of this status is called.
    pub(super) fn new(status: StatusCode, body: ErrorBody) -> Self {
        let code = match status.as_u16() {
            400 | 413 | 422 => "invalid_input",
            404 => "not_found",
            _ => "server_error",
        };
        let data = match body.data {
            None => Value::Null,
            Some(Value::Object(members)) => Value::Object(members),
            Some(other) => json!({ "value": other }),
        };
        let message = body.message;
        Self {
            code,
            message,
            data,
        }
    }
}

/// Tells failures of requests to these routes in the words of the protocol.
pub(crate) async fn speak(request: Request, next: Next) -> Response {
    let is_ours = request.uri().path().starts_with("/acp/");
    let mut response = next.run(request).await;
    if !is_ours {
        return response;
    }
    let Some(body) = response.extensions_mut().remove::<ErrorBody>() else {
        return response;
    };
    let problem = Problem::new(response.status(), body);
    let text = serde_json::to_string(&problem).expect("a problem is plain data");
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    *response.body_mut() = Body::from(text);
    response
}
