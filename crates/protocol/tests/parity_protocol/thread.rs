//! Envelope, thread and the answer to thread requests.

use std::path::PathBuf;

use codewhale_protocol::{
    Envelope, EventFrame, SessionSource, Thread, ThreadGoal, ThreadGoalStatus, ThreadResponse,
    ThreadStatus,
};
use serde_json::{Value, json};

use crate::{check, check_members, check_words, read};

#[test]
fn an_envelope_leaves_out_the_thread_it_does_not_have() {
    check(
        Envelope {
            request_id: "r-1".into(),
            thread_id: Some("thread-a".into()),
            body: json!({ "n": 1 }),
        },
        r#"{"request_id":"r-1","thread_id":"thread-a","body":{"n":1}}"#,
    );
    check(
        Envelope {
            request_id: "r-2".into(),
            thread_id: None,
            body: vec![true],
        },
        r#"{"request_id":"r-2","body":[true]}"#,
    );
    check_members::<Envelope<u8>>(
        r#"{"request_id":"r-3","thread_id":"thread-a","body":3}"#,
        "request_id body thread_id?",
    );
}

#[test]
fn states_and_origins_of_a_thread_are_plain_words() {
    check_words(&[
        (ThreadStatus::Running, "running"),
        (ThreadStatus::Idle, "idle"),
        (ThreadStatus::Completed, "completed"),
        (ThreadStatus::Failed, "failed"),
        (ThreadStatus::Paused, "paused"),
        (ThreadStatus::Archived, "archived"),
    ]);
    check_words(&[
        (SessionSource::Interactive, "interactive"),
        (SessionSource::Resume, "resume"),
        (SessionSource::Fork, "fork"),
        (SessionSource::Api, "api"),
        (SessionSource::Unknown, "unknown"),
    ]);
}

const THREAD: &str = concat!(
    r#"{"id":"thread-a","preview":"Sort the imports","ephemeral":false,"#,
    r#""model_provider":"deepseek","created_at":1790000000,"updated_at":1790000060,"#,
    r#""status":"idle","path":"/var/t/a.jsonl","cwd":"/src/tide","cli_version":"0.1.0","#,
    r#""source":"fork","name":"imports"}"#
);

const BARE_THREAD: &str = concat!(
    r#"{"id":"thread-b","preview":"New conversation","ephemeral":true,"#,
    r#""model_provider":"deepseek","created_at":-1,"updated_at":0,"#,
    r#""status":"running","cwd":".","cli_version":"","source":"api"}"#
);

fn thread() -> Thread {
    Thread {
        id: "thread-a".into(),
        preview: "Sort the imports".into(),
        ephemeral: false,
        model_provider: "deepseek".into(),
        created_at: 1_790_000_000,
        updated_at: 1_790_000_060,
        status: ThreadStatus::Idle,
        path: Some(PathBuf::from("/var/t/a.jsonl")),
        cwd: PathBuf::from("/src/tide"),
        cli_version: "0.1.0".into(),
        source: SessionSource::Fork,
        name: Some("imports".into()),
    }
}

fn bare_thread() -> Thread {
    Thread {
        id: "thread-b".into(),
        preview: "New conversation".into(),
        ephemeral: true,
        model_provider: "deepseek".into(),
        created_at: -1,
        updated_at: 0,
        status: ThreadStatus::Running,
        path: None,
        cwd: PathBuf::from("."),
        cli_version: String::new(),
        source: SessionSource::Api,
        name: None,
    }
}

#[test]
fn a_thread_leaves_out_path_and_name_only() {
    check(thread(), THREAD);
    check(bare_thread(), BARE_THREAD);
    check_members::<Thread>(
        THREAD,
        concat!(
            "id preview ephemeral model_provider created_at updated_at status cwd cli_version ",
            "source path? name?"
        ),
    );
}

#[test]
fn a_response_always_has_its_lists_and_its_data() {
    let empty = ThreadResponse {
        thread_id: "list".into(),
        status: "ok".into(),
        thread: None,
        threads: vec![],
        goal: None,
        model: None,
        model_provider: None,
        cwd: None,
        approval_policy: None,
        sandbox: None,
        events: vec![],
        data: Value::Null,
    };
    check(
        empty.clone(),
        r#"{"thread_id":"list","status":"ok","threads":[],"events":[],"data":null}"#,
    );
    let sparse: ThreadResponse = read(r#"{"thread_id":"list","status":"ok"}"#);
    assert_eq!(sparse, empty);
}

#[test]
fn a_full_response_keeps_the_order_of_its_members() {
    let response = ThreadResponse {
        thread_id: "thread-a".into(),
        status: "resumed".into(),
        thread: Some(thread()),
        threads: vec![bare_thread()],
        goal: Some(ThreadGoal {
            thread_id: "thread-a".into(),
            goal_id: "goal-1".into(),
            objective: "No warnings".into(),
            status: ThreadGoalStatus::Active,
            token_budget: None,
            tokens_used: 0,
            time_used_seconds: 0,
            created_at: 1,
            updated_at: 2,
        }),
        model: Some("auto".into()),
        model_provider: Some("deepseek".into()),
        cwd: Some("/src/tide".into()),
        approval_policy: Some("on-request".into()),
        sandbox: Some("read-only".into()),
        events: vec![EventFrame::TurnStarted {
            turn_id: "t-1".into(),
        }],
        data: json!({ "checkpoint": null, "history": [] }),
    };
    let json = [
        r#"{"thread_id":"thread-a","status":"resumed","thread":"#,
        THREAD,
        r#","threads":["#,
        BARE_THREAD,
        r#"],"goal":{"thread_id":"thread-a","goal_id":"goal-1","objective":"No warnings","#,
        r#""status":"active","tokens_used":0,"time_used_seconds":0,"created_at":1,"#,
        r#""updated_at":2},"model":"auto","model_provider":"deepseek","cwd":"/src/tide","#,
        r#""approval_policy":"on-request","sandbox":"read-only","#,
        r#""events":[{"event":"turn_started","turn_id":"t-1"}],"#,
        r#""data":{"checkpoint":null,"history":[]}}"#,
    ]
    .concat();
    check(response, &json);
    check_members::<ThreadResponse>(
        &json,
        concat!(
            "thread_id status threads= events= data= thread? goal? model? model_provider? ",
            "cwd? approval_policy? sandbox?"
        ),
    );
}
