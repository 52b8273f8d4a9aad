//! The schema of an answer: the part of JSON Schema that people write for answers. A keyword that is
//! not checked here is refused before anything begins; a check that is left out would be none.

use std::fmt;
use std::path::Path;

use anyhow::{Context, bail};
use regex::Regex;
use serde_json::{Map, Value};

use super::limits;

/// What the final answer must look like.
#[derive(Debug)]
pub(super) struct Schema(Value);

/// Keywords that say something about the schema and nothing about the answer.
const REMARKS: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "format",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Keywords that hold a schema.
const ONE: &[&str] = &["items", "not", "additionalProperties"];

/// Keywords that hold a list of schemas.
const SEVERAL: &[&str] = &["allOf", "anyOf", "oneOf"];

/// Keywords that hold schemas by name.
const NAMED: &[&str] = &["properties", "$defs", "definitions"];

/// Keywords that are checked by themselves.
const PLAIN: &[&str] = &[
    "type",
    "enum",
    "const",
    "required",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minProperties",
    "maxProperties",
];

impl Schema {
    pub(super) fn open(file: &Path) -> anyhow::Result<Self> {
        let name = file.display();
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
        Self::read(&text).with_context(|| format!("the schema in {name} cannot be used"))
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        let schema = Self(serde_json::from_str(text)?);
        schema.understand(&schema.0, 0)?;
        Ok(schema)
    }

    /// Whether every word of it is one that is checked.
    fn understand(&self, schema: &Value, depth: usize) -> anyhow::Result<()> {
        let members = match schema {
            Value::Bool(_) => return Ok(()),
            Value::Object(members) if depth < limits::SCHEMA_DEPTH_MAX => members,
            Value::Object(_) => bail!("it is nested too deeply"),
            _ => bail!("a schema is an object, true or false, and this is none: {schema}"),
        };
        for (word, value) in members {
            match word.as_str() {
                word if ONE.contains(&word) => self.understand(value, depth + 1)?,
                word if SEVERAL.contains(&word) => {
                    let Some(schemas) = value.as_array() else {
                        bail!("{word} must be a list of schemas");
                    };
                    for schema in schemas {
                        self.understand(schema, depth + 1)?;
                    }
                }
                word if NAMED.contains(&word) => {
                    let Some(schemas) = value.as_object() else {
                        bail!("{word} must be an object of schemas");
                    };
                    for schema in schemas.values() {
                        self.understand(schema, depth + 1)?;
                    }
                }
                "pattern" => {
                    let pattern = value.as_str().context("pattern must be text")?;
                    Regex::new(pattern).context("pattern does not read")?;
                }
                "$ref" => drop(self.referred(value).context("$ref leads nowhere")?),
                word if PLAIN.contains(&word) || REMARKS.contains(&word) => {}
                word => bail!("the keyword {word:?} is not one that is checked here; leave it out"),
            }
        }
        Ok(())
    }

    fn referred(&self, reference: &Value) -> Option<&Value> {
        let place = reference.as_str()?.strip_prefix('#')?;
        self.0.pointer(place)
    }

    /// What is wrong with an answer, if anything: the answer must be JSON, alone or in one fence, and
    /// fit.
    pub(super) fn problem_with(&self, answer: &str) -> Option<String> {
        let value: Value = match serde_json::from_str(unfenced(answer)) {
            Ok(value) => value,
            Err(error) => return Some(format!("it is not JSON ({error})")),
        };
        self.problem(&self.0, &value, "", 0)
    }

    fn problem(&self, schema: &Value, value: &Value, at: &str, depth: usize) -> Option<String> {
        let here = if at.is_empty() { "the answer" } else { at };
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => return Some(format!("{here} is not allowed")),
            _ => return None,
        };
        if depth > limits::SCHEMA_STEPS_MAX {
            return Some(format!("{here} refers to itself without end"));
        }
        let step = |schema: &Value| self.problem(schema, value, at, depth + 1);
        if let Some(problem) = members.get("$ref").and_then(|it| step(self.referred(it)?)) {
            return Some(problem);
        }
        if let Some(why) = plain_problem(members, value) {
            return Some(format!("{here} {why}"));
        }
        let listed = |word: &str| members.get(word).and_then(Value::as_array);
        if let Some(problem) = listed("allOf").and_then(|all| all.iter().find_map(step)) {
            return Some(problem);
        }
        let fitting = |some: &Vec<Value>| some.iter().filter(|it| step(it).is_none()).count();
        if listed("anyOf").is_some_and(|any| fitting(any) == 0) {
            return Some(format!("{here} fits none of the forms it may have"));
        }
        if listed("oneOf").is_some_and(|one| fitting(one) != 1) {
            return Some(format!(
                "{here} does not fit exactly one of the forms it may have"
            ));
        }
        if members.get("not").is_some_and(|not| step(not).is_none()) {
            return Some(format!("{here} has a form it must not have"));
        }
        self.problem_inside(members, value, at, depth)
    }

    fn problem_inside(
        &self,
        members: &Map<String, Value>,
        value: &Value,
        at: &str,
        depth: usize,
    ) -> Option<String> {
        if let (Some(items), Some(values)) = (members.get("items"), value.as_array()) {
            let mut values = values.iter().enumerate();
            return values.find_map(|(index, value)| {
                self.problem(items, value, &format!("{at}[{index}]"), depth + 1)
            });
        }
        let values = value.as_object()?;
        let known = members.get("properties").and_then(Value::as_object);
        let others = members.get("additionalProperties");
        values.iter().find_map(|(name, value)| {
            let schema = known.and_then(|known| known.get(name)).or(others)?;
            self.problem(schema, value, &format!("{at}.{name}"), depth + 1)
        })
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What is wrong with a value by itself.
fn plain_problem(members: &Map<String, Value>, value: &Value) -> Option<String> {
    if let Some(kinds) = members.get("type") {
        let fits = |kind: &Value| kind.as_str().is_some_and(|kind| is_kind(kind, value));
        let is_one = kinds
            .as_array()
            .map_or(fits(kinds), |all| all.iter().any(fits));
        if !is_one {
            return Some(format!("must be of the type {kinds}"));
        }
    }
    let allowed = members.get("enum").and_then(Value::as_array);
    if allowed.is_some_and(|allowed| !allowed.contains(value)) {
        return Some("is none of the values it may have".to_owned());
    }
    if members.get("const").is_some_and(|only| only != value) {
        return Some("is not the value it must have".to_owned());
    }
    let required = members.get("required").and_then(Value::as_array);
    if let (Some(required), Some(values)) = (required, value.as_object()) {
        let mut names = required.iter().filter_map(Value::as_str);
        if let Some(missing) = names.find(|name| !values.contains_key(*name)) {
            return Some(format!("lacks {missing:?}"));
        }
    }
    let pattern = members.get("pattern").and_then(Value::as_str);
    if let (Some(pattern), Some(text)) = (pattern, value.as_str())
        && !Regex::new(pattern).is_ok_and(|it| it.is_match(text))
    {
        return Some(format!("does not match {pattern:?}"));
    }
    size_problem(members, value)
}

fn size_problem(members: &Map<String, Value>, value: &Value) -> Option<String> {
    let bound = |word: &str| members.get(word).and_then(Value::as_f64);
    let (size, least, most) = match value {
        Value::Array(values) => (values.len(), "minItems", "maxItems"),
        Value::String(text) => (text.chars().count(), "minLength", "maxLength"),
        Value::Object(values) => (values.len(), "minProperties", "maxProperties"),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let low = bound("minimum").is_some_and(|it| number < it)
                || bound("exclusiveMinimum").is_some_and(|it| number <= it);
            let high = bound("maximum").is_some_and(|it| number > it)
                || bound("exclusiveMaximum").is_some_and(|it| number >= it);
            return (low || high).then(|| "is out of its range".to_owned());
        }
        Value::Null | Value::Bool(_) => return None,
    };
    let size = u32::try_from(size).map_or(f64::INFINITY, f64::from);
    let is_out =
        bound(least).is_some_and(|it| size < it) || bound(most).is_some_and(|it| size > it);
    is_out.then(|| "is too short or too long".to_owned())
}

fn is_kind(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

/// The text in a fence, where there is one around all of it.
fn unfenced(answer: &str) -> &str {
    let answer = answer.trim();
    let inside = answer
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"));
    let Some(inside) = inside else {
        return answer;
    };
    inside.strip_prefix("json").unwrap_or(inside).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r##"{
        "type": "object", "required": ["name", "tags"], "additionalProperties": false,
        "properties": {
            "name": { "type": "string", "minLength": 1, "pattern": "^[a-z]+$" },
            "size": { "type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 10 },
            "tags": { "type": "array", "items": { "$ref": "#/$defs/tag" }, "maxItems": 2 },
            "kind": { "oneOf": [{ "const": "a" }, { "enum": ["b", "c"] }] }
        },
        "$defs": { "tag": { "type": "string", "not": { "const": "bad" } } }
    }"##;

    #[test]
    fn an_answer_fits_or_it_is_said_why_not() {
        let schema = Schema::read(ANSWER).unwrap();
        for fitting in [
            r#"{"name":"ab","tags":[]}"#,
            r#" {"name":"ab","tags":["x","y"],"size":9,"kind":"c"} "#,
            "```json\n{\"name\":\"ab\",\"tags\":[],\"size\":null}\n```",
        ] {
            assert_eq!(schema.problem_with(fitting), None, "{fitting}");
        }
        for (unfit, why) in [
            ("Here you are", "not JSON"),
            ("[]", "must be of the type"),
            (r#"{"name":"ab"}"#, "lacks \"tags\""),
            (r#"{"name":"","tags":[]}"#, ".name"),
            (r#"{"name":"Ab","tags":[]}"#, "does not match"),
            (r#"{"name":"ab","tags":["bad"]}"#, ".tags[0] has a form"),
            (
                r#"{"name":"ab","tags":["a","b","c"]}"#,
                "too short or too long",
            ),
            (r#"{"name":"ab","tags":[],"size":10}"#, "out of its range"),
            (
                r#"{"name":"ab","tags":[],"size":1.5}"#,
                "must be of the type",
            ),
            (r#"{"name":"ab","tags":[],"kind":"d"}"#, "exactly one"),
            (
                r#"{"name":"ab","tags":[],"more":1}"#,
                ".more is not allowed",
            ),
        ] {
            let problem = schema.problem_with(unfit).unwrap();
            assert!(problem.contains(why), "{unfit}: {problem}");
        }
    }

    #[test]
    fn what_would_not_be_checked_is_refused() {
        for (schema, why) in [
            ("[]", "a schema is an object"),
            (r#"{"patternProperties":{}}"#, "patternProperties"),
            (r#"{"properties":{"a":{"if":true}}}"#, "\"if\""),
            (r##"{"$ref":"#/$defs/none"}"##, "$ref leads nowhere"),
            (r#"{"$ref":"other.json"}"#, "$ref leads nowhere"),
            (r#"{"pattern":"("}"#, "pattern does not read"),
        ] {
            let refusal = format!("{:#}", Schema::read(schema).unwrap_err());
            assert!(refusal.contains(why), "{schema}: {refusal}");
        }
        let endless = Schema::read(r##"{"$ref":"#"}"##).unwrap();
        assert!(endless.problem_with("1").unwrap().contains("without end"));
    }
}
