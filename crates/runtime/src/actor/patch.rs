//! Changing the settings of a thread.

use codewhale_protocol::runtime::{
    Effort, Event, ThreadRecord, ThreadUpdated, ThreadsPatchParams, TurnOverrides,
};
use codewhale_protocol::{Caller, Scope};
use codewhale_store::{About, Durability};
use serde_json::{Map, Value};

use super::ThreadActor;
use crate::gate::require_scope;
use crate::workspace::{check_directories, check_workspace};
use crate::{Error, limits};

impl ThreadActor {
    pub(super) async fn patch(
        &mut self,
        caller: &Caller,
        params: &ThreadsPatchParams,
    ) -> Result<ThreadRecord, Error> {
        self.require_there()?;
        if self.active.is_none() {
            // What another process has changed decides what there is left to change.
            self.reload()?;
        }
        for _ in 0..limits::CHANGE_ATTEMPTS {
            if self.active.is_none() {
                self.check_owner().await?;
            }
            let mut thread = self.patched(params)?;
            let changes = changes(&self.state.thread, &thread);
            if changes.is_empty() {
                return Ok(thread);
            }
            if loosens(&thread, &self.state.thread) {
                require_scope(caller, Scope::Admin)?;
            }
            match self.write_change(caller, &mut thread, changes).await {
                Ok(()) => {
                    let before = std::mem::replace(&mut self.state.thread, thread.clone());
                    self.tell_of_mode(before.mode);
                    self.tell_turn();
                    return Ok(thread);
                }
                Err(codewhale_store::Error::Guard(_)) if self.active.is_none() => self.reload()?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    /// Commits the thread as it shall be, with the event that says so.
    pub(super) async fn write_change(
        &mut self,
        caller: &Caller,
        thread: &mut ThreadRecord,
        changes: Map<String, Value>,
    ) -> Result<(), codewhale_store::Error> {
        let (by, now) = (self.core.caller_stamp(caller), self.core.env.now());
        thread.updated_at = now;
        let mut batch = self.batch(Durability::Synced);
        batch.put_thread(thread, &self.state.words);
        let event = Event::ThreadUpdated(ThreadUpdated {
            thread: thread.clone(),
            changes,
            reason: None,
        });
        let about = About {
            stream: &self.state.stream,
            turn_id: None,
            item_id: None,
            at: now,
            by: &by,
        };
        batch.event(about, &event);
        self.commit(batch).await.map(drop)
    }

    /// The thread as the request wants it.
    fn patched(&self, params: &ThreadsPatchParams) -> Result<ThreadRecord, Error> {
        let mut thread = self.state.thread.clone();
        if let Some(archived) = params.archived {
            thread.archived = archived;
        }
        if let Some(allow_shell) = params.allow_shell {
            thread.allow_shell = allow_shell;
        }
        if let Some(trust_mode) = params.trust_mode {
            thread.trust_mode = trust_mode;
        }
        if let Some(model) = &params.model {
            let model = not_blank("model", model)?;
            thread.model = self.route(None, Some(model))?.model;
        }
        if let Some(word) = &params.reasoning_effort {
            thread.reasoning_effort = effort(word)?;
        }
        let mode = params
            .mode
            .as_deref()
            .map(|mode| not_blank("mode", mode))
            .transpose()?;
        let posture = params.permission_posture.as_deref();
        let posture = posture
            .map(|text| not_blank("permission_posture", text))
            .transpose()?;
        let permission = thread
            .permission()
            .amended(mode, posture, params.auto_approve)?;
        thread.set_permission(permission);
        self.core.show_walls(&mut thread);
        if let Some(title) = &params.title {
            thread.title = clean_title(title);
        }
        if let Some(text) = &params.system_prompt {
            thread.system_prompt = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        }
        if let Some(workspace) = &params.workspace {
            let workspace = check_workspace(not_blank("workspace", workspace)?)?;
            if workspace != thread.workspace
                && let Some(active) = &self.active
            {
                return Err(Error::TurnActive {
                    turn: active.turn.id.clone(),
                });
            }
            thread.workspace = workspace;
        }
        if let Some(paths) = &params.additional_directories {
            let checked = check_directories(&thread.workspace, paths)?;
            if checked != thread.additional_directories
                && let Some(active) = &self.active
            {
                return Err(Error::TurnActive {
                    turn: active.turn.id.clone(),
                });
            }
            thread.additional_directories = checked;
        }
        Ok(thread)
    }

    /// A running turn works under the new settings from its next call on, except where it has its
    /// own.
    fn tell_turn(&mut self) {
        let Some(active) = &self.active else { return };
        let overrides: &TurnOverrides = &active.overrides;
        if let Ok(authority) = self.core.authority(&self.state.thread, overrides) {
            active.desk.state().authority = active.asker.bound(authority);
        }
    }
}

/// A title as it is kept: without blanks around it and not too long; `None` when nothing is left.
pub(crate) fn clean_title(title: &str) -> Option<String> {
    let title: String = title.trim().chars().take(limits::TITLE_CHARS_MAX).collect();
    (!title.is_empty()).then_some(title)
}

/// An effort as it is kept; none, and so that of the configuration, when the word is blank.
pub(crate) fn effort(word: &str) -> Result<Option<Effort>, Error> {
    match word.trim() {
        "" => Ok(None),
        word => Ok(Some(Effort::parse(word)?)),
    }
}

/// Members that differ, with their new values; one that is gone is null.
pub(super) fn changes(before: &ThreadRecord, after: &ThreadRecord) -> Map<String, Value> {
    let members = |thread: &ThreadRecord| match serde_json::to_value(thread) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let (before, mut after) = (members(before), members(after));
    let mut changes: Map<String, Value> = before
        .iter()
        .filter(|(name, _)| !after.contains_key(*name))
        .map(|(name, _)| (name.clone(), Value::Null))
        .collect();
    after.retain(|name, value| before.get(name) != Some(value));
    changes.append(&mut after);
    changes
}

fn not_blank<'a>(name: &str, text: &'a str) -> Result<&'a str, Error> {
    match text.trim() {
        "" => Err(Error::Invalid(format!(
            "{name} must not be blank; leave it out to keep it"
        ))),
        text => Ok(text),
    }
}

fn loosens(after: &ThreadRecord, before: &ThreadRecord) -> bool {
    after.permission().loosens(before.permission())
        || (after.allow_shell && !before.allow_shell)
        || (after.trust_mode && !before.trust_mode)
}
