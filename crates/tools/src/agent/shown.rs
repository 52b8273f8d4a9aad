//! What the model reads about sub-agents.

use codewhale_protocol::runtime::AgentRun;
use serde_json::json;

use crate::Output;

pub(super) fn started(run: &AgentRun) -> Output {
    let id = &run.spec.worker_id;
    let text = format!(
        "{}\nIt works on its own now. Wait for its report with action `wait` and agent_id {id}.",
        headline(run)
    );
    Output::success(text).with_metadata(facts(&[run]))
}

pub(super) fn told(run: &AgentRun) -> Output {
    let text = format!("{}\nIt has your message.", headline(run));
    Output::success(text).with_metadata(facts(&[run]))
}

pub(super) fn reports(runs: &[AgentRun]) -> Output {
    if runs.is_empty() {
        return Output::success("there are no sub-agents");
    }
    let texts: Vec<String> = runs.iter().map(report).collect();
    Output::success(texts.join("\n\n")).with_metadata(facts(&runs.iter().collect::<Vec<_>>()))
}

fn report(run: &AgentRun) -> String {
    let mut text = headline(run);
    if let Some(error) = &run.error {
        text += &format!("\nIt could not go on: {error}");
    }
    let said = run.result_summary.as_ref();
    if let Some(said) = said.filter(|_| run.status.is_terminal()) {
        text += &format!("\nIts report, not checked by anyone:\n{said}");
    } else if let Some(latest) = &run.latest_message {
        text += &format!("\nIt said last: {latest}");
    }
    text
}

fn headline(run: &AgentRun) -> String {
    let name = run.spec.session_name.as_deref().unwrap_or("unnamed");
    let tokens = run.usage.total_tokens.unwrap_or(0);
    format!(
        "{} ({}, {}) is {}: {} calls, {tokens} tokens",
        run.spec.worker_id,
        name,
        run.spec.agent_type.as_str(),
        run.status.as_str(),
        run.steps_taken,
    )
}

fn facts(runs: &[&AgentRun]) -> serde_json::Value {
    let fact = |run: &&AgentRun| {
        json!({
            "agent_id": run.spec.worker_id,
            "run_id": run.spec.run_id,
            "thread_id": run.takeover.thread_id,
            "status": run.status,
        })
    };
    json!({"agents": runs.iter().map(fact).collect::<Vec<_>>()})
}
