use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use futures_util::StreamExt;
use http_body::Frame;
use tokio::time::{advance, sleep};

use super::*;
use crate::FinishReason;
use crate::chat::ChatParse;
use crate::failure::Origin;

const IDLE: Duration = Duration::from_secs(60);
const HI: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
const FINISH: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const KEEP_ALIVE: &str = ": keep-alive\n\n";

/// A body that does as it is told, in virtual time.
struct Script {
    steps: VecDeque<Step>,
    wait: Option<Pin<Box<Sleep>>>,
}

enum Step {
    Send(&'static str),
    Wait(Duration),
    Break,
    Stall,
}

impl Body for Script {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        loop {
            if let Some(wait) = &mut self.wait {
                ready!(wait.as_mut().poll(context));
                self.wait = None;
            }
            match self.steps.pop_front() {
                None => return Poll::Ready(None),
                Some(Step::Send(text)) => {
                    return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(text.as_bytes())))));
                }
                Some(Step::Wait(time)) => self.wait = Some(Box::pin(sleep(time))),
                Some(Step::Break) => return Poll::Ready(Some(Err(io::Error::other("reset")))),
                Some(Step::Stall) => {
                    self.steps.push_front(Step::Stall);
                    return Poll::Pending;
                }
            }
        }
    }
}

fn answer(steps: impl IntoIterator<Item = Step>) -> Answer<Script, ChatParse> {
    let origin = Origin {
        provider: "deepseek".into(),
        host: String::new(),
        key: None,
        key_hint: String::new(),
    };
    let script = Script {
        steps: steps.into_iter().collect(),
        wait: None,
    };
    Answer::new(
        script,
        Reader::new(Arc::new(origin), ChatParse::new(0)),
        IDLE,
    )
}

fn said() -> Chunk {
    Chunk::Text("Hi".into())
}

/// The chunks, the error if any, and how long it took.
async fn outcome(
    mut answer: Answer<Script, ChatParse>,
) -> (Vec<Chunk>, Option<(ErrorKind, String)>, Duration) {
    let start = Instant::now();
    let mut chunks = Vec::new();
    let mut error = None;
    while let Some(item) = answer.next().await {
        assert!(error.is_none(), "nothing follows an error");
        match item {
            Ok(chunk) => chunks.push(chunk),
            Err(e) => error = Some((e.kind, e.message)),
        }
    }
    assert!(answer.next().await.is_none(), "an ended answer stays ended");
    (chunks, error, start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn slow_is_not_stalled() {
    let wait = || Step::Wait(IDLE - Duration::from_secs(1));
    let steps = [
        wait(),
        Step::Send(HI),
        wait(),
        Step::Send(KEEP_ALIVE),
        wait(),
        Step::Send(FINISH),
    ];
    let (chunks, error, _) = outcome(answer(steps)).await;
    assert_eq!(
        (chunks, error),
        (vec![said(), Chunk::Finished(FinishReason::Stop)], None)
    );
}

#[tokio::test(start_paused = true)]
async fn silence_ends_the_answer_after_the_idle_time() {
    let steps = [
        Step::Send(HI),
        Step::Wait(IDLE / 2),
        Step::Send(KEEP_ALIVE),
        Step::Stall,
    ];
    let (chunks, error, time) = outcome(answer(steps)).await;
    assert_eq!(chunks, [said()]);
    assert_eq!(
        error,
        Some((ErrorKind::Stalled, "deepseek sent nothing for 60s".into()))
    );
    assert_eq!(time.as_secs(), (IDLE + IDLE / 2).as_secs());
}

#[tokio::test(start_paused = true)]
async fn keep_alives_alone_are_not_believed_for_ever() {
    let beat = || [Step::Wait(IDLE / 3), Step::Send(KEEP_ALIVE)];
    let steps = [Step::Send(HI)]
        .into_iter()
        .chain((0..99).flat_map(|_| beat()));
    let (chunks, error, time) = outcome(answer(steps)).await;
    assert_eq!(chunks, [said()]);
    assert_eq!(
        error,
        Some((
            ErrorKind::Stalled,
            "deepseek sent nothing but keep-alives for 120s".into()
        ))
    );
    assert_eq!(time.as_secs(), 120);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_closes_cannot_hold_back_a_finished_answer() {
    let beat = || [Step::Wait(Duration::from_secs(1)), Step::Send(KEEP_ALIVE)];
    let beats = (0..99).flat_map(|_| beat());
    let steps = [Step::Send(HI), Step::Send(FINISH)]
        .into_iter()
        .chain(beats);
    let (chunks, error, time) = outcome(answer(steps)).await;
    assert_eq!(
        (chunks, error),
        (vec![said(), Chunk::Finished(FinishReason::Stop)], None)
    );
    assert_eq!(time.as_secs(), limits::TAIL_WAIT.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_closes_behind_the_end_is_soon_left() {
    let (chunks, error, time) = outcome(answer([
        Step::Send(HI),
        Step::Send(FINISH),
        Step::Send("data: [DONE]\n\n"),
        Step::Stall,
    ]))
    .await;
    assert_eq!(
        (chunks, error),
        (vec![said(), Chunk::Finished(FinishReason::Stop)], None)
    );
    assert_eq!(time.as_millis(), limits::END_WAIT.as_millis());
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_told_with_its_cause() {
    let mut answer = answer([Step::Send(HI), Step::Break]);
    assert_eq!(answer.next().await.unwrap().unwrap(), said());
    let error = answer.next().await.unwrap().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Transient);
    assert_eq!(
        std::error::Error::source(&error).unwrap().to_string(),
        "reset"
    );
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_behind_the_finish_does_no_harm() {
    let (chunks, error, _) =
        outcome(answer([Step::Send(HI), Step::Send(FINISH), Step::Break])).await;
    assert_eq!(
        (chunks, error),
        (vec![said(), Chunk::Finished(FinishReason::Stop)], None)
    );
}

#[tokio::test(start_paused = true)]
async fn what_came_in_one_read_is_handed_out_without_another_wait() {
    const THREE: &str = concat!(
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n",
    );
    let mut answer = answer([Step::Send(THREE), Step::Stall]);
    let mut context = Context::from_waker(std::task::Waker::noop());
    for _ in 0..3 {
        let item = answer.poll_next_unpin(&mut context);
        assert!(matches!(item, Poll::Ready(Some(Ok(Chunk::Text(_))))));
    }
    assert!(answer.poll_next_unpin(&mut context).is_pending());
    advance(IDLE).await;
    assert!(answer.poll_next_unpin(&mut context).is_ready());
}
