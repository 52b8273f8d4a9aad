//! Text: what the agent says goes to standard output as it says it, everything else to standard
//! error.

use std::io::{self, Write};

use codewhale_protocol::runtime::TurnStatus;

use super::limits;
use super::news::{News, ToolResult};
use super::printer::Printer;
use super::receipt::Receipt;

/// Prints for people, and for pipes that want nothing but the answer.
pub(super) struct Text {
    /// Whether what was said last ended with its line.
    at_line_start: bool,
    /// Whether what is said waits until it is known to be the answer.
    is_held: bool,
}

impl Text {
    pub(super) fn new(is_held: bool) -> Self {
        Self {
            at_line_start: true,
            is_held,
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.at_line_start, true) {
            out("\n")?;
        }
        Ok(())
    }
}

impl Printer for Text {
    fn news(&mut self, news: &News) -> io::Result<()> {
        match news {
            News::Text(_) | News::TextEnd if self.is_held => {}
            News::Text(text) => {
                out(text)?;
                self.at_line_start = text.ends_with('\n');
            }
            News::TextEnd => self.end_line()?,
            News::ToolUse { name, input, .. } => {
                eprintln!("tool: {name} ({})", one_line(&input.to_string()));
            }
            News::ToolResult(result) => eprintln!("{}", told(result)),
            News::AgentSpawned { agent, .. } => {
                eprintln!("sub-agent {} spawned: {}", agent.agent_id, agent.model);
            }
            News::AgentCompleted(agent) => {
                let status = agent.status.as_str();
                eprintln!("sub-agent {} completed: {status}", agent.agent_id);
            }
            News::SandboxDenied(denied) => {
                eprintln!(
                    "sandbox: {} was kept from something: {}",
                    denied.tool_name, denied.reason
                );
            }
            News::Asked(asked) => {
                let detail = &asked.detail;
                eprintln!("approval {} waits: {}", asked.id, detail.description);
            }
            News::Status(text) => eprintln!("{text}"),
            News::Error(text) => eprintln!("error: {text}"),
            News::Begun { .. } | News::Usage { .. } | News::TurnEnded { .. } => {}
        }
        Ok(())
    }

    fn end(&mut self, receipt: &Receipt) -> io::Result<()> {
        self.end_line()?;
        if self.is_held && receipt.ending.status == TurnStatus::Completed {
            out(&format!("{}\n", receipt.output.trim()))?;
        }
        if let Some(complaint) = receipt.complaint() {
            eprintln!("error: {complaint}");
        }
        eprintln!("session: {}", receipt.thread);
        Ok(())
    }

    fn lost(&mut self, _: &str) -> io::Result<()> {
        // Whoever reads this reads standard error, where the program says it.
        self.end_line()
    }
}

fn told(result: &ToolResult) -> String {
    let (name, output) = (&result.name, one_line(&result.output));
    match result.success {
        true => format!("tool {name} completed: {output}"),
        false => format!("tool {name} failed: {output}"),
    }
}

/// The beginning of a text, on one line.
fn one_line(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(limits::RESULT_CHARS_TOLD) {
        Some((at, _)) => format!("{}...", &flat[..at]),
        None => flat,
    }
}

/// Writes to standard output at once.
pub(super) fn out(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
