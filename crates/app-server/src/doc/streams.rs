//! The routes that are written by hand, described by hand.

use codewhale_protocol::runtime::Event;
use serde_json::{Map, Value, json};

/// Adds the routes that are no operations.
pub(super) fn describe(paths: &mut Map<String, Value>) {
    paths.insert(
        "/health".to_owned(),
        public("health", "Tells that the server lives."),
    );
    paths.insert(
        "/v1/runtime/info".to_owned(),
        public(
            "runtime/info",
            "Tells version, address and capabilities of the server.",
        ),
    );
    paths.insert("/v1/openapi.json".to_owned(), document());
    paths.insert("/v1/threads/{thread_id}/events".to_owned(), events());
    paths.insert("/v1/fleet/runs/{run_id}/events".to_owned(), fleet_events());
    paths.insert("/v1/stream".to_owned(), one_shot());
}

fn public(id: &str, summary: &str) -> Value {
    json!({ "get": {
        "operationId": id,
        "summary": summary,
        "security": [],
        "responses": { "200": json_answer("Done.") },
    } })
}

fn document() -> Value {
    json!({ "get": {
        "operationId": "openapi",
        "summary": "This document.",
        "responses": { "200": json_answer("The document."), "401": error() },
    } })
}

fn events() -> Value {
    let number = json!({ "type": "integer", "minimum": 0 });
    json!({ "get": {
        "operationId": "threads/events",
        "summary": "Follows a thread: what is already there, then what happens, without gap or repeat.",
        "description": format!(
            "Frames carry `id` (the seq), `event` and one `data` line with the envelope. Events: {}.",
            Event::NAMES.join(", ")
        ),
        "parameters": [
            { "name": "thread_id", "in": "path", "required": true, "schema": { "type": "string" } },
            { "name": "since_seq", "in": "query", "required": false, "schema": number,
              "description": "Only events behind this one." },
            { "name": "replay_limit", "in": "query", "required": false,
              "schema": { "type": "integer", "minimum": 0, "maximum": 4096 },
              "description": "Of the events that are already there, only the newest so many." },
            { "name": "Last-Event-ID", "in": "header", "required": false, "schema": number,
              "description": "Where a broken stream is resumed; wins over since_seq." },
        ],
        "responses": {
            "200": { "description": "The stream.", "content": { "text/event-stream": { "schema": { "type": "string" } } } },
            "400": error(), "401": error(), "403": error(), "404": error(), "503": error(),
        },
    } })
}

fn fleet_events() -> Value {
    let text = json!({ "type": "string" });
    json!({ "get": {
        "operationId": "fleet/events",
        "summary": "Follows a fleet run: what is already there, then what happens, without gap or repeat.",
        "description": "Frames carry `id` (the cursor), `event` and one `data` line with the event, as in \
            fleet/replay. `fleet.replay.truncated` comes first when older events were left out. The \
            stream does not end with the run.",
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
        "responses": {
            "200": { "description": "The stream.", "content": { "text/event-stream": { "schema": { "type": "string" } } } },
            "400": error(), "401": error(), "403": error(), "404": error(), "503": error(),
        },
    } })
}

fn one_shot() -> Value {
    json!({ "post": {
        "operationId": "stream",
        "summary": "Runs one prompt on a thread of its own and streams what happens; ends with the turn.",
        "requestBody": { "required": true, "content": { "application/json": { "schema": {
            "type": "object",
            "required": ["prompt"],
            "properties": {
                "prompt": { "type": "string" },
                "model": { "type": ["string", "null"] },
                "model_provider": { "type": ["string", "null"] },
                "mode": { "type": ["string", "null"] },
                "permission_posture": { "type": ["string", "null"] },
                "workspace": { "type": ["string", "null"] },
                "allow_shell": { "type": ["boolean", "null"] },
                "trust_mode": { "type": ["boolean", "null"] },
                "auto_approve": { "type": ["boolean", "null"] },
            },
        } } } },
        "responses": {
            "200": { "description": "The stream.", "content": { "text/event-stream": { "schema": { "type": "string" } } } },
            "400": error(), "401": error(), "403": error(), "413": error(), "415": error(), "422": error(), "503": error(),
        },
    } })
}

fn json_answer(description: &str) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": { "type": "object" } } } })
}

fn error() -> Value {
    json!({ "$ref": "#/components/responses/Error" })
}
