//! From a request to its answer.

use std::sync::Arc;

use codewhale_protocol::operations::{
    ApprovalsDecide, ThreadsGet, TurnsInterrupt, TurnsSteer, UserInputAnswer,
};
use codewhale_protocol::runtime::{ThreadDetail, TurnStatus};
use codewhale_protocol::{Call, PromptRequest, ext};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::desk::Desk;
use super::methods::{self, Method, ThreadMethod};
use super::rpc::{self, FAILED, Fault, Id, Request};
use super::turn::{Message, Stream};
use super::{app, prompt, threads, turn};

/// The result of a request, as JSON text.
pub(super) type Answer = Result<Box<RawValue>, Fault>;

/// Answers one request, and those who wanted its turn to stop.
pub(super) async fn answer(desk: Arc<Desk>, request: Request, method: Method) {
    let Request {
        id, params, key, ..
    } = request;
    let thread = params
        .as_ref()
        .and_then(|params| params.get("thread_id"))
        .and_then(Value::as_str)
        .map(str::to_owned);
    let asked = Asked {
        desk: &desk,
        is_silent: id.is_none(),
        params,
        key,
    };
    let (answer, waited) = asked.answer(method).await;
    if let Some(id) = id {
        let line = match answer {
            Ok(json) => rpc::result(&id, &json),
            Err(fault) => rpc::failed(Some(&id), &fault),
        };
        desk.out.say(line).await;
    }
    let (Waited::Turn(ended), Some(thread)) = (waited, thread) else {
        return;
    };
    let was_stopped = ended == Some(TurnStatus::Interrupted);
    for id in desk.live.end(&thread).into_iter().flatten() {
        let told = interrupted(&thread, was_stopped);
        desk.out.say(rpc::result(&id, &told)).await;
    }
}

/// What `thread/interrupt` answers.
#[derive(Serialize)]
pub(super) struct Interrupted<'a> {
    thread_id: &'a str,
    interrupted: bool,
}

pub(super) fn interrupted(thread_id: &str, interrupted: bool) -> Interrupted<'_> {
    Interrupted {
        thread_id,
        interrupted,
    }
}

/// Stops a turn that this client does not wait for, if there is one.
pub(super) async fn idle_interrupt(desk: Arc<Desk>, thread: String, id: Option<Id>) {
    let stopped = stop_any(&desk, &thread).await;
    let Some(id) = id else { return };
    let line = match stopped {
        Ok(stopped) => rpc::result(&id, &interrupted(&thread, stopped)),
        Err(fault) => rpc::failed(Some(&id), &fault),
    };
    desk.out.say(line).await;
}

async fn stop_any(desk: &Desk, thread: &str) -> Result<bool, Fault> {
    let Some(turn) = running_turn(desk, thread).await? else {
        return Ok(false);
    };
    let params = json!({ "thread_id": thread, "turn_id": turn });
    desk.call::<TurnsInterrupt>(params).await?;
    Ok(true)
}

/// The turn that runs on a thread, whoever began it.
async fn running_turn(desk: &Desk, thread: &str) -> Result<Option<String>, Fault> {
    if let Some(turn) = desk.live.turn(thread) {
        return Ok(Some(turn.to_string()));
    }
    let params = json!({ "thread_id": thread });
    let found: Option<ThreadDetail> = desk.find::<ThreadsGet>(params).await?;
    let last = found.and_then(|detail| detail.turns.into_iter().next_back());
    let running = last.filter(|turn| !turn.status.is_terminal());
    Ok(running.map(|turn| turn.id.to_string()))
}

/// What an answer waited for.
enum Waited {
    ForNothing,
    /// A turn, and how it ended if it began.
    Turn(Option<TurnStatus>),
}

/// A request, being answered.
struct Asked<'a> {
    desk: &'a Arc<Desk>,
    /// Whether nobody wants to hear anything.
    is_silent: bool,
    params: Option<Map<String, Value>>,
    key: Option<String>,
}

impl Asked<'_> {
    async fn answer(self, method: Method) -> (Answer, Waited) {
        let answer = match method {
            Method::Healthz => raw(&json!({
                "status": "ok",
                "service": "deepseek-app-server",
                "transport": "stdio",
            })),
            Method::Capabilities => raw(&methods::capabilities()),
            Method::ThreadCapabilities => raw(&methods::thread_capabilities()),
            Method::PromptCapabilities => raw(&methods::prompt_capabilities()),
            Method::Thread(ThreadMethod::Message) => return self.message().await,
            Method::Thread(method) => self.thread(method).await,
            Method::ThreadRequest => return self.thread_request().await,
            Method::Approve => self.approve().await,
            Method::Steer => self.steer().await,
            Method::Answer => self.answer_questions().await,
            Method::App(method) => match self.kinded(method.kind()) {
                Ok(request) => raw(&app::answer(self.desk, request).await),
                Err(fault) => Err(fault),
            },
            Method::AppRequest => match self.required() {
                Ok(request) => raw(&app::answer(self.desk, request).await),
                Err(fault) => Err(fault),
            },
            Method::Prompt => return self.prompt().await,
            Method::Operation(op) => {
                let params = Value::Object(self.params.unwrap_or_default());
                let key = self.key;
                let reply = self.desk.reply(Call { op, params, key }).await;
                reply.map(|reply| reply.json).map_err(Fault::from)
            }
            // Both are taken in before anything is answered.
            Method::Interrupt | Method::Shutdown => raw(&Value::Null),
        };
        (answer, Waited::ForNothing)
    }

    async fn thread(self, method: ThreadMethod) -> Answer {
        let request = self.kinded(method.kind())?;
        let response = threads::answer(self.desk, request).await?;
        match (method, response.status.as_str()) {
            (ThreadMethod::Resume | ThreadMethod::Fork, threads::MISSING) => {
                Err(Fault::no_thread(&response.thread_id))
            }
            _ => raw(&response),
        }
    }

    async fn thread_request(self) -> (Answer, Waited) {
        let request: ext::ThreadRequest = match self.required() {
            Ok(request) => request,
            Err(fault) => return (Err(fault), Waited::ForNothing),
        };
        if let ext::ThreadRequest::Base(codewhale_protocol::ThreadRequest::Message { .. }) = request
        {
            return self.message().await;
        }
        let answer = threads::answer(self.desk, request).await;
        let answer = answer.and_then(|response| raw(&response));
        (answer, Waited::ForNothing)
    }

    async fn message(self) -> (Answer, Waited) {
        let message = match self.read::<Message>() {
            Ok(message) => message,
            Err(fault) => return (Err(fault), Waited::Turn(None)),
        };
        let stream = match self.is_silent {
            true => Stream::Silent,
            false => message.stream,
        };
        let begun = turn::run(self.desk, &message, stream, self.key).await;
        let status = begun.as_ref().ok().map(|ended| ended.turn.status);
        let answer = begun.and_then(|ended| raw(&ended.response()?));
        (answer, Waited::Turn(status))
    }

    async fn prompt(self) -> (Answer, Waited) {
        let request = match self.read::<PromptRequest>() {
            Ok(request) => request,
            Err(fault) => return (Err(fault), Waited::Turn(None)),
        };
        let (answer, status) = prompt::run(self.desk, request, self.key).await;
        let answer = answer.and_then(|response| raw(&response));
        (answer, Waited::Turn(status))
    }

    async fn approve(self) -> Answer {
        let approve: Approve = self.read()?;
        let decision = match approve.decision {
            Decision::Word(word) => word,
            Decision::Tagged { word } => word,
        };
        let receipt = self.desk.call::<ApprovalsDecide>(json!({
            "approval_id": approve.approval_id,
            "decision": decision,
            "remember": approve.remember,
        }));
        raw(&receipt.await?)
    }

    async fn steer(self) -> Answer {
        let steer: Steer = self.read()?;
        let turn = match steer.turn_id {
            Some(turn) => Some(turn),
            None => running_turn(self.desk, &steer.thread_id).await?,
        };
        let Some(turn) = turn else {
            let message = "no turn runs on this thread; send it with thread/message";
            return Err(Fault::new(FAILED, message));
        };
        let steered = self.desk.call::<TurnsSteer>(json!({
            "thread_id": steer.thread_id,
            "turn_id": turn,
            "prompt": steer.input,
        }));
        let turn = steered.await?;
        raw(&json!({ "thread_id": turn.thread_id, "turn_id": turn.id, "steered": true }))
    }

    async fn answer_questions(self) -> Answer {
        let answer: AnswerQuestions = self.read()?;
        let receipt = self.desk.call::<UserInputAnswer>(json!({
            "thread_id": answer.thread_id,
            "input_id": answer.submission.request_id,
            "answers": answer.submission.answers,
        }));
        let receipt = receipt.await?;
        self.desk.note_answered(&answer.submission.request_id);
        raw(&receipt)
    }

    /// The parameters as those of a method.
    fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let params = self.params.clone().unwrap_or_default();
        T::deserialize(Value::Object(params)).map_err(Fault::params)
    }

    /// The parameters as a request of its own, which cannot be left out.
    fn required<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        match &self.params {
            Some(_) => self.read(),
            None => Err(Fault::params("this method needs params with a `kind`")),
        }
    }

    /// The parameters as a request of this kind.
    fn kinded<T: DeserializeOwned>(&self, kind: &str) -> Result<T, Fault> {
        let mut params = self.params.clone().unwrap_or_default();
        params.insert("kind".to_owned(), kind.into());
        T::deserialize(Value::Object(params)).map_err(Fault::params)
    }
}

#[derive(Deserialize)]
struct Approve {
    approval_id: String,
    decision: Decision,
    #[serde(default)]
    remember: bool,
}

/// An answer to an approval: its word, alone or as the protocol writes it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Decision {
    Word(String),
    Tagged {
        #[serde(rename = "type")]
        word: String,
    },
}

#[derive(Deserialize)]
struct Steer {
    thread_id: String,
    #[serde(alias = "prompt")]
    input: String,
    #[serde(default)]
    turn_id: Option<String>,
}

#[derive(Deserialize)]
struct AnswerQuestions {
    thread_id: String,
    #[serde(flatten)]
    submission: ext::UserInputSubmission,
}

fn raw(value: &impl Serialize) -> Answer {
    to_raw_value(value).map_err(|error| Fault::new(FAILED, error.to_string()))
}
