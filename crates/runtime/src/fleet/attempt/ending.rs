//! What the end of a worker says of its work.

use codewhale_protocol::runtime::{FleetFailureKind, FleetResult};

use super::ear::Ear;
use crate::fleet::change::Finish;
use crate::fleet::seam::WorkEnd;

/// What the end of a process says.
pub(super) fn of_end(end: &WorkEnd, ear: &Ear) -> Finish {
    let why = |otherwise: String, errors: &str| {
        let last = errors.lines().rev().find(|line| !line.trim().is_empty());
        let words = ear.trouble.clone().or(last.map(str::to_owned));
        words.map_or(otherwise.clone(), |words| format!("{otherwise}: {words}"))
    };
    let class = match ear.class.as_deref() {
        Some("budget_exhausted") => "budget_exhausted",
        Some("approval_required") => "approval_required",
        Some("timeout") => "timeout",
        Some("model_error") => "model_error",
        Some("tool_error") => "tool_error",
        _ => "unresolved",
    };
    let transport = FleetFailureKind::Transport;
    match end {
        WorkEnd::Exited { code: 0, .. } => Finish {
            exit_code: Some(0),
            ..good()
        },
        WorkEnd::Exited { code, errors } => {
            let finish = match code {
                75 => failed(
                    transport,
                    "infrastructure_error",
                    why(UNREACHED.into(), errors),
                ),
                130 => failed(
                    transport,
                    "interrupted",
                    why("it was interrupted".into(), errors),
                ),
                3 => {
                    let words = "a call needed an approval that nobody gives".to_owned();
                    failed(FleetFailureKind::Task, "approval_required", words)
                }
                code => {
                    let words = why(format!("it ended with {code}"), errors);
                    failed(FleetFailureKind::Task, class, words)
                }
            };
            Finish {
                exit_code: Some(*code),
                ..finish
            }
        }
        WorkEnd::Signaled { signal, errors } => {
            let words = why(format!("it was killed by signal {signal}"), errors);
            failed(transport, "died", words)
        }
        WorkEnd::NotStarted { reason } => failed(transport, "not_started", reason.clone()),
        WorkEnd::TimedOut => Finish {
            result: FleetResult::Timeout,
            ..failed(
                FleetFailureKind::Task,
                "timeout",
                "its time was over".into(),
            )
        },
        WorkEnd::Stopped => Finish {
            result: FleetResult::Skip,
            failure_class: Some("cancelled"),
            ..good()
        },
    }
}

const UNREACHED: &str = "it could not reach its model";

fn good() -> Finish {
    Finish {
        result: FleetResult::Pass,
        failure_kind: None,
        failure_class: None,
        reason: None,
        exit_code: None,
        summary: None,
        score: None,
        artifacts: Vec::new(),
    }
}

pub(super) fn failed(kind: FleetFailureKind, class: &'static str, why: String) -> Finish {
    Finish {
        result: FleetResult::Fail,
        failure_kind: Some(kind),
        failure_class: Some(class),
        reason: Some(why),
        ..good()
    }
}
