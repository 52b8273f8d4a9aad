//! The MCP server itself: one tool, for those who are let in.

use serde_json::{Value, json};

use super::State;
use super::exchange::{Answer, Exchange};

impl State {
    pub(super) fn resource(&self, exchange: &Exchange) -> Answer {
        let header = exchange.header("authorization").unwrap_or_default();
        let token = header.strip_prefix("Bearer ").unwrap_or_default();
        if !self.guard.open.iter().any(|open| open == token) {
            let about = format!(
                "Bearer resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\", \
                 scope=\"read\"",
                self.base
            );
            return Answer::status(401).with("www-authenticate", about);
        }
        if exchange.method != "POST" {
            return Answer::status(405);
        }
        let message = exchange.json();
        if message["id"].is_null() {
            return Answer::status(202);
        }
        let id = &message["id"];
        match result(&message) {
            Some(result) => {
                Answer::json(200, &json!({"jsonrpc": "2.0", "id": id, "result": result}))
            }
            None => {
                let error = json!({"code": -32601, "message": "no such method"});
                Answer::json(200, &json!({"jsonrpc": "2.0", "id": id, "error": error}))
            }
        }
    }

    pub(super) fn about_the_resource(&self) -> Answer {
        let guard = self.manners.names_as_guard.as_ref().unwrap_or(&self.base);
        Answer::json(
            200,
            &json!({
                "resource": format!("{}/mcp", self.base), "authorization_servers": [guard],
                "scopes_supported": ["read", "write"],
            }),
        )
    }
}

fn result(message: &Value) -> Option<Value> {
    match message["method"].as_str()? {
        "initialize" => Some(json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "guarded", "version": "1"},
        })),
        "ping" => Some(json!({})),
        "tools/list" => Some(json!({
            "tools": [{"name": "look", "inputSchema": {"type": "object"}}],
        })),
        "tools/call" => Some(json!({"content": [{"type": "text", "text": "seen"}]})),
        _ => None,
    }
}
