//! Requests about what is not there.

use codewhale_testkit::app::Document;

use super::{Ids, Walk, name, parameters};

#[tokio::test]
async fn what_is_not_there_is_not_found_whatever_is_asked_of_it() {
    let walk = Walk::new().await;
    let before = walk.everything("").await;
    let mut walked = 0;
    for described in Document::of_this_build().operations() {
        let ids = parameters(&described, "path").count();
        if ids == 0 {
            continue;
        }
        let what = name(&described);
        walk.refused(&what, walk.request(&described, Ids::Unknown), 404)
            .await;
        if ids > 1 {
            let what = format!("{what} of a thread that is there");
            // A turn that is not there is like one that does not run.
            let request = walk.request(&described, Ids::KnownThread);
            walk.refused_as(&what, request, &[404, 409]).await;
        }
        walked += 1;
    }
    assert!(walked > 20, "{walked}");
    assert_eq!(walk.everything("").await, before);
}

#[tokio::test]
async fn an_id_that_no_thing_can_have_is_not_found_either() {
    let walk = Walk::new().await;
    let document = Document::of_this_build();
    let with_ids = document.operations();
    let with_ids = with_ids.filter(|it| parameters(it, "path").next().is_some());
    for described in with_ids {
        for id in ["%ff", "%00", "a%2Fb", "%2e%2e", "x".repeat(4_000).as_str()] {
            let address = walk.address(&described, Ids::Unknown);
            let address = address.replace(super::NO_ID, id);
            let mut request = walk.bare(described.method, &address);
            if let Some(body) = super::body(&described) {
                request = request.json(&body["example"]);
            }
            let what = format!("{} of {id:.20}", name(&described));
            walk.refused(&what, request, 404).await;
        }
    }
}
