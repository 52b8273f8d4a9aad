//! Asking: how a request reaches a process, and what is noted of its answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{Seq, StreamId, ThreadId, TurnRecord};
use codewhale_protocol::{Call, Caller, ErrorBody, ErrorCode, Reply, Service, Surface};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Driver;
use crate::sim::journal::{Journal, SECRET};
use crate::sim::process::Condition;

impl Driver {
    /// Asks one of the processes for something.
    pub(super) fn ask<T: DeserializeOwned>(
        &mut self,
        caller: impl FnOnce(Caller) -> Caller,
        op: Op,
        params: Value,
        then: impl FnOnce(Result<T, ErrorBody>, &Journal) + Send + 'static,
    ) {
        let index = self.dice.below(self.world.processes.len());
        let caller = caller(self.world.processes[index].runtime.operator(Surface::Http));
        let key = (op.row().once && self.dice.percent(25)).then(|| {
            self.said += 1;
            format!("key-{}", self.said)
        });
        let call = Call {
            op,
            params: params.clone(),
            key,
        };
        if call.key.is_some() && self.dice.percent(70) {
            self.ask_as_well(caller.clone(), call.clone());
        }
        let process = &self.world.processes[index];
        let (runtime, number) = (process.runtime.clone(), process.number);
        let journal = Arc::clone(&self.world.journal);
        // Any of them may have run the turn that it was about.
        let all = self.world.processes.iter();
        let conditions: Vec<_> = all.map(|it| Arc::clone(&it.condition)).collect();
        process.spawn(async move {
            let answer = runtime.call(&caller, call.clone()).await;
            note(&journal, number, op, &params, &answer);
            compare(&journal, &call, &answer);
            if let Err(error) = &answer
                && is_unexpected(error.code, &conditions)
            {
                journal.complain(format!("{op:?} {params} was answered with {error:?}"));
            }
            let read = |reply: Reply| serde_json::from_str(reply.get());
            then(
                answer.map(|reply| read(reply).expect("an answer has its shape")),
                &journal,
            );
        });
    }

    /// Sends a request with a key a second time, to any of the processes.
    fn ask_as_well(&mut self, caller: Caller, call: Call) {
        let index = self.dice.below(self.world.processes.len());
        let process = &self.world.processes[index];
        let (runtime, number) = (process.runtime.clone(), process.number);
        let journal = Arc::clone(&self.world.journal);
        process.spawn(async move {
            let answer = runtime.call(&caller, call.clone()).await;
            note(&journal, number, call.op, &call.params, &answer);
            compare(&journal, &call, &answer);
        });
    }

    /// Asks as the operator, and is content with any answer.
    pub(super) fn order(&mut self, op: Op, params: Value) {
        self.ask(
            std::convert::identity,
            op,
            params,
            |_: Result<Value, _>, _| {},
        );
    }

    pub(super) fn thread(&mut self) -> Option<ThreadId> {
        let threads = self.world.threads();
        (!threads.is_empty()).then(|| self.dice.pick(&threads).clone())
    }

    /// A turn: mostly one that runs, sometimes the last one of some thread.
    pub(super) fn turn(&mut self) -> Option<TurnRecord> {
        let thread = self.thread()?;
        let read = self.world.processes[0].store.read(|reader| {
            let running = reader.unfinished_turns()?;
            Ok((running, reader.latest_turn(&thread)?))
        });
        let (running, latest) = read.expect("what a simulation stored can be read");
        let turn = match running.is_empty() || self.dice.percent(10) {
            true => latest,
            false => Some(self.dice.pick(&running).clone()),
        };
        turn.map(|turn| turn.record)
    }

    /// The last event of a thread.
    pub(super) fn head(&self, thread: &ThreadId) -> Seq {
        let stream = StreamId::Thread(thread.clone());
        let store = &self.world.processes[0].store;
        let head = store.read(|reader| reader.head(&stream));
        head.expect("what a simulation stored can be read")
    }

    /// Something to say that begins with a word of its own.
    pub(super) fn words(&mut self) -> (String, String) {
        self.said += 1;
        let tag = format!("say-{}", self.said);
        let ends = ["", " please", " and mind the key ", " 鯨\n\"x\""];
        let mut text = format!("{tag}{}", self.dice.pick(&ends));
        if self.dice.percent(10) {
            text = format!("{text} {SECRET}");
        }
        (tag, text)
    }
}

/// Answers that a client can do nothing about, or that nothing in the simulation explains.
fn is_unexpected(code: ErrorCode, conditions: &[Arc<Condition>]) -> bool {
    let is_excused = |it: &Arc<Condition>| it.excused.load(Ordering::Relaxed);
    match code {
        ErrorCode::Internal
        | ErrorCode::Malformed
        | ErrorCode::Unauthenticated
        | ErrorCode::Unsupported
        | ErrorCode::UnknownOperation => true,
        ErrorCode::Unavailable => !conditions.iter().any(is_excused),
        ErrorCode::InvalidShape
        | ErrorCode::InvalidParams
        | ErrorCode::Forbidden
        | ErrorCode::NotFound
        | ErrorCode::Conflict
        | ErrorCode::Overloaded => false,
    }
}

/// A request with a key has one answer, whoever gives it.
fn compare(journal: &Journal, call: &Call, answer: &Result<Reply, ErrorBody>) {
    let (Some(key), Ok(reply)) = (&call.key, answer) else {
        return;
    };
    let now: Value = serde_json::from_str(reply.get()).expect("an answer is JSON");
    let mut notes = journal.notes();
    let first = notes.keyed.entry(key.clone()).or_insert(now.clone());
    if *first != now {
        let complaint = format!("{:?} was answered with {first} and then {now}", call.op);
        drop(notes);
        journal.complain(complaint);
    }
}

/// Notes an answer.
pub(super) fn note(
    journal: &Journal,
    process: u32,
    op: Op,
    params: &Value,
    answer: &Result<Reply, ErrorBody>,
) {
    let name = op.row().name;
    let outcome = match answer {
        Ok(_) => "ok".to_owned(),
        Err(error) => format!("{:?}", error.code),
    };
    journal.line(format!("process {process} {name} {params}: {outcome}"));
    let key = format!("{name}: {outcome}");
    *journal.notes().outcomes.entry(key).or_default() += 1;
}
