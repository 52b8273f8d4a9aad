//! Undo and retry: a copy of the thread without its last turns, and the files as before them.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{ThreadsPatchUndo, ThreadsRetry, ThreadsUndo};
use codewhale_protocol::runtime::{
    PatchResult, Retried, ThreadsRetryParams, ThreadsUndoParams, TurnOverrides, TurnsStartParams,
    Undone,
};
use codewhale_store::{Batch, Durability, Guard};

use super::plan::{Dropped, Going, Plan};
use super::restoration::Moving;
use super::seconds;
use crate::Error;
use crate::actor::{Asker, Command};
use crate::client_tools;
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::threads::{Cut, ForkSource};

impl Handler<ThreadsUndo> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadsUndoParams) -> Result<Undone, Error> {
        self.undo(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: ThreadsUndoParams,
        once: Once,
    ) -> Result<Undone, Error> {
        self.undo(caller, params, Some(once)).await
    }
}

impl Handler<ThreadsPatchUndo> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadsUndoParams) -> Result<Undone, Error> {
        self.undo(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: ThreadsUndoParams,
        once: Once,
    ) -> Result<Undone, Error> {
        self.undo(caller, params, Some(once)).await
    }
}

impl Handler<ThreadsRetry> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadsRetryParams) -> Result<Retried, Error> {
        self.retry_turn(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: ThreadsRetryParams,
        once: Once,
    ) -> Result<Retried, Error> {
        self.retry_turn(caller, params, Some(once)).await
    }
}

impl Core {
    async fn retry_turn(
        self: &Arc<Self>,
        caller: &Caller,
        params: ThreadsRetryParams,
        once: Option<Once>,
    ) -> Result<Retried, Error> {
        let blank = || Error::Invalid("the prompt is blank; say what to try instead".into());
        let given = params.prompt.clone();
        if given.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(blank());
        }
        let dynamic_tools = params.dynamic_tools.clone();
        client_tools::check(dynamic_tools.as_deref().unwrap_or_default(), &self.tools)?;
        let undone = self.undo_to_retry(caller, params, once.as_ref()).await?;
        let (prompt, input) = match (given, undone.original_input) {
            (Some(given), _) => (given, None),
            (None, Some(parts)) => (String::new(), Some(parts)),
            (None, None) => (undone.original_user_text.ok_or_else(blank)?, None),
        };
        let params = TurnsStartParams {
            thread_id: undone.thread.id.clone(),
            prompt,
            input,
            overrides: TurnOverrides {
                dynamic_tools,
                ..TurnOverrides::default()
            },
        };
        let caller = caller.clone();
        let start = |reply| Command::Start {
            asker: Asker::from(caller),
            params: Box::new(params),
            once: once.map(|once| once.with("patch_result", &undone.patch_result)),
            reply,
        };
        let started = self.ask_thread(&undone.thread.id, start).await?;
        Ok(Retried {
            thread: started.thread,
            turn: started.turn,
            patch_result: undone.patch_result,
        })
    }

    /// The first half of a retry. It is written down by itself: when the other half was cut off,
    /// the same request goes on from here.
    async fn undo_to_retry(
        self: &Arc<Self>,
        caller: &Caller,
        params: ThreadsRetryParams,
        once: Option<&Once>,
    ) -> Result<Undone, Error> {
        let once = once.map(|once| once.part("undo"));
        if let Some(once) = &once
            && let Some(undone) = once.answered(self)?
        {
            return Ok(undone);
        }
        let ThreadsRetryParams {
            thread_id,
            depth,
            force,
            prompt,
            dynamic_tools: _,
        } = params;
        // A turn that could not begin must not leave anything undone.
        let source = self.fork_source(thread_id.clone()).await?;
        let thread = &source.thread.record;
        let provider = thread.model_provider_id.as_ref();
        let provider = provider.or(thread.model_provider.as_ref());
        let provider = provider.map(String::as_str);
        let routes = &self.preferences().routes;
        let route = routes.resolve(provider, Some(&thread.model))?;
        let cut = source.cut_at_message(depth)?;
        let said = source.said_in(&cut).and_then(|it| it.input.as_deref());
        if prompt.is_none() {
            self.check_parts(&thread_id, said.unwrap_or_default(), &route)?;
        }
        let undo = ThreadsUndoParams {
            thread_id,
            depth,
            force,
        };
        self.undo(caller, undo, once).await
    }

    /// Undoes, whether whoever asked stays to hear of it or not.
    async fn undo(
        self: &Arc<Self>,
        caller: &Caller,
        params: ThreadsUndoParams,
        once: Option<Once>,
    ) -> Result<Undone, Error> {
        let (core, caller) = (Arc::clone(self), caller.clone());
        let work = async move { core.undo_whole(&caller, params, once).await };
        self.tasks.spawn(work).await.map_err(|_| Error::Closing)?
    }

    async fn undo_whole(
        &self,
        caller: &Caller,
        params: ThreadsUndoParams,
        once: Option<Once>,
    ) -> Result<Undone, Error> {
        self.recover().await?;
        self.recover_files().await?;
        let source = self.fork_source(params.thread_id).await?;
        source.require_quiet()?;
        let cut = source.cut_at_message(params.depth)?;
        let said = source.said_in(&cut);
        let dropped = Dropped {
            turns: source.behind(&cut),
            snapshots: &source.snapshots,
        };
        match self.plan(&dropped, params.force).await? {
            Plan::Stay(reason) => {
                let mut batch = self.store.batch(Durability::Synced);
                let undone = Undone {
                    patch_result: PatchResult {
                        summary: Some(reason),
                        ..PatchResult::default()
                    },
                    thread: self.fork_into(&mut batch, caller, &source, Some(&cut)),
                    original_user_text: said.and_then(|it| it.detail.clone()),
                    original_input: said.and_then(|it| it.input.clone()),
                };
                if let Some(once) = once {
                    once.settle(self, &mut batch, &undone);
                }
                self.store.commit(batch).await?;
                Ok(undone)
            }
            Plan::Go(going) => self.go_back(caller, (&source, &cut), *going, once).await,
        }
    }

    /// Moves files and conversation, both or neither.
    async fn go_back(
        &self,
        caller: &Caller,
        (source, cut): (&ForkSource, &Cut),
        going: Going,
        once: Option<Once>,
    ) -> Result<Undone, Error> {
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
        let mut undone = None;
        let finish = |batch: &mut Batch, files: &[String]| {
            batch.guard(Guard::Head {
                stream: source.stream(),
                seq: source.head,
            });
            let said = source.said_in(cut);
            let told = Undone {
                patch_result: PatchResult {
                    files_restored: true,
                    summary: Some(in_words(files)),
                    snapshot_label: Some(first.label),
                    previous: Some(previous),
                    files: files.to_vec(),
                },
                thread: self.fork_into(batch, caller, source, Some(cut)),
                original_user_text: said.and_then(|it| it.detail.clone()),
                original_input: said.and_then(|it| it.input.clone()),
            };
            if let Some(once) = once {
                once.settle(self, batch, &told);
            }
            undone = Some(told);
        };
        self.carry_out(moving, finish).await?;
        Ok(undone.expect("a move that ended was written down"))
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
