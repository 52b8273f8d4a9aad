//! Methods that a path does not have.

use std::collections::{BTreeMap, BTreeSet};

use codewhale_testkit::app::Document;

use super::Walk;

#[tokio::test]
async fn every_path_names_its_methods_to_whoever_uses_another() {
    let walk = Walk::new().await;
    let mut paths: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for described in Document::of_this_build().operations() {
        let methods = paths.entry(described.path).or_default();
        methods.insert(described.method);
        if described.method == "GET" {
            methods.insert("HEAD");
        }
    }
    for (path, expected) in paths {
        let filled = path.replace(['{', '}'], "");
        let others = ["DELETE", "PUT", "PATCH", "POST", "GET", "TRACE"];
        for other in others.into_iter().filter(|it| !expected.contains(it)) {
            let request = walk.bare(other, &filled);
            let answer = walk.refused(&format!("{other} {path}"), request, 405).await;
            assert_eq!(answer.json()["error"]["code"], "unknown_operation");
            let allowed: BTreeSet<&str> = answer.header("allow").unwrap().split(',').collect();
            assert_eq!(allowed, expected, "{path}");
        }
    }
}
