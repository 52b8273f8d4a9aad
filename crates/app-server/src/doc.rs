//! The OpenAPI document, written from the operation table.

mod streams;

use axum::response::{IntoResponse, Response};
use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::{Input, Method, Op, Row};
use http::header;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::error::status_of;

/// The document as JSON text.
pub fn openapi(version: &str) -> String {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for op in Op::ALL {
        let row = op.row();
        let described = operation(row, &mut generator);
        let path = paths.entry(row.path).or_insert_with(|| json!({}));
        path[method_name(row.method)] = described;
    }
    streams::describe(&mut paths);
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Error".to_owned(), error_schema());
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "CodeWhale Runtime API",
            "version": version,
            "description": "Durable threads, turns, items and events of coding agents on this machine.",
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": "http://127.0.0.1:7878" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": { "Error": error_response("Something is wrong; the body says what.") },
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    });
    serde_json::to_string_pretty(&document).expect("the document is plain data")
}

pub(crate) async fn serve(
    axum::extract::State(door): axum::extract::State<crate::routes::Door>,
) -> Response {
    (
        [(header::CONTENT_TYPE, "application/json")],
        openapi(&door.version),
    )
        .into_response()
}

fn method_name(method: Method) -> &'static str {
    match method {
        Method::Get => "get",
        Method::Post => "post",
        Method::Patch => "patch",
        Method::Put => "put",
        Method::Delete => "delete",
    }
}

fn operation(row: &Row, generator: &mut SchemaGenerator) -> Value {
    let params = members_of((row.params_schema)(generator).to_value(), generator);
    let in_path: Vec<&str> = row
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .collect();
    let mut parameters: Vec<Value> = in_path
        .iter()
        .map(|name| parameter(name, "path", true, &params))
        .collect();
    let mut described = json!({
        "operationId": row.name,
        "summary": row.summary,
        "x-scope": row.scope,
        "responses": responses(row, generator),
    });
    match row.input {
        Input::Query => {
            let names = params
                .keys()
                .filter(|name| !in_path.contains(&name.as_str()));
            parameters.extend(names.map(|name| parameter(name, "query", false, &params)));
        }
        Input::Body | Input::OptionalBody => {
            let schema = body_schema(row, &in_path, generator);
            described["requestBody"] = json!({
                "required": row.input == Input::Body,
                "content": { "application/json": { "schema": schema } },
            });
        }
        Input::Nothing => {}
    }
    if row.once {
        parameters.push(json!({
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "A name of the caller's own for this request. Whatever is sent with the \
                same name and the same content within 24 hours is done once and answered alike.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
        }));
    }
    described["parameters"] = Value::Array(parameters);
    described
}

fn parameter(name: &str, place: &str, required: bool, members: &Map<String, Value>) -> Value {
    let mut schema = members
        .get(name)
        .cloned()
        .unwrap_or_else(|| json!({ "type": "string" }));
    let description = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("description"));
    let mut parameter =
        json!({ "name": name, "in": place, "required": required, "schema": schema });
    if let Some(description) = description {
        parameter["description"] = description;
    }
    parameter
}

/// The members of the parameters, wherever the generator put them.
fn members_of(schema: Value, generator: &SchemaGenerator) -> Map<String, Value> {
    let whole = resolved(schema, generator);
    whole
        .get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

fn resolved(schema: Value, generator: &SchemaGenerator) -> Value {
    let name = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|text| text.rsplit('/').next());
    match name.and_then(|name| generator.definitions().get(name)) {
        Some(definition) => definition.clone(),
        None => schema,
    }
}

/// The parameters without those that stand in the path.
fn body_schema(row: &Row, in_path: &[&str], generator: &mut SchemaGenerator) -> Value {
    let schema = (row.params_schema)(generator).to_value();
    let mut whole = resolved(schema, generator);
    if let Some(members) = whole.get_mut("properties").and_then(Value::as_object_mut) {
        members.retain(|name, _| !in_path.contains(&name.as_str()));
    }
    if let Some(required) = whole.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !in_path.iter().any(|path| name == path));
    }
    whole
}

fn responses(row: &Row, generator: &mut SchemaGenerator) -> Value {
    let schema = (row.output_schema)(generator).to_value();
    let mut done = json!({ "description": "Done." });
    if row.status != 204 {
        done["content"] = json!({ "application/json": { "schema": schema } });
    }
    let mut responses = json!({ row.status.to_string(): done.clone() });
    if let Some(status) = row.status_made {
        done["description"] = json!("Made: there was none before.");
        responses[status.to_string()] = done;
    }
    let possible = ErrorCode::ALL
        .iter()
        .filter(|code| **code != ErrorCode::UnknownOperation);
    for code in possible {
        responses[status_of(*code).as_str()] = json!({ "$ref": "#/components/responses/Error" });
    }
    if matches!(row.input, Input::Body | Input::OptionalBody) {
        for status in ["413", "415"] {
            responses[status] = json!({ "$ref": "#/components/responses/Error" });
        }
    }
    responses
}

fn error_response(description: &str) -> Value {
    json!({
        "description": description,
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    })
}

fn error_schema() -> Value {
    let codes: Vec<Value> = ErrorCode::ALL.iter().map(|code| json!(code)).collect();
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["message", "status", "code"],
                "properties": {
                    "message": { "type": "string", "description": "What is wrong and what to do." },
                    "status": { "type": "integer", "description": "The HTTP status again." },
                    "code": { "enum": codes, "description": "What is wrong, for programs." },
                    "data": { "description": "The present state, where that helps." },
                },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn document() -> Value {
        serde_json::from_str(&openapi("1.2.3")).unwrap()
    }

    /// Everything in the document, whatever it stands in.
    fn walk<'a>(value: &'a Value, visit: &mut impl FnMut(&'a Map<String, Value>)) {
        match value {
            Value::Object(members) => {
                visit(members);
                members.values().for_each(|value| walk(value, visit));
            }
            Value::Array(values) => values.iter().for_each(|value| walk(value, visit)),
            _ => {}
        }
    }

    #[test]
    fn every_operation_is_described_under_its_own_name() {
        let document = document();
        for op in Op::ALL {
            let row = op.row();
            let described = &document["paths"][row.path][method_name(row.method)];
            assert_eq!(described["operationId"], row.name);
            for status in [Some(row.status), row.status_made].into_iter().flatten() {
                let answer = &described["responses"][status.to_string()];
                let schema = &answer["content"]["application/json"]["schema"];
                assert_eq!(schema.is_object(), status != 204, "{}", row.name);
            }
        }
    }

    #[test]
    fn parameters_of_the_path_are_required_and_not_in_the_body() {
        let steer = &document()["paths"]["/v1/threads/{thread_id}/turns/{turn_id}/steer"]["post"];
        let names = steer["parameters"].as_array().unwrap().iter();
        let names: Vec<_> = names
            .map(|one| (&one["name"], &one["in"], &one["required"]))
            .collect();
        let required = (&json!("path"), &json!(true));
        assert_eq!(
            names,
            [
                (&json!("thread_id"), required.0, required.1),
                (&json!("turn_id"), required.0, required.1),
                (&json!("Idempotency-Key"), &json!("header"), &json!(false))
            ]
        );
        let body = &steer["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(body["required"], json!(["prompt"]));
        assert!(body["properties"].get("turn_id").is_none());
    }

    #[test]
    fn every_reference_leads_somewhere_and_every_id_is_used_once() {
        let document = document();
        let mut ids = BTreeSet::new();
        walk(&document, &mut |members| {
            if let Some(target) = members.get("$ref").and_then(Value::as_str) {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{target}");
            }
            if let Some(id) = members.get("operationId").and_then(Value::as_str) {
                assert!(ids.insert(id), "{id} twice");
            }
        });
        assert_eq!(ids.len(), Op::ALL.len() + 6);
    }
}
