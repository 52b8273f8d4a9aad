//! Threads: making, listing, reading, changing, copying them.

mod fork;

use std::sync::Arc;

use codewhale_policy::Authority;
use codewhale_protocol::operations::{
    Right, ThreadsCreate, ThreadsFork, ThreadsGet, ThreadsList, ThreadsPatch, ThreadsResume,
    ThreadsSummary,
};
use codewhale_protocol::runtime::{
    Audience, CoherenceState, Event, Permission, RECORD_SCHEMA_VERSION, Seq, StreamId,
    ThreadDetail, ThreadId, ThreadKind, ThreadParams, ThreadRecord, ThreadStarted, ThreadSummary,
    ThreadsCreateParams, ThreadsListParams, ThreadsPatchParams, ThreadsSummaryParams,
};
use codewhale_protocol::{Caller, Origin, Scope};
use codewhale_store::{
    About, Durability, Guard, ListedThread, Located, Shown, ThreadQuery, ThreadWords,
};

use crate::actor::{Command, clean_title, effort, grants_more};
use crate::gate::require_scope;
use crate::once::Once;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::workspace::{check_directories, check_workspace};
use crate::{Error, bounds, limits};

pub(crate) use fork::{Cut, ForkSource};

impl Handler<ThreadsCreate> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ThreadsCreateParams,
    ) -> Result<ThreadRecord, Error> {
        self.create_thread(caller, params, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: ThreadsCreateParams,
        once: Once,
    ) -> Result<ThreadRecord, Error> {
        self.create_thread(caller, params, Some(once)).await
    }
}

impl Core {
    async fn create_thread(
        &self,
        caller: &Caller,
        mut params: ThreadsCreateParams,
        once: Option<Once>,
    ) -> Result<ThreadRecord, Error> {
        let named = params.id.take().map(checked_id).transpose()?;
        let mut thread = self.new_thread(caller, params).await?;
        if let Some(id) = named {
            thread.id = id;
        }
        let mut batch = self.store.batch(Durability::Synced);
        // Of two who want the same name, in whatever process, one gets it.
        batch.guard(Guard::Head {
            stream: StreamId::Thread(thread.id.clone()),
            seq: Seq::ZERO,
        });
        batch.put_thread(&thread, &ThreadWords::default());
        let stream = StreamId::Thread(thread.id.clone());
        let (at, by) = (thread.created_at, self.caller_stamp(caller));
        let about = About {
            stream: &stream,
            turn_id: None,
            item_id: None,
            at,
            by: &by,
        };
        batch.event(
            about,
            &Event::ThreadStarted(ThreadStarted {
                thread: thread.clone(),
            }),
        );
        if let Some(once) = once {
            once.settle(self, &mut batch, &thread);
        }
        match self.store.commit(batch).await {
            Ok(_) => Ok(thread),
            Err(codewhale_store::Error::Guard(Guard::Head { .. })) => Err(Error::ThreadExists),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) async fn new_thread(
        &self,
        caller: &Caller,
        params: ThreadsCreateParams,
    ) -> Result<ThreadRecord, Error> {
        let filled = |text: Option<String>| {
            text.map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty())
        };
        if params
            .model_provider_id
            .as_deref()
            .is_some_and(|id| id.trim().is_empty())
        {
            return Err(Error::Invalid(
                "model_provider_id must not be blank; leave it out".into(),
            ));
        }
        let workspace = match filled(params.workspace) {
            Some(workspace) => check_workspace(&workspace)?,
            None => self.workspace.clone(),
        };
        let added = params.additional_directories.unwrap_or_default();
        let additional_directories = check_directories(&workspace, &added)?;
        let bounds = params.bounds.filter(|bounds| !bounds.is_empty());
        let bounds = bounds
            .map(|bounds| bounds::checked(&bounds, &workspace))
            .transpose()?;
        if let Some(parent) = &params.parent_thread_id {
            self.require_right(caller, Right::ReadThread, Located::Thread(parent))?;
        }
        let provider = filled(params.model_provider_id).or(filled(params.model_provider));
        let preferences = self.preferences();
        let route = preferences
            .routes
            .resolve(provider.as_deref(), params.model.as_deref())?;
        // `auto` stays: each turn then chooses anew.
        let model = match params.model.as_deref().map(str::trim) {
            Some("auto") => "auto".to_owned(),
            _ => route.model,
        };
        let reasoning_effort = params.reasoning_effort.as_deref();
        let reasoning_effort = reasoning_effort.map(effort).transpose()?.flatten();
        let mode = params
            .mode
            .as_deref()
            .filter(|mode| !mode.trim().is_empty());
        let posture = params.permission_posture.as_deref();
        let permission = Permission::DEFAULT.amended(mode, posture, params.auto_approve)?;
        let authority = Authority {
            allow_shell: params.allow_shell.unwrap_or(preferences.allow_shell),
            trust_mode: params.trust_mode.unwrap_or(false),
            ..Authority::plain(permission)
        };
        if grants_more(&authority, preferences.allow_shell) {
            require_scope(caller, Scope::Admin)?;
        }
        let room = match params.workroom_id {
            Some(room) => room,
            None => self.room_of_workspace(caller, &workspace).await?,
        };
        // The room of a workspace may be someone else's: nobody works where they are not a member.
        self.require_right(caller, Right::Run, Located::Room(&room))?;
        let now = self.env.now();
        let mut thread = ThreadRecord {
            schema_version: RECORD_SCHEMA_VERSION,
            id: ThreadId::new(self.env.uuid()),
            created_at: now,
            updated_at: now,
            model,
            model_provider: Some(route.provider),
            model_provider_id: route.provider_id,
            reasoning_effort,
            workspace,
            additional_directories,
            mode: authority.permission.mode,
            permission_posture: None,
            approval_policy: None,
            sandbox_mode: None,
            allow_shell: authority.allow_shell,
            trust_mode: authority.trust_mode,
            auto_approve: false,
            latest_turn_id: None,
            latest_response_bookmark: None,
            archived: params.archived.unwrap_or(false),
            system_prompt: filled(params.system_prompt),
            task_id: filled(params.task_id),
            title: params.title.as_deref().and_then(clean_title),
            session_id: None,
            coherence_state: CoherenceState::Healthy,
            workroom_id: room,
            kind: ThreadKind::AgentTask,
            audience: Audience::Room,
            origin: Origin {
                dedupe_key: filled(params.dedupe_key),
                worker_id: filled(params.worker_id),
                parent_thread_id: params.parent_thread_id,
                ..Origin::of(caller.surface)
            },
            parent_id: None,
            root_id: None,
            agent_role: None,
            bounds,
            deleted_at: None,
        };
        thread.set_permission(authority.permission);
        self.show_walls(&mut thread);
        Ok(thread)
    }

    fn list(
        &self,
        caller: &Caller,
        (limit, include_archived, archived_only): (Option<u64>, Option<bool>, Option<bool>),
        search: Option<&str>,
    ) -> Result<Vec<ListedThread>, Error> {
        let shown = match (archived_only, include_archived) {
            (Some(true), _) => Shown::Archived,
            (_, Some(true)) => Shown::All,
            _ => Shown::Active,
        };
        let limit = limit
            .unwrap_or(limits::LIST_DEFAULT)
            .clamp(1, limits::LIST_MAX);
        let principal = caller.principal.as_str();
        let query = ThreadQuery {
            principal,
            shown,
            limit,
            search,
        };
        Ok(self.store.read(|reader| reader.threads(&query))?)
    }
}

/// A name for a thread that reads like those that are drawn.
fn checked_id(id: ThreadId) -> Result<ThreadId, Error> {
    let digits = id.as_str().strip_prefix(ThreadId::PREFIX);
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    match digits {
        Some(digits) if digits.len() == 32 && digits.bytes().all(is_digit) => Ok(id),
        _ => Err(Error::Invalid(
            "id must be thr_ and 32 hexadecimal digits in lower case; leave it out to have one drawn"
                .into(),
        )),
    }
}

impl Handler<ThreadsList> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ThreadsListParams,
    ) -> Result<Vec<ThreadRecord>, Error> {
        let filter = (params.limit, params.include_archived, params.archived_only);
        let lines = self.list(caller, filter, None)?;
        Ok(lines.into_iter().map(|line| line.record).collect())
    }
}

impl Handler<ThreadsSummary> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ThreadsSummaryParams,
    ) -> Result<Vec<ThreadSummary>, Error> {
        let filter = (params.limit, params.include_archived, params.archived_only);
        let search = params
            .search
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty());
        let lines = self.list(caller, filter, search)?;
        let looks = self
            .look_at(lines.iter().map(|line| line.record.workspace.as_str()))
            .await;
        let summary = |line: ListedThread| {
            let words = &line.words;
            let (title, preview) = ThreadSummary::words(
                line.record.title.as_deref(),
                words.latest_input.as_deref(),
                words.latest_message.as_deref(),
            );
            let look = looks
                .get(&line.record.workspace)
                .cloned()
                .unwrap_or_default();
            ThreadSummary {
                id: line.record.id,
                title,
                preview,
                model: line.record.model,
                mode: line.record.mode,
                workspace: line.record.workspace,
                branch: look.branch,
                head: look.head,
                dirty: look.dirty,
                archived: line.record.archived,
                updated_at: line.record.updated_at,
                latest_turn_id: line.record.latest_turn_id,
                latest_turn_status: line.latest_turn_status,
            }
        };
        Ok(lines.into_iter().map(summary).collect())
    }
}

impl Handler<ThreadsGet> for Arc<Core> {
    async fn handle(&self, _: &Caller, params: ThreadParams) -> Result<ThreadDetail, Error> {
        let id = params.thread_id;
        let detail = self
            .store
            .read_apart(move |reader| reader.detail(&id))
            .await?;
        detail.ok_or(Error::NotFound { what: "thread" })
    }
}

impl Handler<ThreadsPatch> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: ThreadsPatchParams,
    ) -> Result<ThreadRecord, Error> {
        let nothing = ThreadsPatchParams::nothing(params.thread_id.clone());
        if params == nothing {
            return Err(Error::Invalid(
                "nothing to change; name at least one member".into(),
            ));
        }
        let (id, caller) = (params.thread_id.clone(), caller.clone());
        self.ask_thread(&id, |reply| Command::Patch {
            caller,
            params,
            reply,
        })
        .await
    }
}

impl Handler<ThreadsResume> for Arc<Core> {
    async fn handle(&self, _: &Caller, params: ThreadParams) -> Result<ThreadRecord, Error> {
        self.ask_thread(&params.thread_id, |reply| Command::Load { reply })
            .await
    }
}

impl Handler<ThreadsFork> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ThreadParams) -> Result<ThreadRecord, Error> {
        self.fork(caller, params.thread_id, None).await
    }

    async fn handle_once(
        &self,
        caller: &Caller,
        params: ThreadParams,
        once: Once,
    ) -> Result<ThreadRecord, Error> {
        self.fork(caller, params.thread_id, Some(once)).await
    }
}
