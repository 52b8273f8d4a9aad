//! What the server sends: a list of steps, written as a sentence.

use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Gate, frames};

/// A reply. Begins as an empty stream of chat-completions frames; unless something cuts it off, it
/// ends well by itself: finish reason, usage if one was given, `[DONE]`.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) before_head: Vec<Step>,
    pub(super) steps: Vec<Step>,
    pub(super) ending: Ending,
    pub(super) framing: Framing,
    /// Bytes per write, to spread a reply over many packets.
    pub(super) write_bytes: usize,
}

/// One thing the server does.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Send(Bytes),
    Call {
        index: usize,
        id: String,
        name: String,
        arguments: String,
        piece_bytes: usize,
    },
    Pause(Duration),
    Hold(Gate),
    Stall,
    Cut(Cut),
    Flood {
        deltas: usize,
        frame: Bytes,
    },
    Paced {
        deltas: usize,
        every: Duration,
        base: Instant,
    },
}

/// How a connection is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    /// Closed, as by a proxy that gave up.
    Close,
    /// Reset, as by a process that died.
    Reset,
}

/// How the body is marked off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Framing {
    Chunked,
    UntilClose,
    Length,
}

/// What a stream ends with.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    /// None: by the calls that were made.
    pub(super) finish: Option<String>,
    pub(super) has_finish: bool,
    pub(super) usage: Option<Value>,
    pub(super) has_done: bool,
}

impl Reply {
    /// A stream without content.
    #[expect(
        clippy::new_without_default,
        reason = "an empty answer is no sensible default"
    )]
    pub fn new() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            before_head: Vec::new(),
            steps: Vec::new(),
            ending: Ending {
                finish: None,
                has_finish: true,
                usage: None,
                has_done: true,
            },
            framing: Framing::Chunked,
            write_bytes: usize::MAX,
        }
    }

    /// A stream that says one text.
    pub fn says(text: &str) -> Self {
        Self::new().text(text)
    }

    /// A stream that makes one call.
    pub fn calls(id: &str, name: &str, arguments: &str) -> Self {
        Self::new().call(id, name, arguments)
    }

    /// A stream of so many equal deltas, as fast as the client takes them.
    pub fn flood(deltas: usize, text: &str) -> Self {
        Self::new().step(Step::Flood {
            deltas,
            frame: frames::text(text).into(),
        })
    }

    /// A stream of so many deltas, one every so often. Each one's text tells when it was sent,
    /// counted from `base`; [`super::stamps`] reads it.
    pub fn paced(deltas: usize, every: Duration, base: Instant) -> Self {
        Self::new().step(Step::Paced {
            deltas,
            every,
            base,
        })
    }

    /// No answer at all, on a connection that stays open.
    pub fn silence() -> Self {
        Self {
            before_head: vec![Step::Stall],
            ..Self::new()
        }
    }

    /// Says a text, as one delta.
    pub fn text(self, text: &str) -> Self {
        self.send(frames::text(text))
    }

    /// Says texts, one delta each.
    pub fn deltas<'a>(self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        texts.into_iter().fold(self, Self::text)
    }

    /// Thinks a text, as one delta.
    pub fn reasoning(self, text: &str) -> Self {
        self.send(frames::reasoning(text))
    }

    /// Calls a tool.
    pub fn call(self, id: &str, name: &str, arguments: &str) -> Self {
        let index = self
            .steps
            .iter()
            .filter(|step| matches!(step, Step::Call { .. }))
            .count();
        let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
        self.step(Step::Call {
            index,
            id,
            name,
            arguments,
            piece_bytes: usize::MAX,
        })
    }

    /// Splits the arguments of the last call into deltas of so many bytes.
    pub fn split_every(mut self, bytes: usize) -> Self {
        let Some(Step::Call { piece_bytes, .. }) = self.steps.last_mut() else {
            panic!("only a call can be split");
        };
        *piece_bytes = bytes;
        self
    }

    /// Sends a `data` line of one's own.
    pub fn chunk(self, chunk: &Value) -> Self {
        self.send(format!("data: {chunk}\n\n"))
    }

    /// Sends a keep-alive comment.
    pub fn keepalive(self) -> Self {
        self.send(": keep-alive\n\n".to_owned())
    }

    /// Sends bytes as they are.
    pub fn raw(self, bytes: impl Into<Bytes>) -> Self {
        self.step(Step::Send(bytes.into()))
    }

    /// Reports tokens used, behind the finish reason.
    pub fn usage(self, input: u64, output: u64) -> Self {
        self.usage_object(json!({
            "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
        }))
    }

    /// Reports tokens used, a part of them cached.
    pub fn usage_with_cache(self, input: u64, cached: u64, output: u64) -> Self {
        self.usage_object(json!({
            "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
            "prompt_cache_hit_tokens": cached, "prompt_cache_miss_tokens": input - cached,
        }))
    }

    /// Reports tokens used in an object of one's own.
    pub fn usage_object(mut self, usage: Value) -> Self {
        self.ending.usage = Some(usage);
        self
    }

    /// Ends for this reason instead of `stop` or `tool_calls`.
    pub fn finish(mut self, reason: &str) -> Self {
        self.ending.finish = Some(reason.to_owned());
        self
    }

    /// Ends without a reason.
    pub fn without_finish(mut self) -> Self {
        self.ending.has_finish = false;
        self
    }

    /// Ends without `[DONE]`.
    pub fn without_done(mut self) -> Self {
        self.ending.has_done = false;
        self
    }

    /// Answers with this status, and with a stream only if it means success.
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        if status == 200 {
            self
        } else {
            self.unstreamed()
        }
    }

    /// Adds a header line.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends this instead of a stream.
    pub fn body(self, body: impl Into<Bytes>) -> Self {
        self.unstreamed().raw(body)
    }

    /// Sends this JSON instead of a stream.
    pub fn json(self, value: &Value) -> Self {
        self.header("content-type", "application/json")
            .body(value.to_string())
    }

    /// Waits.
    pub fn pause(self, time: Duration) -> Self {
        self.step(Step::Pause(time))
    }

    /// Waits until the gate is open.
    pub fn hold(self, gate: &Gate) -> Self {
        self.step(Step::Hold(gate.clone()))
    }

    /// Waits until the gate is open before it answers at all.
    pub fn hold_head(mut self, gate: &Gate) -> Self {
        self.before_head.push(Step::Hold(gate.clone()));
        self
    }

    /// Sends nothing more, and keeps the connection until the client leaves.
    pub fn stall(self) -> Self {
        self.step(Step::Stall)
    }

    /// Closes the connection in the middle of the body.
    pub fn cut(self) -> Self {
        self.step(Step::Cut(Cut::Close))
    }

    /// Resets the connection in the middle of the body.
    pub fn reset(self) -> Self {
        self.step(Step::Cut(Cut::Reset))
    }

    /// Marks the end of the body by closing the connection.
    pub fn until_close(mut self) -> Self {
        self.framing = Framing::UntilClose;
        self
    }

    /// Sends the body in writes of so many bytes.
    pub fn in_writes_of(mut self, bytes: usize) -> Self {
        self.write_bytes = bytes;
        self
    }

    /// The frames behind all steps.
    pub(super) fn ending(&self) -> String {
        let mut frames = String::new();
        if self.ending.has_finish {
            let has_calls = self
                .steps
                .iter()
                .any(|step| matches!(step, Step::Call { .. }));
            let usual = if has_calls { "tool_calls" } else { "stop" };
            frames.push_str(&frames::finish(
                self.ending.finish.as_deref().unwrap_or(usual),
            ));
        }
        if let Some(usage) = &self.ending.usage {
            frames.push_str(&frames::usage(usage));
        }
        if self.ending.has_done {
            frames.push_str("data: [DONE]\n\n");
        }
        frames
    }

    fn unstreamed(mut self) -> Self {
        self.ending = Ending {
            finish: None,
            has_finish: false,
            usage: None,
            has_done: false,
        };
        self.framing = Framing::Length;
        self
    }

    fn send(self, frame: String) -> Self {
        self.step(Step::Send(frame.into()))
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}
