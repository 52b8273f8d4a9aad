//! What came of a command, for the model and for clients.

use std::error::Error;
use std::time::Duration;

use codewhale_sandbox::{Certainty, Denial, Denied, End, Outcome};
use serde_json::{Value, json};

use crate::Output;
use crate::limits::TIMEOUT_MS_MAX;

pub(super) fn shown(outcome: Outcome, timeout: Duration) -> Output {
    let metadata = facts(&outcome);
    let mut text = outcome.output.text;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&end_line(outcome.end, Some(timeout)));
    let output = Output {
        success: outcome.end == End::Exited(0),
        ..Output::success(text)
    };
    with_denial(output.with_metadata(metadata), outcome.denial)
}

pub(super) fn end_line(end: End, timeout: Option<Duration>) -> String {
    match (end, timeout) {
        (End::Exited(code), _) => format!("[exit code {code}]"),
        (End::Signaled(signal), _) => format!("[ended by signal {signal}]"),
        (End::TimedOut, Some(timeout)) => format!(
            "[stopped after {} s, its time limit; give it a longer timeout_ms (at most \
             {TIMEOUT_MS_MAX}), less to do, or background]",
            timeout.as_secs_f64()
        ),
        (End::TimedOut, None) => "[stopped at its time limit]".to_owned(),
        (End::Cancelled, Some(_)) => "[stopped before its end]".to_owned(),
        (End::Cancelled, None) => "[stopped]".to_owned(),
    }
}

pub(super) fn facts(outcome: &Outcome) -> Value {
    let (exit_code, signal) = match outcome.end {
        End::Exited(code) => (Some(code), None),
        End::Signaled(signal) => (None, Some(signal)),
        End::TimedOut | End::Cancelled => (None, None),
    };
    json!({
        "exit_code": exit_code,
        "signal": signal,
        "timed_out": outcome.end == End::TimedOut,
        "interrupted": outcome.end == End::Cancelled,
        "duration_ms": outcome.duration.as_millis() as u64,
        "bytes_total": outcome.output.bytes_total,
        "truncated": outcome.output.bytes_left_out > 0,
    })
}

/// Adds what the walls kept the command from: to the text, so that the model can ask for it, and
/// to the facts.
pub(super) fn with_denial(output: Output, denial: Option<Denial>) -> Output {
    let Some(denial) = denial else {
        return output;
    };
    let (what, path) = match &denial.what {
        Denied::File { path } => ("file", path.as_ref().map(|path| path.display().to_string())),
        Denied::Network => ("network", None),
        Denied::Call => ("call", None),
    };
    let (certainty, verb) = match denial.certainty {
        Certainty::Certain => ("certain", "kept it from something"),
        Certainty::Suspected => ("suspected", "may have kept it from something"),
    };
    let wider = match denial.what {
        Denied::Network => "network",
        Denied::File { .. } | Denied::Call => "danger-full-access",
    };
    let evidence = denial.evidence;
    let text = format!(
        "{}\n[the walls around the command {verb}: {evidence}. If it has to be, run it again with \
         sandbox_permissions \"{wider}\" and a justification; a person is asked. Do not try to get \
         around the walls]",
        output.text
    );
    let mut metadata = output.metadata.unwrap_or_else(|| json!({}));
    metadata["sandbox_denied"] = json!({
        "what": what, "path": path, "certainty": certainty, "evidence": evidence,
    });
    Output {
        text,
        metadata: Some(metadata),
        ..output
    }
}

pub(super) fn not_run(error: &codewhale_sandbox::Error) -> Output {
    let cause = error
        .source()
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    let failure = Output::failure(format!("the command did not run: {error}{cause}"));
    match error {
        codewhale_sandbox::Error::CannotConfine { why } => {
            failure.with_metadata(json!({"sandbox_unavailable": why}))
        }
        codewhale_sandbox::Error::WorkingDirectory { .. }
        | codewhale_sandbox::Error::Start { .. }
        | codewhale_sandbox::Error::Wait { .. }
        | codewhale_sandbox::Error::TooManyJobs
        | codewhale_sandbox::Error::InputClosed
        | codewhale_sandbox::Error::InputNotRead => failure,
    }
}
