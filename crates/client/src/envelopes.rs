//! A followed thread, as decoded events.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use codewhale_protocol::frame::{Decoder, Frame, Frames};
use codewhale_protocol::runtime::RuntimeEventEnvelope;
use codewhale_protocol::{ErrorBody, ErrorCode, EventStream};
use futures_core::Stream;

/// The events of a thread, each once and in order. Ends with the service, or after the first error.
pub struct Envelopes {
    events: EventStream,
    decoded: VecDeque<Result<RuntimeEventEnvelope, ErrorBody>>,
    has_failed: bool,
}

impl Envelopes {
    pub(crate) fn new(events: EventStream) -> Self {
        Self {
            events,
            decoded: VecDeque::new(),
            has_failed: false,
        }
    }
}

impl Stream for Envelopes {
    type Item = Result<RuntimeEventEnvelope, ErrorBody>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if self.has_failed {
                return Poll::Ready(None);
            }
            if let Some(envelope) = self.decoded.pop_front() {
                self.has_failed = envelope.is_err();
                return Poll::Ready(Some(envelope));
            }
            match ready!(self.events.as_mut().poll_next(context)) {
                Some(Ok(frames)) => self.decoded = decode(&frames),
                Some(Err(error)) => self.decoded.push_back(Err(error)),
                None => return Poll::Ready(None),
            }
        }
    }
}

fn decode(frames: &Frames) -> VecDeque<Result<RuntimeEventEnvelope, ErrorBody>> {
    let mut decoder = Decoder::new();
    decoder.push(&frames.bytes);
    std::iter::from_fn(|| decoder.next_frame().transpose())
        .map(|frame| match frame {
            Ok(frame) => envelope(&frame),
            Err(error) => Err(ErrorBody::new(ErrorCode::Internal, error.to_string())),
        })
        .collect()
}

fn envelope(frame: &Frame) -> Result<RuntimeEventEnvelope, ErrorBody> {
    serde_json::from_str(&frame.data).map_err(|error| {
        let id = frame.id.as_deref().unwrap_or("without a place");
        let message = format!("event {id} does not read as an event: {error}");
        ErrorBody::new(ErrorCode::Internal, message)
    })
}
