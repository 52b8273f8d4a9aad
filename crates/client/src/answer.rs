//! What an HTTP answer means: the output of an operation, or why there is none.

use codewhale_protocol::{ErrorBody, ErrorCode, Reply};
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::limits;

/// The output in an answer, or the error in it. `made` is the status that tells of something new.
pub(crate) async fn read(
    response: Response,
    server: &str,
    made: Option<u16>,
) -> Result<Reply, ErrorBody> {
    let status = response.status();
    if !status.is_success() {
        return Err(refusal(response, server).await);
    }
    let body = collect(response, limits::ANSWER_BYTES_MAX).await;
    let body = body.map_err(|problem| unavailable(server, &problem))?;
    let text = if body.is_empty() {
        b"null"
    } else {
        body.as_slice()
    };
    let json = serde_json::from_slice::<Box<RawValue>>(text).map_err(|_| {
        unavailable(
            server,
            "answered with something that is not JSON; is this a CodeWhale server?",
        )
    })?;
    let made = made == Some(status.as_u16());
    Ok(Reply { json, made })
}

/// The error in an answer that is not a success.
pub(crate) async fn refusal(response: Response, server: &str) -> ErrorBody {
    let status = response.status();
    let body = collect(response, limits::REFUSAL_BYTES_MAX).await;
    error(status, &body.unwrap_or_default(), server)
}

/// Says that the server cannot serve now, and which one.
pub(crate) fn unavailable(server: &str, problem: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::Unavailable, format!("{server} {problem}"))
}

/// Reads a body up to a bound.
async fn collect(mut response: Response, bytes_max: usize) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if body.len() + piece.len() <= bytes_max => {
                body.extend_from_slice(&piece);
            }
            Ok(Some(_)) => return Err(format!("answered with more than {bytes_max} bytes")),
            Ok(None) => return Ok(body),
            Err(_) => return Err("broke off in the middle of its answer".to_owned()),
        }
    }
}

/// Our own form of an error. Older servers leave out the code.
#[derive(Deserialize)]
struct Envelope {
    error: Inner,
}

#[derive(Deserialize)]
struct Inner {
    message: String,
    #[serde(default)]
    code: Value,
    data: Option<Value>,
}

fn error(status: StatusCode, body: &[u8], server: &str) -> ErrorBody {
    if let Ok(Envelope { error }) = serde_json::from_slice(body) {
        let code = serde_json::from_value(error.code).unwrap_or_else(|_| code_of(status));
        return ErrorBody {
            code,
            message: error.message,
            data: error.data,
        };
    }
    let text = String::from_utf8_lossy(body);
    let text: String = text
        .trim()
        .chars()
        .take(limits::REFUSAL_CHARS_MAX)
        .collect();
    let problem = if status.is_redirection() {
        format!("answered {status}, which is not followed; name the final address")
    } else if text.is_empty() {
        format!("answered {status}")
    } else {
        format!("answered {status}: {text}")
    };
    ErrorBody::new(code_of(status), format!("{server} {problem}"))
}

/// The closest code where an answer has none.
fn code_of(status: StatusCode) -> ErrorCode {
    match status.as_u16() {
        401 => ErrorCode::Unauthenticated,
        403 => ErrorCode::Forbidden,
        404 | 410 => ErrorCode::NotFound,
        405 => ErrorCode::UnknownOperation,
        501 => ErrorCode::Unsupported,
        409 => ErrorCode::Conflict,
        413 | 415 => ErrorCode::Malformed,
        422 => ErrorCode::InvalidShape,
        408 | 429 => ErrorCode::Overloaded,
        400..=499 => ErrorCode::InvalidParams,
        502..=504 => ErrorCode::Unavailable,
        500..=599 => ErrorCode::Internal,
        _ => ErrorCode::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(status: u16, body: &str, expect: ErrorBody) {
        let status = StatusCode::from_u16(status).unwrap();
        assert_eq!(error(status, body.as_bytes(), "http://x"), expect);
    }

    #[test]
    fn our_own_errors_are_read_whole() {
        for code in ErrorCode::ALL {
            let body =
                json!({"error": {"message": "m", "status": 400, "code": code, "data": {"a": 1}}});
            let expect = ErrorBody::new(*code, "m").with_data(json!({"a": 1}));
            check(400, &body.to_string(), expect);
        }
    }

    #[test]
    fn without_a_code_the_status_decides() {
        use ErrorCode::*;
        let cases = [
            (400, InvalidParams),
            (401, Unauthenticated),
            (403, Forbidden),
            (404, NotFound),
            (405, UnknownOperation),
            (409, Conflict),
            (413, Malformed),
            (415, Malformed),
            (418, InvalidParams),
            (422, InvalidShape),
            (429, Overloaded),
            (500, Internal),
            (503, Unavailable),
        ];
        for (status, code) in cases {
            let body = r#"{"error":{"message":"m","status":1}}"#;
            check(status, body, ErrorBody::new(code, "m"));
            let body = r#"{"error":{"message":"m","code":"from_the_future"}}"#;
            check(status, body, ErrorBody::new(code, "m"));
        }
    }

    #[test]
    fn foreign_answers_are_quoted_in_short() {
        let not_found = |message: &str| ErrorBody::new(ErrorCode::NotFound, message);
        check(404, "", not_found("http://x answered 404 Not Found"));
        check(
            404,
            " no\n",
            not_found("http://x answered 404 Not Found: no"),
        );
        let quoted = format!("http://x answered 404 Not Found: {}", "é".repeat(500));
        check(404, &"é".repeat(600), not_found(&quoted));
        let expect = "http://x answered 302 Found, which is not followed; name the final address";
        check(302, "<a>", ErrorBody::new(ErrorCode::Unavailable, expect));
    }
}
