//! Requests of strangers.

use codewhale_testkit::app::{Document, Request};

use super::{Ids, Walk, name};

#[tokio::test]
async fn a_stranger_is_told_nothing_and_can_do_nothing() {
    let walk = Walk::new().await;
    let before = walk.everything("").await;
    let mut public = Vec::new();
    for described in Document::of_this_build().operations() {
        if described.operation["security"]
            .as_array()
            .unwrap()
            .is_empty()
        {
            public.push(described.path);
            continue;
        }
        let (what, address) = (name(&described), walk.address(&described, Ids::Known));
        let bare = || Request::new(described.method, &address);
        walk.refused(&what, bare(), 401).await;
        walk.refused(&what, bare().bearer("another-token"), 401)
            .await;
        let empty = bare().header("x-codewhale-runtime-token", "");
        walk.refused(&what, empty, 401).await;
        let cookie = bare().header("cookie", "codewhale_runtime_token=another");
        walk.refused(&what, cookie, 401).await;
        if described.method != "GET" {
            let target = format!("{address}?token={}", walk.scene.app.token());
            walk.refused(&what, Request::new(described.method, &target), 401)
                .await;
        }
        // Who may not come in is not told which methods there are.
        walk.refused(&what, Request::new("TRACE", &address), 401)
            .await;
    }
    assert_eq!(public, ["/health", "/v1/runtime/info"]);
    assert_eq!(walk.everything("").await, before);
}
