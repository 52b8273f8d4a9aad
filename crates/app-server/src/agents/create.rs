//! `POST /acp/runs`: a turn, on the thread that the session is or on one of its own.

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use codewhale_protocol::operations::{ThreadsCreate, ThreadsResume, TurnsStart};
use codewhale_protocol::runtime::{
    Mode as WorkMode, ThreadId, ThreadParams, ThreadRecord, ThreadsCreateParams, TurnOverrides,
    TurnsStartParams,
};
use codewhale_protocol::{Caller, ErrorBody, ErrorCode};
use http::{HeaderName, HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ask;
use super::follow::{self, Follow};
use super::manifest::{Agent, unknown};
use super::message::{Given, prompt, refused};
use super::name::Name;
use super::run::Run;
use super::serve::{Mode, answer};
use crate::error::Failure;
use crate::operation::{key, read_body};
use crate::routes::Door;

/// The header that names the run.
const RUN_ID: HeaderName = HeaderName::from_static("run-id");

/// What starts a run.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RunCreateRequest")]
pub(super) struct CreateRequest {
    /// Who is to work.
    #[schemars(example = &"codewhale-agent")]
    agent_name: String,
    /// The session to go on with, or to begin under this id.
    #[serde(default)]
    session_id: Option<Name>,
    /// The same as an object.
    #[serde(default)]
    session: Option<GivenSession>,
    /// What is asked.
    input: Vec<Given>,
    /// How it is answered.
    #[serde(default)]
    mode: Mode,
}

/// A session as others send it.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "SessionInput")]
pub(super) struct GivenSession {
    /// Its id.
    id: Name,
    /// Addresses of its messages. Not fetched: those of other servers are refused.
    #[serde(default)]
    history: Vec<String>,
}

pub(super) async fn create(
    State(door): State<Door>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Failure> {
    let key = key(request.headers())?;
    let request: CreateRequest = body(request).await?;
    let agent = Agent::parse(&request.agent_name).ok_or_else(|| unknown(&request.agent_name))?;
    let session = session(&request, &agent)?;
    let prompt = prompt(&request.input)?;
    let asked = Asked {
        door: &door,
        caller: &caller,
        key,
    };
    let thread = asked.thread(&agent, session, &request).await?;
    let overrides = TurnOverrides {
        mode: agent.mode_on(&thread).map(|mode| mode.as_str().to_owned()),
        ..TurnOverrides::default()
    };
    let params = TurnsStartParams {
        thread_id: thread.id.clone(),
        prompt,
        input: None,
        overrides,
    };
    let key = asked.key.clone();
    let started = ask::<TurnsStart>(&door, &caller, &params, key).await?;
    let detail = follow::turn(&door, &caller, started.turn.id.clone()).await?;
    let accepted = Run::begun(&detail.turn, &Agent::of(&detail.thread, &detail.turn))?;
    let name = accepted.run_id.to_string();
    let follow = Follow::new(&door, &caller, &detail, detail.since_seq).await?;
    let mut response = answer(&door, follow, accepted, request.mode).await?;
    let name = HeaderValue::from_str(&name).expect("a UUID fits into a header");
    response.headers_mut().insert(RUN_ID, name);
    Ok(response)
}

/// Reads a body as JSON, whatever it is said to be: clients of this protocol do not say.
pub(super) async fn body<T: DeserializeOwned>(request: Request) -> Result<T, Failure> {
    let body = read_body(request).await?;
    serde_json::from_slice(&body).map_err(|error| {
        let message = format!("the body does not fit: {error}");
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Failure::new(status, ErrorCode::InvalidShape, message)
    })
}

/// The session that is meant, told in up to three ways.
fn session(request: &CreateRequest, agent: &Agent) -> Result<Option<Name>, Failure> {
    let object = request.session.as_ref().map(|session| session.id);
    let by_agent = match agent {
        Agent::Mode(_) => None,
        Agent::Thread(thread) => Name::of(thread.as_str()),
    };
    let mut told = [request.session_id, object, by_agent].into_iter().flatten();
    let first = told.next();
    match told.all(|other| Some(other) == first) {
        true => Ok(first),
        false => Err(Failure::new(
            StatusCode::BAD_REQUEST,
            ErrorCode::InvalidParams,
            "Session ID mismatch",
        )),
    }
}

struct Asked<'a> {
    door: &'a Door,
    caller: &'a Caller,
    key: Option<String>,
}

impl Asked<'_> {
    /// The thread to work on: the one there is, or one that is made for it.
    async fn thread(
        &self,
        agent: &Agent,
        session: Option<Name>,
        request: &CreateRequest,
    ) -> Result<ThreadRecord, Failure> {
        let id = session.map(Name::thread);
        if let Some(id) = &id
            && let Some(thread) = self.loaded(id).await?
        {
            return Ok(thread);
        }
        let mode = match agent {
            Agent::Mode(mode) => *mode,
            Agent::Thread(_) => return Err(unknown(&request.agent_name)),
        };
        let history = request.session.as_ref().map(|session| &session.history);
        if history.is_some_and(|history| !history.is_empty()) {
            let message = "the history of this session is at another server and is not fetched; \
                send what matters of it as input, in a new session";
            return Err(refused(message.to_owned()));
        }
        self.made(id, mode).await
    }

    async fn loaded(&self, id: &ThreadId) -> Result<Option<ThreadRecord>, ErrorBody> {
        let params = ThreadParams {
            thread_id: id.clone(),
        };
        match ask::<ThreadsResume>(self.door, self.caller, &params, None).await {
            Ok(thread) => Ok(Some(thread)),
            Err(error) if error.code == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn made(&self, id: Option<ThreadId>, mode: WorkMode) -> Result<ThreadRecord, Failure> {
        let params = ThreadsCreateParams {
            id: id.clone(),
            mode: Some(mode.as_str().to_owned()),
            ..ThreadsCreateParams::default()
        };
        let key = self.key.clone();
        let made = ask::<ThreadsCreate>(self.door, self.caller, &params, key).await;
        match (made, id) {
            (Ok(thread), _) => Ok(thread),
            // Someone else began the same session at the same moment.
            (Err(error), Some(id)) if error.code == ErrorCode::Conflict => {
                let thread = self.loaded(&id).await?;
                thread.ok_or_else(|| error.into())
            }
            (Err(error), _) => Err(error.into()),
        }
    }
}
