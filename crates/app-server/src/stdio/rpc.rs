//! JSON-RPC 2.0, one message per line: how a request reads, and how an answer is written.

use codewhale_protocol::lines::Line;
use codewhale_protocol::{ErrorBody, ErrorCode};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::limits::LINE_BYTES_MAX;

/// What a request calls itself, in its own spelling.
pub(super) type Id = Box<RawValue>;

/// A request that reads as one.
#[derive(Debug)]
pub(super) struct Request {
    /// None for one that wants no answer.
    pub(super) id: Option<Id>,
    pub(super) method: String,
    /// None when it has none, which some methods take and others do not.
    pub(super) params: Option<Map<String, Value>>,
    /// A name for what it does, so that it can be sent again.
    pub(super) key: Option<String>,
}

/// Why a request has no result.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Value,
}

pub(super) const PARSE: i32 = -32700;
pub(super) const INVALID_REQUEST: i32 = -32600;
pub(super) const UNKNOWN_METHOD: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
pub(super) const FAILED: i32 = -32603;
pub(super) const NOT_FOUND: i32 = -32004;

impl Fault {
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: Value::Null,
        }
    }

    /// A thread that is not there, or not for this caller.
    pub(super) fn no_thread(id: &str) -> Self {
        Self {
            code: NOT_FOUND,
            message: format!("thread not found: {id}"),
            data: json!({ "error": "thread_not_found", "thread_id": id }),
        }
    }

    /// Parameters that do not read as those of the method.
    pub(super) fn params(error: impl std::fmt::Display) -> Self {
        Self::new(INVALID_PARAMS, error.to_string())
    }
}

/// What the service refused. `data` keeps the word to branch on, and the state where it helps.
impl From<ErrorBody> for Fault {
    fn from(body: ErrorBody) -> Self {
        let code = match body.code {
            ErrorCode::Malformed | ErrorCode::InvalidShape | ErrorCode::InvalidParams => {
                INVALID_PARAMS
            }
            ErrorCode::NotFound => NOT_FOUND,
            ErrorCode::UnknownOperation => UNKNOWN_METHOD,
            ErrorCode::Unauthenticated
            | ErrorCode::Forbidden
            | ErrorCode::Conflict
            | ErrorCode::Overloaded
            | ErrorCode::Unavailable
            | ErrorCode::Unsupported
            | ErrorCode::Internal => FAILED,
        };
        Self {
            code,
            message: body.message,
            data: json!({ "error": body.code, "details": body.data }),
        }
    }
}

/// The members of a request, of whatever kind they are.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(default)]
    jsonrpc: Option<Value>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<Value>,
    #[serde(default)]
    params: Option<Value>,
    #[serde(default)]
    idempotency_key: Option<String>,
}

/// An id of `null` is an id; one that is left out is none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads a line; `None` for a blank one. What cannot be read comes back as the answer to it.
pub(super) fn read(line: &Line) -> Option<Result<Request, String>> {
    let text = match line {
        Line::Whole(bytes) => bytes.trim_ascii(),
        Line::TooLong => {
            let message = format!("a line has at most {LINE_BYTES_MAX} bytes");
            return Some(Err(no_id(Fault::new(INVALID_REQUEST, message))));
        }
    };
    let first = text.first()?;
    if *first != b'{' {
        let fault = match serde_json::from_slice::<serde::de::IgnoredAny>(text) {
            Ok(_) => Fault::new(
                INVALID_REQUEST,
                "a request is a JSON object on a line of its own; batches are not taken",
            ),
            Err(error) => Fault::new(PARSE, format!("invalid json: {error}")),
        };
        return Some(Err(no_id(fault)));
    }
    Some(match serde_json::from_slice::<Members<'_>>(text) {
        Ok(members) => {
            let id = members.id.map(ToOwned::to_owned);
            request(members).map_err(|fault| failed(id.as_deref(), &fault))
        }
        Err(error) if error.is_data() => Err(no_id(Fault::new(
            INVALID_REQUEST,
            format!("invalid request: {error}"),
        ))),
        Err(error) => Err(no_id(Fault::new(PARSE, format!("invalid json: {error}")))),
    })
}

fn request(members: Members<'_>) -> Result<Request, Fault> {
    if members.jsonrpc.is_some_and(|version| version != "2.0") {
        return Err(Fault::new(INVALID_REQUEST, "jsonrpc version must be 2.0"));
    }
    let Some(Value::String(method)) = members.method else {
        return Err(Fault::new(
            INVALID_REQUEST,
            "a request needs a member method with text in it",
        ));
    };
    let params = match members.params {
        None | Some(Value::Null) => None,
        Some(Value::Object(params)) => Some(params),
        Some(_) => return Err(Fault::new(INVALID_PARAMS, "params must be an object")),
    };
    Ok(Request {
        id: members.id.map(ToOwned::to_owned),
        method,
        params,
        key: members.idempotency_key,
    })
}

/// The line that answers a request.
pub(super) fn result(id: &RawValue, result: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Answer<'a, T> {
        jsonrpc: &'static str,
        id: &'a RawValue,
        result: &'a T,
    }
    to_line(&Answer {
        jsonrpc: "2.0",
        id,
        result,
    })
}

/// The line that says why a request has no result.
pub(super) fn failed(id: Option<&RawValue>, fault: &Fault) -> String {
    #[derive(Serialize)]
    struct Answer<'a> {
        jsonrpc: &'static str,
        id: Option<&'a RawValue>,
        error: Error<'a>,
    }
    #[derive(Serialize)]
    struct Error<'a> {
        code: i32,
        message: &'a str,
        data: &'a Value,
    }
    to_line(&Answer {
        jsonrpc: "2.0",
        id,
        error: Error {
            code: fault.code,
            message: &fault.message,
            data: &fault.data,
        },
    })
}

/// A line that nobody asked for.
pub(super) fn notification(method: &str, params: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Notification<'a, T> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a T,
    }
    to_line(&Notification {
        jsonrpc: "2.0",
        method,
        params,
    })
}

/// Anything as one line, with its end.
pub(super) fn to_line(message: &impl Serialize) -> String {
    let mut line = serde_json::to_string(message).expect("messages are plain data with text keys");
    line.push('\n');
    line
}

fn no_id(fault: Fault) -> String {
    failed(None, &fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    fn code_of(text: &str) -> (i64, Value) {
        let answer = read(&line(text)).unwrap().unwrap_err();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["error"].as_object().unwrap().contains_key("data"));
        (
            answer["error"]["code"].as_i64().unwrap(),
            answer["id"].clone(),
        )
    }

    #[test]
    fn what_is_no_request_is_answered_by_what_is_wrong_with_it() {
        for (text, code, id) in [
            ("{", PARSE, json!(null)),
            ("hello", PARSE, json!(null)),
            ("{\"id\":1,\"method\":\"\u{0}\"}", PARSE, json!(null)),
            ("[]", INVALID_REQUEST, json!(null)),
            (
                r#"[{"id":1,"method":"healthz"}]"#,
                INVALID_REQUEST,
                json!(null),
            ),
            ("[", PARSE, json!(null)),
            ("7", INVALID_REQUEST, json!(null)),
            ("{}", INVALID_REQUEST, json!(null)),
            (r#"{"id":7}"#, INVALID_REQUEST, json!(7)),
            (r#"{"id":"a","method":3}"#, INVALID_REQUEST, json!("a")),
            (
                r#"{"id":1,"id":2,"method":"healthz"}"#,
                INVALID_REQUEST,
                json!(null),
            ),
            (
                r#"{"jsonrpc":"1.0","id":[1],"method":"healthz"}"#,
                INVALID_REQUEST,
                json!([1]),
            ),
            (
                r#"{"jsonrpc":2.0,"id":1,"method":"healthz"}"#,
                INVALID_REQUEST,
                json!(1),
            ),
            (
                r#"{"id":1,"method":"healthz","params":[1]}"#,
                INVALID_PARAMS,
                json!(1),
            ),
        ] {
            assert_eq!(code_of(text), (code.into(), id), "{text}");
        }
        let not_text = Line::Whole(b"{\"id\":1,\"method\":\"\xff\"}".to_vec());
        assert!(read(&not_text).unwrap().unwrap_err().contains("-32700"));
        assert!(
            read(&Line::TooLong)
                .unwrap()
                .unwrap_err()
                .contains("-32600")
        );
        assert!(read(&line(" \r")).is_none());
    }

    #[test]
    fn an_id_comes_back_in_its_own_spelling_and_null_is_an_id() {
        for id in [
            "1",
            "1.0",
            "123456789012345678901234567890",
            "null",
            r#"{"a":[1]}"#,
            r#""x""#,
        ] {
            let text = format!("{{\"id\":{id},\"method\":\"healthz\",\"params\":null}}\r");
            let request = read(&line(&text)).unwrap().unwrap();
            assert!(request.params.is_none());
            let answer = result(&request.id.unwrap(), &json!({}));
            assert_eq!(
                answer,
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n")
            );
        }
        let notification = read(&line(r#"{"method":"healthz"}"#)).unwrap().unwrap();
        assert!(notification.id.is_none());
    }

    #[test]
    fn every_code_of_the_service_has_a_number() {
        for code in ErrorCode::ALL {
            let fault = Fault::from(ErrorBody::new(*code, "why"));
            assert!((-32700..=-32000).contains(&fault.code), "{code:?}");
            assert_eq!(fault.data["error"], json!(code));
        }
    }
}
