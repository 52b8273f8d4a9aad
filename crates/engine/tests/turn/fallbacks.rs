//! Models that stand in for one another.

use codewhale_engine::{Failure, TurnEnd};
use codewhale_model::{ErrorKind, Message};
use codewhale_protocol::runtime::FailureClass;

use crate::world::{Piece, World, says, wants};

#[tokio::test(start_paused = true)]
async fn a_model_that_cannot_help_gives_way_to_the_next_and_that_is_shown() {
    for (kind, requests) in [
        (ErrorKind::Transient, 4),
        (ErrorKind::Stalled, 4),
        (ErrorKind::Garbled, 4),
        (ErrorKind::RateLimited { retry_after: None }, 4),
        (ErrorKind::Auth, 1),
        (ErrorKind::Exhausted, 1),
        (ErrorKind::Unusable, 1),
    ] {
        let world = World::new();
        world.stands_in("second");
        for _ in 0..requests {
            world.fails(kind);
        }
        world.model(says("here"));
        assert_eq!(world.run("go").await.end, TurnEnd::Completed, "{kind:?}");
        let asked = world.asked();
        assert_eq!(asked.len(), requests + 1, "{kind:?}");
        assert_eq!(asked[requests], "second");
        assert!(asked[..requests].iter().all(|model| model == "m"));
        let statuses = world.statuses();
        let last = statuses.last().unwrap();
        assert_eq!(last, "no luck; going on with p/second", "{kind:?}");
        assert!(world.told().contains(&"switch p/second".to_owned()));
    }
}

#[tokio::test]
async fn a_request_that_is_wrong_is_not_carried_to_another_model() {
    for kind in [ErrorKind::Rejected, ErrorKind::ContextOverflow] {
        let world = World::new();
        world.stands_in("second");
        world.fails(kind);
        let end = world.run("go").await.end;
        let class = FailureClass::InvalidRequest;
        assert!(
            matches!(&end, TurnEnd::Failed(Failure { class: told, .. }) if *told == class),
            "{end:?}"
        );
        assert_eq!(world.asked(), ["m"]);
    }
}

#[tokio::test]
async fn a_text_that_broke_off_is_said_again_by_the_next_and_no_call_runs_twice() {
    let world = World::new();
    world.stands_in("second");
    world.model(wants(&[("a", "note", r#"{"text":"one"}"#)]));
    let mut broken = vec![Piece::Text("Hel")];
    broken.extend(wants(&[("b", "note", r#"{"text":"two"}"#)]));
    broken.push(Piece::Fail(ErrorKind::Exhausted));
    world.model(broken);
    world.model(wants(&[("c", "note", r#"{"text":"three"}"#)]));
    world.model(says("Done."));
    let outcome = world.run("go").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    assert_eq!(world.tool_log(), ["one", "three"]);
    // What has failed is not tried again in the same turn.
    assert_eq!(world.asked(), ["m", "m", "second", "second"]);
    let told = world.told();
    let at = |line: &str| told.iter().position(|it| it == line).unwrap();
    assert!(at("abandon no luck") < at("switch p/second"), "{told:?}");
    let said =
        |message: &Message| matches!(message, Message::Assistant { text, .. } if text == "Hel");
    assert!(!outcome.conversation.iter().any(said));
}

#[tokio::test]
async fn a_stand_in_without_a_key_is_left_out_with_the_reason_shown_once() {
    let world = World::new();
    world.stands_in_without_key("openai");
    world.stands_in("third");
    world.fails(ErrorKind::Auth);
    world.model(wants(&[("a", "note", r#"{"text":"one"}"#)]));
    world.model(says("done"));
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    assert_eq!(
        world.statuses(),
        [
            "A fallback is left out: provider `openai` has no key: set KEY",
            "no luck; going on with p/third",
        ]
    );
}

#[tokio::test]
async fn when_nobody_is_left_the_turn_ends_with_the_last_failure() {
    let world = World::new();
    world.stands_in("second");
    world.fails(ErrorKind::Exhausted);
    world.fails(ErrorKind::Auth);
    let end = world.run("go").await.end;
    assert!(
        matches!(&end, TurnEnd::Failed(failure) if failure.class == FailureClass::Authentication),
        "{end:?}"
    );
    assert_eq!(world.asked(), ["m", "second"]);
}
