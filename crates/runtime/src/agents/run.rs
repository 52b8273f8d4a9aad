//! Receipts: how the record of a sub-agent begins and changes with its turns.

use codewhale_protocol::runtime::{
    AgentAdvice, AgentArtifact, AgentFollowUp, AgentRun, AgentRunEvent, AgentRunStatus, AgentSpec,
    AgentTakeover, AgentUsage, AgentVerification, ThreadId, ThreadRecord, Timestamp, TurnRecord,
    TurnStatus, Usage, summarize,
};
use codewhale_tools::Order;
use serde_json::json;

use crate::limits;

/// Where a new sub-agent stands in its tree.
pub(super) struct Place {
    pub(super) root: ThreadId,
    pub(super) parent_run: Option<String>,
    pub(super) depth: u64,
    pub(super) depth_max: u64,
}

/// The receipt of a sub-agent that is about to begin.
pub(super) fn new_run(thread: &ThreadRecord, order: &Order, place: Place) -> AgentRun {
    let agent_id = thread.id.agent_id();
    let now = ms(thread.created_at);
    let mut run = AgentRun {
        spec: AgentSpec {
            worker_id: agent_id.clone(),
            run_id: thread.id.run_id(),
            parent_run_id: place.parent_run.clone(),
            session_name: order.name.clone(),
            objective: summarize(&order.prompt),
            role: Some(order.role),
            agent_type: order.role,
            model: thread.model.clone(),
            workspace: thread.workspace.clone(),
            context_mode: "fresh".to_owned(),
            fork_context: false,
            tool_profile: "inherited".to_owned(),
            runtime_profile: json!({
                "mode": thread.mode,
                "permission_posture": thread.permission_posture,
                "allow_shell": thread.allow_shell,
                "trust_mode": thread.trust_mode,
                "detached": order.detached,
            }),
            max_steps: u64::from(codewhale_engine::STEPS_MAX),
            spawn_depth: place.depth,
            max_spawn_depth: place.depth_max,
        },
        owner_session_id: Some(place.root.to_string()),
        actor_kind: "subagent".to_owned(),
        parent_run_id: place.parent_run,
        follow_up: AgentFollowUp {
            tool: "agent".to_owned(),
            agent_id: agent_id.clone(),
            session_name: order.name.clone(),
            accepted_statuses: vec![
                AgentRunStatus::Completed,
                AgentRunStatus::Failed,
                AgentRunStatus::Interrupted,
            ],
        },
        takeover: AgentTakeover {
            kind: "thread".to_owned(),
            supported: true,
            agent_id,
            session_name: order.name.clone(),
            thread_id: thread.id.clone(),
            instructions: format!("open thread {} and start a turn on it", thread.id),
        },
        artifacts: vec![AgentArtifact {
            kind: "thread".to_owned(),
            name: "transcript".to_owned(),
            target: thread.id.to_string(),
            description: "everything it said and did".to_owned(),
        }],
        usage: AgentUsage {
            status: "unknown".to_owned(),
            ..AgentUsage::default()
        },
        verification: AgentVerification {
            status: "self_report_only".to_owned(),
            summary: "nobody has checked its report".to_owned(),
        },
        recommended_action: advice(AgentRunStatus::Starting),
        status: AgentRunStatus::Starting,
        created_at_ms: now,
        updated_at_ms: now,
        started_at_ms: None,
        completed_at_ms: None,
        latest_message: None,
        result_summary: None,
        error: None,
        steps_taken: 0,
        events: Vec::new(),
    };
    happened(&mut run, AgentRunStatus::Starting, thread.created_at, None);
    run
}

/// The receipt when a turn of the sub-agent begins.
pub(crate) fn beginning(run: &mut AgentRun, at: Timestamp) {
    run.started_at_ms.get_or_insert(ms(at));
    run.completed_at_ms = None;
    run.error = None;
    happened(run, AgentRunStatus::Running, at, None);
}

/// What is known when a turn of a sub-agent ends.
pub(crate) struct Ended<'a> {
    pub(crate) turn: &'a TurnRecord,
    /// What it said last, whole.
    pub(crate) report: Option<&'a str>,
    /// Whether it was called off for good.
    pub(crate) is_cancelled: bool,
    /// How many calls it made.
    pub(crate) calls: u64,
    pub(crate) usage: Usage,
    /// What the sub-agents of the tree may cost together, and have.
    pub(crate) budget: (Option<u64>, u64),
}

/// The receipt when a turn of the sub-agent ends. An empty report is no success.
pub(crate) fn ended(run: &mut AgentRun, ended: &Ended<'_>, at: Timestamp) {
    let report = ended.report.map(str::trim).filter(|text| !text.is_empty());
    let status = match ended.turn.status {
        _ if ended.is_cancelled => AgentRunStatus::Cancelled,
        TurnStatus::Completed if report.is_some() => AgentRunStatus::Completed,
        TurnStatus::Completed | TurnStatus::Failed => AgentRunStatus::Failed,
        TurnStatus::Interrupted
        | TurnStatus::Canceled
        | TurnStatus::Queued
        | TurnStatus::InProgress => AgentRunStatus::Interrupted,
    };
    run.error = match (status, &ended.turn.error) {
        (AgentRunStatus::Completed, _) => None,
        (_, Some(error)) => Some(error.clone()),
        (AgentRunStatus::Failed, None) => Some("it ended without a report".to_owned()),
        (_, None) => Some("it was stopped".to_owned()),
    };
    if let Some(report) = report {
        run.latest_message = Some(summarize(report));
        run.result_summary = Some(bounded(report));
    }
    run.steps_taken += ended.calls;
    add_usage(&mut run.usage, ended.usage, ended.budget);
    run.completed_at_ms = Some(ms(at));
    let message = run.error.clone();
    happened(run, status, at, message);
}

/// Adds what a turn cost of which nothing else is known.
pub(crate) fn charge(run: &mut AgentRun, usage: Usage) {
    let budget = run.usage.token_budget;
    let total = usage.input_tokens.saturating_add(usage.output_tokens);
    let spent = run.usage.budget_spent_tokens.unwrap_or(0);
    add_usage(&mut run.usage, usage, (budget, spent.saturating_add(total)));
}

/// The receipt of a sub-agent whose process is gone.
pub(crate) fn lost(run: &mut AgentRun, cause: &str, at: Timestamp) {
    run.error = Some(cause.to_owned());
    run.completed_at_ms = Some(ms(at));
    happened(run, AgentRunStatus::Interrupted, at, Some(cause.to_owned()));
}

fn happened(run: &mut AgentRun, status: AgentRunStatus, at: Timestamp, message: Option<String>) {
    run.status = status;
    run.updated_at_ms = ms(at);
    run.recommended_action = advice(status);
    let seq = run.events.last().map_or(1, |event| event.seq + 1);
    run.events.push(AgentRunEvent {
        seq,
        worker_id: run.spec.worker_id.clone(),
        status,
        timestamp_ms: ms(at),
        message,
    });
    let surplus = run.events.len().saturating_sub(limits::RUN_EVENTS_MAX);
    run.events.drain(..surplus);
}

fn add_usage(sum: &mut AgentUsage, usage: Usage, (budget, spent): (Option<u64>, u64)) {
    let total = usage.input_tokens.saturating_add(usage.output_tokens);
    if total == 0 && sum.total_tokens.is_none() {
        return;
    }
    let add = |sum: &mut Option<u64>, more: u64| *sum = Some(sum.unwrap_or(0).saturating_add(more));
    sum.status = "reported".to_owned();
    add(&mut sum.input_tokens, usage.input_tokens);
    add(&mut sum.output_tokens, usage.output_tokens);
    add(&mut sum.total_tokens, total);
    sum.token_budget = budget;
    sum.budget_spent_tokens = budget.map(|_| spent);
    sum.budget_remaining_tokens = budget.map(|budget| budget.saturating_sub(spent));
    sum.budget_scope = budget.map(|_| "tree".to_owned());
}

fn advice(status: AgentRunStatus) -> AgentAdvice {
    let (action, tool, reason) = match status {
        AgentRunStatus::Queued
        | AgentRunStatus::Starting
        | AgentRunStatus::Running
        | AgentRunStatus::ModelWait
        | AgentRunStatus::RunningTool => ("wait", Some("agent"), "it is at work"),
        AgentRunStatus::WaitingForUser => ("answer", None, "a person must answer its question"),
        AgentRunStatus::Completed => ("review", None, "it has reported; nobody has checked it"),
        AgentRunStatus::Failed => ("follow_up", Some("agent"), "it could not go on"),
        AgentRunStatus::Cancelled => ("none", None, "it was called off"),
        AgentRunStatus::Interrupted => ("follow_up", Some("agent"), "it was stopped"),
    };
    AgentAdvice {
        action: action.to_owned(),
        tool: tool.map(str::to_owned),
        reason: reason.to_owned(),
    }
}

/// A report as far as it is kept in the receipt; the rest is in the thread.
fn bounded(report: &str) -> String {
    if report.len() <= limits::REPORT_BYTES_MAX {
        return report.to_owned();
    }
    let end = report.floor_char_boundary(limits::REPORT_BYTES_MAX);
    format!(
        "{}\n(cut here; the whole report is in its thread)",
        &report[..end]
    )
}

fn ms(at: Timestamp) -> u64 {
    u64::try_from(at.as_ms()).unwrap_or(0)
}
