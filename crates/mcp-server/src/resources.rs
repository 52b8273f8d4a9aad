//! What clients can read: the workspace, threads, and receipts of sub-agents.

mod address;

use codewhale_client::Client;
use codewhale_protocol::operations::{
    AgentRunsGet, AgentRunsList, ThreadsGet, ThreadsSummary, WorkspacesStatus,
};
use codewhale_protocol::runtime::{
    AgentRunParams, AgentRunsListParams, ThreadDetail, ThreadId, ThreadParams,
    ThreadsSummaryParams, TurnItemRecord, WorkspaceParams,
};
use codewhale_protocol::{ErrorBody, ErrorCode};
use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{invalid, refused};
use crate::limits;
use address::{Address, page_of, workspace_address};

const JSON: &str = "application/json";

/// The forms of the addresses.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |form: &str, name: &str, words: &str| {
        ResourceTemplate::new(form, name)
            .with_description(words)
            .with_mime_type(JSON)
    };
    vec![
        template(
            "codewhale://thread/{thread_id}{?after}",
            "thread",
            "A thread: its turns and items, a page at a time. `after` is how many items to pass over.",
        ),
        template(
            "codewhale://agent-run/{run_id}",
            "agent run",
            "The receipt of a sub-agent.",
        ),
        template(
            "deepseek://session/{thread_id}{?after}",
            "session",
            "A thread, by its older address.",
        ),
    ]
}

/// The thread that an address leads to, if it does to one.
pub(crate) fn thread_of(uri: &str, workspace: &str) -> Option<ThreadId> {
    match Address::read(uri, workspace)? {
        Address::Thread { id, .. } => Some(id),
        Address::Workspace | Address::AgentRun(_) => None,
    }
}

/// One page of everything that can be read.
pub(crate) async fn list(
    client: &Client,
    workspace: &str,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let from = match cursor {
        None => 0,
        Some(cursor) => page_of(cursor).ok_or_else(|| {
            invalid("the cursor is not one of this list; begin again without a cursor")
        })?,
    };
    let all = all(client, workspace).await.map_err(refused)?;
    let next = from.saturating_add(limits::PAGE);
    Ok(ListResourcesResult {
        next_cursor: (next < all.len()).then(|| next.to_string()),
        resources: all.into_iter().skip(from).take(limits::PAGE).collect(),
        ..ListResourcesResult::default()
    })
}

async fn all(client: &Client, workspace: &str) -> Result<Vec<Resource>, ErrorBody> {
    let limit = Some(limits::LISTED_MAX);
    let root = Resource::new(workspace_address(workspace), "workspace")
        .with_description("The directory that tools work in, and how its repository stands.")
        .with_mime_type("inode/directory");
    let params = ThreadsSummaryParams {
        limit,
        ..ThreadsSummaryParams::default()
    };
    let threads = client.call::<ThreadsSummary>(params).await?;
    let threads = threads.into_iter().map(|thread| {
        let address = Address::thread(&thread.id);
        Resource::new(address.to_string(), thread.title)
            .with_description(thread.preview)
            .with_mime_type(JSON)
    });
    let params = AgentRunsListParams {
        thread_id: None,
        limit,
    };
    let runs = client.call::<AgentRunsList>(params).await?.runs;
    let runs = runs.into_iter().filter_map(|run| {
        let run = serde_json::to_value(run).ok()?;
        let id = run.get("run_id")?.as_str()?.to_owned();
        let address = Address::AgentRun(id.clone());
        Some(Resource::new(address.to_string(), format!("agent run {id}")).with_mime_type(JSON))
    });
    Ok(std::iter::once(root).chain(threads).chain(runs).collect())
}

/// Reads what stands behind an address.
pub(crate) async fn read(
    client: &Client,
    workspace: &str,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        let message = format!("there is no resource {uri:?}; resources/list names them");
        ErrorData::resource_not_found(message, None)
    };
    let answer = match Address::read(uri, workspace).ok_or_else(unknown)? {
        Address::Workspace => status(client, workspace).await,
        Address::Thread { id, after } => thread(client, id, after).await,
        Address::AgentRun(run_id) => {
            let run = client.call::<AgentRunsGet>(AgentRunParams { run_id }).await;
            run.map(|run| json!(run))
        }
    };
    let answer = answer.map_err(|error| match error.code == ErrorCode::NotFound {
        true => unknown(),
        false => refused(error),
    })?;
    let text = ResourceContents::text(answer.to_string(), uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![text]))
}

async fn status(client: &Client, workspace: &str) -> Result<Value, ErrorBody> {
    let params = WorkspaceParams {
        workspace: Some(workspace.to_owned()),
    };
    let status = client.call::<WorkspacesStatus>(params).await?;
    Ok(json!({ "workspace": workspace, "status": status }))
}

async fn thread(client: &Client, id: ThreadId, after: usize) -> Result<Value, ErrorBody> {
    let thread_id = id.clone();
    let detail = client
        .call::<ThreadsGet>(ThreadParams { thread_id })
        .await?;
    let (items, next) = page(&detail.items, after);
    let next = next.map(|after| Address::Thread { id, after }.to_string());
    Ok(json!({
        "thread": detail.thread,
        "turns": detail.turns,
        "items": items,
        "pending_approvals": detail.pending_approvals,
        "next": next,
    }))
}

/// An item as it is shown here.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    turn_id: &'a str,
    kind: &'static str,
    status: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// Items from a place on, as many as fit; and the place of the next ones. There is always at least one.
fn page(items: &[TurnItemRecord], after: usize) -> (Vec<Shown<'_>>, Option<usize>) {
    let mut bytes = 0;
    let mut shown = Vec::new();
    for item in items.iter().skip(after) {
        let text = text_of(item);
        let fitting = &text[..text.floor_char_boundary(limits::ITEM_BYTES_MAX)];
        if bytes + fitting.len() > limits::PAGE_BYTES_MAX && !shown.is_empty() {
            let next = after + shown.len();
            return (shown, Some(next));
        }
        bytes += fitting.len();
        shown.push(Shown {
            id: item.id.as_str(),
            turn_id: item.turn_id.as_str(),
            kind: item.kind.as_str(),
            status: item.status.as_str(),
            text: fitting,
            cut: fitting.len() < text.len(),
        });
    }
    (shown, None)
}

fn text_of(item: &TurnItemRecord) -> &str {
    item.detail.as_deref().unwrap_or(&item.summary)
}

/// The last of a thread in words, for a prompt.
pub(crate) fn thread_text(detail: &ThreadDetail) -> String {
    let mut lines = Vec::new();
    let mut bytes = 0;
    for item in detail.items.iter().rev() {
        let text = text_of(item);
        let text = &text[..text.floor_char_boundary(limits::ITEM_BYTES_MAX)];
        bytes += text.len();
        if bytes > limits::PAGE_BYTES_MAX {
            lines.push("[what came before is left out]".to_owned());
            break;
        }
        let (kind, status) = (item.kind.as_str(), item.status.as_str());
        lines.push(format!("[{kind}, {status}] {text}"));
    }
    lines.reverse();
    lines.join("\n\n")
}
