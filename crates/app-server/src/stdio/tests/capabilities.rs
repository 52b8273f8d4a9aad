//! The names that clients count on do not drift.

use codewhale_protocol::operations::Op;
use serde_json::{Value, json};

use super::connect;
use super::service::Fake;

/// As clients know them; a change here breaks programs that others wrote.
const NAMES: &str = "healthz thread/capabilities thread/request thread/create thread/start \
    thread/resume thread/fork thread/list thread/read thread/set_name thread/goal/set \
    thread/goal/get thread/goal/clear thread/archive thread/unarchive thread/message \
    thread/interrupt app/capabilities app/request app/config/get app/config/set app/config/unset \
    app/config/list app/config/reload app/models app/thread_loaded_list prompt/capabilities \
    prompt/request prompt/run shutdown";

async fn capabilities() -> Value {
    let mut client = connect(&Fake::default());
    client.ask(1, "capabilities", json!({})).await;
    client.line().await["result"].take()
}

fn names(told: &Value) -> Vec<&str> {
    let names = told.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap()).collect()
}

#[tokio::test]
async fn capabilities_are_pinned_name_by_name() {
    let told = capabilities().await;
    let expect: Vec<&str> = NAMES.split_whitespace().collect();
    assert_eq!(names(&told["methods"]), expect);
    assert_eq!(expect.len(), 30);
    assert_eq!(told["transport"], "stdio");
    assert_eq!(told["families"], json!(["thread/*", "app/*", "prompt/*"]));
}

#[tokio::test]
async fn capabilities_are_all_answered() {
    let told = capabilities().await;
    for list in ["methods", "extensions", "operations"] {
        for name in names(&told[list]) {
            let mut client = connect(&Fake::default());
            client.ask(1, name, json!({})).await;
            let answer = client.line().await;
            assert_ne!(answer["error"]["code"], -32601, "{name}: {answer}");
        }
    }
}

#[tokio::test]
async fn capabilities_leave_no_operation_out() {
    let told = capabilities().await;
    let expect: Vec<&str> = Op::ALL.iter().map(|op| op.row().name).collect();
    assert_eq!(names(&told["operations"]), expect);
}

#[tokio::test]
async fn other_spellings_are_understood_and_other_names_are_not() {
    let mut client = connect(&Fake::default());
    for (name, is_known) in [
        ("app/healthz", true),
        ("thread/set-name", true),
        ("thread/goal_get", true),
        ("thread/goal-clear", true),
        ("app/thread-loaded-list", true),
        ("healthz ", false),
        ("thread/", false),
        ("", false),
    ] {
        client.ask(1, name, json!({})).await;
        let answer = client.line().await;
        assert_eq!(
            answer["error"]["code"] != -32601,
            is_known,
            "{name}: {answer}"
        );
    }
}
