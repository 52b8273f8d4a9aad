//! Undo and retry: a copy of the thread without its last turns, and the files as before them.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{ThreadsPatchUndo, ThreadsRetry, ThreadsUndo};
use codewhale_protocol::runtime::{
    PatchResult, Retried, ThreadRecord, ThreadsRetryParams, ThreadsUndoParams, TurnOverrides,
    TurnsStartParams, Undone,
};
use codewhale_store::{Batch, Durability, Guard};

use super::plan::{Dropped, Going, Plan};
use super::restoration::Moving;
use super::seconds;
use crate::Error;
use crate::actor::{Asker, Command};
use crate::runtime::Core;
use crate::serve::Handler;
use crate::threads::{Cut, ForkSource};

impl Handler<ThreadsUndo> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadsUndoParams) -> Result<Undone, Error> {
        self.undo(caller, params).await
    }
}

impl Handler<ThreadsPatchUndo> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadsUndoParams) -> Result<Undone, Error> {
        self.undo(caller, params).await
    }
}

impl Handler<ThreadsRetry> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadsRetryParams) -> Result<Retried, Error> {
        let ThreadsRetryParams {
            thread_id,
            depth,
            prompt,
            force,
        } = params;
        let blank = || Error::Invalid("the prompt is blank; say what to try instead".into());
        if prompt.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(blank());
        }
        // A turn that could not begin must not leave anything undone.
        let source = self.fork_source(thread_id.clone()).await?;
        let thread = &source.thread.record;
        let provider = thread.model_provider_id.as_ref();
        let provider = provider.or(thread.model_provider.as_ref());
        self.routes
            .resolve(provider.map(String::as_str), Some(&thread.model))?;
        let undo = ThreadsUndoParams {
            thread_id,
            depth,
            force,
        };
        let undone = self.undo(caller, undo).await?;
        let prompt = prompt.or(undone.original_user_text).ok_or_else(blank)?;
        let params = TurnsStartParams {
            thread_id: undone.thread.id.clone(),
            prompt,
            input: None,
            overrides: TurnOverrides::default(),
        };
        let caller = caller.clone();
        let start = |reply| Command::Start {
            asker: Asker::from(caller),
            params,
            reply,
        };
        let started = self.ask_thread(&undone.thread.id, start).await?;
        Ok(Retried {
            thread: started.thread,
            turn: started.turn,
            patch_result: undone.patch_result,
        })
    }
}

impl Core {
    /// Undoes, whether whoever asked stays to hear of it or not.
    async fn undo(
        self: &Arc<Self>,
        caller: &Caller,
        params: ThreadsUndoParams,
    ) -> Result<Undone, Error> {
        let (core, caller) = (Arc::clone(self), caller.clone());
        let work = async move { core.undo_whole(&caller, params).await };
        self.tasks.spawn(work).await.map_err(|_| Error::Closing)?
    }

    async fn undo_whole(
        &self,
        caller: &Caller,
        params: ThreadsUndoParams,
    ) -> Result<Undone, Error> {
        self.recover().await?;
        self.recover_files().await?;
        let source = self.fork_source(params.thread_id).await?;
        source.require_quiet()?;
        let cut = source.cut_at_message(params.depth)?;
        let original_user_text = source.said_in(&cut);
        let dropped = Dropped {
            turns: source.behind(&cut),
            snapshots: &source.snapshots,
        };
        let (thread, patch_result) = match self.plan(&dropped, params.force).await? {
            Plan::Stay(reason) => {
                let mut batch = self.store.batch(Durability::Synced);
                let thread = self.fork_into(&mut batch, caller, &source, Some(&cut));
                self.store.commit(batch).await?;
                let summary = Some(reason);
                let stayed = PatchResult {
                    summary,
                    ..PatchResult::default()
                };
                (thread, stayed)
            }
            Plan::Go(going) => self.go_back(caller, &source, &cut, *going).await?,
        };
        Ok(Undone {
            patch_result,
            thread,
            original_user_text,
        })
    }

    /// Moves files and conversation, both or neither.
    async fn go_back(
        &self,
        caller: &Caller,
        source: &ForkSource,
        cut: &Cut,
        going: Going,
    ) -> Result<(ThreadRecord, PatchResult), Error> {
        self.require_still(&going.workspace)?;
        let Going {
            visit,
            workspace,
            now,
            parts,
            first,
        } = going;
        let at = self.env.now();
        let to = visit.compose(&now, &parts, seconds(at)).await?;
        let label = format!("pre-restore:{}", first.id);
        let note = self.env.uuid().simple().to_string();
        let from = visit.keep(&now, &label, &note, seconds(at)).await?;
        let previous = from.to_string();
        let row = self.pre_restore(caller, &first, &from, &label, at);
        let moving = Moving {
            visit,
            workspace,
            from,
            to,
            kept: Some(row),
        };
        let mut thread = None;
        let finish = |batch: &mut Batch| {
            batch.guard(Guard::Head {
                stream: source.stream(),
                seq: source.head,
            });
            thread = Some(self.fork_into(batch, caller, source, Some(cut)));
        };
        let files = self.carry_out(moving, finish).await?;
        let thread = thread.expect("a move that ended was written down");
        let patch_result = PatchResult {
            files_restored: true,
            summary: Some(in_words(&files)),
            snapshot_label: Some(first.label),
            previous: Some(previous),
            files,
        };
        Ok((thread, patch_result))
    }
}

/// What was put back, for people.
fn in_words(files: &[String]) -> String {
    const NAMED: usize = 10;
    let named = files.iter().take(NAMED).map(String::as_str);
    let named = named.collect::<Vec<_>>().join(", ");
    match files.len() {
        0 => "The files are as they were before.".to_owned(),
        1 => format!("Put back {named}."),
        count if count <= NAMED => format!("Put back {count} files: {named}."),
        count => format!("Put back {count} files: {named} and more."),
    }
}
