//! The thirteen thread requests and their parameters.

use codewhale_protocol::{
    ThreadForkParams, ThreadGoalClearParams, ThreadGoalGetParams, ThreadGoalSetParams,
    ThreadListParams, ThreadReadParams, ThreadRequest, ThreadResumeParams, ThreadSetNameParams,
    ThreadStartParams,
};
use serde_json::{Value, json};

use crate::{check, check_members, read, spellings};

const KINDS: [&str; 13] = [
    "create",
    "start",
    "resume",
    "fork",
    "list",
    "read",
    "set_name",
    "goal_set",
    "goal_get",
    "goal_clear",
    "archive",
    "unarchive",
    "message",
];

fn resume() -> ThreadResumeParams {
    ThreadResumeParams {
        thread_id: "thread-a".into(),
        history: Some(vec![json!({ "role": "user" })]),
        path: Some("/var/t/a.jsonl".into()),
        model: Some("m-large".into()),
        model_provider: Some("deepseek".into()),
        cwd: Some("/src/tide".into()),
        approval_policy: Some("on-request".into()),
        sandbox: Some("workspace-write".into()),
        config: Some(json!({ "network": false })),
        base_instructions: Some("Be brief.".into()),
        developer_instructions: Some("Use tabs.".into()),
        personality: Some("dry".into()),
        persist_extended_history: true,
    }
}

fn fork() -> ThreadForkParams {
    ThreadForkParams {
        thread_id: "thread-a".into(),
        path: Some("/var/t/a.jsonl".into()),
        model: Some("m-large".into()),
        model_provider: Some("deepseek".into()),
        cwd: Some("/src/tide".into()),
        approval_policy: Some("never".into()),
        sandbox: Some("read-only".into()),
        config: Some(json!([])),
        base_instructions: Some("Be brief.".into()),
        developer_instructions: Some("Use tabs.".into()),
        persist_extended_history: true,
    }
}

const RESUME: &str = concat!(
    r#"{"kind":"resume","thread_id":"thread-a","history":[{"role":"user"}],"#,
    r#""path":"/var/t/a.jsonl","model":"m-large","model_provider":"deepseek","#,
    r#""cwd":"/src/tide","approval_policy":"on-request","sandbox":"workspace-write","#,
    r#""config":{"network":false},"base_instructions":"Be brief.","#,
    r#""developer_instructions":"Use tabs.","personality":"dry","#,
    r#""persist_extended_history":true}"#
);

const FORK: &str = concat!(
    r#"{"kind":"fork","thread_id":"thread-a","path":"/var/t/a.jsonl","model":"m-large","#,
    r#""model_provider":"deepseek","cwd":"/src/tide","approval_policy":"never","#,
    r#""sandbox":"read-only","config":[],"base_instructions":"Be brief.","#,
    r#""developer_instructions":"Use tabs.","persist_extended_history":true}"#
);

/// One full example per kind, in the order of the enum.
pub(crate) fn examples() -> Vec<(ThreadRequest, &'static str)> {
    let thread_id = || "thread-a".to_owned();
    vec![
        (
            ThreadRequest::Create {
                metadata: json!({ "ticket": 7 }),
            },
            r#"{"kind":"create","metadata":{"ticket":7}}"#,
        ),
        (
            ThreadRequest::Start(ThreadStartParams {
                model: Some("m-small".into()),
                model_provider: Some("local".into()),
                cwd: Some("/src/tide".into()),
                persist_extended_history: true,
            }),
            concat!(
                r#"{"kind":"start","model":"m-small","model_provider":"local","#,
                r#""cwd":"/src/tide","persist_extended_history":true}"#
            ),
        ),
        (ThreadRequest::Resume(resume()), RESUME),
        (ThreadRequest::Fork(fork()), FORK),
        (
            ThreadRequest::List(ThreadListParams {
                include_archived: true,
                limit: Some(20),
            }),
            r#"{"kind":"list","include_archived":true,"limit":20}"#,
        ),
        (
            ThreadRequest::Read(ThreadReadParams {
                thread_id: thread_id(),
            }),
            r#"{"kind":"read","thread_id":"thread-a"}"#,
        ),
        (
            ThreadRequest::SetName(ThreadSetNameParams {
                thread_id: thread_id(),
                name: "tides".into(),
            }),
            r#"{"kind":"set_name","thread_id":"thread-a","name":"tides"}"#,
        ),
        (
            ThreadRequest::GoalSet(ThreadGoalSetParams {
                thread_id: thread_id(),
                objective: "No warnings".into(),
                token_budget: Some(9_000),
            }),
            concat!(
                r#"{"kind":"goal_set","thread_id":"thread-a","objective":"No warnings","#,
                r#""token_budget":9000}"#
            ),
        ),
        (
            ThreadRequest::GoalGet(ThreadGoalGetParams {
                thread_id: thread_id(),
            }),
            r#"{"kind":"goal_get","thread_id":"thread-a"}"#,
        ),
        (
            ThreadRequest::GoalClear(ThreadGoalClearParams {
                thread_id: thread_id(),
            }),
            r#"{"kind":"goal_clear","thread_id":"thread-a"}"#,
        ),
        (
            ThreadRequest::Archive {
                thread_id: thread_id(),
            },
            r#"{"kind":"archive","thread_id":"thread-a"}"#,
        ),
        (
            ThreadRequest::Unarchive {
                thread_id: thread_id(),
            },
            r#"{"kind":"unarchive","thread_id":"thread-a"}"#,
        ),
        (
            ThreadRequest::Message {
                thread_id: thread_id(),
                input: "and now?\n".into(),
            },
            r#"{"kind":"message","thread_id":"thread-a","input":"and now?\n"}"#,
        ),
    ]
}

#[test]
fn every_kind_has_its_exact_form() {
    for (request, json) in examples() {
        check(request, json);
    }
}

#[test]
fn there_are_thirteen_kinds_under_their_names() {
    let kinds: Vec<&str> = examples()
        .iter()
        .map(|(r, _)| crate::seed_code::kind(r))
        .collect();
    assert_eq!(kinds, KINDS);
    assert_eq!(
        spellings::<ThreadRequest>(r#"{"kind":"from_the_future"}"#),
        KINDS
    );
    for ((_, json), kind) in examples().iter().zip(KINDS) {
        assert_eq!(read::<Value>(json)["kind"], kind);
    }
}

#[test]
fn a_request_without_a_kind_is_refused() {
    let error = serde_json::from_str::<ThreadRequest>(r#"{"thread_id":"thread-a"}"#).unwrap_err();
    assert!(
        error.to_string().contains("missing field `kind`"),
        "{error}"
    );
}

#[test]
fn what_is_empty_is_left_out_but_flags_stay() {
    check(
        ThreadRequest::Start(ThreadStartParams {
            model: None,
            model_provider: None,
            cwd: None,
            persist_extended_history: false,
        }),
        r#"{"kind":"start","persist_extended_history":false}"#,
    );
    check(
        ThreadRequest::List(ThreadListParams {
            include_archived: false,
            limit: None,
        }),
        r#"{"kind":"list","include_archived":false}"#,
    );
    check(
        ThreadRequest::Resume(ThreadResumeParams {
            history: None,
            path: None,
            model: None,
            model_provider: None,
            cwd: None,
            config: None,
            base_instructions: None,
            developer_instructions: None,
            personality: None,
            ..resume()
        }),
        concat!(
            r#"{"kind":"resume","thread_id":"thread-a","approval_policy":"on-request","#,
            r#""sandbox":"workspace-write","persist_extended_history":true}"#
        ),
    );
    check(
        ThreadRequest::Create {
            metadata: Value::Null,
        },
        r#"{"kind":"create","metadata":null}"#,
    );
}

#[test]
fn each_kind_requires_what_it_cannot_do_without() {
    let resume = concat!(
        "kind thread_id history? path? model? model_provider? cwd? approval_policy? sandbox? ",
        "config? base_instructions? developer_instructions? personality? ",
        "persist_extended_history="
    );
    let fork = resume.replace("history? ", "").replace("personality? ", "");
    let members: [&str; 13] = [
        "kind metadata=",
        "kind model? model_provider? cwd? persist_extended_history=",
        resume,
        &fork,
        "kind include_archived= limit?",
        "kind thread_id",
        "kind thread_id name",
        "kind thread_id objective token_budget?",
        "kind thread_id",
        "kind thread_id",
        "kind thread_id",
        "kind thread_id",
        "kind thread_id input",
    ];
    for ((_, json), members) in examples().into_iter().zip(members) {
        check_members::<ThreadRequest>(json, members);
    }
}

#[test]
fn parameters_alone_are_the_request_without_its_kind() {
    check(resume(), &RESUME.replace(r#""kind":"resume","#, ""));
    check(fork(), &FORK.replace(r#""kind":"fork","#, ""));
    check(
        ThreadListParams {
            include_archived: false,
            limit: Some(0),
        },
        r#"{"include_archived":false,"limit":0}"#,
    );
    let start: ThreadStartParams = read("{}");
    assert_eq!(
        crate::write(&start),
        r#"{"persist_extended_history":false}"#
    );
    check(
        ThreadReadParams {
            thread_id: "x".into(),
        },
        r#"{"thread_id":"x"}"#,
    );
    check(
        ThreadSetNameParams {
            thread_id: "x".into(),
            name: "".into(),
        },
        r#"{"thread_id":"x","name":""}"#,
    );
    check(
        ThreadGoalSetParams {
            thread_id: "x".into(),
            objective: "y".into(),
            token_budget: None,
        },
        r#"{"thread_id":"x","objective":"y"}"#,
    );
    check(
        ThreadGoalGetParams {
            thread_id: "x".into(),
        },
        r#"{"thread_id":"x"}"#,
    );
    check(
        ThreadGoalClearParams {
            thread_id: "x".into(),
        },
        r#"{"thread_id":"x"}"#,
    );
}
