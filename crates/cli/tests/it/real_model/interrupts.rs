//! Answers that someone stops.

use codewhale_protocol::runtime::TurnStatus;
use codewhale_testkit::real_model::{RealModel, Voice, WINDOW};

use super::{Real, Talk, WIRES};

/// Starts a turn and stops it in the middle of the answer. The server lets go of it as well, long
/// before the end that the window would make.
async fn stop_in_the_middle(real: &Real, talk: &mut Talk, voice: Voice) {
    let turn = real
        .app
        .start_turn(&talk.thread, "Tell me about whales.")
        .await;
    talk.in_the_middle().await;
    assert_eq!(real.app.interrupt(&turn).await.status, 200);
    assert_eq!(talk.end().await.status, TurnStatus::Interrupted);
    let tokens = voice.until_idle().await;
    assert!(tokens < WINDOW.into(), "{tokens}");
}

#[tokio::test]
async fn an_answer_is_stopped_at_both_ends_and_the_thread_goes_on() {
    let model = RealModel::start().await;
    let voice = model.endless();
    let real = Real::new(voice).await;
    let mut threads = Vec::new();
    for wire in WIRES {
        let mut talk = real.talk(wire).await;
        stop_in_the_middle(&real, &mut talk, voice).await;
        // What was said so far is part of what the model reads next, and it takes it.
        stop_in_the_middle(&real, &mut talk, voice).await;
        threads.push((talk.thread, talk.events.last()));
    }
    let real = real.again(model.brief()).await;
    for (thread, last) in threads {
        let mut talk = real.listen(thread, last).await;
        let turn = real.run(&mut talk, "Are you still there?").await;
        assert_eq!(turn.status, TurnStatus::Completed, "{turn:?}");
    }
}

#[tokio::test]
async fn who_waits_for_the_model_gets_it_when_the_one_before_is_stopped() {
    let model = RealModel::start().await;
    let real = Real::new(model.endless()).await;
    let (mut before, mut behind) = (real.talk(WIRES[1]).await, real.talk(WIRES[2]).await);
    let prompt = "Tell me about whales.";
    let first = real.app.start_turn(&before.thread, prompt).await;
    before.in_the_middle().await;
    let second = real.app.start_turn(&behind.thread, prompt).await;
    behind.events.until("turn.lifecycle").await;
    assert_eq!(real.app.interrupt(&first).await.status, 200);
    assert_eq!(before.end().await.status, TurnStatus::Interrupted);
    behind.in_the_middle().await;
    assert_eq!(real.app.interrupt(&second).await.status, 200);
    assert_eq!(behind.end().await.status, TurnStatus::Interrupted);
}
