//! Requests whose parameters are of the wrong kind, or out of bounds.

use codewhale_testkit::app::{Described, Document};
use serde_json::{Value, json};

use super::{Ids, Walk, body, name, parameters};

#[tokio::test]
async fn a_member_of_the_wrong_kind_has_the_wrong_shape() {
    let walk = Walk::new().await;
    let before = walk.everything("").await;
    let mut walked = 0;
    for described in Document::of_this_build().operations() {
        let Some(body) = body(&described) else {
            continue;
        };
        let members = body["schema"]["properties"].as_object().unwrap();
        for (member, schema) in members {
            let Some(wrong) = of_another_kind(schema) else {
                continue;
            };
            let mut changed = walk.example(body);
            changed[member] = wrong;
            let what = format!("{} with another {member}", name(&described));
            let request = walk.bare(described.method, &walk.address(&described, Ids::Known));
            let statuses = walk.wrong_shape(&described);
            walk.refused_as(&what, request.json(&changed), statuses)
                .await;
            walked += 1;
        }
    }
    assert!(walked > 50, "{walked}");
    assert_eq!(walk.everything("").await, before);
}

/// A value that the schema does not allow, if there is one.
fn of_another_kind(schema: &Value) -> Option<Value> {
    let values = [json!([[[]]]), json!({ "no": {} }), json!(-0.5), json!(true)];
    let schemas = Document::of_this_build().schemas();
    values
        .into_iter()
        .find(|value| schemas.check(schema, value).is_err())
}

#[tokio::test]
async fn a_body_without_what_must_be_there_has_the_wrong_shape() {
    let walk = Walk::new().await;
    let before = walk.everything("").await;
    for described in Document::of_this_build().operations() {
        let required = body(&described).map(|body| &body["schema"]["required"]);
        let required = required.and_then(Value::as_array).into_iter().flatten();
        for member in required.filter_map(Value::as_str) {
            let mut changed = walk.example(body(&described).unwrap());
            changed.as_object_mut().unwrap().remove(member);
            let what = format!("{} without {member}", name(&described));
            let request = walk.bare(described.method, &walk.address(&described, Ids::Known));
            let statuses = walk.wrong_shape(&described);
            walk.refused_as(&what, request.json(&changed), statuses)
                .await;
        }
    }
    assert_eq!(walk.everything("").await, before);
}

#[tokio::test]
async fn a_value_in_the_query_or_the_head_that_does_not_fit_is_refused() {
    let walk = Walk::new().await;
    let before = walk.everything("").await;
    let mut walked = 0;
    for described in Document::of_this_build().operations() {
        let address = walk.address(&described, Ids::Known);
        for parameter in parameters(&described, "query") {
            let member = parameter["name"].as_str().unwrap();
            for value in unfit(&parameter["schema"]) {
                let target = format!("{address}?{}{member}={value}", others(&described, member));
                let what = format!("{} with {member}={value}", name(&described));
                walk.refused(&what, walk.bare(described.method, &target), 400)
                    .await;
                walked += 1;
            }
        }
        for parameter in parameters(&described, "header") {
            let member = parameter["name"].as_str().unwrap();
            for value in unfit(&parameter["schema"]) {
                let what = format!("{} with {member}: {value}", name(&described));
                let request = walk.request(&described, Ids::Known);
                walk.refused(&what, request.header(member, &value), 400)
                    .await;
                walked += 1;
            }
        }
    }
    assert!(walked > 50, "{walked}");
    assert_eq!(walk.everything("").await, before);
}

/// The other parameters that must be there, as the document shows them.
fn others(described: &Described<'_>, member: &str) -> String {
    let others = parameters(described, "query");
    let others = others.filter(|it| it["required"] == true && it["name"] != member);
    let pair = |it: &Value| {
        let schema = Document::of_this_build().schemas().resolve(&it["schema"]);
        let value = schema["enum"][0].as_str().unwrap_or("text").to_owned();
        format!("{}={value}&", it["name"].as_str().unwrap())
    };
    others.map(pair).collect()
}

/// Texts that the schema of a parameter does not allow.
fn unfit(schema: &Value) -> Vec<String> {
    let schema = Document::of_this_build().schemas().resolve(schema);
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    if schema.get("enum").is_some() || schema.get("oneOf").is_some() {
        return texts(&["no-such-word"]);
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("integer"), _) => {
            let mut unfit: Vec<String> =
                texts(&["abc", "-1", "1.5", "0x1", "99999999999999999999"]);
            if let Some(most) = schema["maximum"].as_u64() {
                unfit.push((most + 1).to_string());
            }
            if let Some(least @ 1..) = schema["minimum"].as_u64() {
                unfit.push((least - 1).to_string());
            }
            unfit
        }
        (Some("boolean"), _) => texts(&["maybe", "2"]),
        (Some("string"), Some("date-time")) => texts(&["yesterday", "2026-13-01T00:00:00Z"]),
        (Some("string"), _) if schema["maxLength"].is_u64() => {
            let most = usize::try_from(schema["maxLength"].as_u64().unwrap()).unwrap();
            vec!["a b".to_owned(), "k".repeat(most + 1)]
        }
        _ => Vec::new(),
    }
}
