//! Errors as HTTP answers: one place decides the status.

use axum::response::{IntoResponse, Response};
use codewhale_protocol::{ErrorBody, ErrorCode};
use http::{StatusCode, header};
use serde_json::json;

/// An error on its way to the client.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) ErrorBody, pub(crate) StatusCode);

impl Failure {
    pub(crate) fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self(ErrorBody::new(code, message), status)
    }
}

impl From<ErrorBody> for Failure {
    fn from(body: ErrorBody) -> Self {
        let status = status_of(body.code);
        Self(body, status)
    }
}

/// The status of each code.
pub(crate) fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::Malformed | ErrorCode::InvalidParams => StatusCode::BAD_REQUEST,
        ErrorCode::InvalidShape => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::NotFound | ErrorCode::UnknownOperation => StatusCode::NOT_FOUND,
        ErrorCode::Conflict => StatusCode::CONFLICT,
        ErrorCode::Overloaded => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Unsupported => StatusCode::NOT_IMPLEMENTED,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Failure(body, status) = self;
        let mut error = json!({
            "message": &body.message,
            "status": status.as_u16(),
            "code": body.code,
        });
        if let Some(data) = &body.data {
            error["data"] = data.clone();
        }
        let text = json!({ "error": error }).to_string();
        let told = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (status, told, text).into_response();
        // For doors behind this one that tell it in other words.
        response.extensions_mut().insert(body);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_status_that_is_an_error() {
        for code in ErrorCode::ALL {
            let status = status_of(*code);
            assert!(
                status.is_client_error() || status.is_server_error(),
                "{code:?}"
            );
        }
    }
}
