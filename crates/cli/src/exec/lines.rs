//! Lines of JSON: one compact object for everything that happens, written at once.

use std::io;

use codewhale_protocol::runtime::SandboxDenied;
use serde_json::{Map, Value, json};

use super::news::{News, ToolResult};
use super::printer::Printer;
use super::receipt::Receipt;
use super::text::out;

/// What every line says of itself.
const SCHEMA: &str = "codewhale.exec-stream";
const SCHEMA_VERSION: u32 = 1;

/// Prints for programs that follow along.
pub(super) struct Lines;

impl Printer for Lines {
    fn news(&mut self, news: &News) -> io::Result<()> {
        match line_of(news) {
            Some(line) => print(line),
            None => Ok(()),
        }
    }

    fn end(&mut self, receipt: &Receipt) -> io::Result<()> {
        if let Some(complaint) = receipt.complaint() {
            print(json!({ "type": "error", "error": complaint }))?;
        }
        print(json!({
            "type": "session_capture",
            "content": receipt.thread,
            "fingerprint": receipt.fingerprint(),
        }))?;
        print(json!({ "type": "metadata", "meta": receipt.meta() }))?;
        print(json!({ "type": "done" }))
    }

    fn lost(&mut self, why: &str) -> io::Result<()> {
        print(json!({ "type": "error", "error": why }))
    }
}

fn print(mut line: Value) -> io::Result<()> {
    line["schema_version"] = SCHEMA_VERSION.into();
    line["schema"] = SCHEMA.into();
    out(&format!("{line}\n"))
}

fn line_of(news: &News) -> Option<Value> {
    Some(match news {
        News::Begun { thread, turn } => {
            json!({ "type": "thread", "thread_id": thread, "turn_id": turn })
        }
        News::Text(text) => json!({ "type": "content", "content": text }),
        News::ToolUse {
            name,
            id,
            input,
            started_at,
        } => json!({
            "type": "tool_use",
            "name": name,
            "id": id,
            "input": as_object(input),
            "started_at": started_at,
        }),
        News::ToolResult(result) => result_line(result),
        News::AgentSpawned { agent, depth } => json!({
            "type": "agent_spawned",
            "id": agent.agent_id,
            "model": agent.model,
            "spawn_depth": depth,
            "thread_id": agent.agent_thread_id,
        }),
        News::SandboxDenied(denied) => denied_line(denied),
        News::Usage { number, usage } => {
            let mut line = json!({ "type": "turn_usage", "turn": number });
            let members = usage.as_object().cloned().unwrap_or_default();
            line.as_object_mut()?.extend(members);
            line
        }
        News::Asked(asked) => {
            let mut line = json!({ "type": "approval_required" });
            let detail = serde_json::to_value(asked).ok()?;
            let detail = detail.as_object().cloned().unwrap_or_default();
            line.as_object_mut()?.extend(detail);
            line
        }
        News::Status(text) => json!({ "type": "status", "status": text }),
        News::Error(text) => json!({ "type": "error", "error": text }),
        News::TurnEnded { turn, status } => {
            json!({ "type": "turn_completed", "turn_id": turn, "status": status })
        }
        News::TextEnd | News::AgentCompleted(_) => return None,
    })
}

/// Arguments that are no object came from a model that wrote something else.
fn as_object(input: &Value) -> Value {
    match input {
        Value::Object(_) => input.clone(),
        other => json!({ "arguments": other }),
    }
}

fn result_line(result: &ToolResult) -> Value {
    let mut line = Map::new();
    let mut put = |name: &str, value: Value| line.insert(name.to_owned(), value);
    put("type", "tool_result".into());
    put("id", result.id.as_str().into());
    put("name", result.name.as_str().into());
    put("output", result.output.as_str().into());
    let status = if result.success { "success" } else { "error" };
    put("status", status.into());
    put("started_at", json!(result.started_at));
    put("completed_at", json!(result.completed_at));
    if let (Some(from), Some(to)) = (result.started_at, result.completed_at) {
        put("duration_ms", to.ms_since(from).into());
    }
    let category = result.error_category.as_deref();
    put("side_effect_status", side_effect(category).into());
    if let Some(category) = category {
        put("error_category", category.into());
    }
    if let Some(path) = result.artifacts.first() {
        put("artifact", json!({ "artifact_path": path }));
    }
    if let Some(facts) = &result.facts {
        put("result_metadata", facts.clone());
    }
    Value::Object(line)
}

/// What is known of the effects of a call. Only one that never ran is sure to have none.
fn side_effect(error_category: Option<&str>) -> &'static str {
    match error_category {
        None => "unknown",
        Some("permission_denied" | "not_available" | "invalid_input") => "not_started",
        Some(_) => "not_started_or_unknown",
    }
}

fn denied_line(denied: &SandboxDenied) -> Value {
    json!({
        "type": "sandbox_denied",
        "tool_id": denied.tool_id,
        "tool_name": denied.tool_name,
        "reason": denied.reason,
        "outcome": "approval_required",
    })
}
