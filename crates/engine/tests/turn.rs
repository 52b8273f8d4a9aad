//! The loop of a turn, against a model and a host that do as they are told.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may stop")]

#[path = "turn/fallbacks.rs"]
mod fallbacks;
#[path = "turn/hooks.rs"]
mod hooks;
#[path = "turn/media.rs"]
mod media;
#[path = "turn/world.rs"]
mod world;

use std::time::Duration;

use codewhale_engine::{Answer, Failure, TurnEnd};
use codewhale_model::{ErrorKind, FinishReason, Message};
use codewhale_policy::{Answerer, Authority};
use codewhale_protocol::runtime::{FailureClass, Mode, Permission, PermissionPosture};

use world::{Piece, World, says, wants};

#[tokio::test]
async fn an_answer_is_shown_piece_by_piece_and_ends_the_turn() {
    let world = World::new();
    world.model(vec![
        Piece::Reasoning("hm"),
        Piece::Text("Hel"),
        Piece::Text("lo"),
        Piece::Usage(7),
    ]);
    let outcome = world.run("hi").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    assert_eq!(
        world.told(),
        [
            "dispatched",
            "open reasoning 1",
            "text hm",
            "close",
            "open message 1",
            "text Hel",
            "text lo",
            "usage 7",
            "close",
            "closed input",
        ]
    );
    assert_eq!(
        outcome.conversation.last(),
        Some(&Message::Assistant {
            reasoning: "hm".into(),
            text: "Hello".into(),
            calls: vec![]
        })
    );
}

#[tokio::test]
async fn calls_run_in_order_and_their_results_go_back_to_the_model() {
    let world = World::new();
    world.model(wants(&[
        ("a", "note", r#"{"text":"one"}"#),
        ("b", "note", r#"{"text":"two"}"#),
    ]));
    world.model(says("done"));
    let outcome = world.run("go").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    assert_eq!(world.tool_log(), ["one", "two"]);
    let results: Vec<(String, bool)> = world.requests()[1]
        .iter()
        .filter_map(|message| match message {
            Message::Tool {
                output, success, ..
            } => Some((output.clone(), *success)),
            _ => None,
        })
        .collect();
    assert_eq!(
        results,
        [
            ("noted one".to_owned(), true),
            ("noted two".to_owned(), true)
        ]
    );
}

#[tokio::test]
async fn what_a_call_prints_is_shown_before_its_result() {
    let world = World::new();
    let words = "1 2 3 4 5 6 7 8";
    let input = format!(r#"{{"text":"print {words}"}}"#);
    world.model(wants(&[("a", "note", &input)]));
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    let told = world.told();
    let from = told.iter().position(|line| line == "open note 1").unwrap();
    let shown: Vec<String> = words
        .split(' ')
        .map(|word| format!("text {word}"))
        .collect();
    assert_eq!(told[from + 1..from + 9], shown);
    assert_eq!(told[from + 9], "result true");
}

#[tokio::test]
async fn a_call_that_a_person_stops_is_told_so_and_the_turn_goes_on() {
    let world = World::new();
    world.stop_next_call();
    let calls = [
        ("a", "note", r#"{"text":"one"}"#),
        ("b", "note", r#"{"text":"two"}"#),
    ];
    world.model(wants(&calls));
    world.model(says("done"));
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    let results = world.results();
    assert!(
        results[0].starts_with("noted one\n[A person stopped this call."),
        "{results:?}"
    );
    assert_eq!(results[1], "noted two");
    let told = world.told();
    let ends: Vec<_> = told
        .iter()
        .filter(|line| line.starts_with("result"))
        .collect();
    assert_eq!(ends, ["result false", "result true"]);
}

#[tokio::test]
async fn a_call_that_does_not_read_or_does_not_exist_is_told_to_the_model() {
    let world = World::new();
    world.model(wants(&[
        ("a", "note", "{not json"),
        ("b", "fly", "{}"),
        ("c", "note", "{}"),
    ]));
    world.model(says("sorry"));
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    let told = world.results();
    assert!(told[0].contains("not JSON"), "{told:?}");
    assert!(
        told[1].contains("no tool named \"fly\"") && told[1].contains("note"),
        "{told:?}"
    );
    assert!(told[2].contains("text"), "{told:?}");
    assert!(world.tool_log().is_empty());
}

#[tokio::test]
async fn a_call_that_needs_approval_waits_for_it_and_a_no_is_an_answer() {
    for (answer, ran, told) in [
        (Answer::Yes, vec!["one"], "noted one"),
        (
            Answer::No("the user said no".into()),
            vec![],
            "The call was refused: the user said no",
        ),
    ] {
        let world = World::new();
        world.answer(answer);
        world.model(wants(&[("a", "write", r#"{"text":"one"}"#)]));
        world.model(says("ok"));
        assert_eq!(world.run("go").await.end, TurnEnd::Completed);
        assert_eq!(world.tool_log(), ran);
        assert!(
            world.results()[0].starts_with(told),
            "{:?}",
            world.results()
        );
        let question = &world.questions()[0];
        assert_eq!(question.answerer, Answerer::Person);
        assert_eq!(question.matched_rule, "builtin:ask-before-write");
        assert_eq!(question.digest.len(), 64);
    }
}

#[tokio::test]
async fn an_effect_waits_until_its_approval_is_settled() {
    let world = World::new();
    world.answer(Answer::Yes);
    world.fail_to_settle();
    world.model(wants(&[("a", "write", r#"{"text":"one"}"#)]));
    let end = world.run("go").await.end;
    assert!(
        matches!(
            end,
            TurnEnd::Failed(Failure {
                class: FailureClass::Storage,
                ..
            })
        ),
        "{end:?}"
    );
    assert!(world.tool_log().is_empty());
}

#[tokio::test]
async fn plan_mode_neither_offers_nor_runs_what_has_an_effect() {
    let world = World::new();
    let permission = Permission {
        mode: Mode::Plan,
        posture: PermissionPosture::FullAccess,
    };
    world.authority(Authority::plain(permission).with_shell());
    world.model(wants(&[("a", "write", r#"{"text":"one"}"#)]));
    world.model(says("planned"));
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    assert_eq!(world.offered()[0], ["note"]);
    assert!(
        world.results()[0].starts_with("Not allowed"),
        "{:?}",
        world.results()
    );
    assert!(world.tool_log().is_empty() && world.questions().is_empty());
}

#[tokio::test]
async fn what_is_added_while_the_model_speaks_is_answered_in_the_same_turn() {
    let world = World::new();
    world.model(says("first"));
    world.model(says("second"));
    world.add_input_after(1, "and this");
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    assert_eq!(world.requests().len(), 2);
    assert_eq!(world.requests()[1].last(), Some(&Message::user("and this")));
}

#[tokio::test]
async fn what_arrives_in_the_last_moment_keeps_the_turn_open() {
    let world = World::new();
    world.model(says("first"));
    world.model(says("second"));
    world.add_input_at_close("one more");
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    assert_eq!(world.requests()[1].last(), Some(&Message::user("one more")));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_fails_is_asked_again_and_each_wait_is_shown() {
    let world = World::new();
    world.fails(ErrorKind::Transient);
    world.fails(ErrorKind::RateLimited {
        retry_after: Some(Duration::from_secs(7)),
    });
    world.model(says("at last"));
    let began = tokio::time::Instant::now();
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    assert_eq!(began.elapsed(), Duration::from_secs(8));
    assert_eq!(
        world.statuses(),
        [
            "no luck; trying again in 1 s (attempt 2 of 4)",
            "no luck; trying again in 7 s (attempt 3 of 4)",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_text_that_breaks_off_is_abandoned_and_said_again() {
    let world = World::new();
    world.model(vec![Piece::Text("Hel"), Piece::Fail(ErrorKind::Transient)]);
    world.model(says("Hello"));
    let outcome = world.run("go").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    let told = world.told();
    assert!(told.contains(&"abandon no luck".to_owned()), "{told:?}");
    let said: Vec<_> = outcome
        .conversation
        .iter()
        .filter(|m| matches!(m, Message::Assistant { .. }))
        .collect();
    assert_eq!(said.len(), 1);
}

#[tokio::test]
async fn a_text_that_breaks_off_for_good_is_left_open_for_the_owner_to_tell_the_cause_first() {
    let world = World::new();
    world.model(vec![Piece::Text("Hel"), Piece::Fail(ErrorKind::Rejected)]);
    let outcome = world.run("go").await;
    assert!(matches!(outcome.end, TurnEnd::Failed(_)));
    assert_eq!(world.told(), ["dispatched", "open message 1", "text Hel"]);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_keeps_failing_ends_the_turn_with_its_class() {
    for (kind, class, retryable, requests) in [
        (ErrorKind::Transient, FailureClass::Network, true, 4),
        (ErrorKind::Stalled, FailureClass::Timeout, true, 4),
        (
            ErrorKind::RateLimited {
                retry_after: Some(Duration::from_secs(3_600)),
            },
            FailureClass::RateLimit,
            true,
            1,
        ),
        (ErrorKind::Auth, FailureClass::Authentication, false, 1),
        (ErrorKind::Exhausted, FailureClass::RateLimit, false, 1),
        (ErrorKind::Unusable, FailureClass::InvalidRequest, false, 1),
        (ErrorKind::Rejected, FailureClass::InvalidRequest, false, 1),
    ] {
        let world = World::new();
        for _ in 0..10 {
            world.fails(kind);
        }
        let expect = Failure {
            message: "no luck".into(),
            class,
            retryable,
        };
        assert_eq!(
            world.run("go").await.end,
            TurnEnd::Failed(expect),
            "{kind:?}"
        );
        assert_eq!(world.requests().len(), requests, "{kind:?}");
    }
}

#[tokio::test]
async fn an_answer_that_merely_stopped_is_no_success() {
    for (reason, class) in [
        (FinishReason::Length, FailureClass::Truncated),
        (FinishReason::ContentFilter, FailureClass::Refused),
    ] {
        let world = World::new();
        world.model(vec![Piece::Text("I was about"), Piece::Finish(reason)]);
        let end = world.run("go").await.end;
        assert!(
            matches!(&end, TurnEnd::Failed(failure) if failure.class == class),
            "{end:?}"
        );
    }
    let world = World::new();
    world.model(says("  "));
    let end = world.run("go").await.end;
    assert!(
        matches!(&end, TurnEnd::Failed(f) if f.class == FailureClass::Empty && f.retryable),
        "{end:?}"
    );
}

#[tokio::test]
async fn a_stop_is_obeyed_while_the_model_is_silent() {
    let world = World::new();
    world.model(vec![Piece::Text("Hel"), Piece::Silence]);
    world.stop_at("text Hel");
    assert_eq!(world.run("go").await.end, TurnEnd::Interrupted);
}

#[tokio::test]
async fn a_stop_is_obeyed_while_a_person_thinks_and_nothing_runs() {
    let world = World::new();
    world.model(wants(&[("a", "write", r#"{"text":"one"}"#)]));
    world.stop_at("ask");
    assert_eq!(world.run("go").await.end, TurnEnd::Interrupted);
    assert!(world.tool_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_obeyed_while_waiting_for_the_provider() {
    let world = World::new();
    world.fails(ErrorKind::Transient);
    world.stop_at("status");
    assert_eq!(world.run("go").await.end, TurnEnd::Interrupted);
}

#[tokio::test]
async fn a_turn_that_never_ends_is_ended() {
    let world = World::new();
    for _ in 0..300 {
        world.model(wants(&[("a", "note", r#"{"text":"again"}"#)]));
    }
    let end = world.run("go").await.end;
    assert!(
        matches!(&end, TurnEnd::Failed(f) if f.class == FailureClass::Limit),
        "{end:?}"
    );
    assert_eq!(world.requests().len(), 201, "the last is for a report");
}

#[tokio::test]
async fn a_turn_that_may_cost_no_more_reports_and_does_nothing() {
    let world = World::new();
    world.model(wants(&[("a", "note", r#"{"text":"one"}"#)]));
    let mut report = says("Half of it is done.");
    report.extend(wants(&[("b", "note", r#"{"text":"two"}"#)]));
    world.model(report);
    world.spend_all_after(1);
    let outcome = world.run("go").await;
    assert!(matches!(&outcome.end, TurnEnd::Failed(failure)
        if failure.class == FailureClass::Limit && failure.message == "the budget is used up"));
    assert_eq!(
        world.tool_log().len(),
        1,
        "nothing runs after the end of the budget"
    );
    let asked = world.requests().pop().unwrap().pop().unwrap();
    assert!(matches!(asked, Message::User { text, .. } if text.contains("what is done")));
    // What is kept is what would be told anew: the request for a report is not in it.
    let last_two = &outcome.conversation[outcome.conversation.len() - 2..];
    assert!(matches!(&last_two[0], Message::Tool { .. }), "{last_two:?}");
    assert!(
        matches!(&last_two[1], Message::Assistant { text, calls, .. }
        if text == "Half of it is done." && calls.is_empty())
    );
}

#[tokio::test]
async fn what_stands_before_the_conversation_changes_only_where_a_summary_replaces_it() {
    let world = World::new();
    let plan = Permission {
        mode: Mode::Plan,
        ..Permission::DEFAULT
    };
    world.authority_at(1, Authority::plain(plan));
    let long = format!("{{\"text\":\"{}\"}}", "long ".repeat(100));
    world.model(wants(&[("a", "write", &long)]));
    world.fails(ErrorKind::ContextOverflow);
    world.model(says("In short."));
    let outcome = world.run("go").await;
    assert_eq!(outcome.end, TurnEnd::Completed);
    let listed: Vec<String> = world.offered().iter().map(|it| it.join(" ")).collect();
    assert_eq!(listed, ["note write", "note write", "note write", "note"]);
    assert_eq!(world.systems(), ["old", "old", "old", "new"]);
    assert!(
        world.tool_log().is_empty(),
        "the law refuses what is listed"
    );
}

#[tokio::test]
async fn a_turn_that_was_given_so_many_steps_asks_no_more_often() {
    let world = World::new();
    world.bound_steps(2);
    for _ in 0..2 {
        world.model(wants(&[("a", "note", r#"{"text":"one"}"#)]));
    }
    let TurnEnd::Failed(failure) = world.run("go").await.end else {
        panic!("it did not come to an end by itself");
    };
    assert_eq!(failure.class, FailureClass::Limit);
    assert!(failure.message.contains("after 2 calls of the model"));
    assert_eq!(world.requests().len(), 2);
}

#[tokio::test]
async fn calls_beyond_their_number_are_not_run() {
    let world = World::new();
    world.bound_calls(1);
    world.model(wants(&[
        ("a", "note", r#"{"text":"one"}"#),
        ("b", "note", r#"{"text":"two"}"#),
    ]));
    world.model(says("done"));
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    assert_eq!(world.tool_log(), ["one"]);
    let told = world.results();
    assert!(
        told[1].contains("not run: the calls are used up"),
        "{told:?}"
    );
}
