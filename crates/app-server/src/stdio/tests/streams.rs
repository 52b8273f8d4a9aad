//! Turns as a client hears them, and what it may say meanwhile.

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::TurnStatus;
use serde_json::json;

use super::service::Fake;
use super::{Client, connect};

/// A client whose first request is a message, which has been accepted.
async fn talking(fake: &Fake) -> Client {
    let mut client = connect(fake);
    let message = json!({ "thread_id": "thr_1", "input": "hello" });
    client.ask(1, "thread/message", message).await;
    assert_eq!(client.told(1).await, ["response_start"]);
    client
}

#[tokio::test]
async fn a_message_is_told_piece_by_piece_and_then_answered() {
    let fake = Fake::default();
    let mut client = talking(&fake).await;
    assert_eq!(fake.asked(Op::TurnsStart, 1).await["prompt"], "hello");
    fake.says("thr_1", "Hel");
    fake.says("thr_1", "lo");
    fake.end("thr_1", TurnStatus::Completed);
    assert_eq!(
        client.told(3).await,
        ["response_delta Hel", "response_delta lo", "response_end"]
    );
    let answer = client.line().await;
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["status"], "accepted");
    assert_eq!(answer["result"]["data"]["turn_id"], "turn_1");
    assert_eq!(answer["result"]["threads"], json!([]));
}

#[tokio::test]
async fn bare_lines_have_exactly_the_members_that_clients_know() {
    let fake = Fake::default();
    let mut client = connect(&fake);
    let message = json!({ "thread_id": "thr_1", "input": "hello" });
    client.ask(1, "thread/message", message).await;
    fake.asked(Op::TurnsStart, 1).await;
    fake.says("thr_1", "x");
    fake.end("thr_1", TurnStatus::Completed);
    let id = "thr_1:turn_1";
    for expect in [
        json!({ "type": "response_start", "response_id": id }),
        json!({ "type": "response_delta", "response_id": id, "delta": "x" }),
        json!({ "type": "response_end", "response_id": id }),
    ] {
        assert_eq!(client.line().await, expect);
    }
}

#[tokio::test]
async fn a_turn_that_does_not_complete_is_an_error_behind_its_last_line() {
    for (status, words) in [
        (TurnStatus::Failed, "turn failed"),
        (TurnStatus::Interrupted, "turn interrupted"),
        (TurnStatus::Canceled, "turn canceled"),
    ] {
        let fake = Fake::default();
        let mut client = talking(&fake).await;
        fake.end("thr_1", status);
        assert_eq!(client.told(1).await, ["response_end"]);
        let answer = client.line().await;
        assert_eq!(answer["error"]["code"], -32603);
        assert_eq!(answer["error"]["message"], words);
        assert_eq!(answer["error"]["data"]["turn_id"], "turn_1");
    }
}

#[tokio::test]
async fn an_interrupt_is_acted_on_at_once_and_answered_behind_the_turn() {
    let fake = Fake::default();
    let mut client = talking(&fake).await;
    fake.says("thr_1", "One");
    client
        .ask(2, "thread/interrupt", json!({ "thread_id": "thr_1" }))
        .await;
    client.ask(3, "shutdown", json!({})).await;
    assert_eq!(
        client.rest().await,
        [
            "response_delta One",
            "response_end",
            "1 error -32603",
            "2 true",
            "3 \"stopped\""
        ]
    );
}

#[tokio::test]
async fn an_interrupt_right_behind_its_message_finds_it() {
    let fake = Fake::default();
    let mut client = connect(&fake);
    let message = r#"{"id":1,"method":"thread/message","params":{"thread_id":"a","input":"x"}}"#;
    let interrupt = r#"{"id":2,"method":"thread/interrupt","params":{"thread_id":"a"}}"#;
    client.send(&format!("{message}\n{interrupt}")).await;
    assert_eq!(
        client.told(4).await,
        ["response_start", "response_end", "1 error -32603", "2 true"]
    );
}

#[tokio::test]
async fn nothing_is_interrupted_where_nothing_runs() {
    let mut client = connect(&Fake::default());
    for thread in ["thr_1", "none"] {
        client
            .ask(1, "thread/interrupt", json!({ "thread_id": thread }))
            .await;
        assert_eq!(client.told(1).await, ["1 false"]);
    }
    client.ask(1, "thread/interrupt", json!({})).await;
    assert_eq!(client.told(1).await, ["1 error -32602"]);
}

#[tokio::test]
async fn approvals_and_steers_do_not_wait_for_the_turn_and_the_rest_of_its_thread_does() {
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
    client
        .ask(
            4,
            "thread/approve",
            json!({ "approval_id": "appr_1", "decision": "allow" }),
        )
        .await;
    assert_eq!(client.told(1).await, ["4 true"]);
    client
        .ask(
            5,
            "thread/steer",
            json!({ "thread_id": "thr_1", "input": "faster" }),
        )
        .await;
    assert_eq!(client.told(1).await, ["5 true"]);
    assert_eq!(fake.asked(Op::TurnsSteer, 1).await["turn_id"], "turn_1");
    client
        .ask(6, "thread/read", json!({ "thread_id": "thr_2" }))
        .await;
    assert_eq!(client.told(1).await, ["6 \"ok\""]);
    client
        .ask(7, "threads/get", json!({ "thread_id": "thr_1" }))
        .await;
    assert!(client.told(1).await[0].starts_with("7 "));
    fake.end("thr_1", TurnStatus::Completed);
    assert_eq!(
        client.told(4).await,
        [
            "response_end",
            "1 \"accepted\"",
            "2 \"ok\"",
            "response_start"
        ]
    );
    fake.end("thr_1", TurnStatus::Completed);
    assert_eq!(client.told(2).await, ["response_end", "3 \"accepted\""]);
}

#[tokio::test]
async fn two_threads_talk_at_the_same_time() {
    let fake = Fake::default();
    let mut client = connect(&fake);
    for (id, thread) in [(1, "a"), (2, "b")] {
        client
            .ask(
                id,
                "thread/message",
                json!({ "thread_id": thread, "input": "x" }),
            )
            .await;
        assert_eq!(client.told(1).await, ["response_start"]);
    }
    fake.end("b", TurnStatus::Completed);
    assert_eq!(client.told(2).await, ["response_end", "2 \"accepted\""]);
    fake.end("a", TurnStatus::Completed);
    assert_eq!(client.told(2).await, ["response_end", "1 \"accepted\""]);
}

#[tokio::test]
async fn a_decision_is_a_word_or_what_the_protocol_makes_of_it() {
    let fake = Fake::default();
    let mut client = connect(&fake);
    let decision = json!({ "type": "approved_for_session" });
    let params = json!({ "approval_id": "appr_1", "decision": decision, "remember": true });
    client.ask(1, "thread/approve", params).await;
    client.line().await;
    let asked = fake.asked(Op::ApprovalsDecide, 1).await;
    assert_eq!(asked["decision"], "approved_for_session");
    assert_eq!(asked["remember"], true);
}

#[tokio::test]
async fn a_thread_that_is_not_there_is_told_by_its_own_number() {
    let mut client = connect(&Fake::default());
    for method in ["thread/resume", "thread/fork", "thread/message"] {
        let params = json!({ "thread_id": "none", "input": "x" });
        client.ask(1, method, params).await;
        let answer = client.line().await;
        assert_eq!(answer["error"]["code"], -32004, "{method}");
        assert_eq!(answer["error"]["message"], "thread not found: none");
        let data = json!({ "error": "thread_not_found", "thread_id": "none" });
        assert_eq!(answer["error"]["data"], data);
    }
    for kind in ["resume", "fork"] {
        let params = json!({ "kind": kind, "thread_id": "none" });
        client.ask(2, "thread/request", params).await;
        assert_eq!(client.told(1).await, ["2 \"missing\""]);
    }
    client
        .ask(3, "thread/read", json!({ "thread_id": "none" }))
        .await;
    let answer = client.line().await;
    assert_eq!(answer["result"]["status"], "ok");
    assert_eq!(answer["result"].get("thread"), None);
}

#[tokio::test]
async fn who_wants_no_answer_hears_nothing() {
    let fake = Fake::default();
    let mut client = connect(&fake);
    for line in [
        r#"{"method":"healthz"}"#,
        r#"{"method":"nonsense"}"#,
        r#"{"method":"thread/read","params":{}}"#,
        r#"{"method":"thread/interrupt","params":{}}"#,
        r#"{"method":"thread/message","params":{"thread_id":"a","input":"x"}}"#,
    ] {
        client.send(line).await;
    }
    fake.asked(Op::TurnsStart, 1).await;
    fake.says("a", "unheard");
    fake.end("a", TurnStatus::Completed);
    client
        .ask(1, "thread/read", json!({ "thread_id": "a" }))
        .await;
    assert_eq!(client.told(1).await, ["1 \"ok\""]);
}

#[tokio::test]
async fn a_message_that_is_sent_again_with_its_key_is_not_waited_for_again() {
    let fake = Fake::default();
    let mut client = connect(&fake);
    let params = r#"{"thread_id":"over","input":"x"}"#;
    let message = r#"{"id":1,"idempotency_key":"k","method":"thread/message","params":"#;
    client.send(&format!("{message}{params}}}")).await;
    assert_eq!(client.told(1).await, ["1 \"accepted\""]);
}

#[tokio::test]
async fn a_message_that_could_not_be_read_leaves_nothing_behind() {
    let mut client = connect(&Fake::default());
    let params = json!({ "kind": "message", "thread_id": "thr_1" });
    client.ask(1, "thread/request", params).await;
    assert_eq!(client.told(1).await, ["1 error -32602"]);
    client
        .ask(2, "thread/interrupt", json!({ "thread_id": "thr_1" }))
        .await;
    assert_eq!(client.told(1).await, ["2 false"]);
}
