//! The seven app requests, their answer, and prompts.

use codewhale_protocol::{AppRequest, AppResponse, EventFrame, PromptRequest, PromptResponse};
use serde_json::{Value, json};

use crate::{all_required, check, check_members, spellings};

const KINDS: [&str; 7] = [
    "capabilities",
    "config_get",
    "config_set",
    "config_unset",
    "config_list",
    "models",
    "thread_loaded_list",
];

/// One example per kind, in the order of the enum.
pub(crate) fn examples() -> Vec<(AppRequest, &'static str)> {
    vec![
        (AppRequest::Capabilities, r#"{"kind":"capabilities"}"#),
        (
            AppRequest::ConfigGet {
                key: "model".into(),
            },
            r#"{"kind":"config_get","key":"model"}"#,
        ),
        (
            AppRequest::ConfigSet {
                key: "model".into(),
                value: "m-small".into(),
            },
            r#"{"kind":"config_set","key":"model","value":"m-small"}"#,
        ),
        (
            AppRequest::ConfigUnset {
                key: "model".into(),
            },
            r#"{"kind":"config_unset","key":"model"}"#,
        ),
        (AppRequest::ConfigList, r#"{"kind":"config_list"}"#),
        (AppRequest::Models, r#"{"kind":"models"}"#),
        (
            AppRequest::ThreadLoadedList,
            r#"{"kind":"thread_loaded_list"}"#,
        ),
    ]
}

#[test]
fn every_kind_has_its_exact_form() {
    for (request, json) in examples() {
        check(request, json);
        check_members::<AppRequest>(json, &all_required(json));
    }
}

#[test]
fn there_are_seven_kinds_under_their_names() {
    let kinds: Vec<&str> = examples()
        .iter()
        .map(|(r, _)| crate::seed_code::app_kind(r))
        .collect();
    assert_eq!(kinds, KINDS);
    assert_eq!(
        spellings::<AppRequest>(r#"{"kind":"from_the_future"}"#),
        KINDS
    );
}

#[test]
fn a_config_value_is_text_even_when_it_looks_like_a_number() {
    let number = r#"{"kind":"config_set","key":"retries","value":3}"#;
    assert!(serde_json::from_str::<AppRequest>(number).is_err());
}

#[test]
fn an_app_response_always_has_its_events() {
    check(
        AppResponse {
            ok: false,
            data: Value::Null,
            events: vec![],
        },
        r#"{"ok":false,"data":null,"events":[]}"#,
    );
    let json = concat!(
        r#"{"ok":true,"data":{"key":"model"},"#,
        r#""events":[{"event":"thread_goal_cleared","thread_id":"thread-a"}]}"#
    );
    check(
        AppResponse {
            ok: true,
            data: json!({ "key": "model" }),
            events: vec![EventFrame::ThreadGoalCleared {
                thread_id: "thread-a".into(),
            }],
        },
        json,
    );
    check_members::<AppResponse>(json, "ok data events=");
}

#[test]
fn a_prompt_leaves_out_what_it_does_not_name() {
    check(
        PromptRequest {
            thread_id: None,
            prompt: "why?".into(),
            model: None,
        },
        r#"{"prompt":"why?"}"#,
    );
    let json = r#"{"thread_id":"thread-a","prompt":"why?","model":"m-small"}"#;
    check(
        PromptRequest {
            thread_id: Some("thread-a".into()),
            prompt: "why?".into(),
            model: Some("m-small".into()),
        },
        json,
    );
    check_members::<PromptRequest>(json, "prompt thread_id? model?");
}

#[test]
fn a_prompt_response_always_has_its_events() {
    let json = r#"{"output":"because","model":"m-small","events":[]}"#;
    check(
        PromptResponse {
            output: "because".into(),
            model: "m-small".into(),
            events: vec![],
        },
        json,
    );
    check_members::<PromptResponse>(json, "output model events=");
}
