//! The summary: one JSON object at the end, and nothing else on standard output.

use std::io;

use serde_json::{Value, json};

use super::news::News;
use super::printer::Printer;
use super::receipt::Receipt;
use super::text::out;

/// Prints for programs that wait for the end.
#[derive(Default)]
pub(super) struct Summary {
    tools: Vec<Value>,
    outcomes: Vec<Value>,
}

impl Printer for Summary {
    fn news(&mut self, news: &News) -> io::Result<()> {
        match news {
            News::ToolResult(result) => self.tools.push(json!({
                "name": result.name,
                "success": result.success,
                "output": result.output,
            })),
            News::SandboxDenied(denied) => self.outcomes.push(json!({
                "kind": "sandbox_denied",
                "outcome": "approval_required",
                "tool_name": denied.tool_name,
                "reason": denied.reason,
            })),
            News::Begun { .. }
            | News::Text(_)
            | News::TextEnd
            | News::ToolUse { .. }
            | News::AgentSpawned { .. }
            | News::AgentCompleted(_)
            | News::Usage { .. }
            | News::Asked(_)
            | News::Status(_)
            | News::Error(_)
            | News::TurnEnded { .. } => {}
        }
        Ok(())
    }

    fn end(&mut self, receipt: &Receipt) -> io::Result<()> {
        let ending = &receipt.ending;
        let mut summary = json!({
            "mode": "agent",
            "provider": receipt.turn.effective_provider,
            "model": receipt.turn.effective_model,
            "prompt": receipt.prompt,
            "output": receipt.output,
            "tools": self.tools,
            "outcomes": self.outcomes,
            "status": ending.status.as_str(),
            "termination_reason": ending.termination_reason,
            "error_category": ending.error_category.map(|it| it.as_str()),
            "error": ending.error,
            "session_id": receipt.thread,
            "resume_command": receipt.resume_command(),
        });
        if let Some(usage) = receipt.usage {
            summary["usage"] = json!(usage);
        }
        out(&format!("{summary:#}\n"))
    }

    fn lost(&mut self, why: &str) -> io::Result<()> {
        let summary = json!({
            "mode": "agent",
            "tools": self.tools,
            "outcomes": self.outcomes,
            "status": "failed",
            "error": why,
        });
        out(&format!("{summary:#}\n"))
    }
}
