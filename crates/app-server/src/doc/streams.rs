//! The routes that are written by hand, described by hand.

use codewhale_protocol::operations::Method;
use codewhale_protocol::runtime::{Event, FleetEvent, FleetNews, RuntimeEventEnvelope};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::{access, answers};
use crate::{limits, one_shot};

/// What the routes about the server itself belong to.
pub(super) const GROUP: &str = "runtime";

/// How many there are.
#[cfg(test)]
pub(super) const ROUTES: usize = 6;

/// Adds the routes that are no operations.
pub(super) fn describe(paths: &mut Map<String, Value>, generator: &mut SchemaGenerator) {
    paths.insert("/health".to_owned(), health());
    paths.insert("/v1/runtime/info".to_owned(), info());
    paths.insert("/v1/openapi.json".to_owned(), document());
    paths.insert(
        "/v1/threads/{thread_id}/events".to_owned(),
        events(generator),
    );
    paths.insert(
        "/v1/fleet/runs/{run_id}/events".to_owned(),
        fleet_events(generator),
    );
    paths.insert("/v1/stream".to_owned(), one_shot());
}

fn health() -> Value {
    let schema = object(
        &["status", "service", "mode"],
        json!({
            "status": { "const": "ok" },
            "service": { "type": "string" },
            "mode": { "type": "string" },
        }),
    );
    public("health", "Tells that the server lives.", schema)
}

fn info() -> Value {
    let text = json!({ "type": "string" });
    let count = json!({ "type": "integer", "minimum": 0 });
    let schema = object(
        &[
            "service",
            "runtime_api_version",
            "version",
            "bind_host",
            "port",
            "auth_required",
            "transports",
            "capabilities",
            "limits",
            "sandbox",
        ],
        json!({
            "service": text,
            "runtime_api_version": text,
            "codewhale_version": text,
            "version": text,
            "codewhale_commit": text,
            "bind_host": text,
            "port": { "type": "integer", "minimum": 1, "maximum": 65_535 },
            "auth_required": { "type": "boolean", "description": "Whether the token is asked for." },
            "transports": { "type": "array", "items": text },
            "capabilities": {
                "type": "object",
                "additionalProperties": { "type": "boolean" },
                "description": "What this server has, and what it has not: clients need not probe.",
            },
            "limits": { "type": "object", "additionalProperties": count, "description": "Bounds that clients meet." },
            "sandbox": object(&["available", "kind"], json!({
                "available": { "type": "boolean" },
                "kind": { "type": ["string", "null"] },
            })),
            "account": { "type": "object" },
            "experimental": { "type": "object", "additionalProperties": { "type": "boolean" } },
        }),
    );
    public(
        "runtime/info",
        "Tells version, address and capabilities of the server.",
        schema,
    )
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "required": required, "properties": properties })
}

fn public(id: &str, summary: &str, schema: Value) -> Value {
    let mut responses = json!({ "200": {
        "description": "Done.",
        "content": { "application/json": { "schema": schema } },
    } });
    answers::add_errors(&mut responses, &[403]);
    json!({ "get": {
        "operationId": id,
        "summary": summary,
        "tags": [GROUP],
        "security": [],
        "responses": responses,
    } })
}

fn document() -> Value {
    let mut responses = json!({ "200": {
        "description": "The document.",
        "content": { "application/json": {
            "schema": object(&["openapi", "info", "paths"], json!({})),
            "example": { "openapi": "3.1.0", "info": {}, "paths": {} },
        } },
    } });
    answers::add_errors(&mut responses, &[401, 403]);
    json!({ "get": {
        "operationId": "openapi",
        "summary": "This document.",
        "tags": [GROUP],
        "security": access::ways(Method::Get),
        "responses": responses,
    } })
}

fn events(generator: &mut SchemaGenerator) -> Value {
    let number = json!({ "type": "integer", "minimum": 0, "format": "uint64" });
    let envelope = generator.subschema_for::<RuntimeEventEnvelope>().to_value();
    let payloads = Event::schemas(generator).into_iter();
    let frames: Vec<Value> = payloads
        .map(|(name, payload)| {
            let with_payload = json!({ "properties": { "payload": payload } });
            frame(
                json!({ "const": name }),
                json!({ "allOf": [envelope, with_payload] }),
            )
        })
        .collect();
    let mut responses = json!({ "200": {
        "description": "Frames, each with `id` (the seq), `event` and one line `data` with the \
            envelope; comments while nothing happens.",
        "content": { "text/event-stream": {
            "schema": { "oneOf": frames },
            "example": "id: 7\nevent: turn.completed\ndata: {\"seq\":7,\"event\":\"turn.completed\"}\n\n",
        } },
    } });
    answers::add_errors(&mut responses, &[400, 401, 403, 404, 429, 500, 503]);
    json!({ "get": {
        "operationId": "threads/events",
        "summary": "Follows a thread: what is already there, then what happens, without gap or repeat.",
        "description": format!("Goes on until the client leaves. Events: {}.", Event::NAMES.join(", ")),
        "tags": ["threads"],
        "security": access::ways(Method::Get),
        "parameters": [
            { "name": "thread_id", "in": "path", "required": true, "schema": { "$ref": "#/components/schemas/ThreadId" } },
            { "name": "since_seq", "in": "query", "required": false, "schema": number,
              "description": "Only events behind this one." },
            { "name": "replay_limit", "in": "query", "required": false,
              "schema": { "type": "integer", "minimum": 0, "maximum": limits::REPLAY_LIMIT_MAX },
              "description": "Of the events that are already there, only the newest so many." },
            { "name": "Last-Event-ID", "in": "header", "required": false, "schema": number,
              "description": "Where a broken stream is resumed; wins over since_seq." },
        ],
        "responses": responses,
    } })
}

/// A frame of a stream; its data is JSON.
fn frame(event: Value, data: Value) -> Value {
    let data = json!({
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": data,
    });
    object(
        &["event", "data"],
        json!({ "id": { "type": "string" }, "event": event, "data": data }),
    )
}

fn fleet_events(generator: &mut SchemaGenerator) -> Value {
    let text = json!({ "type": "string" });
    let event = generator.subschema_for::<FleetEvent>().to_value();
    let names = FleetNews::NAMES.iter();
    let frames: Vec<Value> = names
        .map(|name| frame(json!({ "const": name }), event.clone()))
        .collect();
    let mut responses = json!({ "200": {
        "description": "Frames, each with `id` (the cursor), `event` and one line `data` with the \
            event; comments while nothing happens.",
        "content": { "text/event-stream": {
            "schema": { "oneOf": frames },
            "example": "id: 7\nevent: fleet.run.status_changed\ndata: {\"cursor\":\"7\"}\n\n",
        } },
    } });
    answers::add_errors(&mut responses, &[400, 401, 403, 404, 429, 500, 503]);
    json!({ "get": {
        "operationId": "fleet/events",
        "summary": "Follows a fleet run: what is already there, then what happens, without gap or repeat.",
        "description": "The same events as in fleet/replay. `fleet.replay.truncated` comes first when older events were left out. The \
            stream does not end with the run.",
        "tags": ["fleet"],
        "security": access::ways(Method::Get),
        "parameters": [
            { "name": "run_id", "in": "path", "required": true, "schema": text },
            { "name": "after", "in": "query", "required": false, "schema": text,
              "description": "Only events behind this cursor." },
            { "name": "limit", "in": "query", "required": false,
              "schema": { "type": "integer", "minimum": 1, "maximum": 1000 },
              "description": "Without a cursor: of the events that are already there, the newest so many; 250 when left out." },
            { "name": "Last-Event-ID", "in": "header", "required": false, "schema": text,
              "description": "Where a broken stream is resumed; wins over after." },
        ],
        "responses": responses,
    } })
}

fn one_shot() -> Value {
    let text = json!({ "type": ["string", "null"] });
    let flag = json!({ "type": ["boolean", "null"] });
    let body = object(
        &["prompt"],
        json!({
            "prompt": { "type": "string", "description": "What the agent is asked; not blank.", "examples": ["Say hello."] },
            "model": text,
            "model_provider": text,
            "reasoning_effort": { "type": ["string", "null"], "examples": ["high"] },
            "mode": text,
            "permission_posture": text,
            "workspace": text,
            "allow_shell": flag,
            "trust_mode": flag,
            "auto_approve": flag,
        }),
    );
    let mut responses = json!({ "200": {
        "description": "Frames with `event` and one line `data`; the last one is `done`.",
        "content": { "text/event-stream": {
            "schema": frame(json!({ "enum": one_shot::EVENTS }), json!({ "type": "object" })),
            "example": "event: message.delta\ndata: {\"content\":\"Hello\"}\n\n",
        } },
    } });
    let errors = [400, 401, 403, 409, 413, 415, 422, 429, 500, 503];
    answers::add_errors(&mut responses, &errors);
    json!({ "post": {
        "operationId": "stream",
        "summary": "Runs one prompt on a thread of its own and streams what happens; ends with the turn.",
        "tags": ["turns"],
        "security": access::ways(Method::Post),
        "requestBody": { "required": true, "content": { "application/json": { "schema": body } } },
        "responses": responses,
    } })
}
