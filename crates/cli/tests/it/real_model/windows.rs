//! Conversations that do not fit into the model's window, as the server sees it: nobody told the
//! program how large that is.

use codewhale_protocol::runtime::{FailureClass, ItemKind, TurnStatus};
use codewhale_testkit::real_model::RealModel;

use super::{Real, WIRES, usage};

/// The window of the model, in tokens.
const WINDOW: u32 = 1024;

/// About as many tokens.
fn tokens(count: u64) -> String {
    "whale ".repeat(usize::try_from(count).unwrap())
}

#[tokio::test]
async fn a_thread_that_outgrows_the_window_is_shortened_and_goes_on() {
    let model = RealModel::with_window(WINDOW).await;
    let real = Real::new(model.brief()).await;
    let mut talk = real.talk(WIRES[0]).await;
    let first = real.run(&mut talk, "Hello.").await;
    let room = u64::from(WINDOW) - usage(&first).input_tokens;
    // Once it fits, twice it does not.
    let long = tokens(room * 6 / 10);
    for _ in 0..2 {
        let turn = real.run(&mut talk, &long).await;
        assert_eq!(turn.status, TurnStatus::Completed, "{turn:?}");
    }
    let snapshot = real.app.snapshot(&talk.thread).await;
    let kinds = snapshot.items.iter().map(|it| it.kind);
    let summaries = kinds.filter(|it| *it == ItemKind::ContextCompaction);
    assert_eq!(summaries.count(), 1);
}

#[tokio::test]
async fn a_question_that_no_window_holds_fails_with_its_cause_and_the_thread_goes_on() {
    let model = RealModel::with_window(WINDOW).await;
    let real = Real::new(model.brief()).await;
    for wire in WIRES {
        let mut talk = real.talk(wire).await;
        let turn = real.run(&mut talk, &tokens(2000)).await;
        assert_eq!(turn.status, TurnStatus::Failed, "{wire}: {turn:?}");
        assert_eq!(turn.failure_class, Some(FailureClass::InvalidRequest));
        let error = turn.error.unwrap();
        assert!(error.contains("larger window"), "{wire}: {error}");
        // What did not fit is told more shortly from now on.
        let turn = real.run(&mut talk, "Hello.").await;
        assert_eq!(turn.status, TurnStatus::Completed, "{wire}: {turn:?}");
    }
}
