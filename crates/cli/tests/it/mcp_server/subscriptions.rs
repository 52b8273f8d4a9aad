//! A client is told that a thread has changed, until it does not want to hear of it any more.

use codewhale_testkit::app::Home;
use serde_json::{Value, json};

use super::talk::{Talk, assert_done};

#[tokio::test]
async fn a_client_is_told_of_changes_of_a_thread_it_subscribed_to() {
    let home = Home::new();
    home.write("notes.txt", "first line\n");
    let mut talk = Talk::begin(&home).await;
    let read = talk.call("file_read", json!({ "path": "notes.txt" })).await;
    let thread = read["result"]["_meta"]["codewhale/threadId"]
        .as_str()
        .unwrap();
    let uri = format!("codewhale://thread/{thread}");
    for _ in 0..2 {
        let subscribed = talk.ask("resources/subscribe", json!({ "uri": uri })).await;
        assert!(subscribed["result"].is_object(), "{subscribed}");
    }
    assert_done(&talk.call("file_read", json!({ "path": "notes.txt" })).await);
    let is_news = |it: &Value| it["method"] == "notifications/resources/updated";
    let news = talk.until("notifications/resources/updated", is_news).await;
    assert_eq!(news["params"]["uri"], uri);
    let off = talk
        .ask("resources/unsubscribe", json!({ "uri": uri }))
        .await;
    assert!(off["result"].is_object(), "{off}");
    for uri in ["codewhale://thread/none", "file:///etc/passwd", ""] {
        let refused = talk.ask("resources/subscribe", json!({ "uri": uri })).await;
        assert!(refused["error"]["code"].is_i64(), "{refused}");
    }
    assert_eq!(talk.end().await.code, Some(0));
}
