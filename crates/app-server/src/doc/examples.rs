//! Examples for bodies and answers, made from their schemas: a type says once what its values look
//! like, and every request and answer with it shows that.

use serde_json::{Map, Value, json};

/// Deeper than any record is nested; a type that holds itself ends here.
const DEPTH_MAX: usize = 8;

/// What a text is where its type does not say.
const TEXT: &str = "text";

/// Adds an example to each body and each JSON answer that has none.
pub(super) fn add(paths: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let methods = paths.values_mut().filter_map(Value::as_object_mut);
    for operation in methods.flat_map(Map::values_mut) {
        if let Some(body) = operation.pointer_mut("/requestBody/content/application~1json") {
            show(body, schemas);
        }
        let answers = operation.get_mut("responses");
        let answers = answers.and_then(Value::as_object_mut);
        for answer in answers.into_iter().flat_map(Map::values_mut) {
            if let Some(json) = answer.pointer_mut("/content/application~1json") {
                show(json, schemas);
            }
        }
    }
}

fn show(content: &mut Value, schemas: &Map<String, Value>) {
    if content.get("example").is_none() {
        content["example"] = Maker { schemas }.value(&content["schema"], 0);
    }
}

struct Maker<'a> {
    schemas: &'a Map<String, Value>,
}

impl Maker<'_> {
    fn value(&self, schema: &Value, depth: usize) -> Value {
        if let Some(told) = told(schema) {
            return told;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let name = target.rsplit('/').next().unwrap_or_default();
            let target = self.schemas.get(name).unwrap_or(&Value::Null);
            return self.value(target, depth);
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(first) = schema.get(choice).and_then(|choices| choices.get(0)) {
                let whole = self.value(first, depth);
                // The members beside the choice belong to each of its forms.
                return merged(self.members(schema, depth), whole);
            }
        }
        let parts = schema.get("allOf").and_then(Value::as_array);
        if let Some(parts) = parts {
            let own = self.members(schema, depth);
            let parts = parts.iter().map(|part| self.value(part, depth));
            return parts.fold(own, merged);
        }
        self.typed(schema, depth)
    }

    fn typed(&self, schema: &Value, depth: usize) -> Value {
        let kind = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.first(),
            other => other,
        };
        match kind.and_then(Value::as_str) {
            Some("string") => match schema.get("format").and_then(Value::as_str) {
                Some("date-time") => json!("2026-05-02T09:15:04.123Z"),
                _ => json!(TEXT),
            },
            Some("integer") => json!(schema.get("minimum").cloned().unwrap_or(json!(0))),
            Some("number") => json!(0.5),
            Some("boolean") => json!(false),
            Some("array") if depth < DEPTH_MAX && schema.get("items").is_some() => {
                json!([self.value(&schema["items"], depth + 1)])
            }
            Some("array") => json!([]),
            Some("null") => Value::Null,
            Some("object") => self.members(schema, depth),
            _ if schema.get("properties").is_some() => self.members(schema, depth),
            _ => json!({}),
        }
    }

    /// The members that must be there; where none must, the first.
    fn members(&self, schema: &Value, depth: usize) -> Value {
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        let properties = properties.unwrap_or(&empty);
        let required = schema.get("required").and_then(Value::as_array);
        let is_required =
            |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
        let mut wanted: Vec<&String> = properties.keys().filter(|name| is_required(name)).collect();
        if wanted.is_empty() && depth == 0 {
            wanted.extend(properties.keys().next());
        }
        let member = |name: &String| (name.clone(), self.value(&properties[name], depth + 1));
        match depth < DEPTH_MAX {
            true => Value::Object(wanted.into_iter().map(member).collect()),
            false => json!({}),
        }
    }
}

/// What the schema itself says that a value is.
fn told(schema: &Value) -> Option<Value> {
    let first = |name: &str| schema.get(name).and_then(|values| values.get(0)).cloned();
    let default = schema.get("default").filter(|default| !default.is_null());
    first("examples")
        .or_else(|| schema.get("const").cloned())
        .or_else(|| default.cloned())
        .or_else(|| first("enum"))
}

fn merged(under: Value, over: Value) -> Value {
    match (under, over) {
        (Value::Object(mut under), Value::Object(over)) => {
            under.extend(over);
            Value::Object(under)
        }
        (_, over) => over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_has_what_must_be_there_as_the_types_show_it() {
        let schemas = json!({ "Id": { "type": "string", "examples": ["id_1"] } });
        let maker = Maker {
            schemas: schemas.as_object().unwrap(),
        };
        let schema = json!({
            "type": "object",
            "required": ["id", "when", "kind", "many"],
            "properties": {
                "id": { "$ref": "#/components/schemas/Id" },
                "when": { "type": "string", "format": "date-time" },
                "kind": { "enum": ["one", "two"] },
                "many": { "type": "array", "items": { "type": ["integer", "null"], "minimum": 1 } },
                "left_out": { "type": "boolean" },
            },
        });
        let expect = json!({
            "id": "id_1", "when": "2026-05-02T09:15:04.123Z", "kind": "one", "many": [1]
        });
        assert_eq!(maker.value(&schema, 0), expect);
    }

    #[test]
    fn a_type_that_holds_itself_comes_to_an_end() {
        let own = json!({ "type": "object", "required": ["next"],
            "properties": { "next": { "$ref": "#/components/schemas/Own" } } });
        let schemas = json!({ "Own": own.clone() });
        let maker = Maker {
            schemas: schemas.as_object().unwrap(),
        };
        assert!(maker.value(&own, 0).is_object());
    }
}
