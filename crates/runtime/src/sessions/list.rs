//! Lists of sessions: threads, and the recordings of other programs beside them.

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{
    SessionCost, SessionMetadata, SessionSummary, SessionsListParams, ThreadId, ThreadRecord,
    ThreadSummary, Timestamp,
};
use codewhale_store::{SessionFigures, SessionQuery, Shown, ThreadWords};

use super::old::Head;
use crate::runtime::Core;
use crate::{Error, limits};

/// A session of a list.
pub(super) enum Listed {
    /// A thread.
    Ours(Box<Line>),
    /// A recording of another program.
    Old(Head),
}

impl Listed {
    pub(super) fn id(&self) -> &ThreadId {
        match self {
            Listed::Ours(line) => &line.record.id,
            Listed::Old(head) => &head.id,
        }
    }

    fn title(&self) -> &str {
        match self {
            Listed::Ours(line) => &line.title,
            Listed::Old(head) => &head.title,
        }
    }

    fn messages(&self) -> u64 {
        match self {
            Listed::Ours(line) => line.figures.messages,
            Listed::Old(head) => head.messages,
        }
    }

    fn updated_at(&self) -> Timestamp {
        match self {
            Listed::Ours(line) => line.record.updated_at,
            Listed::Old(head) => head.updated_at,
        }
    }

    pub(super) fn metadata(self) -> SessionMetadata {
        match self {
            Listed::Ours(line) => line.metadata(),
            Listed::Old(head) => head.metadata(),
        }
    }

    pub(super) fn summary(self) -> SessionSummary {
        match self {
            Listed::Ours(line) => line.summary(),
            Listed::Old(head) => head.summary(),
        }
    }
}

impl Head {
    pub(super) fn metadata(self) -> SessionMetadata {
        SessionMetadata {
            id: self.id,
            title: self.title,
            created_at: self.created_at,
            updated_at: self.updated_at,
            message_count: self.messages,
            total_tokens: self.tokens,
            model: self.model,
            model_provider: self.provider.unwrap_or_default(),
            model_provider_id: None,
            workspace: self.workspace,
            mode: Some(self.mode),
            cost: SessionCost {
                usd: 0.0,
                unpriced: 0,
            },
            parent_session_id: None,
            cumulative_turn_secs: 0,
            spawn_depth: 0,
            archived: false,
        }
    }

    fn summary(self) -> SessionSummary {
        SessionSummary {
            id: self.id,
            preview: self.title.clone(),
            title: self.title,
            model: self.model,
            mode: self.mode,
            workspace: self.workspace,
            additional_directories: Vec::new(),
            archived: false,
            message_count: self.messages,
            total_tokens: self.tokens,
            updated_at: self.updated_at,
            created_at: self.created_at,
            parent_session_id: None,
            is_current: false,
        }
    }
}

/// A line of a list, with its figures.
pub(super) struct Line {
    pub(super) record: ThreadRecord,
    pub(super) title: String,
    preview: String,
    pub(super) figures: SessionFigures,
    is_running: bool,
}

impl Line {
    pub(super) fn new(record: ThreadRecord, words: &ThreadWords, figures: SessionFigures) -> Self {
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

    pub(super) fn metadata(self) -> SessionMetadata {
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

    fn summary(self) -> SessionSummary {
        SessionSummary {
            id: self.record.id,
            title: self.title,
            preview: self.preview,
            model: self.record.model,
            mode: self.record.mode,
            workspace: self.record.workspace,
            additional_directories: self.record.additional_directories,
            archived: self.record.archived,
            message_count: self.figures.messages,
            total_tokens: self.figures.tokens,
            updated_at: self.record.updated_at,
            created_at: self.record.created_at,
            parent_session_id: self.record.parent_id,
            is_current: self.is_running,
        }
    }
}

impl Core {
    /// Sessions of all kinds, as they were asked for.
    pub(super) async fn sessions(
        &self,
        caller: &Caller,
        params: SessionsListParams,
    ) -> Result<Vec<Listed>, Error> {
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
        let old = match shown {
            Shown::Archived => Vec::new(),
            Shown::Active | Shown::All => {
                self.old_listed(caller, search.as_deref(), workspace.as_deref())
                    .await?
            }
        };
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
        let lines = read.await?.into_iter().map(|it| Listed::Ours(Box::new(it)));
        let mut lines: Vec<Listed> = lines.chain(old.into_iter().map(Listed::Old)).collect();
        match by.as_str() {
            "name" => lines.sort_by_key(|line| line.title().to_lowercase()),
            "size" => lines.sort_by_key(|line| std::cmp::Reverse(line.messages())),
            _ => lines.sort_by_key(|line| std::cmp::Reverse(line.updated_at())),
        }
        lines.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(lines)
    }

    /// The recordings of other programs that fit, as long as no thread was made of them. They are the
    /// operator's alone.
    async fn old_listed(
        &self,
        caller: &Caller,
        search: Option<&str>,
        workspace: Option<&str>,
    ) -> Result<Vec<Head>, Error> {
        if caller.principal != self.operator {
            return Ok(Vec::new());
        }
        let old = Arc::clone(&self.old_sessions);
        let mut heads = self.store.apart(move || old.list()).await?;
        let search = search.map(|it| it.trim().to_lowercase());
        heads.retain(|head| {
            let words = [&head.title, &head.workspace, &head.model];
            let mut words = words
                .into_iter()
                .map(String::as_str)
                .chain([head.id.as_str()]);
            let is_meant = search
                .as_ref()
                .is_none_or(|search| words.any(|it| it.to_lowercase().contains(search)));
            is_meant && workspace.is_none_or(|it| it == head.workspace)
        });
        let mut left = Vec::new();
        for head in heads {
            if self.imported(&head.id)?.is_none() {
                left.push(self.sealed(head));
            }
        }
        Ok(left)
    }

    /// What a file says is not masked yet.
    fn sealed(&self, mut head: Head) -> Head {
        let redactor = self.store.redactor();
        for text in [&mut head.title, &mut head.workspace, &mut head.model] {
            *text = redactor.mask(text).into_owned();
        }
        head
    }
}
