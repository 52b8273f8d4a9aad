//! Bad input, faults, and how it ends.

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::TurnStatus;
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::service::Fake;
use super::{Client, connect};
use crate::stdio::limits::{LINE_BYTES_MAX, REQUESTS_WAITING_MAX};

async fn talking(fake: &Fake) -> Client {
    let mut client = connect(fake);
    let message = json!({ "thread_id": "thr_1", "input": "hello" });
    client.ask(1, "thread/message", message).await;
    assert_eq!(client.told(1).await, ["response_start"]);
    client
}

#[tokio::test]
async fn bad_lines_are_answered_and_the_next_one_is_read() {
    let mut client = connect(&Fake::default());
    for (line, expect) in [
        ("garbage", "null error -32700"),
        ("[1]", "null error -32600"),
        (
            r#"{"jsonrpc":"1.0","id":4,"method":"healthz"}"#,
            "4 error -32600",
        ),
        (r#"{"id":4,"method":"thread/request"}"#, "4 error -32602"),
        (
            r#"{"id":4,"method":"thread/request","params":{"kind":"x"}}"#,
            "4 error -32602",
        ),
        (
            r#"{"id":4,"method":"prompt/run","params":{}}"#,
            "4 error -32602",
        ),
        (r#"{"id":4,"method":"nonsense"}"#, "4 error -32601"),
        (r#"{"id":4,"method":"healthz"}"#, "4 \"ok\""),
    ] {
        client.send(line).await;
        assert_eq!(client.told(1).await, [expect], "{line}");
    }
    let long = vec![b'x'; LINE_BYTES_MAX + 1];
    client.to.as_mut().unwrap().write_all(&long).await.unwrap();
    client.send("").await;
    assert_eq!(client.told(1).await, ["null error -32600"]);
    client.ask(5, "healthz", json!(null)).await;
    assert_eq!(client.told(1).await, ["5 \"ok\""]);
}

#[tokio::test]
async fn a_fault_of_ours_fails_its_request_alone() {
    let mut client = connect(&Fake::default());
    client
        .ask(1, "thread/read", json!({ "thread_id": "panic" }))
        .await;
    assert_eq!(client.told(1).await, ["1 error -32603"]);
    client.ask(2, "healthz", json!({})).await;
    assert_eq!(client.told(1).await, ["2 \"ok\""]);
}

#[tokio::test]
async fn the_end_of_input_finishes_what_was_asked() {
    let fake = Fake::default();
    let mut client = talking(&fake).await;
    client
        .ask(2, "thread/read", json!({ "thread_id": "thr_1" }))
        .await;
    client.end_input();
    fake.says("thr_1", "late");
    fake.end("thr_1", TurnStatus::Completed);
    assert_eq!(
        client.rest().await,
        [
            "response_delta late",
            "response_end",
            "1 \"accepted\"",
            "2 \"ok\""
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn what_never_ends_is_stopped_some_time_after_the_end_of_input() {
    let fake = Fake::default();
    let mut client = talking(&fake).await;
    client.end_input();
    assert_eq!(client.rest().await, ["response_end", "1 error -32603"]);
    assert_eq!(fake.count(Op::TurnsInterrupt), 1);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_is_answered_even_when_a_turn_does_not_stop() {
    let fake = Fake::default();
    fake.be_deaf();
    let mut client = talking(&fake).await;
    client
        .ask(2, "thread/interrupt", json!({ "thread_id": "thr_1" }))
        .await;
    client.ask(3, "shutdown", json!({})).await;
    assert_eq!(
        client.rest().await,
        ["1 error -32603", "2 false", "3 \"stopped\""]
    );
}

#[tokio::test]
async fn after_a_shutdown_what_waits_is_answered_and_no_turn_begins() {
    let fake = Fake::default();
    let mut client = talking(&fake).await;
    client
        .ask(2, "thread/read", json!({ "thread_id": "thr_1" }))
        .await;
    client
        .ask(
            3,
            "thread/message",
            json!({ "thread_id": "thr_1", "input": "more" }),
        )
        .await;
    client.ask(4, "shutdown", json!({})).await;
    assert_eq!(
        client.rest().await,
        [
            "response_end",
            "1 error -32603",
            "2 \"ok\"",
            "3 error -32603",
            "4 \"stopped\""
        ]
    );
    assert_eq!(fake.count(Op::TurnsStart), 1);
}

#[tokio::test]
async fn whoever_runs_the_door_can_end_it() {
    let fake = Fake::default();
    let client = talking(&fake).await;
    client.stop.cancel();
    assert_eq!(client.rest().await, ["response_end", "1 error -32603"]);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_does_not_keep_the_door_open() {
    let fake = Fake::default();
    let mut client = talking(&fake).await;
    let piece = "x".repeat(4 * 1024);
    for _ in 0..200 {
        fake.says("thr_1", &piece);
    }
    fake.end("thr_1", TurnStatus::Completed);
    let Client {
        serving, to, from, ..
    } = &mut client;
    serving.await.unwrap();
    // It was there all the time; it just did not listen.
    drop((to, from));
}

#[tokio::test]
async fn too_many_that_wait_are_refused_one_by_one() {
    let fake = Fake::default();
    let mut client = talking(&fake).await;
    for _ in 0..REQUESTS_WAITING_MAX {
        client
            .ask(2, "thread/read", json!({ "thread_id": "thr_1" }))
            .await;
    }
    client
        .ask(3, "thread/read", json!({ "thread_id": "thr_1" }))
        .await;
    assert_eq!(client.told(1).await, ["3 error -32603"]);
    client
        .ask(
            4,
            "thread/approve",
            json!({ "approval_id": "a", "decision": "allow" }),
        )
        .await;
    assert_eq!(client.told(1).await, ["4 true"]);
}
