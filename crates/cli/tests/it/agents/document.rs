//! The document of these routes.

use std::collections::BTreeSet;

use codewhale_testkit::app::Request;
use serde_json::Value;

use crate::scene::Scene;

/// A UUID that nothing has.
const NOTHING: &str = "019a86c4-f2b0-7d3e-8c5a-1b9d4e6f7082";

struct Described {
    method: String,
    path: String,
    operation: Value,
}

fn described(document: &Value) -> Vec<Described> {
    let paths = document["paths"].as_object().unwrap();
    let mut all = Vec::new();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            all.push(Described {
                method: method.to_uppercase(),
                path: format!("/acp{path}"),
                operation: operation.clone(),
            });
        }
    }
    all
}

impl Described {
    fn target(&self, name: &str) -> String {
        let part = |part: &str| match part.starts_with('{') {
            true => name.to_owned(),
            false => part.to_owned(),
        };
        self.path.split('/').map(part).collect::<Vec<_>>().join("/")
    }
}

/// An error in the words of the protocol.
#[track_caller]
fn check_problem(what: &str, body: &Value, code: &str) {
    let members: BTreeSet<&str> = body
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        members,
        BTreeSet::from(["code", "data", "message"]),
        "{what}: {body}"
    );
    assert_eq!(body["code"], code, "{what}: {body}");
    assert!(!body["message"].as_str().unwrap().is_empty(), "{what}");
    assert!(body["data"].is_null() || body["data"].is_object(), "{what}");
}

#[tokio::test]
async fn every_route_of_the_document_is_asked_wrongly_and_answers_in_its_words() {
    let scene = Scene::new().await;
    let document = scene.app.get("/acp/openapi.json").await.json();
    let all = described(&document);
    assert_eq!(all.len(), 11);
    for it in &all {
        let what = format!("{} {}", it.method, it.path);
        let target = it.target(NOTHING);
        let bare = Request::new(&it.method, &target);
        let answer = scene.app.send(bare).await;
        assert_eq!(answer.status, 401, "{what}");
        check_problem(&what, &answer.json(), "server_error");

        let foreign = scene.app.request(&it.method, &target).host("example.org");
        let answer = scene.app.send(foreign).await;
        assert_eq!(answer.status, 403, "{what}");
        check_problem(&what, &answer.json(), "server_error");

        let wrong = scene.app.send(scene.app.request("PUT", &target)).await;
        assert_eq!(wrong.status, 405, "{what}");
        check_problem(&what, &wrong.json(), "server_error");

        if !it.path.contains('{') {
            continue;
        }
        let missing = scene.app.send(scene.app.request(&it.method, &target)).await;
        assert_eq!(missing.status, 404, "{what}: {}", missing.text());
        check_problem(&what, &missing.json(), "not_found");
        if it.path.contains("run_id") || it.path.contains("session_id") {
            let target = it.target("no-uuid");
            let wrong = scene.app.send(scene.app.request(&it.method, &target)).await;
            assert_eq!(wrong.status, 422, "{what}: {}", wrong.text());
            check_problem(&what, &wrong.json(), "invalid_input");
        }
        for status in ["401", "403", "404", "422"] {
            assert!(
                !it.operation["responses"][status].is_null(),
                "{what} {status}"
            );
        }
    }
    let unknown = scene.app.get("/acp/elsewhere").await;
    assert_eq!(unknown.status, 404);
    check_problem("an unknown path", &unknown.json(), "not_found");
}

#[tokio::test]
async fn every_reference_of_the_document_leads_somewhere() {
    let text = codewhale_app_server::agents_openapi("1.2.3");
    let document: Value = serde_json::from_str(&text).unwrap();
    let mut open = vec![&document];
    let mut references = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                if let Some(target) = members.get("$ref").and_then(Value::as_str) {
                    let pointer = target.strip_prefix('#').unwrap();
                    assert!(document.pointer(pointer).is_some(), "{target}");
                    references += 1;
                }
                open.extend(members.values());
            }
            Value::Array(values) => open.extend(values),
            _ => {}
        }
    }
    assert!(references > 20, "{references}");
}
