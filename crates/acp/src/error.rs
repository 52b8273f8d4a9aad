//! What a request that failed answers: the codes of JSON-RPC and of the protocol.

use codewhale_protocol::{ErrorBody, ErrorCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A failed request, as it stands on the wire.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

const PARSE: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL: i64 = -32603;
const AUTHENTICATION_REQUIRED: i64 = -32000;
const NOT_FOUND: i64 = -32002;
const CANCELLED: i64 = -32800;

impl RpcError {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The line is no JSON.
    pub(crate) fn parse(message: impl Into<String>) -> Self {
        Self::new(PARSE, message)
    }

    /// It is JSON, and no message.
    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    /// There is no such method.
    pub(crate) fn unknown_method(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("there is no method {method:?}"))
    }

    /// The parameters do not read, or say something that cannot be.
    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// There is no such session.
    pub(crate) fn no_session(id: &str) -> Self {
        let message = format!("there is no session {id:?} here: load, resume or make one first");
        Self::new(NOT_FOUND, message).with(json!({ "sessionId": id }))
    }

    /// The provider wants a key.
    pub(crate) fn authentication_required(message: impl Into<String>) -> Self {
        Self::new(AUTHENTICATION_REQUIRED, message)
    }

    /// The client said that it does not want the answer any more.
    pub(crate) fn cancelled() -> Self {
        Self::new(CANCELLED, "the request was cancelled")
    }

    /// Something else went wrong.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(INTERNAL, message)
    }

    /// The same, with more for programs.
    pub(crate) fn with(self, data: Value) -> Self {
        Self {
            data: Some(data),
            ..self
        }
    }

    /// Whether the other side does not know the method.
    pub(crate) fn is_unknown_method(&self) -> bool {
        self.code == METHOD_NOT_FOUND
    }
}

impl From<ErrorBody> for RpcError {
    fn from(body: ErrorBody) -> Self {
        let code = match body.code {
            ErrorCode::Malformed | ErrorCode::InvalidShape | ErrorCode::InvalidParams => {
                INVALID_PARAMS
            }
            ErrorCode::Unauthenticated => AUTHENTICATION_REQUIRED,
            ErrorCode::NotFound => NOT_FOUND,
            ErrorCode::UnknownOperation => METHOD_NOT_FOUND,
            ErrorCode::Forbidden
            | ErrorCode::Unsupported
            | ErrorCode::Conflict
            | ErrorCode::Overloaded
            | ErrorCode::Unavailable
            | ErrorCode::Internal => INTERNAL,
        };
        let mut data = json!({ "code": body.code });
        if let Some(state) = body.data {
            data["state"] = state;
        }
        Self::new(code, body.message).with(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_of_the_service_has_a_code_of_the_protocol() {
        let known = [
            PARSE,
            INVALID_REQUEST,
            METHOD_NOT_FOUND,
            INVALID_PARAMS,
            INTERNAL,
            AUTHENTICATION_REQUIRED,
            NOT_FOUND,
            CANCELLED,
        ];
        for code in ErrorCode::ALL {
            let error = RpcError::from(ErrorBody::new(*code, "why"));
            assert!(known.contains(&error.code), "{code:?}");
            assert_eq!(error.data.unwrap()["code"], json!(code));
        }
    }
}
