//! Requests of strangers.

use codewhale_protocol::operations::Op;
use codewhale_testkit::app::{Document, Request, TOKEN};

use super::{Ids, Walk, name};

#[tokio::test]
async fn everything_that_is_not_public_needs_the_token() {
    let walk = Walk::new().await;
    let before = walk.everything("").await;
    let (mut public, mut guarded) = (Vec::new(), Vec::new());
    for described in Document::of_this_build().operations() {
        let ways = described.operation["security"].as_array().unwrap();
        if ways.is_empty() {
            public.push(described.path);
            continue;
        }
        let (what, address) = (name(&described), walk.address(&described, Ids::Known));
        let bare = Request::new(described.method, &address);
        let bare = match super::body(&described) {
            Some(body) => bare.json(&walk.example(body)),
            None => bare,
        };
        let mut strangers = vec![
            bare.clone(),
            bare.clone().bearer("wrong"),
            bare.clone().bearer(""),
            bare.clone().header("authorization", TOKEN),
            bare.clone().header("x-codewhale-runtime-token", ""),
            bare.clone().header("cookie", "codewhale_runtime_token="),
            bare.header("cookie", "codewhale_runtime_token=another"),
            // Who may not come in is not told which methods there are.
            Request::new("TRACE", &address),
        ];
        if described.method != "GET" {
            let target = format!("{address}?token={TOKEN}");
            strangers.push(Request::new(described.method, &target));
        }
        for stranger in strangers {
            let answer = walk.refused(&what, stranger, 401).await;
            assert_eq!(answer.header("www-authenticate"), None);
            let error = &answer.json()["error"];
            assert_eq!(error["code"], "unauthenticated");
            assert!(error["message"].as_str().unwrap().contains("Bearer TOKEN"));
        }
        guarded.push(described.operation["operationId"].clone());
    }
    assert_eq!(public, ["/health", "/v1/runtime/info"]);
    for op in Op::ALL {
        let row = op.row();
        assert!(guarded.iter().any(|id| id == row.name), "{}", row.name);
    }
    assert_eq!(walk.everything("").await, before);
}
