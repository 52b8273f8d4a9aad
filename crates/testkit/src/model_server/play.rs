//! Plays a reply to a client.

use std::fmt::Write as _;
use std::io;

use tokio::time::{MissedTickBehavior, interval, sleep};

use super::connection::Connection;
use super::frames;
use super::reply::{Cut, Framing, Reply, Step};

/// Bytes per write of a flood: large enough to be cheap, small enough that the first comes at once.
const BATCH_BYTES: usize = 16 * 1024;

/// How a reply ended.
pub(super) enum Outcome {
    /// Whole; the connection takes another request.
    Answered,
    /// As the script wanted it, and the connection with it.
    Closed,
    /// The client left.
    Abandoned,
}

/// Why playing stopped early.
enum Stop {
    Cut,
    Left,
}

impl From<io::Error> for Stop {
    /// A write only fails because nobody reads any more.
    fn from(_: io::Error) -> Self {
        Self::Left
    }
}

pub(super) async fn play(reply: &Reply, connection: &mut Connection) -> Outcome {
    let mut player = Player {
        reply,
        connection,
        pending: String::new(),
        body: Vec::new(),
    };
    match player.play().await {
        Ok(()) if reply.framing == Framing::UntilClose => Outcome::Closed,
        Ok(()) => Outcome::Answered,
        Err(Stop::Cut) => Outcome::Closed,
        Err(Stop::Left) => Outcome::Abandoned,
    }
}

struct Player<'a> {
    reply: &'a Reply,
    connection: &'a mut Connection,
    /// The head, until the first bytes of the body go out with it.
    pending: String,
    /// Body bytes that were not sent yet.
    body: Vec<u8>,
}

impl Player<'_> {
    async fn play(&mut self) -> Result<(), Stop> {
        for step in &self.reply.before_head {
            self.step(step).await?;
        }
        self.pending = head(self.reply);
        for step in &self.reply.steps {
            self.step(step).await?;
        }
        self.body.extend_from_slice(self.reply.ending().as_bytes());
        self.flush().await?;
        if self.reply.framing == Framing::Chunked {
            self.connection.write(b"0\r\n\r\n").await?;
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Send(bytes) => self.body.extend_from_slice(bytes),
            Step::Call {
                index,
                id,
                name,
                arguments,
                piece_bytes,
            } => {
                let frames = frames::call(*index, id, name, arguments, *piece_bytes);
                self.body.extend_from_slice(frames.as_bytes());
            }
            Step::Pause(time) => self.wait(sleep(*time)).await?,
            Step::Hold(gate) => self.wait(gate.pass()).await?,
            Step::Stall => self.wait(std::future::pending()).await?,
            Step::Cut(cut) => return Err(self.cut(*cut).await?),
            Step::Flood { deltas, frame } => self.flood(*deltas, frame).await?,
            Step::Paced {
                deltas,
                every,
                base,
            } => {
                let mut ticks = interval(*every);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
                for _ in 0..*deltas {
                    ticks.tick().await;
                    self.body
                        .extend_from_slice(frames::text(&frames::stamp(*base)).as_bytes());
                    self.flush().await?;
                }
            }
        }
        Ok(())
    }

    /// Sends what there is, then waits; notices a client that leaves meanwhile.
    async fn wait(&mut self, end: impl Future<Output = ()>) -> Result<(), Stop> {
        self.flush().await?;
        tokio::select! {
            biased;
            () = end => Ok(()),
            () = self.connection.peer_left() => Err(Stop::Left),
        }
    }

    async fn cut(&mut self, cut: Cut) -> Result<Stop, Stop> {
        self.flush().await?;
        if cut == Cut::Reset {
            self.connection.reset()?;
        }
        Ok(Stop::Cut)
    }

    /// The same batch again and again: nothing is formatted while the client is timed.
    async fn flood(&mut self, deltas: usize, frame: &[u8]) -> Result<(), Stop> {
        self.flush().await?;
        let batch_deltas = (BATCH_BYTES / frame.len()).clamp(1, deltas.max(1));
        let batch = self.framed(&frame.repeat(batch_deltas));
        for _ in 0..deltas / batch_deltas {
            self.connection.write(&batch).await?;
        }
        self.body
            .extend_from_slice(&frame.repeat(deltas % batch_deltas));
        self.flush().await
    }

    /// Sends the head and the body bytes that are due, in as few writes as the reply allows.
    async fn flush(&mut self) -> Result<(), Stop> {
        let head = std::mem::take(&mut self.pending);
        let body = std::mem::take(&mut self.body);
        if body.len() <= self.reply.write_bytes {
            let mut bytes = head.into_bytes();
            bytes.extend_from_slice(&self.framed(&body));
            return Ok(self.connection.write(&bytes).await?);
        }
        self.connection.write(head.as_bytes()).await?;
        for piece in body.chunks(self.reply.write_bytes) {
            let piece = self.framed(piece);
            self.connection.write(&piece).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    fn framed(&self, body: &[u8]) -> Vec<u8> {
        if self.reply.framing != Framing::Chunked || body.is_empty() {
            return body.to_vec();
        }
        let mut framed = format!("{:x}\r\n", body.len()).into_bytes();
        framed.reserve(body.len() + 2);
        framed.extend_from_slice(body);
        framed.extend_from_slice(b"\r\n");
        framed
    }
}

fn head(reply: &Reply) -> String {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", reply.status);
    if !reply
        .headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
    {
        let kind = if reply.framing == Framing::Length {
            "text/plain"
        } else {
            "text/event-stream"
        };
        write!(head, "content-type: {kind}\r\n").expect("writing to a string cannot fail");
    }
    match reply.framing {
        Framing::Chunked => head.push_str("transfer-encoding: chunked\r\n"),
        Framing::UntilClose => head.push_str("connection: close\r\n"),
        Framing::Length => {
            write!(head, "content-length: {}\r\n", length(reply))
                .expect("writing to a string cannot fail");
        }
    }
    for (name, value) in &reply.headers {
        write!(head, "{name}: {value}\r\n").expect("writing to a string cannot fail");
    }
    head.push_str("\r\n");
    head
}

/// The length of a body that is not a stream. One that is cut off promises more than it sends.
fn length(reply: &Reply) -> usize {
    let sent = |step: &Step| match step {
        Step::Send(bytes) => bytes.len(),
        Step::Cut(_) | Step::Stall => 1,
        _ => 0,
    };
    reply.steps.iter().map(sent).sum()
}
