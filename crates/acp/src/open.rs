//! Opening sessions: new ones, and those of the past.

use std::path::Path;
use std::sync::Arc;

use codewhale_protocol::operations::{ThreadsCreate, ThreadsGet, ThreadsPatch};
use codewhale_protocol::runtime::{
    Seq, ThreadDetail, ThreadId, ThreadParams, ThreadRecord, ThreadsCreateParams,
    ThreadsPatchParams,
};
use serde_json::{Value, json};

use crate::error::RpcError;
use crate::follower::Follower;
use crate::peer::to_value;
use crate::session::{Link, News, Session};
use crate::wire::{NewParams, OpenParams};
use crate::{controls, hands};

/// Whether the past is told before a session is open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    Told,
    Untold,
}

/// A session that is ready, and who will tell of it.
pub(crate) struct Opened {
    pub(crate) session: Arc<Session>,
    pub(crate) follower: Follower,
    pub(crate) answer: Value,
    pub(crate) waiting: Option<Box<ThreadDetail>>,
}

/// Makes a thread in the directory of the editor.
pub(crate) async fn make(link: &Arc<Link>, params: NewParams) -> Result<Opened, RpcError> {
    check(&params)?;
    let create = ThreadsCreateParams {
        workspace: Some(params.cwd.clone()),
        additional_directories: Some(params.additional_directories.clone()),
        // A person sits in front of the editor and is asked.
        allow_shell: Some(true),
        ..ThreadsCreateParams::default()
    };
    let record = link.client.call::<ThreadsCreate>(create).await?;
    let lent = hands::lent(link, record.id.as_str(), &params.mcp_servers)?;
    let session = Session::new(Arc::clone(link), record, lent, Seq::ZERO, News::default());
    let session = Arc::new(session.await);
    session.lend().await?;
    let mut answer = controls_of(&session);
    answer["sessionId"] = json!(session.id);
    Ok(Opened {
        follower: Follower::new(Arc::clone(&session)),
        session,
        answer,
        waiting: None,
    })
}

/// Opens a thread that is there already.
pub(crate) async fn open(
    link: &Arc<Link>,
    params: OpenParams,
    past: Past,
) -> Result<Opened, RpcError> {
    check(&params.place)?;
    let thread_id = ThreadId::from(params.session_id.as_str());
    let read = link.client.call::<ThreadsGet>(ThreadParams { thread_id });
    let mut detail = read.await?;
    let change = moved(&detail.thread, &params.place);
    if let Some(change) = change {
        detail.thread = link.client.call::<ThreadsPatch>(change).await?;
    }
    let costs = detail.turns.iter().filter_map(|turn| turn.cost_usd);
    let running = detail.turns.last().filter(|it| !it.status.is_terminal());
    let news = News {
        active: running.map(|turn| turn.id.clone()),
        cost_usd: costs.reduce(|sum, cost| sum + cost),
        ..News::default()
    };
    let record = detail.thread.clone();
    let lent = hands::lent(link, record.id.as_str(), &params.place.mcp_servers)?;
    let session = Session::new(Arc::clone(link), record, lent, detail.latest_seq, news);
    let session = Arc::new(session.await);
    session.lend().await?;
    let answer = controls_of(&session);
    let mut follower = Follower::new(Arc::clone(&session));
    match past {
        Past::Told => follower.tell_history(&detail.turns, &detail.items).await,
        Past::Untold => follower.learn_history(&detail.items),
    }
    Ok(Opened {
        follower,
        session,
        answer,
        waiting: Some(Box::new(detail)),
    })
}

fn check(params: &NewParams) -> Result<(), RpcError> {
    if !Path::new(&params.cwd).is_absolute() {
        let message = format!("`cwd` must be an absolute path, not {:?}", params.cwd);
        return Err(RpcError::invalid_params(message));
    }
    Ok(())
}

/// What changes when a session is opened in other directories than it has. One that names none
/// besides its own has none.
fn moved(thread: &ThreadRecord, place: &NewParams) -> Option<ThreadsPatchParams> {
    let added = &place.additional_directories;
    let is_same = added.len() == thread.additional_directories.len()
        && added
            .iter()
            .zip(&thread.additional_directories)
            .all(|(asked, kept)| is_same_place(kept, asked));
    let is_there = is_same_place(&thread.workspace, &place.cwd);
    if is_there && is_same {
        return None;
    }
    Some(ThreadsPatchParams {
        workspace: (!is_there).then(|| place.cwd.clone()),
        additional_directories: (!is_same).then(|| added.clone()),
        ..ThreadsPatchParams::nothing(thread.id.clone())
    })
}

/// Paths of the same directory can be written in more than one way; the service keeps the real one.
fn is_same_place(kept: &str, asked: &str) -> bool {
    let real = |path: &str| Path::new(path).canonicalize().ok();
    kept == asked || (real(kept).is_some() && real(kept) == real(asked))
}

fn controls_of(session: &Session) -> Value {
    let thread = session.record();
    json!({
        "modes": to_value(controls::modes(&thread)),
        "configOptions": to_value(controls::options(&thread, &session.models)),
    })
}
