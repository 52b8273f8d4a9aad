//! Sessions: threads as recordings. A session has the id of its thread and is nothing of its own: every
//! thread with a turn in it is one.

mod messages;

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{
    Right, SessionsDelete, SessionsExport, SessionsGet, SessionsList, SessionsPatch,
    SessionsResume, SessionsSave, SessionsSummary,
};
use codewhale_protocol::runtime::{
    Session, SessionCost, SessionExport, SessionList, SessionMetadata, SessionParams,
    SessionPatched, SessionResumed, SessionSaved, SessionSummary, SessionView,
    SessionsExportParams, SessionsGetParams, SessionsListParams, SessionsPatchParams,
    SessionsResumeParams, SessionsSaveParams, ThreadId, ThreadRecord, ThreadSummary,
    ThreadsPatchParams,
};
use codewhale_store::{Located, SessionFigures, SessionQuery, Shown, ThreadWords};
use serde_json::{Map, json};

use crate::actor::Command;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

/// A line of a list, with its figures.
struct Line {
    record: ThreadRecord,
    title: String,
    preview: String,
    figures: SessionFigures,
    is_running: bool,
}

impl Line {
    fn new(record: ThreadRecord, words: &ThreadWords, figures: SessionFigures) -> Self {
        let (title, preview) = ThreadSummary::words(
            record.title.as_deref(),
            words.latest_input.as_deref(),
            words.latest_message.as_deref(),
        );
        Self {
            record,
            title,
            preview,
            figures,
            is_running: false,
        }
    }

    fn metadata(self) -> SessionMetadata {
        let Self {
            record,
            title,
            figures,
            ..
        } = self;
        SessionMetadata {
            id: record.id,
            title,
            created_at: record.created_at,
            updated_at: record.updated_at,
            message_count: figures.messages,
            total_tokens: figures.tokens,
            model: record.model,
            model_provider: record.model_provider.unwrap_or_default(),
            model_provider_id: record.model_provider_id,
            workspace: record.workspace,
            mode: Some(record.mode),
            cost: SessionCost {
                usd: figures.cost_microusd as f64 / 1e6,
                unpriced: figures.unpriced,
            },
            parent_session_id: record.parent_id,
            cumulative_turn_secs: figures.worked_ms / 1000,
            spawn_depth: u64::from(record.root_id.is_some()),
            archived: record.archived,
        }
    }
}

impl Core {
    async fn session_lines(
        &self,
        caller: &Caller,
        params: SessionsListParams,
    ) -> Result<Vec<Line>, Error> {
        let shown = match (params.archived_only, params.include_archived) {
            (Some(true), _) => Shown::Archived,
            (_, Some(true)) => Shown::All,
            _ => Shown::Active,
        };
        let limit = params.limit.unwrap_or(limits::LIST_DEFAULT);
        let limit = limit.clamp(1, limits::LIST_MAX);
        // Other orders are made of the last changed ones, so that no list reads all of history.
        let by = params.sort.unwrap_or_default();
        let is_recent = !matches!(by.as_str(), "name" | "size");
        let principal = caller.principal.clone();
        let filled = |text: Option<String>| text.filter(|it| !it.trim().is_empty());
        let (search, workspace) = (filled(params.search), filled(params.workspace));
        let read = self.store.read_apart(move |reader| {
            let query = SessionQuery {
                principal: principal.as_str(),
                shown,
                limit: if is_recent { limit } else { limits::LIST_MAX },
                search: search.as_deref().map(str::trim),
                workspace: workspace.as_deref(),
            };
            let listed = reader.sessions(&query)?.into_iter();
            let line = |it: codewhale_store::ListedThread| {
                let figures = reader.session_figures(&it.record.id)?;
                let status = it.latest_turn_status;
                Ok(Line {
                    is_running: status.is_some_and(|status| !status.is_terminal()),
                    ..Line::new(it.record, &it.words, figures)
                })
            };
            listed
                .map(line)
                .collect::<Result<Vec<_>, codewhale_store::Error>>()
        });
        let mut lines = read.await?;
        match by.as_str() {
            "name" => lines.sort_by_key(|line| line.title.to_lowercase()),
            "size" => lines.sort_by_key(|line| std::cmp::Reverse(line.figures.messages)),
            _ => {}
        }
        lines.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(lines)
    }

    async fn session_line(&self, id: &ThreadId) -> Result<Line, Error> {
        let id = id.clone();
        let read = self.store.read_apart(move |reader| {
            let Some(thread) = reader.thread(&id)? else {
                return Ok(None);
            };
            let figures = reader.session_figures(&id)?;
            Ok(Some(Line::new(thread.record, &thread.words, figures)))
        });
        read.await?.ok_or(Error::NotFound { what: "session" })
    }

    async fn session(&self, id: &ThreadId) -> Result<Session, Error> {
        let line = self.session_line(id).await?;
        let system_prompt = line.record.system_prompt.clone();
        let of = id.clone();
        let items = self.store.read_apart(move |reader| reader.items(&of, 0));
        let items = items.await?;
        Ok(Session {
            metadata: line.metadata(),
            messages: messages::of_items(items.iter().map(|item| &item.record)),
            system_prompt,
        })
    }
}

/// Changes title, place, model and mode of a thread.
async fn patch_session(
    core: &Arc<Core>,
    caller: &Caller,
    params: ThreadsPatchParams,
) -> Result<ThreadRecord, Error> {
    let (id, caller) = (params.thread_id.clone(), caller.clone());
    core.ask_thread(&id, |reply| Command::Patch {
        caller,
        params,
        reply,
    })
    .await
}

impl Handler<SessionsList> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SessionsListParams,
    ) -> Result<SessionList, Error> {
        let lines = self.session_lines(caller, params).await?;
        let sessions = lines.into_iter().map(Line::metadata).collect();
        Ok(SessionList { sessions })
    }
}

impl Handler<SessionsSummary> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SessionsListParams,
    ) -> Result<Vec<SessionSummary>, Error> {
        let lines = self.session_lines(caller, params).await?;
        let summary = |line: Line| SessionSummary {
            id: line.record.id,
            title: line.title,
            preview: line.preview,
            model: line.record.model,
            mode: line.record.mode,
            workspace: line.record.workspace,
            archived: line.record.archived,
            message_count: line.figures.messages,
            total_tokens: line.figures.tokens,
            updated_at: line.record.updated_at,
            created_at: line.record.created_at,
            parent_session_id: line.record.parent_id,
            is_current: line.is_running,
        };
        Ok(lines.into_iter().map(summary).collect())
    }
}

impl Handler<SessionsGet> for Arc<Core> {
    async fn handle(&self, _: &Caller, params: SessionsGetParams) -> Result<SessionView, Error> {
        let id = params.session_id;
        if params.peek != Some(true) {
            return Ok(SessionView::Whole(self.session(&id).await?));
        }
        let entries = params.entries.unwrap_or(limits::PEEK_DEFAULT);
        let entries = entries.clamp(1, limits::PEEK_MAX);
        let line = self.session_line(&id).await?;
        let read = self.store.read_apart(move |reader| {
            let latest = reader.latest_turn(&id)?;
            Ok((latest, reader.items(&id, 0)?))
        });
        let (latest, items) = read.await?;
        let is_live = latest.is_some_and(|turn| !turn.record.status.is_terminal());
        let items = items.iter().map(|item| &item.record);
        let peek = messages::peek(items, entries, &line.record, line.title, line.figures);
        Ok(SessionView::Peek(
            codewhale_protocol::runtime::SessionPeek {
                live: is_live,
                ..peek
            },
        ))
    }
}

impl Handler<SessionsPatch> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SessionsPatchParams,
    ) -> Result<SessionPatched, Error> {
        let SessionsPatchParams {
            session_id,
            title,
            archived,
        } = params;
        if title.is_none() && archived.is_none() {
            let message = "nothing to change; name a title or archived";
            return Err(Error::Invalid(message.into()));
        }
        let title = title.as_deref().map(checked_title).transpose()?;
        let mut changes = Map::new();
        changes.extend(title.as_ref().map(|it| ("title".to_owned(), json!(it))));
        changes.extend(archived.map(|it| ("archived".to_owned(), json!(it))));
        let patch = ThreadsPatchParams {
            title,
            archived,
            ..nothing(&session_id)
        };
        patch_session(self, caller, patch).await?;
        let session = self.session_line(&session_id).await?.metadata();
        Ok(SessionPatched { session, changes })
    }
}

impl Handler<SessionsDelete> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: SessionParams) -> Result<(), Error> {
        let caller = caller.clone();
        self.ask_thread(&params.session_id, |reply| Command::Delete {
            caller,
            reply,
        })
        .await
    }
}

impl Handler<SessionsSave> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SessionsSaveParams,
    ) -> Result<SessionSaved, Error> {
        let id = params.thread_id;
        let title = params.title.as_deref().map(checked_title).transpose()?;
        let latest = self.store.read(|reader| reader.latest_turn(&id))?;
        match latest {
            None => {
                let message = "there is nothing to save: the thread has no turns; start one first";
                return Err(Error::Invalid(message.into()));
            }
            Some(turn) if !turn.record.status.is_terminal() => {
                return Err(Error::TurnActive {
                    turn: turn.record.id,
                });
            }
            Some(_) => {}
        }
        if title.is_some() {
            let patch = ThreadsPatchParams {
                title,
                ..nothing(&id)
            };
            patch_session(self, caller, patch).await?;
        }
        let line = self.session_line(&id).await?;
        Ok(SessionSaved {
            session_id: id.clone(),
            thread_id: id,
            message_count: line.figures.messages,
            title: line.title,
        })
    }
}

impl Handler<SessionsExport> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SessionsExportParams,
    ) -> Result<SessionExport, Error> {
        let named = params.session_id.or(params.thread_id);
        let id = match named {
            Some(id) => id,
            None => {
                let newest = SessionsListParams {
                    limit: Some(1),
                    ..SessionsListParams::default()
                };
                let lines = self.session_lines(caller, newest).await?;
                let newest = lines.into_iter().next().map(|line| line.record.id);
                newest.ok_or(Error::NotFound { what: "session" })?
            }
        };
        let visible = self.require_right(caller, Right::ReadThread, Located::Thread(&id));
        visible.map_err(|error| match error {
            Error::NotFound { .. } => Error::NotFound { what: "session" },
            error => error,
        })?;
        let session = self.session(&id).await?;
        Ok(SessionExport {
            session_id: id,
            session,
        })
    }
}

impl Handler<SessionsResume> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SessionsResumeParams,
    ) -> Result<SessionResumed, Error> {
        let id = params.session_id;
        let filled = |text: Option<String>| text.filter(|it| !it.trim().is_empty());
        let before = self.session_line(&id).await?.record;
        // Whoever goes on with a session wants to see it.
        let patch = ThreadsPatchParams {
            model: filled(params.model),
            mode: filled(params.mode),
            archived: before.archived.then_some(false),
            ..nothing(&id)
        };
        if patch != nothing(&id) {
            self.require_right(caller, Right::Manage, Located::Thread(&id))?;
            patch_session(self, caller, patch).await?;
        }
        let thread = self
            .ask_thread(&id, |reply| Command::Load { reply })
            .await?;
        let line = self.session_line(&id).await?;
        let count = line.figures.messages;
        let summary = format!(
            "Resumed {:?} with {count} messages on {}.",
            line.title, thread.model
        );
        Ok(SessionResumed {
            thread_id: id.clone(),
            session_id: id,
            message_count: count,
            summary,
        })
    }
}

fn checked_title(title: &str) -> Result<String, Error> {
    let title = title.trim();
    let count = title.chars().count();
    match (1..=limits::SESSION_TITLE_CHARS_MAX).contains(&count) {
        true => Ok(title.to_owned()),
        false => Err(Error::Invalid(format!(
            "a title has 1 to {} characters",
            limits::SESSION_TITLE_CHARS_MAX
        ))),
    }
}

/// A change that changes nothing yet.
fn nothing(id: &ThreadId) -> ThreadsPatchParams {
    ThreadsPatchParams {
        thread_id: id.clone(),
        archived: None,
        allow_shell: None,
        trust_mode: None,
        auto_approve: None,
        model: None,
        mode: None,
        permission_posture: None,
        title: None,
        system_prompt: None,
        workspace: None,
    }
}
