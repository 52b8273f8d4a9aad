//! Who can be given runs: an agent per mode, which begins a thread or goes on with a session; and
//! the threads of people, each an agent under a name of its own.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use codewhale_protocol::operations::{ThreadsGet, ThreadsList};
use codewhale_protocol::runtime::{
    Mode, ThreadId, ThreadParams, ThreadRecord, ThreadsListParams, Timestamp, TurnRecord,
};
use codewhale_protocol::{Caller, ErrorCode, Surface};
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ask;
use super::message::refused;
use super::name::Name;
use super::serve::{NamedBy, json};
use crate::error::Failure;
use crate::limits;
use crate::operation::no_text;
use crate::routes::Door;

/// What names of agents for modes begin with.
const MODE: &str = "codewhale-";
/// What names of threads begin with.
const THREAD: &str = "thread-";

/// Someone who can be given a run.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Agent {
    /// An agent in a mode, on whatever thread.
    Mode(Mode),
    /// A thread that someone began elsewhere.
    Thread(ThreadId),
}

const MODES: [Mode; 3] = [Mode::Agent, Mode::Plan, Mode::Operate];

impl Agent {
    /// The agent of a name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        if let Some(word) = name.strip_prefix(MODE) {
            let mode = MODES.into_iter().find(|mode| mode.as_str() == word);
            return mode.map(Self::Mode);
        }
        let digits = name.strip_prefix(THREAD)?;
        let thread = Name::of(&format!("{}{digits}", ThreadId::PREFIX))?.thread();
        Some(Self::Thread(thread)).filter(|agent| agent.name() == name)
    }

    /// Who works in a turn. A thread that was begun elsewhere is an agent of its own, as long as it
    /// works in its own mode.
    pub(super) fn of(thread: &ThreadRecord, turn: &TurnRecord) -> Self {
        let mode = turn.meta.as_ref().map_or(thread.mode, |meta| meta.mode);
        match is_own(thread) && mode == thread.mode {
            true => Self::Thread(thread.id.clone()),
            false => Self::Mode(mode),
        }
    }

    /// The name.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Mode(mode) => format!("{MODE}{}", mode.as_str()),
            Self::Thread(id) => {
                let digits = id.as_str().trim_start_matches(ThreadId::PREFIX);
                format!("{THREAD}{digits}")
            }
        }
    }

    /// The mode that a turn needs because its thread has another.
    pub(super) fn mode_on(&self, thread: &ThreadRecord) -> Option<Mode> {
        match self {
            Self::Mode(mode) => Some(*mode).filter(|mode| *mode != thread.mode),
            Self::Thread(_) => None,
        }
    }
}

/// Whether a thread was begun through another door. Those that were begun here are the sessions of
/// those who began them.
fn is_own(thread: &ThreadRecord) -> bool {
    thread.origin.surface != Surface::AcpRest
}

/// What is told of an agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentManifest")]
pub(super) struct Manifest {
    name: String,
    description: String,
    metadata: Metadata,
    input_content_types: [&'static str; 2],
    output_content_types: [&'static str; 2],
}

/// What else is told of an agent.
#[derive(Serialize, JsonSchema)]
pub(super) struct Metadata {
    license: &'static str,
    programming_language: &'static str,
    framework: &'static str,
    capabilities: Vec<Capability>,
    domains: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<Timestamp>,
    /// The session that a run of this agent goes on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<Name>,
}

/// Something an agent can do.
#[derive(Serialize, JsonSchema)]
pub(super) struct Capability {
    name: &'static str,
    description: &'static str,
}

impl Manifest {
    fn of_mode(mode: Mode) -> Self {
        let (description, name) = match mode {
            Mode::Agent => (
                "Works in a workspace: reads, writes and runs commands, and asks where it must.",
                "work",
            ),
            Mode::Plan => (
                "Looks at a workspace and thinks about it; changes nothing.",
                "plan",
            ),
            Mode::Operate => (
                "Works like codewhale-agent, and rather hands work to others that it starts.",
                "operate",
            ),
        };
        let capability = Capability { name, description };
        Self::new(&Agent::Mode(mode), description.to_owned(), capability)
    }

    fn of_thread(thread: &ThreadRecord) -> Self {
        let title = thread.title.as_deref().unwrap_or("A thread");
        let description = format!("{title}, in {}", thread.workspace);
        let capability = Capability {
            name: "continue",
            description: "Goes on with a conversation that is there.",
        };
        let agent = Agent::Thread(thread.id.clone());
        let mut manifest = Self::new(&agent, description, capability);
        manifest.metadata.created_at = Some(thread.created_at);
        manifest.metadata.updated_at = Some(thread.updated_at);
        manifest.metadata.session_id = Name::of(thread.id.as_str());
        manifest
    }

    fn new(agent: &Agent, description: String, capability: Capability) -> Self {
        Self {
            name: agent.name(),
            description,
            metadata: Metadata {
                license: "MIT",
                programming_language: "Rust",
                framework: "CodeWhale",
                capabilities: vec![capability],
                domains: ["software-development"],
                created_at: None,
                updated_at: None,
                session_id: None,
            },
            input_content_types: ["text/*", "application/json"],
            output_content_types: ["text/plain", "application/json"],
        }
    }
}

/// Agents, a page of them.
#[derive(Serialize, JsonSchema)]
pub(super) struct Agents {
    agents: Vec<Manifest>,
}

/// Which page.
#[derive(Deserialize)]
pub(super) struct Page {
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    offset: usize,
}

/// `GET /acp/agents`.
pub(super) async fn list(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    page: Result<Query<Page>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Failure> {
    let Query(page) = page.map_err(|error| refused(error.body_text()))?;
    let limit = page.limit.unwrap_or(limits::AGENTS_LISTED);
    if limit == 0 || limit > limits::AGENTS_LISTED_MAX {
        let most = limits::AGENTS_LISTED_MAX;
        return Err(refused(format!("limit must be from 1 to {most}")));
    }
    let params = ThreadsListParams {
        limit: Some(limits::THREADS_LISTED),
        ..ThreadsListParams::default()
    };
    let threads = ask::<ThreadsList>(&door, &caller, &params, None).await?;
    // Agents below others are driven by those.
    let shown = |thread: &&ThreadRecord| is_own(thread) && thread.parent_id.is_none();
    let threads = threads.iter().filter(shown).map(Manifest::of_thread);
    let all = MODES.map(Manifest::of_mode).into_iter().chain(threads);
    let agents = all.skip(page.offset).take(limit).collect();
    Ok(json(StatusCode::OK, &Agents { agents }))
}

/// `GET /acp/agents/{name}`.
pub(super) async fn read(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    path: NamedBy,
) -> Result<Response, Failure> {
    let Path(name) = path.map_err(|_| no_text())?;
    let manifest = match Agent::parse(&name).ok_or_else(|| unknown(&name))? {
        Agent::Mode(mode) => Manifest::of_mode(mode),
        Agent::Thread(thread_id) => {
            let params = ThreadParams { thread_id };
            let detail = ask::<ThreadsGet>(&door, &caller, &params, None).await;
            let detail = detail.map_err(|error| match error.code {
                ErrorCode::NotFound => unknown(&name),
                _ => error.into(),
            })?;
            Manifest::of_thread(&detail.thread)
        }
    };
    Ok(json(StatusCode::OK, &manifest))
}

/// Nobody has this name.
pub(super) fn unknown(name: &str) -> Failure {
    let message = format!("Agent {name} not found");
    Failure::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_back_to_its_agent() {
        let thread = ThreadId::from("thr_019a86c4f2b07d3e8c5a1b9d4e6f7082");
        let agents = MODES.map(Agent::Mode).into_iter();
        for agent in agents.chain([Agent::Thread(thread)]) {
            assert_eq!(Agent::parse(&agent.name()), Some(agent));
        }
    }

    #[test]
    fn other_names_are_nobodys() {
        for name in [
            "",
            "agent",
            "codewhale-",
            "codewhale-yolo",
            "thread-",
            "thread-x",
        ] {
            assert_eq!(Agent::parse(name), None, "{name}");
        }
        // One agent has one name.
        let hyphens = "thread-019a86c4-f2b0-7d3e-8c5a-1b9d4e6f7082";
        assert_eq!(Agent::parse(hyphens), None);
    }
}
