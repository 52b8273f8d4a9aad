//! The OpenAPI document of these routes. A document of its own, because errors have another shape
//! than in the Runtime API.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::create::CreateRequest;
use super::errors::Problem;
use super::event::Event;
use super::manifest::{Agents, Manifest};
use super::message::Message;
use super::resume::ResumeRequest;
use super::run::Run;
use super::session::Session;
use crate::limits;
use crate::routes::Door;

const DESCRIPTION: &str = "The Agent Communication Protocol: agents that can be given runs, the runs, and the sessions \
    they belong to. A session is a thread of the Runtime API and a run is a turn, under the same digits. Bodies are \
    read as JSON whatever their Content-Type says.";

/// The document as JSON text.
pub fn openapi(version: &str) -> String {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
    });
    let mut generator = settings.into_generator();
    let paths = paths(&mut generator);
    generator.subschema_for::<Problem>();
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "CodeWhale over the Agent Communication Protocol",
            "version": version,
            "description": DESCRIPTION,
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": "/acp" }],
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
        },
    });
    serde_json::to_string_pretty(&document).expect("the document is plain data")
}

/// `GET /acp/openapi.json`.
pub(super) async fn serve(State(door): State<Door>) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, openapi(&door.version)).into_response()
}

fn paths(generator: &mut SchemaGenerator) -> Value {
    let run = schema::<Run>(generator);
    let events = listed("events", &schema::<Event>(generator));
    let empty = json!({ "type": "object", "maxProperties": 0 });
    let any = json!({ "type": "object" });
    let read_run = Row::new("run", "Reads a run.").named("run_id", &uuid());
    let cancel = Row::new(
        "run/cancel",
        "Stops a run. It is `cancelling`, then `cancelled`.",
    );
    let list_events = Row::new("run/events", "Lists what happened in a run so far.");
    let resources = Row::new("resource", "Reads a message of a session.");
    json!({
        "/ping": { "get": Row::new("ping", "Tells that the server lives.").done(200, &empty) },
        "/agents": { "get": agents(generator) },
        "/agents/{name}": { "get": Row::new("agent", "Describes an agent.")
            .named("name", &json!({ "type": "string" }))
            .done(200, &schema::<Manifest>(generator)) },
        "/runs": { "post": create(generator, &run) },
        "/runs/{run_id}": {
            "get": read_run.done(200, &run),
            "post": resume(generator, &run),
        },
        "/runs/{run_id}/events": { "get": list_events.named("run_id", &uuid()).done(200, &events) },
        "/runs/{run_id}/cancel": { "post": cancel.named("run_id", &uuid()).fails(&[403, 409]).done(202, &run) },
        "/sessions/{session_id}": { "get": Row::new("session", "Reads a session.")
            .named("session_id", &uuid())
            .done(200, &schema::<Session>(generator)) },
        "/resources/{resource_id}": { "get": resources
            .named("resource_id", &json!({ "type": "string" }))
            .done(200, &schema::<Message>(generator)) },
        "/openapi.json": { "get": Row::new("openapi", "This document.").done(200, &any) },
    })
}

fn agents(generator: &mut SchemaGenerator) -> Value {
    let number = |name: &str, schema: Value| json!({ "name": name, "in": "query", "required": false, "schema": schema });
    let most = limits::AGENTS_LISTED_MAX;
    let mut row = Row::new("agents", "Lists the agents that can be given runs.").fails(&[422]);
    row.parameters.push(number(
        "limit",
        json!({ "type": "integer", "minimum": 1, "maximum": most, "default": limits::AGENTS_LISTED }),
    ));
    row.parameters.push(number(
        "offset",
        json!({ "type": "integer", "minimum": 0, "default": 0 }),
    ));
    row.done(200, &schema::<Agents>(generator))
}

fn create(generator: &mut SchemaGenerator, run: &Value) -> Value {
    let summary = "Starts a run and answers at its end (`sync`), at once (`async`) or as it happens (`stream`). \
        It goes on when the client leaves.";
    let body = schema::<CreateRequest>(generator);
    let mut row = Row::new("run/create", summary).fails(&[400, 403, 404, 409, 413, 422]);
    row.parameters.push(json!({
        "name": "Idempotency-Key", "in": "header", "required": false, "schema": { "type": "string" },
        "description": "A name for this request: sent again under it, it starts nothing new.",
    }));
    let mut described = row.done(200, run);
    let header = json!({ "Run-ID": { "description": "The run.", "schema": uuid() } });
    streams(generator, &mut described, run);
    for status in ["200", "202"] {
        described["responses"][status]["headers"] = header.clone();
    }
    described["requestBody"] = json_body(&body);
    described
}

fn resume(generator: &mut SchemaGenerator, run: &Value) -> Value {
    let summary = "Sends the message that a run waits for. An approval is answered by a word (`allow`, `deny`) or by \
        JSON (`decision`, `approval_id`); questions of the agent by JSON (`answers`), or a single one by text.";
    let body = schema::<ResumeRequest>(generator);
    let row = Row::new("run/resume", summary).named("run_id", &uuid());
    let mut described = row.fails(&[403, 409, 413]).done(200, run);
    streams(generator, &mut described, run);
    described["requestBody"] = json_body(&body);
    described
}

/// The other two ways of answering a run.
fn streams(generator: &mut SchemaGenerator, described: &mut Value, run: &Value) {
    let event = schema::<Event>(generator);
    let frame = json!({ "type": "object", "required": ["data"], "properties": {
        "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": event },
    } });
    let done = &mut described["responses"];
    done["200"]["content"]["text/event-stream"] = json!({ "schema": frame });
    done["202"] =
        json!({ "description": "Accepted.", "content": { "application/json": { "schema": run } } });
}

fn json_body(schema: &Value) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn uuid() -> Value {
    json!({ "type": "string", "format": "uuid" })
}

fn listed(name: &str, item: &Value) -> Value {
    let items = json!({ "type": "array", "items": item });
    json!({ "type": "object", "required": [name], "properties": { name: items } })
}

/// One route, as it is put together.
struct Row {
    id: &'static str,
    summary: &'static str,
    parameters: Vec<Value>,
    failures: Vec<u16>,
}

impl Row {
    /// A route that takes nothing.
    fn new(id: &'static str, summary: &'static str) -> Self {
        // The checks at the door, and what can befall any request.
        let failures = vec![401, 403, 429, 500, 503];
        Self {
            id,
            summary,
            parameters: Vec::new(),
            failures,
        }
    }

    /// The same about something that its path names.
    fn named(mut self, name: &str, schema: &Value) -> Self {
        self.parameters
            .push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
        self.fails(&[404, 422])
    }

    fn fails(mut self, statuses: &[u16]) -> Self {
        self.failures.extend(statuses);
        self
    }

    fn done(self, status: u16, schema: &Value) -> Value {
        let problem = json!({ "$ref": "#/components/schemas/Error" });
        let problem = json!({ "application/json": { "schema": problem } });
        let mut responses = Map::new();
        let done = json!({ "description": "Done.", "content": { "application/json": { "schema": schema } } });
        responses.insert(status.to_string(), done);
        for status in self.failures {
            let refused =
                json!({ "description": "Not done; the message says why.", "content": problem });
            responses.insert(status.to_string(), refused);
        }
        json!({
            "operationId": self.id,
            "summary": self.summary,
            "parameters": self.parameters,
            "responses": responses,
        })
    }
}
