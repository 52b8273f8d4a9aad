//! Schemas of the document, compiled when they are first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// The schemas of a document.
pub struct Schemas {
    document: Value,
    /// By the text of the schema.
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Schemas {
    pub(super) fn new(document: Value) -> Self {
        Self {
            document,
            compiled: Mutex::default(),
        }
    }

    pub(super) fn pointer(&self, pointer: &str) -> &Value {
        let found = self.document.pointer(pointer);
        found.unwrap_or_else(|| panic!("the document has no {pointer}"))
    }

    /// What a part of the document stands for, when it only points elsewhere.
    pub fn resolve<'a>(&'a self, part: &'a Value) -> &'a Value {
        match part.get("$ref").and_then(Value::as_str) {
            Some(target) => self.pointer(target.trim_start_matches('#')),
            None => part,
        }
    }

    /// Says what is wrong with a value.
    pub fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let problems = self.validator(schema);
        let problems = problems.iter_errors(value).map(|error| {
            let place = error.instance_path().to_string();
            format!("{place}: {error}")
        });
        let problems: Vec<String> = problems.take(3).collect();
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.join("; ")),
        }
    }

    fn validator(&self, schema: &Value) -> Arc<Validator> {
        let text = schema.to_string();
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let made = compiled
            .entry(text)
            .or_insert_with(|| Arc::new(self.compile(schema)));
        Arc::clone(made)
    }

    /// With the definitions that it needs and no others: there are hundreds.
    fn compile(&self, schema: &Value) -> Validator {
        let mut needed = Map::new();
        self.collect(schema, &mut needed);
        let whole = json!({ "allOf": [schema], "components": { "schemas": needed } });
        jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&whole)
            .unwrap_or_else(|error| panic!("a schema of the document is none: {error}"))
    }

    fn collect(&self, part: &Value, needed: &mut Map<String, Value>) {
        match part {
            Value::Object(members) => {
                let target = members.get("$ref").and_then(Value::as_str);
                let name = target.and_then(|target| target.strip_prefix("#/components/schemas/"));
                if let Some(name) = name
                    && !needed.contains_key(name)
                {
                    let definition = &self.document["components"]["schemas"][name];
                    needed.insert(name.to_owned(), definition.clone());
                    self.collect(definition, needed);
                }
                members.values().for_each(|part| self.collect(part, needed));
            }
            Value::Array(parts) => parts.iter().for_each(|part| self.collect(part, needed)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}
