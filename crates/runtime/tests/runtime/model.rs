//! A model that says what a test wrote down for it, and remembers what it was asked.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use codewhale_model::{
    Chunk, ChunkStream, Error, ErrorKind, FinishReason, Message, Model, Request, ToolCall,
    ToolSpec, without_meta,
};
use codewhale_protocol::runtime::{AttachmentId, Usage};
use codewhale_protocol::service::BoxFuture;
use serde_json::Value;
use tokio::sync::Notify;

/// One moment of an answer.
#[derive(Clone)]
pub(crate) enum Piece {
    Text(&'static str),
    Reasoning(&'static str),
    Call(ToolCall),
    /// Tokens sent.
    Usage(u64),
    /// Tokens of all kinds.
    Used(Usage),
    Fail(ErrorKind),
    Break,
    Wait(Duration),
    /// Waits until the test says so.
    Gate(Arc<Notify>),
}

pub(crate) fn says(text: &'static str) -> Vec<Piece> {
    vec![Piece::Text(text)]
}

/// Calls a tool.
pub(crate) fn wants(id: &str, name: &str, input: &Value) -> Vec<Piece> {
    vec![call(id, name, input)]
}

pub(crate) fn call(id: &str, name: &str, input: &Value) -> Piece {
    Piece::Call(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: input.to_string(),
    })
}

/// Answers with what was written down, in order; behind that with `Done.`
#[derive(Default)]
pub(crate) struct Script(Mutex<State>);

#[derive(Default)]
struct State {
    answers: VecDeque<Vec<Piece>>,
    /// Answers for conversations that begin so.
    to: Vec<(&'static str, VecDeque<Vec<Piece>>)>,
    /// What every conversation gets that has nothing of its own.
    always: Option<Vec<Piece>>,
    requests: Vec<Vec<Message>>,
    systems: Vec<String>,
    shown: Vec<Vec<AttachmentId>>,
    offered: Vec<Vec<ToolSpec>>,
    /// Breaks as soon as it is asked.
    breaks: bool,
}

impl State {
    fn answer_to(&mut self, messages: &[Message]) -> Vec<Piece> {
        let first = messages.iter().find_map(|message| match message {
            Message::User { text, .. } => Some(text.as_str()),
            _ => None,
        });
        let first = first.unwrap_or_default();
        let own = self
            .to
            .iter_mut()
            .find(|(words, _)| first.starts_with(words));
        let own = own.map(|(_, answers)| answers.pop_front());
        let next = own.unwrap_or_else(|| self.answers.pop_front());
        next.or_else(|| self.always.clone())
            .unwrap_or_else(|| says("Done."))
    }
}

impl Script {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(crate) fn then(&self, answer: Vec<Piece>) {
        self.state().answers.push_back(answer);
    }

    /// Writes down answers for conversations that begin with these words.
    pub(crate) fn to(&self, words: &'static str, answers: impl IntoIterator<Item = Vec<Piece>>) {
        let answers = answers.into_iter().collect();
        self.state().to.push((words, answers));
    }

    /// What is answered where nothing else is written down.
    pub(crate) fn always(&self, answer: Vec<Piece>) {
        self.state().always = Some(answer);
    }

    pub(crate) fn breaks_when_asked(&self) {
        self.state().breaks = true;
    }

    /// What it was sent, request by request; of people's messages what they said.
    pub(crate) fn requests(&self) -> Vec<Vec<Message>> {
        let mut requests = self.sent();
        for message in requests.iter_mut().flatten() {
            if let Message::User { text, .. } = message {
                *text = without_meta(text).to_owned();
            }
        }
        requests
    }

    /// What it was sent, to the byte.
    pub(crate) fn sent(&self) -> Vec<Vec<Message>> {
        self.state().requests.clone()
    }

    /// The attachments that each request showed.
    pub(crate) fn shown(&self) -> Vec<Vec<AttachmentId>> {
        self.state().shown.clone()
    }

    /// The tools of each request.
    pub(crate) fn offered(&self) -> Vec<Vec<ToolSpec>> {
        self.state().offered.clone()
    }

    /// The standing instructions of each request.
    pub(crate) fn systems(&self) -> Vec<String> {
        self.state().systems.clone()
    }

    /// What it was sent last.
    pub(crate) fn last_request(&self) -> Vec<Message> {
        self.requests().pop().unwrap()
    }
}

impl Model for Script {
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>> {
        let answer = {
            let mut state = self.state();
            state.requests.push(request.messages.to_vec());
            state.systems.push(request.system.to_owned());
            state.shown.push(request.media.ids().cloned().collect());
            state.offered.push(request.tools.to_vec());
            match std::mem::take(&mut state.breaks) {
                true => vec![Piece::Break],
                false => state.answer_to(request.messages),
            }
        };
        let broken = matches!(answer.first(), Some(Piece::Break));
        let chunks = futures_util::stream::unfold(Some(VecDeque::from(answer)), next);
        Box::pin(async move {
            if broken {
                resume_unwind(Box::new("told to break"));
            }
            Ok(Box::pin(chunks) as ChunkStream)
        })
    }
}

type Rest = Option<VecDeque<Piece>>;

async fn next(rest: Rest) -> Option<(Result<Chunk, Error>, Rest)> {
    let mut rest = rest?;
    loop {
        let chunk = match rest.pop_front() {
            None => return Some((Ok(Chunk::Finished(FinishReason::Stop)), None)),
            Some(Piece::Text(text)) => Chunk::Text(text.to_owned()),
            Some(Piece::Reasoning(text)) => Chunk::Reasoning(text.to_owned()),
            Some(Piece::Call(call)) => Chunk::Call(call),
            Some(Piece::Usage(input_tokens)) => Chunk::Usage(Usage {
                input_tokens,
                output_tokens: 1,
                ..Usage::default()
            }),
            Some(Piece::Used(usage)) => Chunk::Usage(usage),
            Some(Piece::Fail(kind)) => return Some((Err(Error::new(kind, "no")), None)),
            Some(Piece::Break) => resume_unwind(Box::new("told to break")),
            Some(Piece::Wait(time)) => {
                tokio::time::sleep(time).await;
                continue;
            }
            Some(Piece::Gate(gate)) => {
                gate.notified().await;
                continue;
            }
        };
        return Some((Ok(chunk), Some(rest)));
    }
}
