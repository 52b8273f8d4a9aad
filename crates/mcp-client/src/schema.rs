//! Whether a provider will take the schema of a stranger's tool. One that it refuses would cost
//! the whole request, with all other tools in it.

use serde_json::{Map, Value};

use crate::limits::{SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX};

const KINDS: &[&str] = &[
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// The schema in the form every provider takes, or why there is none.
pub(crate) fn usable(schema: Option<Value>) -> Result<Value, String> {
    let mut root = match schema {
        Some(Value::Object(root)) => root,
        None | Some(Value::Null) => return Err("it has no input schema".to_owned()),
        Some(_) => return Err("its input schema is not an object".to_owned()),
    };
    root.remove("$schema");
    root.remove("$id");
    for key in ["oneOf", "anyOf", "allOf", "not", "enum"] {
        if root.contains_key(key) {
            return Err(format!("its input schema has `{key}` at its top"));
        }
    }
    match root.get("type") {
        None => drop(root.insert("type".to_owned(), "object".into())),
        Some(kind) if kind == "object" => {}
        Some(kind) => return Err(format!("its input schema is for {kind}, not for an object")),
    }
    root.entry("properties")
        .or_insert_with(|| Map::new().into());
    let root = Value::Object(root);
    // Measured before it is walked: what is too large is not looked at.
    let bytes = root.to_string().len();
    if bytes > SCHEMA_BYTES_MAX {
        return Err(format!(
            "its input schema has {bytes} bytes, and {SCHEMA_BYTES_MAX} are allowed"
        ));
    }
    check(&root, &root, "", 0)?;
    Ok(root)
}

/// Checks one schema and those inside.
fn check(schema: &Value, root: &Value, at: &str, depth: usize) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("its input schema is wrong at `{at}/`: {what}"));
    if depth > SCHEMA_DEPTH_MAX {
        return Err(format!(
            "its input schema is nested deeper than {SCHEMA_DEPTH_MAX}"
        ));
    }
    let members = match schema {
        Value::Object(members) => members,
        Value::Bool(_) => return Ok(()),
        _ => return wrong("not a schema"),
    };
    if !members.get("type").is_none_or(is_kind) {
        return wrong("`type` names no type");
    }
    if !members.get("required").is_none_or(is_names) {
        return wrong("`required` is not a list of different names");
    }
    if !members.get("enum").is_none_or(is_filled) {
        return wrong("`enum` is not a list of values");
    }
    for key in ["description", "title", "pattern", "format", "$comment"] {
        if !members.get(key).is_none_or(Value::is_string) {
            return wrong(&format!("`{key}` is not a text"));
        }
    }
    for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        // Draft 4 has booleans here, which providers of today refuse.
        if !members.get(key).is_none_or(Value::is_number) {
            return wrong(&format!("`{key}` is not a number"));
        }
    }
    for key in ["minLength", "maxLength", "minItems", "maxItems"] {
        if !members.get(key).is_none_or(|it| it.is_u64()) {
            return wrong(&format!("`{key}` is not a count"));
        }
    }
    if let Some(reference) = members.get("$ref") {
        check_reference(reference, root, at)?;
    }
    check_inside(members, root, at, depth)
}

fn check_inside(
    members: &Map<String, Value>,
    root: &Value,
    at: &str,
    depth: usize,
) -> Result<(), String> {
    let wrong = |what: String| Err(format!("its input schema is wrong at `{at}/`: {what}"));
    for key in ["properties", "$defs", "definitions", "patternProperties"] {
        match members.get(key) {
            None => {}
            Some(Value::Object(inner)) => {
                for (name, schema) in inner {
                    check(schema, root, &format!("{at}/{key}/{name}"), depth + 1)?;
                }
            }
            Some(_) => return wrong(format!("`{key}` is not an object")),
        }
    }
    for key in ["oneOf", "anyOf", "allOf", "prefixItems"] {
        match members.get(key) {
            None => {}
            Some(Value::Array(inner)) if !inner.is_empty() => {
                for schema in inner {
                    check(schema, root, &format!("{at}/{key}"), depth + 1)?;
                }
            }
            Some(_) => return wrong(format!("`{key}` is not a list of schemas")),
        }
    }
    for key in ["items", "additionalProperties", "not", "contains"] {
        if let Some(schema) = members.get(key) {
            check(schema, root, &format!("{at}/{key}"), depth + 1)?;
        }
    }
    Ok(())
}

fn check_reference(reference: &Value, root: &Value, at: &str) -> Result<(), String> {
    let target = reference.as_str().unwrap_or_default();
    let found = target
        .strip_prefix('#')
        .and_then(|pointer| root.pointer(pointer));
    match found {
        Some(_) => Ok(()),
        None => Err(format!(
            "its input schema refers at `{at}/` to {reference}, which is not in it"
        )),
    }
}

fn is_kind(kind: &Value) -> bool {
    let is_one = |kind: &Value| kind.as_str().is_some_and(|kind| KINDS.contains(&kind));
    match kind {
        Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(is_one),
        kind => is_one(kind),
    }
}

fn is_names(names: &Value) -> bool {
    let Some(names) = names.as_array() else {
        return false;
    };
    let is_new =
        |(index, name): (usize, &Value)| name.is_string() && !names[..index].contains(name);
    names.iter().enumerate().all(is_new)
}

fn is_filled(values: &Value) -> bool {
    values.as_array().is_some_and(|values| !values.is_empty())
}

#[cfg(test)]
mod tests;
