//! From a call to the parts of an HTTP request, as the line of the table says. Pure.

use codewhale_protocol::operations::{Input, Method, Row};
use codewhale_protocol::{Call, ErrorBody, ErrorCode};
use serde_json::{Map, Value};

#[derive(PartialEq, Debug)]
pub(crate) struct Parts {
    pub(crate) method: Method,
    /// The parts of the path, not yet encoded.
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    /// A JSON text.
    pub(crate) body: Option<String>,
    /// The name of the request.
    pub(crate) key: Option<String>,
}

/// Takes the parameters apart: those that the path names go there, the others where the table says.
pub(crate) fn parts(call: Call) -> Result<Parts, ErrorBody> {
    let row = call.op.row();
    let mut params = match call.params {
        Value::Object(params) => params,
        Value::Null => Map::new(),
        _ => {
            let message = format!("the parameters of {} must be an object", row.name);
            return Err(ErrorBody::new(ErrorCode::InvalidShape, message));
        }
    };
    let path = path(row, &mut params)?;
    let (query, body) = match row.input {
        Input::Query => (query(row, params)?, None),
        Input::Body | Input::OptionalBody => (Vec::new(), Some(Value::Object(params).to_string())),
        Input::Nothing => (Vec::new(), None),
    };
    Ok(Parts {
        method: row.method,
        path,
        query,
        body,
        key: call.key,
    })
}

fn path(row: &Row, params: &mut Map<String, Value>) -> Result<Vec<String>, ErrorBody> {
    let parts = row.path.split('/').skip(1);
    parts
        .map(|part| match part.strip_prefix('{') {
            Some(name) => path_parameter(row, name.trim_end_matches('}'), params),
            None => Ok(part.to_owned()),
        })
        .collect()
}

/// A parameter as a part of the path. An empty one or a row of dots would lead to another route,
/// however it is encoded; no thing is called that.
fn path_parameter(
    row: &Row,
    name: &str,
    params: &mut Map<String, Value>,
) -> Result<String, ErrorBody> {
    let refuse = |code, problem: &str| {
        let message = format!("{name} of {} {problem}", row.name);
        Err(ErrorBody::new(code, message))
    };
    match params.remove(name) {
        Some(Value::String(text)) if matches!(text.as_str(), "" | "." | "..") => {
            refuse(ErrorCode::NotFound, &format!("names nothing: {text:?}"))
        }
        Some(Value::String(text)) => Ok(text),
        Some(_) => refuse(ErrorCode::InvalidShape, "must be a text"),
        None => refuse(ErrorCode::InvalidShape, "is missing"),
    }
}

/// Parameters as a query: null is left out, a list becomes one pair per value.
fn query(row: &Row, params: Map<String, Value>) -> Result<Vec<(String, String)>, ErrorBody> {
    let mut pairs = Vec::new();
    for (name, value) in params {
        let values = match value {
            Value::Array(values) => values,
            value => vec![value],
        };
        for value in values {
            let text = match value {
                Value::Null => continue,
                Value::Bool(flag) => flag.to_string(),
                Value::Number(number) => number.to_string(),
                Value::String(text) => text,
                Value::Array(_) | Value::Object(_) => {
                    let message = format!("{name} of {} does not fit into a query", row.name);
                    return Err(ErrorBody::new(ErrorCode::InvalidShape, message));
                }
            };
            pairs.push((name.clone(), text));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use codewhale_protocol::operations::Op;
    use serde_json::json;

    use super::*;

    fn check(op: Op, params: Value, path: &str, query: &[(&str, &str)], body: Option<&str>) {
        let expect = Parts {
            method: op.row().method,
            path: path.split(' ').map(str::to_owned).collect(),
            query: query
                .iter()
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            body: body.map(str::to_owned),
            key: None,
        };
        assert_eq!(parts(Call::new(op, params)), Ok(expect));
    }

    #[test]
    fn the_table_says_where_parameters_stand() {
        check(
            Op::ThreadsSummary,
            json!({"limit": 5, "search": "a b", "include_archived": true, "archived_only": null}),
            "v1 threads summary",
            &[
                ("include_archived", "true"),
                ("limit", "5"),
                ("search", "a b"),
            ],
            None,
        );
        check(
            Op::TurnsStart,
            json!({"thread_id": "thr/1", "prompt": "hi", "model": null}),
            "v1 threads thr/1 turns",
            &[],
            Some(r#"{"model":null,"prompt":"hi"}"#),
        );
        check(Op::ThreadsCreate, json!({}), "v1 threads", &[], Some("{}"));
        check(
            Op::ThreadsCreate,
            Value::Null,
            "v1 threads",
            &[],
            Some("{}"),
        );
        check(
            Op::TurnsInterrupt,
            json!({"thread_id": "a", "turn_id": "b", "extra": 1}),
            "v1 threads a turns b interrupt",
            &[],
            None,
        );
        check(
            Op::ThreadsList,
            json!({"x": ["a", 1, null]}),
            "v1 threads",
            &[("x", "a"), ("x", "1")],
            None,
        );
    }

    #[test]
    fn parameters_that_cannot_be_sent_are_refused() {
        let check = |op: Op, params: Value, code: ErrorCode, message: &str| {
            let expect = ErrorBody::new(code, message);
            assert_eq!(parts(Call::new(op, params)), Err(expect));
        };
        use ErrorCode::{InvalidShape, NotFound};
        let get = Op::ThreadsGet;
        check(
            get,
            json!({}),
            InvalidShape,
            "thread_id of threads/get is missing",
        );
        check(
            get,
            json!({"thread_id": 1}),
            InvalidShape,
            "thread_id of threads/get must be a text",
        );
        for text in ["", ".", ".."] {
            let message = format!("thread_id of threads/get names nothing: {text:?}");
            check(get, json!({"thread_id": text}), NotFound, &message);
        }
        check(
            Op::ThreadsList,
            json!({"x": {"y": 1}}),
            InvalidShape,
            "x of threads/list does not fit into a query",
        );
        check(
            Op::ThreadsList,
            json!([1]),
            InvalidShape,
            "the parameters of threads/list must be an object",
        );
    }
}
