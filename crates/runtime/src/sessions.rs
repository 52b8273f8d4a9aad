//! Sessions: threads as recordings. A session has the id of its thread and is nothing of its own: every
//! thread with a turn in it is one. Beside them stand the recordings of other programs, as long as nobody
//! has gone on with them.

mod import;
mod list;
mod messages;
mod old;

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{
    Right, SessionsDelete, SessionsExport, SessionsGet, SessionsList, SessionsPatch,
    SessionsResume, SessionsSave, SessionsSummary,
};
use codewhale_protocol::runtime::{
    Session, SessionExport, SessionList, SessionParams, SessionPatched, SessionResumed,
    SessionSaved, SessionSummary, SessionView, SessionsExportParams, SessionsGetParams,
    SessionsListParams, SessionsPatchParams, SessionsResumeParams, SessionsSaveParams, ThreadId,
    ThreadRecord, ThreadsPatchParams,
};
use codewhale_store::Located;
use serde_json::{Map, json};

use crate::actor::Command;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

use list::{Line, Listed};
use old::Old;

pub(crate) use old::OldSessions;

impl Core {
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
        let lines = self.sessions(caller, params).await?;
        let sessions = lines.into_iter().map(Listed::metadata).collect();
        Ok(SessionList { sessions })
    }
}

impl Handler<SessionsSummary> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SessionsListParams,
    ) -> Result<Vec<SessionSummary>, Error> {
        let lines = self.sessions(caller, params).await?;
        Ok(lines.into_iter().map(Listed::summary).collect())
    }
}

impl Handler<SessionsGet> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: SessionsGetParams,
    ) -> Result<SessionView, Error> {
        let id = params.session_id;
        let is_peek = params.peek == Some(true);
        let entries = params.entries.unwrap_or(limits::PEEK_DEFAULT);
        let entries = entries.clamp(1, limits::PEEK_MAX);
        if self.may_be_old(caller, &id)? {
            let session = self.old_session(&id).await?;
            return Ok(match is_peek {
                true => SessionView::Peek(messages::peek_at(session, entries)),
                false => SessionView::Whole(session),
            });
        }
        if !is_peek {
            return Ok(SessionView::Whole(self.session(&id).await?));
        }
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
        self.require_ours(caller, &session_id).await?;
        let mut changes = Map::new();
        changes.extend(title.as_ref().map(|it| ("title".to_owned(), json!(it))));
        changes.extend(archived.map(|it| ("archived".to_owned(), json!(it))));
        let patch = ThreadsPatchParams {
            title,
            archived,
            ..ThreadsPatchParams::nothing(session_id.clone())
        };
        patch_session(self, caller, patch).await?;
        let session = self.session_line(&session_id).await?.metadata();
        Ok(SessionPatched { session, changes })
    }
}

impl Handler<SessionsDelete> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: SessionParams) -> Result<(), Error> {
        self.require_ours(caller, &params.session_id).await?;
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
                ..ThreadsPatchParams::nothing(id.clone())
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
                let lines = self.sessions(caller, newest).await?;
                let newest = lines.first().map(|line| line.id().clone());
                newest.ok_or(Error::NotFound { what: "session" })?
            }
        };
        let session = match self.require_right(caller, Right::ReadThread, Located::Thread(&id)) {
            Ok(()) => self.session(&id).await?,
            Err(Error::NotFound { .. }) if self.may_be_old(caller, &id)? => {
                self.old_session(&id).await?
            }
            Err(Error::NotFound { .. }) => return Err(Error::NotFound { what: "session" }),
            Err(error) => return Err(error),
        };
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
        let session_id = params.session_id.clone();
        let id = match self.may_be_old(caller, &session_id)? {
            false => session_id.clone(),
            true => {
                let old = self.old(&session_id).await?;
                self.import(caller, params.clone(), old).await?
            }
        };
        let filled = |text: Option<String>| text.filter(|it| !it.trim().is_empty());
        let before = self.session_line(&id).await?.record;
        // Whoever goes on with a session wants to see it.
        let patch = ThreadsPatchParams {
            model: filled(params.model),
            mode: filled(params.mode),
            archived: before.archived.then_some(false),
            ..ThreadsPatchParams::nothing(id.clone())
        };
        if patch != ThreadsPatchParams::nothing(id.clone()) {
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
            thread_id: id,
            session_id,
            message_count: count,
            summary,
        })
    }
}

impl Core {
    /// Whether an id may be that of a recording of another program: there is no thread of that id, and
    /// who asks is the operator, whose files they are.
    pub(crate) fn may_be_old(&self, caller: &Caller, id: &ThreadId) -> Result<bool, Error> {
        if caller.principal != self.operator {
            return Ok(false);
        }
        Ok(self.store.read(|reader| reader.thread(id))?.is_none())
    }

    async fn old(&self, id: &ThreadId) -> Result<Old, Error> {
        let (old, id) = (Arc::clone(&self.old_sessions), id.clone());
        let read = self.store.apart(move || old.read(&id)).await?;
        read.ok_or(Error::NotFound { what: "session" })
    }

    /// A recording of another program, masked.
    async fn old_session(&self, id: &ThreadId) -> Result<Session, Error> {
        let old = self.old(id).await?;
        let session = Session {
            metadata: old.head.metadata(),
            messages: old.messages,
            system_prompt: old.system_prompt,
        };
        let sealed = self.store.redactor().seal_json(&session);
        let read = serde_json::from_str(sealed.as_str());
        Ok(read.expect("what is masked keeps its shape"))
    }

    /// Lets through what is not a file of another program.
    async fn require_ours(&self, caller: &Caller, id: &ThreadId) -> Result<(), Error> {
        if !self.may_be_old(caller, id)? {
            return Ok(());
        }
        self.old(id).await?;
        Err(Error::ForeignSession)
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
