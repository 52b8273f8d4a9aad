//! Pictures in a prompt, and models that can see them or not.

use codewhale_engine::TurnEnd;
use codewhale_model::{ErrorKind, Message};
use codewhale_protocol::runtime::AttachmentId;

use crate::world::{World, says, wants};

fn ids(ids: &[&str]) -> Vec<AttachmentId> {
    ids.iter().map(|id| AttachmentId::from(*id)).collect()
}

#[tokio::test]
async fn every_request_of_a_turn_shows_what_is_attached() {
    let world = World::new();
    world.attach(&["att_1", "att_2"]);
    world.model(wants(&[("a", "note", "{}")]));
    world.model(says("A whale."));
    assert_eq!(world.run("What is it?").await.end, TurnEnd::Completed);
    let all = ids(&["att_1", "att_2"]);
    assert_eq!(world.shown(), [all.clone(), all]);
}

#[tokio::test]
async fn a_request_that_is_refused_with_pictures_is_sent_again_without_them() {
    let world = World::new();
    world.attach(&["att_1"]);
    world.fails(ErrorKind::Rejected);
    world.model(wants(&[("a", "note", "{}")]));
    world.model(says("I see nothing."));
    let outcome = world.run("What is it?").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    assert_eq!(world.shown(), [ids(&["att_1"]), ids(&[]), ids(&[])]);
    assert_eq!(
        world.statuses(),
        ["no luck; asking p/m again without what is attached"]
    );
    // What was said stays what it was: the next turn may have a model that sees.
    assert!(
        matches!(&outcome.conversation[0], Message::User { attachments, .. } if *attachments == ids(&["att_1"]))
    );
}

#[tokio::test]
async fn a_request_that_is_refused_without_pictures_too_ends_the_turn() {
    let world = World::new();
    world.attach(&["att_1"]);
    world.fails(ErrorKind::Rejected);
    world.fails(ErrorKind::Rejected);
    assert!(matches!(world.run("go").await.end, TurnEnd::Failed(_)));
    assert_eq!(world.shown().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_cannot_see_is_told_in_words_alone() {
    let world = World::new();
    world.attach(&["att_1"]);
    world.stands_in("deepseek-v4-pro");
    world.fails(ErrorKind::Auth);
    world.model(says("Describe it, please."));
    assert_eq!(world.run("What is it?").await.end, TurnEnd::Completed);
    assert_eq!(world.asked(), ["m", "deepseek-v4-pro"]);
    assert_eq!(world.shown(), [ids(&["att_1"]), ids(&[])]);
}

#[tokio::test]
async fn a_summary_keeps_what_was_attached_to_the_latest_request() {
    let world = World::new();
    world.attach(&["att_1"]);
    let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(4_000));
    world.model(wants(&[("a", "note", &long)]));
    world.fails(ErrorKind::ContextOverflow);
    world.model(says("S"));
    world.model(says("done"));
    let outcome = world.run("What is it?").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    let told = world.told();
    let compacted = told.iter().find(|line| line.starts_with("compacted"));
    assert_eq!(
        compacted.map(String::as_str),
        Some("compacted 3 to 1 with [att_1]")
    );
    let last = world.requests().pop().unwrap();
    assert!(
        matches!(&last[0], Message::User { attachments, .. } if *attachments == ids(&["att_1"]))
    );
}

#[tokio::test]
async fn what_a_result_shows_is_seen_from_the_next_request_on() {
    let world = World::new();
    world.model(wants(&[("a", "note", r#"{"text":"picture"}"#)]));
    world.model(wants(&[("b", "note", r#"{"text":"more"}"#)]));
    world.model(says("A whale."));
    assert_eq!(world.run("Look").await.end, TurnEnd::Completed);
    let shown = world.shown();
    assert_eq!((shown[0].len(), shown[1].len(), shown[2].len()), (0, 1, 1));
    let last = world.requests().pop().unwrap();
    assert!(
        matches!(&last[2], Message::Tool { attachments, .. } if *attachments == shown[1]),
        "{last:?}"
    );
}
