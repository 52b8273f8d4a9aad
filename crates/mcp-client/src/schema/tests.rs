use serde_json::json;

use super::*;

#[test]
fn what_a_provider_takes_is_taken() {
    for (schema, expected) in [
        (json!({}), json!({"type": "object", "properties": {}})),
        (
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}),
            json!({"type": "object", "properties": {}}),
        ),
    ] {
        assert_eq!(usable(Some(schema)), Ok(expected));
    }
    let whole = json!({
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"], "enum": ["x", null]},
            "b": {"anyOf": [{"type": "integer", "minimum": 0}, {"$ref": "#/$defs/B"}]},
            "c": true,
            "d": {"type": "array", "items": {"type": "number"}, "minItems": 1},
            // A member may have the name of a keyword.
            "required": {"type": "boolean"},
        },
        "required": ["a"],
        "additionalProperties": false,
        "$defs": {"B": {"type": "object", "properties": {"again": {"$ref": "#/$defs/B"}}}},
    });
    assert_eq!(usable(Some(whole.clone())), Ok(whole));
}

#[test]
fn thirty_bad_schemas_are_refused_with_a_reason() {
    let property = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    let deep = (0..40).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
    let bad = [
        Value::Null,
        json!("object"),
        json!(7),
        json!([]),
        json!({"type": "string"}),
        json!({"type": ["object"]}),
        json!({"type": "Object"}),
        json!({"oneOf": [{"type": "object"}]}),
        json!({"anyOf": []}),
        json!({"allOf": [{}], "type": "object"}),
        json!({"type": "object", "properties": []}),
        json!({"type": "object", "properties": "none"}),
        json!({"type": "object", "required": "a"}),
        json!({"type": "object", "required": [1]}),
        json!({"type": "object", "required": ["a", "a"]}),
        json!({"type": "object", "$defs": [1]}),
        property(json!("string")),
        property(json!(null)),
        property(json!({"type": "strin"})),
        property(json!({"type": []})),
        property(json!({"type": "any"})),
        property(json!({"enum": []})),
        property(json!({"enum": "x"})),
        property(json!({"$ref": "#/$defs/Missing"})),
        property(json!({"$ref": "https://example.org/schema.json"})),
        property(json!({"$ref": 7})),
        property(json!({"type": "array", "items": [{"type": "string"}]})),
        property(json!({"anyOf": {}})),
        property(json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true})),
        property(json!({"type": "string", "maxLength": -1})),
        property(json!({"description": ["a", "b"]})),
        property(json!({"description": "x".repeat(SCHEMA_BYTES_MAX)})),
        deep,
    ];
    assert!(bad.len() >= 30);
    for schema in bad {
        let refused = usable(Some(schema.clone()));
        assert!(refused.is_err(), "{schema}");
    }
    assert_eq!(usable(None), Err("it has no input schema".to_owned()));
}
