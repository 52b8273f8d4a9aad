//! What is known of a worker while it works.

use codewhale_protocol::runtime::FleetFailureKind;
use codewhale_store::FleetTask;
use tokio::time::{Duration, Instant};

use super::What;
use super::ending::failed;
use crate::fleet::change::{Finish, SILENT};
use crate::fleet::lines::Said;
use crate::limits;

/// Why a worker was stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    Silent,
    Budget(&'static str),
}

impl Cut {
    pub(super) fn finish(self, ear: &Ear) -> Finish {
        match self {
            Cut::Silent => {
                let seconds = ear.patience.as_secs();
                let why = format!("it gave no sign of life for {seconds} seconds");
                failed(FleetFailureKind::Transport, SILENT, why)
            }
            Cut::Budget(what) => {
                let why = format!("it used more {what} than its budget allows");
                failed(FleetFailureKind::Task, "budget_exhausted", why)
            }
        }
    }
}

/// What is known of a worker while it works.
pub(super) struct Ear {
    pub(super) message: String,
    /// Whether the next text begins another message.
    is_said: bool,
    pub(super) calls: u64,
    tokens: u64,
    /// Calls that are under way: a call at work is no silence.
    open: u64,
    pub(super) class: Option<String>,
    pub(super) trouble: Option<String>,
    heard_at: Instant,
    pub(super) told_at: Instant,
    patience: Duration,
    max_tokens: u64,
    max_calls: u64,
    pub(super) verdict: Option<Cut>,
}

impl Ear {
    pub(super) fn new(task: &FleetTask, stale_after_seconds: u64) -> Self {
        let budget = task.spec.budget.unwrap_or_default();
        let now = Instant::now();
        Self {
            message: String::new(),
            is_said: true,
            calls: 0,
            tokens: 0,
            open: 0,
            class: None,
            trouble: None,
            heard_at: now,
            told_at: now,
            patience: Duration::from_secs(stale_after_seconds),
            max_tokens: budget.max_tokens.unwrap_or(u64::MAX),
            max_calls: budget.max_tool_calls.unwrap_or(u64::MAX),
            verdict: None,
        }
    }

    /// When to look next.
    pub(super) fn due(&self) -> Instant {
        let told = self.told_at + limits::FLEET_HEARTBEAT;
        match self.open {
            0 => told.min(self.heard_at + self.patience),
            _ => told,
        }
    }

    /// Looks at the clock; false when the worker is given up.
    pub(super) fn is_alive(&mut self) -> bool {
        let now = Instant::now();
        self.told_at = now;
        if self.open == 0 && now - self.heard_at >= self.patience {
            self.verdict = Some(Cut::Silent);
        }
        self.verdict.is_none()
    }

    pub(super) fn hear(&mut self, said: Said) -> Option<What> {
        self.heard_at = Instant::now();
        match said {
            Said::Thread(thread) => Some(What::Thread(thread)),
            Said::Text(text) => {
                if std::mem::take(&mut self.is_said) {
                    self.message.clear();
                }
                self.message.push_str(&text);
                let length = self.message.chars().count();
                let extra = length.saturating_sub(limits::FLEET_MESSAGE_CHARS_MAX);
                self.message = self.message.chars().skip(extra).collect();
                None
            }
            Said::Calls { tool, id } => {
                self.calls += 1;
                self.open += 1;
                self.is_said = true;
                if self.calls > self.max_calls {
                    self.verdict = Some(Cut::Budget("calls of tools"));
                }
                Some(What::Calls { tool, id })
            }
            Said::Called => {
                self.open = self.open.saturating_sub(1);
                (self.open == 0).then_some(What::Waits)
            }
            Said::Used(tokens) => {
                self.tokens = self.tokens.saturating_add(tokens);
                self.is_said = true;
                if self.tokens > self.max_tokens {
                    self.verdict = Some(Cut::Budget("tokens"));
                }
                None
            }
            Said::Trouble(words) => {
                self.trouble = Some(words.clone());
                Some(What::Trouble(words))
            }
            Said::Ended { class, error } => {
                self.class = class;
                self.trouble = error.or(self.trouble.take());
                None
            }
            Said::Else => None,
        }
    }
}
