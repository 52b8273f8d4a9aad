//! What anyone may know: that the server lives, and what it can do.

use axum::Json;
use axum::extract::State;
use codewhale_protocol::operations::{Method, Op};
use serde_json::{Map, Value, json};

use crate::routes::Door;
use crate::{Access, limits};

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
        "capabilities": capabilities(&door.turned_off),
        "limits": limits(),
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

/// Bounds that clients meet.
fn limits() -> Value {
    json!({
        "body_bytes_max": limits::BODY_BYTES_MAX,
        "attachment_body_bytes_max": limits::ATTACHMENT_BODY_BYTES_MAX,
        "replay_limit_max": limits::REPLAY_LIMIT_MAX,
        "connections_max": limits::CONNECTIONS_MAX,
        "keepalive_seconds": limits::KEEPALIVE.as_secs(),
    })
}

/// What a client may count on, and the route that it stands for.
const CAPABILITIES: &[(&str, Method, &str)] = &[
    ("threads", Method::Post, "/v1/threads"),
    ("turns", Method::Post, "/v1/threads/{}/turns"),
    ("attachments", Method::Post, "/v1/threads/{}/attachments"),
    ("turn_steer", Method::Post, "/v1/threads/{}/turns/{}/steer"),
    (
        "turn_interrupt",
        Method::Post,
        "/v1/threads/{}/turns/{}/interrupt",
    ),
    ("call_stop", Method::Post, "/v1/threads/{}/items/{}/stop"),
    ("thread_goals", Method::Put, "/v1/threads/{}/goal"),
    ("thread_undo", Method::Post, "/v1/threads/{}/undo"),
    (
        "external_tools",
        Method::Post,
        "/v1/threads/{}/turns/{}/tool-calls/{}/result",
    ),
    ("snapshots", Method::Post, "/v1/snapshots/{}/restore"),
    ("agent_runs", Method::Get, "/v1/agent-runs"),
    ("agent_mail", Method::Post, "/v1/agent-mail"),
    ("usage", Method::Get, "/v1/usage"),
    ("workspace_status", Method::Get, "/v1/workspace/status"),
    ("skills", Method::Get, "/v1/skills"),
    ("skill_lifecycle", Method::Post, "/v1/skills/install"),
    ("memory", Method::Post, "/v1/memory"),
    ("mcp_servers", Method::Get, "/v1/apps/mcp/servers"),
    (
        "mcp_server_management",
        Method::Post,
        "/v1/apps/mcp/servers",
    ),
    ("sessions", Method::Get, "/v1/sessions"),
    ("tasks", Method::Post, "/v1/tasks"),
    ("automations", Method::Post, "/v1/automations"),
    ("workrooms", Method::Post, "/v1/workrooms"),
    ("fleet_run_create", Method::Post, "/v1/fleet/runs"),
    ("fleet_run_start", Method::Post, "/v1/fleet/runs/{}/start"),
    (
        "fleet_event_replay",
        Method::Get,
        "/v1/fleet/runs/{}/events/replay",
    ),
];

/// What this server is besides its operations.
const TRAITS: &[(&str, bool)] = &[
    ("event_replay", true),
    ("one_shot_stream", true),
    ("idempotency_keys", true),
    ("account_session", false),
    ("environments", false),
    ("worker_runtime", false),
    ("fleet_event_stream", true),
    ("fleet_local_target", true),
];

/// What this server has, and what it has not: clients need not probe. The table of operations says
/// it, so a new operation tells of itself.
fn capabilities(turned_off: &[&str]) -> Value {
    let has = |method: Method, path: &str| {
        let mut rows = Op::ALL.iter().map(|op| op.row());
        rows.any(|row| row.method == method && leads_to(row.path, path))
    };
    let routes = CAPABILITIES.iter();
    let by_route = routes.map(|(name, method, path)| (*name, has(*method, path)));
    let all = by_route.chain(TRAITS.iter().copied());
    let all = all.map(|(name, has)| (name, has && !turned_off.contains(&name)));
    all.map(|(name, has)| (name.to_owned(), Value::Bool(has)))
        .collect::<Map<_, _>>()
        .into()
}

/// Whether a path of the table is this one, whatever its parameters are called.
fn leads_to(path: &str, shape: &str) -> bool {
    let fits = |(part, wanted): (&str, &str)| match wanted {
        "{}" => part.starts_with('{'),
        wanted => part == wanted,
    };
    let count = |path: &str| path.split('/').count();
    count(path) == count(shape) && path.split('/').zip(shape.split('/')).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The members that clients of older servers look for.
    const ALWAYS: [&str; 19] = [
        "account_session",
        "threads",
        "turns",
        "turn_steer",
        "turn_interrupt",
        "event_replay",
        "external_tools",
        "environments",
        "worker_runtime",
        "fleet_run_create",
        "fleet_run_start",
        "fleet_event_replay",
        "fleet_event_stream",
        "fleet_local_target",
        "thread_goals",
        "memory",
        "mcp_server_management",
        "skill_lifecycle",
        "agent_mail",
    ];

    #[test]
    fn every_capability_is_told_and_only_what_is_there_is_true() {
        let told = capabilities(&["skills"]);
        for name in ALWAYS {
            assert!(told[name].is_boolean(), "{name}");
        }
        for name in [
            "threads",
            "turn_steer",
            "fleet_run_create",
            "usage",
            "memory",
        ] {
            assert_eq!(told[name], true, "{name}");
        }
        for name in ["agent_mail", "environments", "skills"] {
            assert_eq!(told[name], false, "{name}");
        }
        assert_eq!(
            told.as_object().unwrap().len(),
            CAPABILITIES.len() + TRAITS.len()
        );
    }
}
