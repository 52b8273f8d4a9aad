//! The OpenAPI document, written from the operation table.

mod access;
mod answers;
mod examples;
mod inputs;
mod streams;

use axum::response::{IntoResponse, Response};
use codewhale_protocol::operations::{Method, Op, Row};
use http::header;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

const DESCRIPTION: &str = "Durable threads, turns, items and events of coding agents on this machine.\n\n\
    Every error has the same shape and says what to do next. A path that is not listed here is \
    answered with 404, a method that a path does not have with 405 and the header `Allow`. `HEAD` is \
    answered wherever `GET` is. Members of a body that are not listed are ignored.";

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
    streams::describe(&mut paths, &mut generator);
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Error".to_owned(), answers::error_schema());
    examples::add(&mut paths, &schemas);
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "CodeWhale Runtime API",
            "version": version,
            "description": DESCRIPTION,
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": "/" }],
        "security": access::ways(Method::Post),
        "tags": groups(),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": answers::errors(),
            "securitySchemes": access::schemes(),
        },
    });
    serde_json::to_string_pretty(&document).expect("the document is plain data")
}

pub(crate) async fn serve(
    axum::extract::State(door): axum::extract::State<crate::routes::Door>,
) -> Response {
    let document = door.document.get_or_init(|| openapi(&door.version));
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, document.clone()).into_response()
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
    let params = inputs::Params::of(row, generator);
    let mut described = json!({
        "operationId": row.name,
        "summary": row.summary,
        "tags": [group(row.name)],
        "x-scope": row.scope,
        "security": access::ways(row.method),
        "parameters": params.parameters(row),
        "responses": answers::responses(row, &params, generator),
    });
    if let Some(body) = params.body(row) {
        described["requestBody"] = body;
    }
    described
}

/// What an operation belongs to: the first word of its name.
fn group(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// In the order of the table; what is no operation comes last.
fn groups() -> Value {
    let mut groups: Vec<&str> = Vec::new();
    let names = Op::ALL.iter().map(|op| group(op.row().name));
    for name in names.chain([streams::GROUP]) {
        if !groups.contains(&name) {
            groups.push(name);
        }
    }
    groups
        .into_iter()
        .map(|name| json!({ "name": name }))
        .collect()
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

    fn operations(document: &Value) -> Vec<&Value> {
        let paths = document["paths"].as_object().unwrap().values();
        paths
            .flat_map(|methods| methods.as_object().unwrap().values())
            .collect()
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
                let is_nothing = status == 204 || row.name == "tool-calls/result";
                assert_eq!(schema.is_object(), !is_nothing, "{}", row.name);
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
    fn parameters_of_the_query_have_bounds_and_defaults_and_are_never_null() {
        let document = document();
        let limit = &document["paths"]["/v1/snapshots"]["get"]["parameters"][0];
        assert_eq!(limit["name"], "limit");
        let schema = &limit["schema"];
        assert_eq!(
            (&schema["minimum"], &schema["maximum"], &schema["default"]),
            (&json!(1), &json!(100), &json!(20))
        );
        for operation in operations(&document) {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let schema = parameter["schema"].to_string();
                assert!(!schema.contains("null"), "{parameter}");
            }
        }
        let scope = &document["paths"]["/v1/memory"]["delete"]["parameters"][0];
        assert_eq!(scope["required"], true);
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
        assert_eq!(ids.len(), Op::ALL.len() + streams::ROUTES);
    }

    #[test]
    fn every_operation_has_a_group_and_says_who_may_come_in() {
        let document = document();
        for operation in operations(&document) {
            let mut groups = document["tags"].as_array().unwrap().iter();
            let listed = groups.any(|group| group["name"] == operation["tags"][0]);
            assert!(listed, "{operation}");
            let public = operation["security"] == json!([]);
            let refuses = !operation["responses"]["401"].is_null();
            assert!(public != refuses, "{operation}");
        }
    }
}
