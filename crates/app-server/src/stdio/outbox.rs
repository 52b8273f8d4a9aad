//! What goes to the client: whole lines, in order, from a queue of a bounded length.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::limits::{LAST_LINES, LINES_WAITING_MAX, WRITE_STALL};

/// Takes lines for the client. Cheap to clone.
#[derive(Clone)]
pub(super) struct Outbox(mpsc::Sender<String>);

/// Why no more lines are written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Gone {
    #[error("the client has not read for {} s", .0.as_secs())]
    Stalled(Duration),
    #[error("the client has closed its end: {0}")]
    Closed(#[from] std::io::Error),
}

/// A queue, and the end of it that writes.
pub(super) fn outbox() -> (Outbox, Writer) {
    let (lines, waiting) = mpsc::channel(LINES_WAITING_MAX);
    (Outbox(lines), Writer(waiting))
}

impl Outbox {
    /// Waits for room. A line to a client that is gone goes nowhere.
    pub(super) async fn say(&self, line: String) {
        let _ = self.0.send(line).await;
    }
}

/// Writes what waits.
pub(super) struct Writer(mpsc::Receiver<String>);

impl Writer {
    /// Writes until nobody has anything to say any more. When the client is gone, `gone` fires and
    /// nobody waits for room any longer. Once `stop` has fired, it is gone sooner.
    pub(super) async fn run(
        self,
        output: impl AsyncWrite + Unpin,
        stop: CancellationToken,
        gone: CancellationToken,
    ) {
        if let Err(why) = self.write(output, &stop).await {
            tracing::warn!("{why}; its stream is closed, and the turns go on");
            gone.cancel();
        }
    }

    async fn write(
        mut self,
        mut output: impl AsyncWrite + Unpin,
        stop: &CancellationToken,
    ) -> Result<(), Gone> {
        while let Some(line) = self.0.recv().await {
            in_time(output.write_all(line.as_bytes()), stop).await?;
            if self.0.is_empty() {
                in_time(output.flush(), stop).await?;
            }
        }
        in_time(output.flush(), stop).await
    }
}

async fn in_time(
    writing: impl Future<Output = std::io::Result<()>>,
    stop: &CancellationToken,
) -> Result<(), Gone> {
    let hurried = async {
        stop.cancelled().await;
        sleep(LAST_LINES).await;
    };
    tokio::select! {
        biased;
        written = writing => Ok(written?),
        () = hurried => Err(Gone::Stalled(LAST_LINES)),
        () = sleep(WRITE_STALL) => Err(Gone::Stalled(WRITE_STALL)),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test]
    async fn lines_come_out_in_order_and_whole() {
        let (outbox, writer) = outbox();
        let (theirs, mut ours) = tokio::io::duplex(7);
        let talk = async move {
            for number in 0..200 {
                outbox.say(format!("line {number}\n")).await;
            }
        };
        let mut text = String::new();
        let (_, (), _) = tokio::join!(
            writer.run(theirs, CancellationToken::new(), CancellationToken::new()),
            talk,
            ours.read_to_string(&mut text)
        );
        let expect: String = (0..200).map(|number| format!("line {number}\n")).collect();
        assert_eq!(text, expect);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_the_last_lines_does_not_keep_us_from_ending() {
        let (outbox, writer) = outbox();
        let (theirs, _unread) = tokio::io::duplex(8);
        let (stop, gone) = (CancellationToken::new(), CancellationToken::new());
        let talk = async {
            outbox.say("a line that does not fit\n".to_owned()).await;
            sleep(Duration::from_secs(1)).await;
            stop.cancel();
        };
        let begun = Instant::now();
        tokio::join!(writer.run(theirs, stop.clone(), gone.clone()), talk);
        assert!(gone.is_cancelled());
        assert_eq!(begun.elapsed(), Duration::from_secs(1) + LAST_LINES);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_for_a_minute_holds_nobody_up_any_more() {
        let (outbox, writer) = outbox();
        let (theirs, _unread) = tokio::io::duplex(8);
        let gone = CancellationToken::new();
        let talk = async move {
            for _ in 0..LINES_WAITING_MAX * 3 {
                outbox.say("a line that does not fit\n".to_owned()).await;
            }
        };
        let begun = Instant::now();
        tokio::join!(
            writer.run(theirs, CancellationToken::new(), gone.clone()),
            talk
        );
        assert!(gone.is_cancelled());
        assert_eq!(begun.elapsed(), WRITE_STALL);
    }
}
