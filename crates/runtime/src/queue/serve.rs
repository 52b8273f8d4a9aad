//! What can be asked about tasks.

use std::sync::Arc;

use codewhale_protocol::operations::{Right, TasksCancel, TasksCreate, TasksGet, TasksList};
use codewhale_protocol::runtime::{
    AutomationId, TASK_SCHEMA_VERSION, Task, TaskEntry, TaskEntryKind, TaskId, TaskList,
    TaskParams, TaskRecord, TaskStatus, TasksCreateParams, TasksListParams, TerminalReason,
    ThreadsCreateParams,
};
use codewhale_protocol::{Actor, Caller};
use codewhale_store::{Durability, Located, StoredTask, TaskQuery};

use super::{change, write};
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<TasksList> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: TasksListParams) -> Result<TaskList, Error> {
        let limit = params.limit.unwrap_or(limits::TASKS_LISTED_MAX);
        let limit = limit.clamp(1, limits::TASKS_LISTED_MAX);
        let principal = caller.principal.clone();
        let list = self.store.read_apart(move |reader| {
            let query = TaskQuery {
                principal: &principal,
                workspace: params.workspace.as_deref(),
                limit,
            };
            Ok(TaskList {
                tasks: reader.tasks(&query)?,
                counts: reader.task_counts(&principal)?,
            })
        });
        Ok(list.await?)
    }
}

impl Handler<TasksCreate> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: TasksCreateParams,
    ) -> Result<TaskRecord, Error> {
        self.create_task(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: TasksCreateParams,
        once: Once,
    ) -> Result<TaskRecord, Error> {
        self.create_task(caller, params, Some(once)).await
    }
}

impl Core {
    async fn create_task(
        &self,
        caller: &Caller,
        params: TasksCreateParams,
        once: Option<Once>,
    ) -> Result<TaskRecord, Error> {
        let stored = self.new_task(caller, params, None).await?;
        let mut batch = self.store.batch(Durability::Synced);
        let by = self.caller_stamp(caller);
        write(&mut batch, &stored, &by, stored.task.created_at);
        let shown = self.shown(stored).await?;
        if let Some(once) = once {
            once.settle(self, &mut batch, &shown);
        }
        self.store.commit(batch).await?;
        self.queue.stir();
        Ok(shown)
    }
}

impl Handler<TasksGet> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: TaskParams) -> Result<TaskRecord, Error> {
        let stored = self.task_named(caller, Right::ReadThread, &params.task_id)?;
        self.shown(stored).await
    }
}

impl Handler<TasksCancel> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: TaskParams) -> Result<TaskRecord, Error> {
        for _ in 0..limits::CHANGE_ATTEMPTS {
            let mut stored = self.task_named(caller, Right::Run, &params.task_id)?;
            let at = self.env.now();
            match stored.task.status {
                TaskStatus::Queued => change::cancel(&mut stored, at),
                TaskStatus::Running if stored.task.stopping.is_none() => {
                    change::stop(&mut stored, TerminalReason::Canceled, at);
                }
                TaskStatus::Running
                | TaskStatus::Completed
                | TaskStatus::Failed
                | TaskStatus::Canceled => return self.shown(stored).await,
            }
            let mut batch = self.store.batch(Durability::Synced);
            write(&mut batch, &stored, &self.caller_stamp(caller), at);
            match self.store.commit(batch).await {
                Ok(_) => {
                    self.queue.stir();
                    return self.shown(stored).await;
                }
                Err(codewhale_store::Error::Guard(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }
}

impl Core {
    /// A task that nobody has written down yet. Everything its thread will need is checked now,
    /// while someone is there to be told.
    pub(crate) async fn new_task(
        &self,
        caller: &Caller,
        params: TasksCreateParams,
        automation: Option<AutomationId>,
    ) -> Result<StoredTask, Error> {
        let prompt = params.prompt.trim().to_owned();
        if prompt.is_empty() {
            let message = "the prompt is blank; say what the agent should do";
            return Err(Error::Invalid(message.into()));
        }
        let thread = self.new_thread(
            caller,
            ThreadsCreateParams {
                model: params.model,
                workspace: params.workspace,
                mode: params.mode,
                allow_shell: params.allow_shell,
                trust_mode: params.trust_mode,
                auto_approve: params.auto_approve,
                ..ThreadsCreateParams::default()
            },
        );
        let thread = thread.await?;
        let at = self.env.now();
        let task = Task {
            schema_version: TASK_SCHEMA_VERSION,
            id: TaskId::new(self.env.uuid()),
            prompt,
            model: thread.model,
            mode: thread.mode,
            workspace: thread.workspace,
            allow_shell: thread.allow_shell,
            trust_mode: thread.trust_mode,
            auto_approve: thread.auto_approve,
            status: TaskStatus::Queued,
            created_at: at,
            started_at: None,
            ended_at: None,
            duration_ms: None,
            error: None,
            terminal_reason: None,
            stopping: None,
            thread_id: None,
            turn_id: None,
            owner_session_id: params.owner_session_id,
            automation_id: automation,
            lifecycle_seq: 1,
            created_by: Actor::from(caller),
            timeline: vec![TaskEntry::new(
                at,
                TaskEntryKind::Queued,
                "Waits for a worker",
            )],
        };
        Ok(StoredTask {
            task,
            room: thread.workroom_id,
            principal: caller.principal.clone(),
            owner: None,
        })
    }

    /// The one task whose id is or starts like this, if the caller has the right to it.
    fn task_named(&self, caller: &Caller, right: Right, id: &str) -> Result<StoredTask, Error> {
        const UNKNOWN: Error = Error::NotFound { what: "task" };
        if !id.starts_with(TaskId::PREFIX) {
            return Err(UNKNOWN);
        }
        let read = |start: &str| {
            let principal = &caller.principal;
            self.store
                .read(|reader| reader.tasks_named(principal, start))
        };
        let mut found = read(id)?;
        let exact = found
            .iter()
            .position(|stored| stored.task.id.as_str() == id);
        let stored = match (exact, found.len()) {
            (Some(place), _) => found.swap_remove(place),
            (None, 1) => found.swap_remove(0),
            (None, 0) => return Err(UNKNOWN),
            (None, _) => {
                let message = "several tasks have ids that start like this; name more of it";
                return Err(Error::Invalid(message.into()));
            }
        };
        self.require_right(caller, right, Located::Room(&stored.room))?;
        Ok(stored)
    }
}
