//! Threads as the control protocol knows them. They are the same durable threads that every other door
//! shows: what is asked here is done by the operations of the table.

use std::collections::HashMap;

use codewhale_protocol::ext::{self, ThreadResponse};
use codewhale_protocol::operations::{
    GoalsClear, GoalsGet, GoalsSet, ThreadsCreate, ThreadsFork, ThreadsGet, ThreadsList,
    ThreadsPatch, ThreadsResume, ThreadsSummary,
};
use codewhale_protocol::runtime::{Goal, ThreadDetail, ThreadRecord, ThreadSummary};
use codewhale_protocol::{
    EventFrame, SessionSource, ThreadForkParams, ThreadGoalSetParams, ThreadListParams,
    ThreadRequest, ThreadResumeParams, ThreadStartParams,
};
use serde_json::{Value, json};

use super::desk::Desk;
use super::event_map::goal as told_goal;
use super::limits::{THREADS, THREADS_MAX};
use super::overlay::Overlay;
use super::rpc::Fault;
use super::thread_view::{View, history, preview_of, status_of};

/// The outcome for a thread that is not there.
pub(super) const MISSING: &str = "missing";

/// Answers a request about threads. A message is a turn and is not answered here.
pub(super) async fn answer(
    desk: &Desk,
    request: ext::ThreadRequest,
) -> Result<ThreadResponse, Fault> {
    let request = match request {
        ext::ThreadRequest::Base(request) => request,
        // Goals count by themselves what they cost, so a report from outside would count it twice.
        ext::ThreadRequest::GoalRecordProgress(progress) => {
            return goal_get(desk, &progress.thread_id).await;
        }
    };
    match request {
        ThreadRequest::Create { metadata: _ } => {
            let start = ThreadStartParams {
                model: None,
                model_provider: None,
                cwd: None,
                persist_extended_history: false,
            };
            made(desk, start, "created").await
        }
        ThreadRequest::Start(start) => made(desk, start, "started").await,
        ThreadRequest::Resume(resume) => resumed(desk, resume).await,
        ThreadRequest::Fork(fork) => forked(desk, fork).await,
        ThreadRequest::List(list) => listed(desk, list).await,
        ThreadRequest::Read(read) => shown(desk, &read.thread_id).await,
        ThreadRequest::SetName(set) => {
            let change = json!({ "title": set.name });
            changed(desk, &set.thread_id, change, "ok").await
        }
        ThreadRequest::GoalSet(set) => goal_set(desk, set).await,
        ThreadRequest::GoalGet(get) => goal_get(desk, &get.thread_id).await,
        ThreadRequest::GoalClear(clear) => goal_clear(desk, &clear.thread_id).await,
        ThreadRequest::Archive { thread_id } => {
            let change = json!({ "archived": true });
            changed(desk, &thread_id, change, "archived").await
        }
        ThreadRequest::Unarchive { thread_id } => {
            let change = json!({ "archived": false });
            changed(desk, &thread_id, change, "unarchived").await
        }
        ThreadRequest::Message { thread_id, .. } => Ok(response(&thread_id, MISSING)),
    }
}

/// An answer with nothing in it yet.
pub(super) fn response(thread_id: &str, status: &str) -> ThreadResponse {
    ThreadResponse {
        thread_id: thread_id.to_owned(),
        status: status.to_owned(),
        ..ThreadResponse::default()
    }
}

fn missing(thread_id: &str) -> ThreadResponse {
    ThreadResponse {
        data: json!({ "error": "thread not found" }),
        ..response(thread_id, MISSING)
    }
}

async fn made(
    desk: &Desk,
    start: ThreadStartParams,
    status: &str,
) -> Result<ThreadResponse, Fault> {
    let record = desk.call::<ThreadsCreate>(json!({
        "model": start.model,
        "model_provider": start.model_provider,
        "workspace": start.cwd,
        "mode": "agent",
    }));
    let record = record.await?;
    let mut view = View::new(desk, &record);
    view.is_ephemeral = !start.persist_extended_history;
    let mut answer = about(&record, status);
    answer.thread = Some(view.thread());
    answer.data = json!({ "history": [], "checkpoint": null, "goal": null });
    Ok(answer)
}

async fn resumed(desk: &Desk, resume: ThreadResumeParams) -> Result<ThreadResponse, Fault> {
    let id = resume.thread_id.clone();
    let params = json!({ "thread_id": id });
    let Some(detail) = desk.find::<ThreadsGet>(params.clone()).await? else {
        return Ok(missing(&id));
    };
    let overlay = Overlay::of_resume(&resume, &detail)?;
    desk.call::<ThreadsResume>(params).await?;
    let record = overlay.lay(desk, detail.thread.clone()).await?;
    let detail = ThreadDetail {
        thread: record,
        ..detail
    };
    let is_ephemeral = !resume.persist_extended_history;
    whole(
        desk,
        &detail,
        "resumed",
        SessionSource::Resume,
        is_ephemeral,
    )
    .await
}

async fn forked(desk: &Desk, fork: ThreadForkParams) -> Result<ThreadResponse, Fault> {
    let id = fork.thread_id.clone();
    let Some(source) = desk.find::<ThreadsGet>(json!({ "thread_id": id })).await? else {
        return Ok(missing(&id));
    };
    let overlay = Overlay::of_fork(&fork, &source.thread)?;
    let copy = desk.call::<ThreadsFork>(json!({ "thread_id": id })).await?;
    let record = overlay.lay(desk, copy).await?;
    let copied = json!({ "thread_id": record.id });
    let detail = ThreadDetail {
        thread: record,
        ..desk.call::<ThreadsGet>(copied).await?
    };
    let is_ephemeral = !fork.persist_extended_history;
    whole(desk, &detail, "forked", SessionSource::Fork, is_ephemeral).await
}

async fn shown(desk: &Desk, id: &str) -> Result<ThreadResponse, Fault> {
    let Some(detail) = desk.find::<ThreadsGet>(json!({ "thread_id": id })).await? else {
        return Ok(response(id, "ok"));
    };
    let source = View::new(desk, &detail.thread).source;
    whole(desk, &detail, "ok", source, false).await
}

/// A thread with everything that is told of it.
async fn whole(
    desk: &Desk,
    detail: &ThreadDetail,
    status: &str,
    source: SessionSource,
    is_ephemeral: bool,
) -> Result<ThreadResponse, Fault> {
    let record = &detail.thread;
    let goal: Option<Goal> = desk
        .find::<GoalsGet>(json!({ "thread_id": record.id }))
        .await?;
    let goal = goal.as_ref().map(told_goal);
    let mut view = View::new(desk, record);
    view.preview = preview_of(detail);
    view.status = status_of(record, detail.turns.last().map(|turn| turn.status));
    view.source = source;
    view.is_ephemeral = is_ephemeral;
    let mut answer = about(record, status);
    answer.thread = Some(view.thread());
    answer.data = json!({
        "history": history(detail),
        "checkpoint": null,
        "goal": goal,
        "pending_approvals": detail.pending_approvals,
        "pending_user_inputs": detail.pending_user_inputs,
    });
    answer.goal = goal;
    Ok(answer)
}

/// An answer with what a thread is set to.
fn about(record: &ThreadRecord, status: &str) -> ThreadResponse {
    ThreadResponse {
        model: Some(record.model.clone()),
        model_provider: record.model_provider.clone(),
        cwd: Some(record.workspace.clone().into()),
        approval_policy: record.approval_policy.clone(),
        sandbox: record.sandbox_mode.clone(),
        ..response(record.id.as_str(), status)
    }
}

async fn listed(desk: &Desk, list: ThreadListParams) -> Result<ThreadResponse, Fault> {
    let limit = list
        .limit
        .map(|limit| u64::try_from(limit).unwrap_or(u64::MAX));
    let limit = limit.unwrap_or(THREADS).min(THREADS_MAX);
    let mut answer = response("list", "ok");
    answer.threads = threads(desk, limit, list.include_archived).await?;
    Ok(answer)
}

/// The threads there are, the last changed first.
pub(super) async fn threads(
    desk: &Desk,
    limit: u64,
    include_archived: bool,
) -> Result<Vec<codewhale_protocol::Thread>, Fault> {
    let params = json!({ "limit": limit, "include_archived": include_archived });
    let records: Vec<ThreadRecord> = desk.call::<ThreadsList>(params.clone()).await?;
    let lines: Vec<ThreadSummary> = desk.call::<ThreadsSummary>(params).await?;
    let lines: HashMap<_, _> = lines.iter().map(|line| (&line.id, line)).collect();
    let thread = |record: &ThreadRecord| {
        let mut view = View::new(desk, record);
        if let Some(line) = lines.get(&record.id) {
            view = view.with_line(line);
        }
        view.thread()
    };
    Ok(records.iter().map(thread).collect())
}

async fn changed(
    desk: &Desk,
    id: &str,
    mut change: Value,
    status: &str,
) -> Result<ThreadResponse, Fault> {
    change["thread_id"] = json!(id);
    let Some(record) = desk.find::<ThreadsPatch>(change).await? else {
        return Ok(missing(id));
    };
    let detail = desk.find::<ThreadsGet>(json!({ "thread_id": id })).await?;
    let mut view = View::new(desk, &record);
    if let Some(detail) = &detail {
        view.preview = preview_of(detail);
        view.status = status_of(&record, detail.turns.last().map(|turn| turn.status));
    }
    let mut answer = about(&record, status);
    answer.thread = Some(view.thread());
    Ok(answer)
}

async fn goal_set(desk: &Desk, set: ThreadGoalSetParams) -> Result<ThreadResponse, Fault> {
    let params = json!({
        "thread_id": set.thread_id,
        "objective": set.objective,
        "token_budget": set.token_budget,
    });
    let Some(set_now) = desk.find::<GoalsSet>(params).await? else {
        return Ok(missing(&set.thread_id));
    };
    let goal = told_goal(&set_now.goal);
    let mut answer = response(&set.thread_id, "ok");
    answer.data = json!({ "goal": goal });
    answer.events = vec![ext::EventFrame::ThreadGoalUpdated { goal: goal.clone() }];
    answer.goal = Some(goal);
    Ok(answer)
}

async fn goal_get(desk: &Desk, id: &str) -> Result<ThreadResponse, Fault> {
    let goal: Option<Goal> = desk.find::<GoalsGet>(json!({ "thread_id": id })).await?;
    let goal = goal.as_ref().map(told_goal);
    let mut answer = response(id, "ok");
    answer.data = json!({ "goal": goal });
    answer.goal = goal;
    Ok(answer)
}

async fn goal_clear(desk: &Desk, id: &str) -> Result<ThreadResponse, Fault> {
    let params = json!({ "thread_id": id });
    let had_one = desk.find::<GoalsGet>(params.clone()).await?.is_some();
    let is_cleared = had_one && desk.find::<GoalsClear>(params).await?.is_some();
    let status = if is_cleared { "cleared" } else { "empty" };
    let mut answer = response(id, status);
    answer.data = json!({ "cleared": is_cleared });
    if is_cleared {
        let thread_id = id.to_owned();
        let cleared = EventFrame::ThreadGoalCleared { thread_id };
        answer.events.push(cleared.into());
    }
    Ok(answer)
}
