//! What an operation answers: what it did, or why it did not.

use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::{Input, Method, Row};
use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::inputs::Params;
use crate::error::status_of;

/// Every status of an error, the name of its answer here, and when it is given.
const ERRORS: &[(u16, &str, &str)] = &[
    (
        400,
        "Invalid",
        "The request does not read, or a value in it is not acceptable.",
    ),
    (401, "Unauthenticated", "There is no valid token."),
    (
        403,
        "Forbidden",
        "The token, the role, the Host or the Origin of the request does not allow it.",
    ),
    (
        404,
        "NotFound",
        "There is no such thing, or the caller may not know of it.",
    ),
    (
        409,
        "Conflict",
        "The present state does not allow it; `data` tells that state where it helps.",
    ),
    (413, "TooLarge", "The body is larger than is taken."),
    (415, "NotJson", "The body is not said to be JSON."),
    (
        422,
        "WrongShape",
        "The body is JSON, but a member is missing or has the wrong type.",
    ),
    (
        429,
        "Overloaded",
        "Too much at once; the same request may succeed in a moment.",
    ),
    (
        500,
        "Internal",
        "A fault of the server; the message names the id under which it was logged.",
    ),
    (
        501,
        "Unsupported",
        "This server cannot do it, and says so rather than something less.",
    ),
    (
        503,
        "Unavailable",
        "The store or another part cannot serve now.",
    ),
];

/// The answers to a row of the table.
pub(super) fn responses(row: &Row, params: &Params, generator: &mut SchemaGenerator) -> Value {
    let schema = (row.output_schema)(generator).to_value();
    let mut done = json!({ "description": "Done." });
    // An answer of nothing has no body, whatever its status.
    if schema["type"] != "null" {
        done["content"] = json!({ "application/json": { "schema": schema } });
    }
    let mut responses = json!({ row.status.to_string(): done.clone() });
    if let Some(status) = row.status_made {
        done["description"] = json!("Made: there was none before.");
        responses[status.to_string()] = done;
    }
    let with_body = matches!(row.input, Input::Body | Input::OptionalBody);
    let looks = row.method == Method::Get;
    // A look at what the path names has nothing in it that could be wrong.
    let mut statuses = match looks && row.input == Input::Nothing {
        true => vec![],
        false => vec![400],
    };
    statuses.extend([401, 403]);
    if params.name_something() {
        statuses.push(404);
    }
    // A look can meet a part of the program that is turned off.
    statuses.push(409);
    if with_body {
        statuses.extend([413, 415, 422]);
    }
    // Runs can be asked to work where no server has workers yet.
    if matches!(row.name, "fleet/create" | "fleet/start") {
        statuses.push(501);
    }
    statuses.extend([429, 500, 503]);
    add_errors(&mut responses, &statuses);
    responses
}

/// Lists these statuses among the answers.
pub(super) fn add_errors(responses: &mut Value, statuses: &[u16]) {
    for status in statuses {
        let named = ERRORS.iter().find(|error| error.0 == *status);
        let (_, name, _) = named.expect("every status that is listed has its line");
        responses[status.to_string()] = json!({ "$ref": format!("#/components/responses/{name}") });
    }
}

/// The answers that routes refer to.
pub(super) fn errors() -> Value {
    let described = ERRORS.iter().map(|(status, name, description)| {
        let example = json!({ "error": {
            "message": description,
            "status": status,
            "code": code_of(*status),
        } });
        let json =
            json!({ "schema": { "$ref": "#/components/schemas/Error" }, "example": example });
        let answer = json!({ "description": description, "content": { "application/json": json } });
        ((*name).to_owned(), answer)
    });
    Value::Object(described.collect())
}

/// The code that most answers of a status carry.
fn code_of(status: u16) -> ErrorCode {
    let mut codes = ErrorCode::ALL.iter();
    let code = codes.find(|code| status_of(**code).as_u16() == status);
    code.copied().unwrap_or(ErrorCode::Malformed)
}

/// What every error looks like.
pub(super) fn error_schema() -> Value {
    let codes: Vec<Value> = ErrorCode::ALL.iter().map(|code| json!(code)).collect();
    json!({
        "type": "object",
        "description": "Why a request was not done.",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["message", "status", "code"],
                "properties": {
                    "message": { "type": "string", "minLength": 1, "description": "What is wrong and what to do." },
                    "status": { "type": "integer", "minimum": 400, "maximum": 599, "description": "The HTTP status again." },
                    "code": { "enum": codes, "description": "What is wrong, for programs." },
                    "data": { "description": "The present state, where that helps." },
                },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_an_answer_of_its_status() {
        for code in ErrorCode::ALL {
            let status = status_of(*code).as_u16();
            assert!(ERRORS.iter().any(|error| error.0 == status), "{code:?}");
        }
    }
}
