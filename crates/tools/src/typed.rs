//! Makes a [`Tool`] of an input type and a function.

use std::marker::PhantomData;
use std::sync::OnceLock;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use codewhale_protocol::service::BoxFuture;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::limits::PROBLEM_BYTES_MAX;
use crate::{Context, Names, Output, Prepared, Spec, Tool};

/// What one tool file says.
pub(crate) trait Typed: 'static {
    const NAME: &'static str;
    const ALIASES: &'static [&'static str];
    const ACT: Act;
    const KIND: ItemKind;

    /// Its doc comment describes the tool to the model, those of its fields the parameters.
    type Input: DeserializeOwned + JsonSchema + Send;

    fn prepare(
        input: Self::Input,
        context: &Context,
    ) -> impl Future<Output = Result<Prepared, Output>> + Send;
}

/// A tool whose input is described by a type. The description is made when somebody asks for it: a
/// program that starts no turn needs none.
pub(crate) struct Adapter<T> {
    spec: OnceLock<Spec>,
    tool: PhantomData<fn() -> T>,
}

impl<T: Typed> Adapter<T> {
    pub(crate) fn new() -> Self {
        Self {
            spec: OnceLock::new(),
            tool: PhantomData,
        }
    }
}

impl<T: Typed> Tool for Adapter<T> {
    fn names(&self) -> Names {
        Names {
            name: T::NAME.into(),
            aliases: T::ALIASES,
        }
    }

    fn spec(&self) -> &Spec {
        let make = || spec_of::<T::Input>(T::NAME, T::ALIASES, T::ACT, T::KIND);
        self.spec.get_or_init(make)
    }

    fn prepare<'a>(
        &'a self,
        input: Value,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        Box::pin(async move {
            let input = understood(self.spec(), input)?;
            T::prepare(input, context).await
        })
    }
}

/// What the doc comments of an input type say about its tool.
pub(crate) fn spec_of<I: JsonSchema>(
    name: &'static str,
    aliases: &'static [&'static str],
    act: Act,
    kind: ItemKind,
) -> Spec {
    let (description, input_schema) = schema_of::<I>();
    Spec {
        name: name.into(),
        aliases,
        description: description.into(),
        input_schema: input_schema.into(),
        act,
        kind,
    }
}

/// Reads the input of a tool, or tells the model what to mend.
pub(crate) fn understood<I: DeserializeOwned>(spec: &Spec, input: Value) -> Result<I, Output> {
    read_input(input).map_err(|problem| misunderstood(spec, &problem))
}

fn read_input<I: DeserializeOwned>(input: Value) -> Result<I, String> {
    if !input.is_object() {
        return Err("the input is not a JSON object".into());
    }
    serde_path_to_error::deserialize(input).map_err(|error| {
        let member = error.path().to_string();
        let problem = error.into_inner().to_string();
        if member == "." || problem.contains(&format!("`{member}`")) {
            problem
        } else {
            format!("`{member}`: {problem}")
        }
    })
}

fn misunderstood(spec: &Spec, problem: &str) -> Output {
    let end = problem.floor_char_boundary(PROBLEM_BYTES_MAX);
    let problem = &problem[..end];
    let shape = shape_of(&spec.input_schema);
    Output::failure(format!(
        "{} was not run: {problem}\nIts input is {shape}",
        spec.name
    ))
}

/// The members of an input on one line; those with a question mark may be left out.
fn shape_of(schema: &Value) -> String {
    let required = schema["required"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let members = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, member)| {
            let optional = if required.iter().any(|other| other == name) {
                ""
            } else {
                "?"
            };
            format!(
                "\"{name}\"{optional}: {}",
                member["type"].as_str().unwrap_or("any")
            )
        });
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

/// The description of a type and the schema of its members, in the plainest form: every provider
/// understands it, and it costs few tokens.
fn schema_of<I: JsonSchema>() -> (String, Value) {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<I>();
    let Value::Object(mut schema) = schema.to_value() else {
        unreachable!("the schema of a struct is an object")
    };
    let description = unwrapped(&schema.remove("description").unwrap_or_default());
    schema.remove("$schema");
    schema.remove("title");
    // Some providers want it even of an input without members.
    schema
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    members
        .into_iter()
        .flatten()
        .for_each(|(_, member)| simplify(member));
    (description, Value::Object(schema))
}

fn simplify(member: &mut Value) {
    let Value::Object(member) = member else {
        return;
    };
    forget_null(member);
    if let Some(items) = member.get_mut("items") {
        simplify(items);
    }
    let inner = member.get_mut("properties").and_then(Value::as_object_mut);
    inner
        .into_iter()
        .flatten()
        .for_each(|(_, inner)| simplify(inner));
    // Names of Rust's number types, which no one else knows.
    member.remove("format");
    if let Some(description) = member.remove("description") {
        member.insert("description".into(), unwrapped(&description).into());
    }
}

/// A member that may be left out need not be `null` as well.
fn forget_null(member: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = member.remove("anyOf") {
        let kind = kinds.into_iter().find(|kind| kind["type"] != "null");
        let description = member.remove("description");
        member.extend(
            kind.and_then(|kind| kind.as_object().cloned())
                .unwrap_or_default(),
        );
        member.extend(description.map(|text| ("description".to_owned(), text)));
    }
    if let Some(Value::Array(kinds)) = member.get("type") {
        let kind = kinds.iter().find(|kind| *kind != "null").cloned();
        member.insert("type".into(), kind.unwrap_or_default());
    }
    if let Some(Value::Array(values)) = member.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if member.get("default") == Some(&Value::Null) {
        member.remove("default");
    }
}

/// Doc comments break lines where the source does; only empty lines mean something, and those of
/// an example.
fn unwrapped(description: &Value) -> String {
    let text = description.as_str().unwrap_or_default();
    let paragraphs = text
        .split("\n\n")
        .map(|paragraph| match paragraph.starts_with("```") {
            true => paragraph.to_owned(),
            false => paragraph.replace('\n', " "),
        });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::Bench;

    async fn check(input: serde_json::Value, problem: &str) {
        let output = Bench::new().call("read_file", input).await;
        let shape = r#"{"max_lines"?: integer, "path": string, "start_line"?: integer}"#;
        let text = format!("read_file was not run: {problem}\nIts input is {shape}");
        assert_eq!((output.success, output.text), (false, text));
    }

    #[tokio::test]
    async fn a_wrong_input_names_the_member_and_shows_the_shape() {
        check(json!("a.txt"), "the input is not a JSON object").await;
        check(json!({}), "missing field `path`").await;
        check(
            json!({"path": 7}),
            "`path`: invalid type: integer `7`, expected a string",
        )
        .await;
        check(
            json!({"path": "a", "max_lines": "ten"}),
            "`max_lines`: invalid type: string \"ten\", expected a nonzero u64",
        )
        .await;
        check(
            json!({"path": "a", "start_line": 0}),
            "`start_line`: invalid value: integer `0`, expected a nonzero u64",
        )
        .await;
    }

    #[tokio::test]
    async fn a_member_that_means_nothing_is_refused_and_not_ignored() {
        let output = Bench::new()
            .call("read_file", json!({"path": "a", "encoding": "x"}))
            .await;
        assert!(!output.success);
        assert!(
            output.text.contains("unknown field `encoding`"),
            "{}",
            output.text
        );
    }

    #[tokio::test]
    async fn a_huge_wrong_value_is_not_quoted_whole() {
        let input = json!({"path": "a", "max_lines": "é".repeat(9999)});
        let output = Bench::new().call("read_file", input).await;
        assert!(output.text.len() < 1000);
    }
}
