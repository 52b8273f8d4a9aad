//! The newer protocol: its own forms, and everything older inside it.

use codewhale_protocol as root;
use codewhale_protocol::ext::{
    AppRequest, EventFrame, FREE_TEXT_LABEL, ThreadGoal, ThreadGoalProgressParams, ThreadRequest,
    UserInputAnswer, UserInputOption, UserInputQuestion, UserInputRequestEvent,
    UserInputSubmission,
};

use crate::goal::{GOAL, goal};
use crate::{check, check_alone, check_members, read};

const NEWER_GOAL: &str = concat!(
    r#"{"thread_id":"thread-a","goal_id":"goal-1","objective":"No warnings","#,
    r#""status":"budget_limited","token_budget":9000,"tokens_used":9100,"#,
    r#""time_used_seconds":45,"continuation_count":2,"#,
    r#""created_at":1790000000,"updated_at":1790000045}"#
);

fn newer_goal() -> ThreadGoal {
    ThreadGoal {
        continuation_count: 2,
        ..goal().into()
    }
}

#[test]
fn a_newer_goal_counts_its_continuations() {
    check(newer_goal(), NEWER_GOAL);
    assert_eq!(
        read::<ThreadGoal>(GOAL),
        ThreadGoal {
            continuation_count: 0,
            ..newer_goal()
        }
    );
    assert_eq!(
        read::<root::ThreadGoal>(NEWER_GOAL),
        goal(),
        "older readers pass over the count"
    );
    check_members::<ThreadGoal>(
        NEWER_GOAL,
        concat!(
            "thread_id goal_id objective status tokens_used time_used_seconds created_at ",
            "updated_at continuation_count= token_budget?"
        ),
    );
}

#[test]
fn goal_progress_is_a_thread_request() {
    let json = concat!(
        r#"{"kind":"goal_record_progress","thread_id":"thread-a","token_delta":120,"#,
        r#""time_delta_seconds":4,"record_continuation":true}"#
    );
    check(
        ThreadRequest::GoalRecordProgress(ThreadGoalProgressParams {
            thread_id: "thread-a".into(),
            token_delta: 120,
            time_delta_seconds: 4,
            record_continuation: true,
        }),
        json,
    );
    check_members::<ThreadRequest>(
        json,
        "kind thread_id token_delta= time_delta_seconds= record_continuation=",
    );
    check(
        read::<ThreadRequest>(r#"{"kind":"goal_record_progress","thread_id":"thread-a"}"#),
        concat!(
            r#"{"kind":"goal_record_progress","thread_id":"thread-a","token_delta":0,"#,
            r#""time_delta_seconds":0,"record_continuation":false}"#
        ),
    );
    assert!(
        serde_json::from_str::<root::ThreadRequest>(json).is_err(),
        "the root stays as it was"
    );
}

#[test]
fn reload_and_answers_are_app_requests() {
    check(AppRequest::ConfigReload, r#"{"kind":"config_reload"}"#);
    let submission = UserInputSubmission {
        request_id: "ask-1".into(),
        answers: vec![
            UserInputAnswer {
                id: "q-1".into(),
                label: "Sorted".into(),
                value: "sorted".into(),
            },
            UserInputAnswer {
                id: "q-2".into(),
                label: FREE_TEXT_LABEL.into(),
                value: "neither".into(),
            },
        ],
    };
    let json = concat!(
        r#"{"kind":"submit_user_input","request_id":"ask-1","answers":["#,
        r#"{"id":"q-1","label":"Sorted","value":"sorted"},"#,
        r#"{"id":"q-2","label":"Other","value":"neither"}]}"#
    );
    check(
        submission.clone(),
        &json.replace(r#""kind":"submit_user_input","#, ""),
    );
    check(AppRequest::SubmitUserInput(submission), json);
    check_members::<AppRequest>(json, "kind request_id answers");
    check_members::<UserInputAnswer>(
        r#"{"id":"q-1","label":"Sorted","value":"sorted"}"#,
        "id label value",
    );
}

fn question(allow_free_text: bool, multi_select: bool) -> UserInputQuestion {
    let option = |label: &str, description: &str| UserInputOption {
        label: label.into(),
        description: description.into(),
    };
    UserInputQuestion {
        header: "Order".into(),
        id: "q-1".into(),
        question: "Keep the imports sorted?".into(),
        options: vec![option("Sorted", "By name"), option("Grouped", "By crate")],
        allow_free_text,
        multi_select,
    }
}

const QUESTION: &str = concat!(
    r#"{"header":"Order","id":"q-1","question":"Keep the imports sorted?","options":["#,
    r#"{"label":"Sorted","description":"By name"},{"label":"Grouped","description":"By crate"}],"#,
    r#""allow_free_text":true,"multi_select":true}"#
);

#[test]
fn a_question_takes_one_of_its_options_unless_it_says_otherwise() {
    check(question(true, true), QUESTION);
    let short = QUESTION.replace(r#","allow_free_text":true,"multi_select":true"#, "");
    assert_eq!(read::<UserInputQuestion>(&short), question(false, false));
    check_members::<UserInputQuestion>(
        QUESTION,
        "header id question options allow_free_text= multi_select=",
    );
    check_members::<UserInputOption>(
        r#"{"label":"Sorted","description":"By name"}"#,
        "label description",
    );
}

#[test]
fn a_request_for_input_is_an_event() {
    let request = UserInputRequestEvent {
        call_id: "call-1".into(),
        turn_id: "t-1".into(),
        request_id: "ask-1".into(),
        questions: vec![question(true, true)],
    };
    let json = [
        r#"{"call_id":"call-1","turn_id":"t-1","request_id":"ask-1","questions":["#,
        QUESTION,
        "]}",
    ]
    .concat();
    check(request.clone(), &json);
    check_members::<UserInputRequestEvent>(&json, "call_id turn_id request_id questions");
    check(
        EventFrame::UserInputRequest { request },
        &format!(r#"{{"event":"user_input_request","request":{json}}}"#),
    );
}

#[test]
fn a_goal_event_carries_status_cost_and_count() {
    check(
        EventFrame::ThreadGoalUpdated { goal: newer_goal() },
        &format!(r#"{{"event":"thread_goal_updated","goal":{NEWER_GOAL}}}"#),
    );
    let older = root::EventFrame::ThreadGoalUpdated { goal: goal() };
    let written = crate::write(&older);
    let lifted = EventFrame::ThreadGoalUpdated {
        goal: goal().into(),
    };
    assert_eq!(read::<EventFrame>(&written), lifted);
    assert_eq!(EventFrame::from(older), lifted);
}

#[test]
fn whatever_the_root_knows_keeps_its_form() {
    for (request, json) in crate::thread_request::examples() {
        check_alone(&ThreadRequest::from(request), json);
    }
    for (request, json) in crate::app::examples() {
        check_alone(&AppRequest::from(request), json);
    }
    for (frame, json) in crate::event_frame::examples() {
        if crate::seed_code::event(&frame) != "thread_goal_updated" {
            assert_eq!(
                EventFrame::from(frame.clone()),
                EventFrame::Base(frame.clone())
            );
            check_alone(&EventFrame::from(frame), &json);
        }
    }
}

#[test]
fn a_mistake_is_named_whether_the_form_is_newer_or_older() {
    fn complaint<T: crate::Wire>(json: &str) -> String {
        serde_json::from_str::<T>(json).unwrap_err().to_string()
    }
    let cases = [
        (
            complaint::<ThreadRequest>(r#"{"kind":"goal_record_progress"}"#),
            "`thread_id`",
        ),
        (
            complaint::<ThreadRequest>(r#"{"kind":"read"}"#),
            "`thread_id`",
        ),
        (complaint::<ThreadRequest>(r#"{"kind":7}"#), "expected"),
        (complaint::<ThreadRequest>("[]"), "`kind`"),
        (
            complaint::<AppRequest>(r#"{"kind":"submit_user_input","request_id":"a"}"#),
            "`answers`",
        ),
        (
            complaint::<AppRequest>(r#"{"kind":"nonsense"}"#),
            "unknown variant `nonsense`",
        ),
        (
            complaint::<EventFrame>(r#"{"event":"user_input_request"}"#),
            "`request`",
        ),
        (
            complaint::<EventFrame>(r#"{"event":"thread_goal_updated"}"#),
            "`goal`",
        ),
        (
            complaint::<EventFrame>(r#"{"event":"turn_aborted","turn_id":"t"}"#),
            "`reason`",
        ),
    ];
    for (complaint, part) in cases {
        assert!(
            complaint.contains(part),
            "{complaint:?} does not name {part}"
        );
    }
}
