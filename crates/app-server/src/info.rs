//! What anyone may know: that the server lives, and what it can do.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::Access;
use crate::routes::Door;

const SERVICE: &str = "codewhale-runtime-api";

pub(crate) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok", "service": SERVICE, "mode": "local" }))
}

pub(crate) async fn info(State(door): State<Door>) -> Json<Value> {
    Json(json!({
        "service": SERVICE,
        "runtime_api_version": "1.0",
        "codewhale_version": door.version,
        "version": door.version,
        "codewhale_commit": door.commit,
        "bind_host": door.host,
        "port": door.port,
        "auth_required": matches!(door.access, Access::Token(_)),
        "transports": ["http", "sse"],
        "capabilities": capabilities(),
        "sandbox": sandbox((door.sandbox)()),
        "account": {
            "schema_version": 1,
            "state": "signed_out",
            "api_base": null,
            "scopes": [],
        },
        "experimental": { "environments": false },
    }))
}

fn sandbox(kind: Option<&str>) -> Value {
    json!({ "available": kind.is_some(), "kind": kind })
}

/// What this server has, and what it has not: clients need not probe.
fn capabilities() -> Value {
    json!({
        "account_session": false,
        "threads": true,
        "turns": true,
        "turn_steer": true,
        "turn_interrupt": true,
        "event_replay": true,
        "external_tools": false,
        "environments": false,
        "worker_runtime": false,
        "fleet_run_create": false,
        "fleet_run_start": false,
        "fleet_event_replay": false,
        "fleet_event_stream": false,
        "fleet_local_target": false,
        "thread_goals": false,
        "memory": false,
        "mcp_server_management": false,
        "skill_lifecycle": false,
        "agent_mail": false,
    })
}
