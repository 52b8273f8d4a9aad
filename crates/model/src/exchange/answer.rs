//! An answer from the network: feeds the reader, and ends every wait.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use http_body::Body;
use tokio::time::{Instant, Sleep, sleep_until};

use super::reader::{Parse, Reader};
use crate::limits;
use crate::{Chunk, Error, ErrorKind};

/// The chunks of an answer. All that one read from the network brought are handed out before the
/// next read. Dropping it closes the connection.
pub(super) struct Answer<B, P> {
    body: B,
    reader: Reader<P>,
    silence: Silence,
    /// How many frames had come when the silence was last looked at.
    frames: u64,
    is_over: bool,
}

impl<B, P> Answer<B, P>
where
    P: Parse,
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    pub(super) fn new(body: B, reader: Reader<P>, idle: Duration) -> Self {
        Self {
            body,
            reader,
            silence: Silence::new(idle),
            frames: 0,
            is_over: false,
        }
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Chunk, Error>>> {
        loop {
            if let Some(chunk) = self.reader.next()? {
                return Poll::Ready(Some(Ok(chunk)));
            }
            if self.reader.is_done() {
                ready!(self.poll_end(context));
                return Poll::Ready(None);
            }
            ready!(self.poll_bytes(context))?;
        }
    }

    /// Moves bytes from the network into the reader, or what became of them.
    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let Poll::Ready(event) = Pin::new(&mut self.body).poll_frame(context) else {
            let limit = ready!(self.poll_silence(context));
            return Poll::Ready(self.reader.settle(|reader| stalled(reader, limit)));
        };
        Poll::Ready(match event {
            Some(Ok(frame)) => {
                self.silence.gave_a_sign();
                frame
                    .data_ref()
                    .map_or(Ok(()), |bytes| self.reader.push(bytes))
            }
            Some(Err(cause)) => self
                .reader
                .settle(|reader| reader.cut_off().caused_by(cause)),
            None => self.reader.end(),
        })
    }

    /// Waits a moment for the end of the body, which usually stands right behind the answer. Seeing
    /// it lets the connection serve the next request.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending => self.silence.poll_end(context),
        }
    }

    fn poll_silence(&mut self, context: &mut Context<'_>) -> Poll<Limit> {
        if self.frames != self.reader.frames() {
            self.frames = self.reader.frames();
            self.silence.said_something();
        }
        self.silence.poll_over(context, self.reader.is_finished())
    }
}

fn stalled<P: Parse>(reader: &Reader<P>, limit: Limit) -> Error {
    let message = match limit {
        Limit::Silent(wait) => format!("sent nothing for {wait:?}"),
        Limit::KeepAlives(wait) => format!("sent nothing but keep-alives for {wait:?}"),
    };
    reader.origin().error(ErrorKind::Stalled, message)
}

impl<B, P> Stream for Answer<B, P>
where
    P: Parse,
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    type Item = Result<Chunk, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let item = ready!(self.poll_chunk(context));
        self.is_over = !matches!(item, Some(Ok(_)));
        Poll::Ready(item)
    }
}

/// How long the provider has been silent. The timer is only moved when it rings or has to ring
/// earlier, because moving it for each read would cost more than reading the time.
struct Silence {
    idle: Duration,
    /// When the last bytes came.
    sign: Instant,
    /// When the last frame came that was more than a keep-alive.
    word: Instant,
    timer: Pin<Box<Sleep>>,
}

/// Which patience ran out, and how long it was.
enum Limit {
    Silent(Duration),
    KeepAlives(Duration),
}

impl Silence {
    fn new(idle: Duration) -> Self {
        let now = Instant::now();
        Self {
            idle,
            sign: now,
            word: now,
            timer: Box::pin(sleep_until(now + idle)),
        }
    }

    fn gave_a_sign(&mut self) {
        self.sign = Instant::now();
    }

    fn said_something(&mut self) {
        self.word = self.sign;
    }

    /// Rings when the next bytes are overdue; behind the finish, when the rest of the answer is.
    fn poll_over(&mut self, context: &mut Context<'_>, is_finished: bool) -> Poll<Limit> {
        let keep_alives = if is_finished {
            limits::TAIL_WAIT
        } else {
            self.idle * limits::SILENT_IDLES_MAX
        };
        let (silent_due, keep_alives_due) = (self.sign + self.idle, self.word + keep_alives);
        let due = silent_due.min(keep_alives_due);
        ready!(self.poll_until(context, due));
        Poll::Ready(if due == silent_due {
            Limit::Silent(self.idle)
        } else {
            Limit::KeepAlives(keep_alives)
        })
    }

    /// Rings when the end of the body has not come soon after the last bytes.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.poll_until(context, self.sign + limits::END_WAIT)
    }

    fn poll_until(&mut self, context: &mut Context<'_>, due: Instant) -> Poll<()> {
        while Instant::now() < due {
            if self.timer.deadline() > due || self.timer.is_elapsed() {
                self.timer.as_mut().reset(due);
            }
            ready!(self.timer.as_mut().poll(context));
        }
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests;
