//! One message of JSON-RPC 2.0, as it comes in.

use serde_json::{Map, Value};

use crate::error::RpcError;

/// What the other side sent.
#[derive(PartialEq, Debug)]
pub(crate) enum Message {
    /// Something that wants an answer.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// Something that wants none.
    Notification { method: String, params: Value },
    /// The answer to something of ours.
    Answer {
        id: Value,
        result: Result<Value, RpcError>,
    },
}

impl Message {
    /// Reads a line. The error comes with the id to send it to, which is null where there is none.
    pub(crate) fn read(line: &[u8]) -> Result<Self, (Value, RpcError)> {
        let value: Value = serde_json::from_slice(line).map_err(|error| {
            let message = format!("a line is no JSON: {error}");
            (Value::Null, RpcError::parse(message))
        })?;
        let refused = |id: &Value, message: &str| {
            let id = Some(id.clone()).filter(is_id).unwrap_or_default();
            Err((id, RpcError::invalid_request(message)))
        };
        let Value::Object(mut members) = value else {
            return refused(&Value::Null, "a message is one object; send one per line");
        };
        let id = members.remove("id");
        let shown = id.clone().unwrap_or_default();
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return refused(&shown, "`jsonrpc` must be \"2.0\"");
        }
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            return refused(&shown, "`id` must be null, a number or a text");
        }
        let Some(method) = members.remove("method") else {
            return answer(id, members);
        };
        let Value::String(method) = method else {
            return refused(&shown, "`method` must be a text");
        };
        let params = members.remove("params").unwrap_or_default();
        Ok(match id {
            Some(id) => Self::Request { id, method, params },
            None => Self::Notification { method, params },
        })
    }
}

fn answer(
    id: Option<Value>,
    mut members: Map<String, Value>,
) -> Result<Message, (Value, RpcError)> {
    let id = id.unwrap_or_default();
    let error = members.remove("error").filter(|error| !error.is_null());
    let result = match (members.remove("result"), error) {
        (_, Some(error)) => Err(serde_json::from_value(error).unwrap_or_else(|_| {
            RpcError::internal("the other side answered with an error that does not read as one")
        })),
        (Some(result), None) => Ok(result),
        (None, None) => {
            let message = "a message has a `method`, a `result` or an `error`";
            return Err((id, RpcError::invalid_request(message)));
        }
    };
    Ok(Message::Answer { id, result })
}

fn is_id(value: &Value) -> bool {
    match value {
        Value::Null | Value::String(_) => true,
        Value::Number(number) => number.is_i64() || number.is_u64(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Message, (Value, RpcError)> {
        Message::read(value.to_string().as_bytes())
    }

    fn check_refused(line: &str, id: Value, code: i64) {
        let (to, error) = Message::read(line.as_bytes()).unwrap_err();
        assert_eq!((to, error.code), (id, code), "{line}");
    }

    #[test]
    fn a_method_with_an_id_is_a_request_and_without_one_a_notification() {
        let request = read(json!({"jsonrpc": "2.0", "id": "a", "method": "m", "params": {"x": 1}}));
        let expected = Message::Request {
            id: json!("a"),
            method: "m".to_owned(),
            params: json!({"x": 1}),
        };
        assert_eq!(request.unwrap(), expected);
        let told = read(json!({"jsonrpc": "2.0", "method": "m"})).unwrap();
        assert!(matches!(
            told,
            Message::Notification {
                params: Value::Null,
                ..
            }
        ));
    }

    #[test]
    fn an_answer_is_a_result_or_an_error_and_null_is_a_result() {
        let result = read(json!({"jsonrpc": "2.0", "id": 1, "result": null})).unwrap();
        let (id, expected) = (json!(1), Ok(Value::Null));
        assert_eq!(
            result,
            Message::Answer {
                id,
                result: expected
            }
        );
        let error = json!({"code": -32601, "message": "no"});
        let failed = read(json!({"jsonrpc": "2.0", "id": 1, "error": error})).unwrap();
        assert!(
            matches!(failed, Message::Answer { result: Err(error), .. } if error.is_unknown_method())
        );
    }

    #[test]
    fn what_is_no_message_is_refused_and_names_the_request_where_it_can() {
        check_refused("{", Value::Null, -32700);
        check_refused("\u{fffd}", Value::Null, -32700);
        check_refused("[]", Value::Null, -32600);
        check_refused(r#"{"id":4,"method":"m"}"#, json!(4), -32600);
        check_refused(
            r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#,
            Value::Null,
            -32600,
        );
        check_refused(
            r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
            Value::Null,
            -32600,
        );
        check_refused(
            r#"{"jsonrpc":"2.0","id":"x","method":7}"#,
            json!("x"),
            -32600,
        );
        check_refused(r#"{"jsonrpc":"2.0","id":"x"}"#, json!("x"), -32600);
    }
}
