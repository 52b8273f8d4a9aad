//! The session of a run: a thread that is made for it, or one that goes on.

use anyhow::{anyhow, bail};
use codewhale_client::Client;
use codewhale_protocol::ErrorBody;
use codewhale_protocol::operations::{
    SessionsDelete, ThreadsCreate, ThreadsGet, ThreadsList, ThreadsPatch, ThreadsSummary,
};
use codewhale_protocol::runtime::{
    Seq, SessionParams, ThreadId, ThreadParams, ThreadRecord, ThreadsCreateParams,
    ThreadsListParams, ThreadsPatchParams, ThreadsSummaryParams,
};

use super::limits;
use super::order::{Order, Wanted};

/// The thread of a run.
pub(super) struct Session {
    pub(super) thread: ThreadRecord,
    /// What was in it before the run; the run follows what comes behind.
    pub(super) latest_seq: Seq,
    is_new: bool,
}

impl Session {
    /// Finds the thread that is to go on, or makes one.
    pub(super) async fn open(client: &Client, order: &Order) -> anyhow::Result<Self> {
        let id = match &order.wanted {
            Wanted::New => return make(client, order).await,
            Wanted::Named(name) => named(client, name).await?,
            Wanted::Newest => newest(client, &order.workspace).await?,
        };
        let mut detail = client.call::<ThreadsGet>(of(&id)).await.map_err(told)?;
        let theirs = &detail.thread.workspace;
        if order.names_workspace && *theirs != order.workspace {
            bail!("the session {id} works in {theirs}; leave -C out, or begin a new session");
        }
        if !order.added.is_empty() {
            let change = ThreadsPatchParams {
                additional_directories: Some(order.added.clone()),
                ..ThreadsPatchParams::nothing(id)
            };
            detail.thread = client.call::<ThreadsPatch>(change).await.map_err(told)?;
        }
        Ok(Self {
            latest_seq: detail.latest_seq,
            thread: detail.thread,
            is_new: false,
        })
    }

    /// Takes back a thread that nothing came of.
    pub(super) async fn abandon(&self, client: &Client) {
        if self.is_new {
            let session_id = self.thread.id.clone();
            let _ = client
                .call::<SessionsDelete>(SessionParams { session_id })
                .await;
        }
    }

    /// Whether it goes on from before.
    pub(super) fn is_resumed(&self) -> bool {
        !self.is_new
    }
}

async fn make(client: &Client, order: &Order) -> anyhow::Result<Session> {
    let authority = order.authority.as_ref();
    let params = ThreadsCreateParams {
        model: order.model.clone(),
        model_provider: order.provider.clone(),
        workspace: Some(order.workspace.clone()),
        additional_directories: Some(order.added.clone()),
        allow_shell: Some(true),
        bounds: authority.map(|it| it.bounds()),
        dedupe_key: authority.map(|it| it.dedupe_key()),
        worker_id: authority.map(|it| it.worker_id().to_owned()),
        parent_thread_id: authority.and_then(|it| it.parent_thread_id().cloned()),
        ..ThreadsCreateParams::default()
    };
    let made = match authority {
        Some(authority) => {
            let key = format!("fleet/{}/thread", authority.dedupe_key());
            client.call_once::<ThreadsCreate>(&key, params).await
        }
        None => client.call::<ThreadsCreate>(params).await,
    };
    Ok(Session {
        thread: made.map_err(told)?,
        latest_seq: Seq::ZERO,
        is_new: true,
    })
}

/// The one session whose id begins so.
async fn named(client: &Client, name: &str) -> anyhow::Result<ThreadId> {
    let name = name.trim();
    if name.is_empty() {
        bail!("the session to continue has no name; `codewhale sessions` lists them");
    }
    let params = ThreadsSummaryParams {
        limit: Some(limits::SESSIONS_MAX),
        search: Some(name.to_owned()),
        include_archived: Some(true),
        ..ThreadsSummaryParams::default()
    };
    let found = client.call::<ThreadsSummary>(params).await.map_err(told)?;
    let ids = found.into_iter().map(|line| line.id);
    let begins = |id: &ThreadId| {
        let bare = id.as_str().strip_prefix("thr_").unwrap_or(id.as_str());
        id.as_str().starts_with(name) || bare.starts_with(name)
    };
    let mut fitting: Vec<ThreadId> = ids.filter(begins).collect();
    if let Some(exact) = fitting.iter().find(|id| id.as_str() == name) {
        return Ok(exact.clone());
    }
    match fitting.len() {
        0 => bail!("there is no session {name:?}; `codewhale sessions` lists them"),
        1 => Ok(fitting.remove(0)),
        many => bail!("{many} sessions begin with {name:?}; name more of the id"),
    }
}

/// The session that was last at work in a workspace.
async fn newest(client: &Client, workspace: &str) -> anyhow::Result<ThreadId> {
    let params = ThreadsListParams {
        limit: Some(limits::SESSIONS_MAX),
        ..ThreadsListParams::default()
    };
    let threads = client.call::<ThreadsList>(params).await.map_err(told)?;
    let mut here = threads
        .into_iter()
        .filter(|thread| thread.workspace == workspace && thread.parent_id.is_none());
    let newest = here.next().map(|thread| thread.id);
    newest.ok_or_else(|| anyhow!("there is no session in {workspace} yet; leave --continue out"))
}

pub(super) fn of(thread: &ThreadId) -> ThreadParams {
    let thread_id = thread.clone();
    ThreadParams { thread_id }
}

/// What went wrong, for people.
pub(super) fn told(error: ErrorBody) -> anyhow::Error {
    anyhow!("{}", error.message)
}
