//! Answers that come to their end.

use codewhale_protocol::runtime::{FailureClass, ItemKind, TurnStatus};
use codewhale_testkit::real_model::{KEY, RealModel};

use super::{Real, Talk, WIRES, config, usage};

/// The pieces in which the last answer came.
fn pieces(talk: &Talk) -> Vec<&str> {
    let events = talk.last_turn().iter();
    let deltas = events.filter(|it| it.event == "item.delta");
    deltas
        .map(|it| it.payload["delta"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn an_answer_comes_in_pieces_and_costs_what_the_server_counted() {
    let model = RealModel::start().await;
    let voice = model.brief();
    let real = Real::new(voice).await;
    for wire in WIRES {
        let mut talk = real.talk(wire).await;
        let before = voice.counts().await;
        let turn = real.run(&mut talk, "Tell me about whales.").await;
        let after = voice.counts().await;
        assert_eq!(turn.status, TurnStatus::Completed, "{wire}: {turn:?}");
        let pieces = pieces(&talk);
        assert!(pieces.len() >= 3, "{wire}: {pieces:?}");
        let snapshot = real.app.snapshot(&talk.thread).await;
        let said = snapshot.items.last().unwrap();
        assert_eq!(said.kind, ItemKind::AgentMessage, "{wire}");
        assert_eq!(said.detail.as_deref(), Some(&*pieces.concat()), "{wire}");
        let usage = usage(&turn);
        let (read, reused) = (after.read - before.read, after.reused - before.reused);
        assert_eq!(usage.output_tokens, after.said - before.said, "{wire}");
        assert_eq!(usage.input_tokens, read + reused, "{wire}");
        assert_eq!(usage.prompt_cache_miss_tokens, Some(read), "{wire}");
        assert_eq!(usage.prompt_cache_hit_tokens, Some(reused), "{wire}");
    }
}

#[tokio::test]
async fn a_second_turn_tells_the_first_one_again_and_the_server_knows_it_already() {
    let model = RealModel::start().await;
    let real = Real::new(model.brief()).await;
    for wire in WIRES {
        let mut talk = real.talk(wire).await;
        // Begins like nothing that the server has seen.
        let prompt = format!("{wire}: tell me about whales.");
        let first = usage(&real.run(&mut talk, &prompt).await);
        let turn = real.run(&mut talk, "And about dolphins?").await;
        assert_eq!(turn.status, TurnStatus::Completed, "{wire}: {turn:?}");
        let second = usage(&turn);
        assert!(second.input_tokens > first.input_tokens, "{wire}");
        // All of the first conversation, to the byte.
        let known = second.prompt_cache_hit_tokens.unwrap();
        assert!(known >= first.input_tokens, "{wire}: {known}");
    }
}

#[tokio::test]
async fn an_answer_gets_as_long_as_configured_and_is_no_completed_turn_when_cut() {
    let model = RealModel::start().await;
    let config = config(&model.endless().base_url(), KEY);
    let bounded = config.replace("wire =", "max_output_tokens = 24\nwire =");
    let real = Real::configured(&bounded).await;
    for wire in WIRES {
        let mut talk = real.talk(wire).await;
        let turn = real.run(&mut talk, "Tell me about whales.").await;
        // In this dialect the server calls every answer complete.
        let is_told = wire != "responses";
        let expect = is_told.then_some(FailureClass::Truncated);
        assert_eq!(turn.failure_class, expect, "{wire}: {turn:?}");
        assert_eq!(usage(&turn).output_tokens, 24, "{wire}");
        assert!(!pieces(&talk).is_empty(), "{wire}");
    }
}
