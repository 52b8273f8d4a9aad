//! One operation over HTTP: the request is read by the table, called, and answered.

use axum::body::Bytes;
use axum::extract::{RawPathParams, Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, RequestExt};
use codewhale_protocol::operations::{self, Input, Op, Operation};
use codewhale_protocol::{Call, Caller, ErrorCode};
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};

use crate::error::Failure;
use crate::limits;
use crate::routes::Door;

/// The header with the key of a request.
const KEY: &str = "idempotency-key";

/// Serves one row of the table.
pub(crate) async fn serve(
    op: Op,
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    mut request: Request,
) -> Result<Response, Failure> {
    let row = op.row();
    let key = match row.once {
        true => key(request.headers())?,
        false => None,
    };
    let path = request.extract_parts::<RawPathParams>().await;
    let path = path.map_err(|_| no_text())?;
    let path = path.iter();
    let path: Vec<(String, String)> = path
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut params = match row.input {
        Input::Query => query_params(op, request.uri().query().unwrap_or_default())?,
        Input::Body | Input::OptionalBody => body_params(op, request).await?,
        Input::Nothing => Map::new(),
    };
    for (name, value) in path {
        params.insert(name, Value::String(value));
    }
    let reply = door
        .service
        .call(
            &caller,
            Call {
                op,
                params: Value::Object(params),
                key,
            },
        )
        .await?;
    let status = row.status_made.filter(|_| reply.made).unwrap_or(row.status);
    let status = StatusCode::from_u16(status).expect("the table holds valid statuses");
    // What says nothing has no body.
    if reply.get() == "null" {
        return Ok(status.into_response());
    }
    let json = [(header::CONTENT_TYPE, "application/json")];
    Ok((status, json, String::from(Box::<str>::from(reply.json))).into_response())
}

/// The name that a request has given itself, so that it can be sent again.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let mut keys = headers.get_all(KEY).iter();
    match (keys.next(), keys.next()) {
        (None, _) => Ok(None),
        (Some(key), None) => match key.to_str() {
            Ok(key) => Ok(Some(key.to_owned())),
            Err(_) => Err(malformed(
                "the Idempotency-Key must be visible ASCII".to_owned(),
            )),
        },
        (Some(_), Some(_)) => Err(malformed(
            "there is more than one Idempotency-Key".to_owned(),
        )),
    }
}

/// Parameters from a query. The operation's own types decide how a text is read.
fn query_params(op: Op, query: &str) -> Result<Map<String, Value>, Failure> {
    match read_query(op, query) {
        Ok(Value::Object(mut members)) => {
            members.retain(|_, value| !value.is_null());
            Ok(members)
        }
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(malformed(format!("the query does not fit: {error}"))),
    }
}

macro_rules! read_query {
    ($($operation:ident)*) => {
        fn read_query(op: Op, query: &str) -> Result<Value, serde_html_form::de::Error> {
            match op {
                $(Op::$operation => typed_query::<operations::$operation>(query),)*
            }
        }
    };
}

codewhale_protocol::for_each_operation!(read_query);

fn typed_query<O: Operation>(query: &str) -> Result<Value, serde_html_form::de::Error> {
    let params: O::Params = serde_html_form::from_str(query)?;
    Ok(serde_json::to_value(params).expect("parameters are plain data"))
}

async fn body_params(op: Op, request: Request) -> Result<Map<String, Value>, Failure> {
    let is_json = is_json(request.headers());
    let bytes_max = match op == Op::AttachmentsAdd {
        true => limits::ATTACHMENT_BODY_BYTES_MAX,
        false => limits::BODY_BYTES_MAX,
    };
    let body = read_bounded(request, bytes_max).await?;
    if body.is_empty() && op.row().input == Input::OptionalBody {
        return Ok(Map::new());
    }
    if !is_json {
        return Err(Failure::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::Malformed,
            "the body must be JSON; send Content-Type: application/json",
        ));
    }
    object(&body)
}

/// A JSON object; anything else is refused in words.
pub(crate) fn object(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Failure::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::InvalidShape,
            "the body must be a JSON object",
        )),
        Err(error) => Err(malformed(format!("the body is not JSON: {error}"))),
    }
}

pub(crate) async fn read_body(request: Request) -> Result<Bytes, Failure> {
    read_bounded(request, limits::BODY_BYTES_MAX).await
}

async fn read_bounded(request: Request, bytes_max: usize) -> Result<Bytes, Failure> {
    let body = Limited::new(request.into_body(), bytes_max);
    match body.collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Failure::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::Malformed,
            format!("the body is larger than {bytes_max} bytes"),
        )),
        Err(_) => Err(malformed("the body broke off".to_owned())),
    }
}

pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let text = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = text
        .and_then(|text| text.split(';').next())
        .unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json"
        || essence.starts_with("application/") && essence.ends_with("+json")
}

/// Bytes that are no text are no id of anything.
pub(crate) fn no_text() -> Failure {
    let message = "the path is no text, so nothing is there; look at how the id is written";
    Failure::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
}

fn malformed(message: String) -> Failure {
    Failure::new(StatusCode::BAD_REQUEST, ErrorCode::Malformed, message)
}
