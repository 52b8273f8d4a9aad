//! What an operation takes: parameters of the path, of the query and of the head, and the body.

use codewhale_protocol::operations::{Input, Row};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// The parameters of an operation as its type has them, wherever they stand in the request.
pub(super) struct Params {
    schema: Value,
    in_path: Vec<&'static str>,
}

impl Params {
    pub(super) fn of(row: &Row, generator: &mut SchemaGenerator) -> Self {
        let schema = (row.params_schema)(generator).to_value();
        let name = |part: &'static str| part.strip_prefix('{')?.strip_suffix('}');
        Self {
            schema: resolved(schema, generator),
            in_path: row.path.split('/').filter_map(name).collect(),
        }
    }

    fn members(&self) -> Map<String, Value> {
        let members = self.schema.get("properties").and_then(Value::as_object);
        members.cloned().unwrap_or_default()
    }

    fn is_required(&self, name: &str) -> bool {
        let required = self.schema.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|it| it == name))
    }

    /// Whether something is named that may not be there.
    pub(super) fn name_something(&self) -> bool {
        !self.in_path.is_empty() || self.members().keys().any(|name| name.ends_with("_id"))
    }

    /// All but the body.
    pub(super) fn parameters(&self, row: &Row) -> Value {
        let members = self.members();
        let in_path = self.in_path.iter();
        let mut parameters: Vec<Value> = in_path
            .map(|name| parameter(name, "path", true, members.get(*name)))
            .collect();
        if row.input == Input::Query {
            let others = members.iter();
            let others = others.filter(|(name, _)| !self.in_path.contains(&name.as_str()));
            parameters.extend(others.map(|(name, schema)| {
                parameter(name, "query", self.is_required(name), Some(schema))
            }));
        }
        if row.once {
            parameters.push(key());
        }
        Value::Array(parameters)
    }

    /// The parameters without those that stand in the path.
    pub(super) fn body(&self, row: &Row) -> Option<Value> {
        match row.input {
            Input::Body | Input::OptionalBody => {}
            Input::Query | Input::Nothing => return None,
        }
        let mut schema = self.schema.clone();
        if let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            members.retain(|name, _| !self.in_path.contains(&name.as_str()));
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| !self.in_path.iter().any(|path| name == path));
        }
        Some(json!({
            "required": row.input == Input::Body,
            "content": { "application/json": { "schema": schema } },
        }))
    }
}

fn parameter(name: &str, place: &str, required: bool, schema: Option<&Value>) -> Value {
    let may_be_empty = place == "query" && schema.is_some_and(may_be_empty);
    let mut schema = schema.map_or_else(|| json!({ "type": "string" }), without_null);
    let description = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("description"));
    let mut parameter =
        json!({ "name": name, "in": place, "required": required, "schema": schema });
    if let Some(description) = description {
        parameter["description"] = description;
    }
    if may_be_empty {
        parameter["allowEmptyValue"] = json!(true);
    }
    parameter
}

/// Forms send what nobody filled in as an empty text. Where a number or a yes or no is wanted, that
/// is the same as leaving it out.
fn may_be_empty(schema: &Value) -> bool {
    let kinds = schema["type"].as_array();
    kinds.is_some_and(|kinds| kinds.contains(&json!("null")) && !kinds.contains(&json!("string")))
}

/// The header under which a request can be sent again.
fn key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "A name of the caller's own for this request. Whatever is sent with the \
            same name and the same content within 24 hours is done once and answered alike.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
    })
}

/// Text in an address cannot be null: what is not wanted is left out.
fn without_null(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(members) = schema.as_object_mut() else {
        return schema;
    };
    if members.get("default") == Some(&Value::Null) {
        members.remove("default");
    }
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = &types[..] {
            let kind = kind.clone();
            members.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [choice] = &choices[..]
            && let Some(target) = choice.get("$ref").cloned()
        {
            members.remove("anyOf");
            members.insert("$ref".to_owned(), target);
        }
    }
    schema
}

/// The schema itself, wherever the generator put it.
fn resolved(schema: Value, generator: &SchemaGenerator) -> Value {
    let name = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|text| text.rsplit('/').next());
    match name.and_then(|name| generator.definitions().get(name)) {
        Some(definition) => definition.clone(),
        None => schema,
    }
}
