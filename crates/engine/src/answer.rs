//! One answer of the model, shown while it arrives.

use codewhale_model::{Chunk, ChunkStream, Error, ErrorKind, FinishReason, Request, ToolCall};
use codewhale_protocol::runtime::{ItemId, Usage};
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::{Closing, Host, Note, Opening, Purpose};

/// Whether a text is said or thought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextKind {
    /// Said.
    Message,
    /// Thought.
    Reasoning,
}

/// A whole answer.
#[derive(Debug, Default)]
pub(crate) struct ModelAnswer {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) finish: Option<FinishReason>,
    pub(crate) usage: Option<Usage>,
}

/// Why there is no whole answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    Cancelled,
    /// With the item whose text broke off.
    Failed(Error, Option<ItemId>),
}

/// Shows one answer of the model to the host.
pub(crate) struct Shower<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) step: u32,
    answer: ModelAnswer,
    /// The item that text goes to.
    open: Option<(TextKind, ItemId)>,
}

impl<'a> Shower<'a> {
    pub(crate) fn new(host: &'a dyn Host, step: u32) -> Self {
        Self {
            host,
            step,
            answer: ModelAnswer::default(),
            open: None,
        }
    }

    /// Sends a request and shows the answer to its end. Text that breaks off is left open: whether
    /// it is abandoned for another attempt or goes down with the turn is the caller's to say.
    pub(crate) async fn show(
        mut self,
        model: &dyn codewhale_model::Model,
        request: Request<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelAnswer, NoAnswer> {
        self.host.note(Note::Dispatched);
        let opened = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(NoAnswer::Cancelled),
            opened = model.stream(request) => opened,
        };
        let stream = opened.map_err(|error| NoAnswer::Failed(error, None))?;
        self.take_all(stream, cancel).await?;
        self.close(Closing::Complete);
        Ok(self.answer)
    }

    async fn take_all(
        &mut self,
        mut stream: ChunkStream,
        cancel: &CancellationToken,
    ) -> Result<(), NoAnswer> {
        let cancelled = cancel.cancelled();
        tokio::pin!(cancelled);
        let mut taken = 0;
        loop {
            let chunk = tokio::select! {
                biased;
                () = &mut cancelled => return Err(NoAnswer::Cancelled),
                chunk = stream.next() => chunk,
            };
            match chunk {
                Some(Ok(chunk)) => self.take(chunk).await,
                Some(Err(error)) => return Err(self.broken_off(error)),
                None if self.answer.finish.is_some() => return Ok(()),
                None => return Err(self.broken_off(ended_early())),
            }
            taken += 1;
            if taken % limits::CHUNKS_PER_BREATH == 0 {
                tokio::task::consume_budget().await;
            }
        }
    }

    async fn take(&mut self, chunk: Chunk) {
        match chunk {
            Chunk::Text(text) => {
                self.say(TextKind::Message, &text).await;
                self.answer.text.push_str(&text);
            }
            Chunk::Reasoning(text) => {
                self.say(TextKind::Reasoning, &text).await;
                self.answer.reasoning.push_str(&text);
            }
            Chunk::Call(call) => self.answer.calls.push(call),
            Chunk::Usage(usage) => {
                self.answer.usage = Some(usage);
                self.host.note(Note::Usage(usage, Purpose::Answer));
            }
            Chunk::Finished(reason) => self.answer.finish = Some(reason),
        }
    }

    async fn say(&mut self, kind: TextKind, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.open.as_ref().is_some_and(|(open, _)| *open != kind) {
            self.close(Closing::Complete);
        }
        let (_, item) = self.open.get_or_insert_with(|| {
            (
                kind,
                self.host.open(Opening::Text {
                    kind,
                    step: self.step,
                }),
            )
        });
        if let Some(room) = self.host.text(item, text) {
            room.await;
        }
    }

    fn broken_off(&mut self, error: Error) -> NoAnswer {
        NoAnswer::Failed(error, self.open.take().map(|(_, item)| item))
    }

    fn close(&mut self, closing: Closing) {
        if let Some((_, item)) = self.open.take() {
            self.host.close(item, closing);
        }
    }
}

fn ended_early() -> Error {
    Error::new(
        ErrorKind::Transient,
        "the model's answer ended before it was finished",
    )
}
