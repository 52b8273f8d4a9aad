//! Memory over the doors: the notes that agents keep, for the person they keep them for.
//!
//! The notes are lines of files that belong to the operator of the store, so nobody else is told of
//! them. A note is written once however often it is sent, since its id is made of its text.

use std::path::Path;
use std::sync::Arc;

use codewhale_engine::{KeptNote, Sources};
use codewhale_protocol::operations::{MemoryAdd, MemoryClear, MemoryGet, MemoryList};
use codewhale_protocol::runtime::{
    self, MemoryAddParams, MemoryAdded, MemoryClearParams, MemoryCleared, MemoryEntry, MemoryFound,
    MemoryGetParams, MemoryListParams, MemoryReach, MemoryScope,
};
use codewhale_protocol::{Caller, Redactor};
use codewhale_tools::{Library, LibraryError, MemoryChange, MemoryStep, Scope, note_text};

use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

const SCOPES: [MemoryScope; 2] = [MemoryScope::Global, MemoryScope::Workspace];

impl Handler<MemoryList> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: MemoryListParams,
    ) -> Result<runtime::MemoryList, Error> {
        let limit = params.limit.unwrap_or(limits::NOTES_LISTED);
        if !(1..=limits::NOTES_LISTED_MAX).contains(&limit) {
            let max = limits::NOTES_LISTED_MAX;
            return Err(Error::Invalid(format!("limit must be from 1 to {max}")));
        }
        let words = params.q.unwrap_or_default().to_lowercase();
        let mut entries = self.notes(caller, params.scope.unwrap_or_default()).await?;
        entries.retain(|note| {
            let text = note.note.text.to_lowercase();
            words.split_whitespace().all(|word| text.contains(word))
        });
        let total = u64::try_from(entries.len()).unwrap_or(u64::MAX);
        entries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let redactor = self.store.redactor();
        Ok(runtime::MemoryList {
            entries: entries.into_iter().map(|it| entry(it, &redactor)).collect(),
            total,
        })
    }
}

impl Handler<MemoryGet> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: MemoryGetParams) -> Result<MemoryFound, Error> {
        let id = params.memory_id.parse::<u32>().map_err(|_| GONE)?;
        let notes = self.notes(caller, MemoryReach::All).await?;
        let found = notes
            .into_iter()
            .find(|note| number(&note.note.id) == u64::from(id));
        Ok(MemoryFound {
            entry: entry(found.ok_or(GONE)?, &self.store.redactor()),
        })
    }
}

impl Handler<MemoryAdd> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: MemoryAddParams) -> Result<MemoryAdded, Error> {
        let sources = self.memory_of(caller)?;
        let redactor = self.store.redactor();
        let text = note_text(&redactor.mask(&params.text)).map_err(Error::Invalid)?;
        let scope = params.scope.unwrap_or(MemoryScope::Global);
        let add = move || -> Result<(KeptNote, bool), Error> {
            let step = MemoryStep::Append(text);
            let (id, was_known) = match change(&sources, scope, step) {
                Err(Error::Memory(LibraryError::Known { id, .. })) => (Some(id), true),
                done => (done?, false),
            };
            let notes = sources.notes(tool_scope(scope))?.into_iter();
            let mut notes = notes.filter(|it| Some(&it.note.id) == id.as_ref());
            Ok((notes.next().ok_or(GONE)?, was_known))
        };
        let (note, was_known) = self.store.apart(add).await??;
        Ok(MemoryAdded {
            entry: entry(note, &redactor),
            was_known,
        })
    }

    fn made(added: &MemoryAdded) -> bool {
        !added.was_known
    }
}

impl Handler<MemoryClear> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: MemoryClearParams,
    ) -> Result<MemoryCleared, Error> {
        let sources = self.memory_of(caller)?;
        let clear = move || -> Result<(), Error> {
            for scope in SCOPES.into_iter().filter(|it| params.scope.includes(*it)) {
                change(&sources, scope, MemoryStep::Clear)?;
            }
            Ok(())
        };
        self.store.apart(clear).await??;
        Ok(MemoryCleared { cleared: true })
    }
}

const GONE: Error = Error::NotFound { what: "note" };

impl Core {
    /// Where the memory is, for the one whose it is.
    fn memory_of(&self, caller: &Caller) -> Result<Sources, Error> {
        if caller.principal != self.operator {
            return Err(Error::NotFound { what: "memory" });
        }
        let sources = self.sources_for(Path::new(&self.workspace), false);
        sources.ok_or(Error::Memory(LibraryError::MemoryOff))
    }

    async fn notes(&self, caller: &Caller, reach: MemoryReach) -> Result<Vec<KeptNote>, Error> {
        let sources = self.memory_of(caller)?;
        let read = move || -> Result<Vec<KeptNote>, Error> {
            let mut notes = Vec::new();
            for scope in SCOPES.into_iter().filter(|it| reach.includes(*it)) {
                notes.extend(sources.notes(tool_scope(scope))?);
            }
            Ok(notes)
        };
        self.store.apart(read).await?
    }
}

/// Changes a memory; gives the id of the new note.
fn change(
    sources: &Sources,
    scope: MemoryScope,
    step: MemoryStep,
) -> Result<Option<String>, Error> {
    let scope = tool_scope(scope);
    let plan = sources.plan(&MemoryChange { scope, step })?;
    if plan.before.as_ref() != Some(&plan.after) {
        plan.write(scope).map_err(Error::MemoryKept)?;
    }
    Ok(plan.id)
}

fn tool_scope(scope: MemoryScope) -> Scope {
    match scope {
        MemoryScope::Global => Scope::Global,
        MemoryScope::Workspace => Scope::Workspace,
    }
}

/// The id as a number: it is eight digits of a hash.
fn number(id: &str) -> u64 {
    u64::from_str_radix(id, 16).unwrap_or(u64::MAX)
}

fn entry(kept: KeptNote, redactor: &Redactor) -> MemoryEntry {
    let line = |line: usize| u64::try_from(line).unwrap_or(u64::MAX);
    let text = redactor.mask(&kept.note.text);
    let (scope, workspace_id) = match kept.note.scope {
        Scope::Global => (MemoryScope::Global, None),
        Scope::Workspace => (MemoryScope::Workspace, kept.memory),
    };
    MemoryEntry {
        id: number(&kept.note.id),
        scope,
        workspace_id,
        summary: text.chars().take(limits::NOTE_SUMMARY_CHARS_MAX).collect(),
        stale: false,
        line_start: line(kept.lines.start + 1),
        line_end: line(kept.lines.end),
        status: "active".to_owned(),
    }
}
