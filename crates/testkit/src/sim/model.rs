//! A model that says and does what a seed tells it: text in pieces, calls, failures of all kinds.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use codewhale_model::{
    Chunk, ChunkStream, Error, ErrorKind, FinishReason, Message, Model, Request, ToolCall,
};
use codewhale_protocol::runtime::Usage;
use codewhale_protocol::service::BoxFuture;
use futures_util::stream::unfold;
use serde_json::json;

use super::dice::Dice;
use super::journal::{Journal, SECRET, break_down, tag_of};
use super::tools::{Input, NAMES};

/// Answers in a row that may call tools; behind them a turn comes to its end.
const BUSY_ANSWERS: usize = 6;

/// Requests in a row that an outage takes.
const OUTAGE_REQUESTS: u64 = 6;

/// The model of one simulated process.
pub(crate) struct SeededModel {
    seed: u64,
    process: u64,
    requests: AtomicU64,
    journal: Arc<Journal>,
    calm: Arc<AtomicBool>,
}

/// One moment of an answer.
enum Step {
    Say(Chunk),
    Fail(Error),
    Break,
    Breathe,
    Wait(Duration),
}

impl SeededModel {
    /// `calm` can be set when the world has seen enough: answers are then short and good.
    pub(crate) fn new(
        seed: u64,
        process: u64,
        journal: Arc<Journal>,
        calm: Arc<AtomicBool>,
    ) -> Self {
        Self {
            seed,
            process,
            requests: AtomicU64::new(0),
            journal,
            calm,
        }
    }

    /// What all requests for a while fail with, so that trying again is in vain at times.
    fn outage(&self, number: u64) -> Option<ErrorKind> {
        let mut dice = Dice::new(self.seed, &[6, self.process, number / OUTAGE_REQUESTS]);
        let kinds = [ErrorKind::Transient, ErrorKind::Stalled, ErrorKind::Garbled];
        let out = dice.percent(8) && !self.calm.load(Ordering::Relaxed);
        out.then(|| *dice.pick(&kinds))
    }

    fn listen(&self, messages: &[Message]) {
        if let Some(problem) = unacceptable(messages) {
            self.journal.complain(format!(
                "a provider would refuse the conversation ({problem}): {messages:#?}"
            ));
        }
        let mut notes = self.journal.notes();
        for message in messages {
            if let Message::User { text, .. } = message {
                notes.heard.insert(tag_of(text).to_owned());
            }
        }
    }
}

impl Model for SeededModel {
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>> {
        self.listen(request.messages);
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let mut writer = Writer {
            dice: Dice::new(self.seed, &[1, self.process, number]),
            prefix: format!("{}_{number}", self.process),
            refusal: None,
            steps: VecDeque::new(),
        };
        let answers = request.messages.iter().rev();
        let answers = answers.take_while(|message| !matches!(message, Message::User { .. }));
        let in_a_row = answers
            .filter(|message| matches!(message, Message::Assistant { .. }))
            .count();
        match self.calm.load(Ordering::Relaxed) {
            true => writer.write_calmly(),
            false => writer.write(in_a_row < BUSY_ANSWERS),
        }
        if let Some(kind) = self.outage(number) {
            writer.refusal = Some(Error::new(kind, "nobody is there"));
        }
        Box::pin(async move {
            tokio::task::yield_now().await;
            match writer.refusal {
                Some(error) => Err(error),
                None => Ok(Box::pin(unfold(writer.steps, next)) as ChunkStream),
            }
        })
    }
}

async fn next(mut steps: VecDeque<Step>) -> Option<(Result<Chunk, Error>, VecDeque<Step>)> {
    loop {
        match steps.pop_front()? {
            Step::Say(chunk) => return Some((Ok(chunk), steps)),
            Step::Fail(error) => return Some((Err(error), VecDeque::new())),
            Step::Break => break_down(),
            Step::Breathe => tokio::task::yield_now().await,
            Step::Wait(time) => tokio::time::sleep(time).await,
        }
    }
}

/// Writes one answer.
struct Writer {
    dice: Dice,
    /// Names the answer among all answers of the world.
    prefix: String,
    /// Why there is no answer at all.
    refusal: Option<Error>,
    steps: VecDeque<Step>,
}

impl Writer {
    fn write_calmly(&mut self) {
        let done = Chunk::Text("Done.".into());
        let stop = Chunk::Finished(FinishReason::Stop);
        self.steps.extend([done, stop].map(Step::Say));
    }

    fn write(&mut self, may_call: bool) {
        if self.dice.percent(5) {
            self.refusal = Some(self.error());
        }
        if self.dice.percent(50) {
            self.text(Chunk::Reasoning);
        }
        if self.dice.percent(85) {
            self.text(Chunk::Text);
        }
        let calls = [(50, 0), (30, 1), (13, 2), (7, 3)];
        let calls = *self.dice.weighted(&calls);
        for _ in 0..if may_call { calls } else { 0 } {
            let call = self.call();
            self.say(Chunk::Call(call));
        }
        if self.dice.percent(80) {
            let usage = self.usage();
            self.say(Chunk::Usage(usage));
        }
        let finish = [
            (80, Some(FinishReason::Stop)),
            (10, Some(FinishReason::ToolCalls)),
            (2, Some(FinishReason::Length)),
            (2, Some(FinishReason::ContentFilter)),
            (2, Some(FinishReason::Other("tired".into()))),
            (4, None),
        ];
        if let Some(reason) = self.dice.weighted(&finish).clone() {
            self.say(Chunk::Finished(reason));
        }
        self.spoil();
    }

    /// Lets an answer go wrong somewhere, now and then.
    fn spoil(&mut self) {
        let step = match self.dice.below(100) {
            0..90 => return,
            90..96 => Step::Fail(self.error()),
            96..98 => Step::Wait(self.dice.ms(20_000, 60_000)),
            _ => Step::Break,
        };
        let at = self.dice.below(self.steps.len() + 1);
        self.steps.insert(at, step);
    }

    fn text(&mut self, chunk: fn(String) -> Chunk) {
        let mut text = format!("answer {} · ", self.prefix);
        for _ in 0..self.dice.below(6) {
            let words = ["whale ", "čtvrť ", "鯨 ", "\n", "\"quoted\" ", SECRET, " "];
            let word: &str = self.dice.pick::<&str>(&words);
            text.push_str(word);
        }
        while !text.is_empty() {
            let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).skip(1).collect();
            let cut = self.dice.below(ends.len() + 1);
            let rest = text.split_off(ends.get(cut).copied().unwrap_or(text.len()));
            let piece = std::mem::replace(&mut text, rest);
            self.say(chunk(piece));
        }
    }

    /// A chunk, and the time until the next.
    fn say(&mut self, chunk: Chunk) {
        self.steps.push_back(Step::Say(chunk));
        match self.dice.below(100) {
            0..45 => self.steps.push_back(Step::Breathe),
            45..70 => self.steps.push_back(Step::Wait(self.dice.ms(1, 400))),
            70..72 => self
                .steps
                .push_back(Step::Wait(self.dice.ms(1_000, 20_000))),
            _ => {}
        }
    }

    /// A call that is about other agents, or about the goal.
    fn crew_call(&mut self) -> (&'static str, serde_json::Value) {
        let agents = [
            (
                8,
                json!({"action": "start", "prompt": "look into it", "name": "helper"}),
            ),
            (
                2,
                json!({"action": "start", "prompt": "go on without me", "detached": true}),
            ),
            (
                2,
                json!({"action": "start", "prompt": "only look", "type": "scout"}),
            ),
            (6, json!({"action": "wait", "until": "all"})),
            (3, json!({"action": "wait", "until": "activity"})),
            (3, json!({"action": "status"})),
            (
                2,
                json!({"action": "message", "agent_id": "helper", "message": "hurry"}),
            ),
            (
                2,
                json!({"action": "followup", "agent_id": "helper", "message": "and more"}),
            ),
            (2, json!({"action": "interrupt", "agent_id": "helper"})),
            (1, json!({"action": "cancel", "agent_id": "helper"})),
            (1, json!({"action": "peek", "agent_id": "helper"})),
        ];
        let goals = [
            (
                2,
                (
                    "create_goal",
                    json!({"objective": "be done", "token_budget": 900}),
                ),
            ),
            (1, ("get_goal", json!({}))),
            (
                2,
                (
                    "update_goal",
                    json!({"status": "complete", "evidence": "looked"}),
                ),
            ),
            (
                1,
                (
                    "update_goal",
                    json!({"status": "blocked", "blocker": "a wall"}),
                ),
            ),
        ];
        match self.dice.percent(80) {
            true => ("agent", self.dice.weighted(&agents).clone()),
            false => self.dice.weighted(&goals).clone(),
        }
    }

    fn call(&mut self) -> ToolCall {
        if self.dice.percent(14) {
            let (name, input) = self.crew_call();
            return ToolCall {
                id: format!("call_{}_{}", self.prefix, self.dice.below(1 << 30)),
                name: name.to_owned(),
                arguments: input.to_string(),
            };
        }
        let input = Input::drawn(&mut self.dice);
        let arguments = match self.dice.below(20) {
            0 => "{ not JSON".to_owned(),
            1 => json!({ "what": "is this" }).to_string(),
            _ => json!(input).to_string(),
        };
        let name = match self.dice.percent(4) {
            true => "swim",
            false => self.dice.weighted(&NAMES),
        };
        ToolCall {
            id: format!("call_{}_{}", self.prefix, self.dice.below(1 << 30)),
            name: name.to_owned(),
            arguments,
        }
    }

    fn usage(&mut self) -> Usage {
        let mut tokens = || u64::try_from(self.dice.below(10_000)).expect("it is small");
        Usage {
            input_tokens: tokens(),
            output_tokens: tokens(),
            ..Usage::default()
        }
    }

    fn error(&mut self) -> Error {
        let after = |secs| ErrorKind::RateLimited {
            retry_after: Some(Duration::from_secs(secs)),
        };
        let kinds = [
            ErrorKind::Transient,
            ErrorKind::Stalled,
            ErrorKind::Garbled,
            ErrorKind::RateLimited { retry_after: None },
            after(3),
            after(300),
            after(600),
            ErrorKind::Auth,
            ErrorKind::Exhausted,
            ErrorKind::Unusable,
            ErrorKind::Rejected,
        ];
        let kind = *self.dice.pick(&kinds);
        Error::new(kind, format!("{kind:?}, and the key is {SECRET}"))
    }
}

/// Why a provider would refuse a conversation.
fn unacceptable(messages: &[Message]) -> Option<&'static str> {
    if !matches!(messages.first(), Some(Message::User { .. })) {
        return Some("it does not begin with a person");
    }
    if matches!(messages.last(), Some(Message::Assistant { .. })) {
        return Some("it ends with the model itself");
    }
    let mut open: VecDeque<&str> = VecDeque::new();
    for message in messages {
        match message {
            Message::Tool { call_id, .. } => {
                if open.pop_front() != Some(call_id) {
                    return Some("a result is not that of the next call");
                }
            }
            Message::User { .. } | Message::Assistant { .. } if !open.is_empty() => {
                return Some("a call has no result");
            }
            Message::User { text, .. } if text.trim().is_empty() => return Some("nothing is said"),
            Message::User { .. } => {}
            Message::Assistant { text, calls, .. } => {
                if text.is_empty() && calls.is_empty() {
                    return Some("the model said and called nothing");
                }
                open.extend(calls.iter().map(|call| call.id.as_str()));
            }
        }
    }
    (!open.is_empty()).then_some("a call has no result")
}
