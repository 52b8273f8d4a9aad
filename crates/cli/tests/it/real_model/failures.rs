//! Servers that are not what the configuration says, or are no more.

use codewhale_protocol::runtime::{FailureClass, TurnStatus};
use codewhale_testkit::real_model::{KEY, RealModel};

use super::{Real, WIRES, config};
use crate::outline::outline;

/// What becomes of a turn with this address and key.
async fn check(base_url: &str, key: &str, class: FailureClass, words: &str) {
    let real = Real::configured(&config(base_url, key)).await;
    for wire in WIRES {
        let mut talk = real.talk(wire).await;
        let turn = real.run(&mut talk, "Hello.").await;
        assert_eq!(turn.status, TurnStatus::Failed, "{wire}: {turn:?}");
        assert_eq!(turn.failure_class, Some(class), "{wire}");
        let error = turn.error.unwrap();
        assert!(error.contains(words), "{wire}: {error}");
    }
}

#[tokio::test]
async fn a_wrong_path_or_key_fails_the_turn_and_says_so() {
    let model = RealModel::start().await;
    let right = model.brief().base_url();
    let wrong = right.replace("/v1", "/nowhere");
    check(&wrong, KEY, FailureClass::InvalidRequest, "404").await;
    check(
        &right,
        "another-key-0123456789",
        FailureClass::Authentication,
        "refused the key",
    )
    .await;
}

#[tokio::test]
async fn a_server_that_dies_in_the_middle_of_an_answer_fails_the_turn_after_the_last_attempt() {
    for wire in WIRES {
        let model = RealModel::start().await;
        let real = Real::new(model.endless()).await;
        let mut talk = real.talk(wire).await;
        real.app
            .start_turn(&talk.thread, "Tell me about whales.")
            .await;
        talk.in_the_middle().await;
        model.kill().await;
        let turn = talk.end().await;
        assert_eq!(turn.status, TurnStatus::Failed, "{wire}: {turn:?}");
        assert_eq!(turn.failure_class, Some(FailureClass::Network), "{wire}");
        let told = outline(talk.last_turn());
        let behind = told.iter().rposition(|it| it.starts_with("item.delta"));
        assert_eq!(
            told[behind.unwrap() + 1..],
            [
                "item.failed agent_message",
                "item.completed status",
                "item.completed status",
                "item.failed error",
                "turn.completed failed",
            ],
            "{wire}"
        );
    }
}
