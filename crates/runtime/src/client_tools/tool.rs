//! A tool of a client, as the engine knows tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codewhale_policy::{Act, Demand};
use codewhale_protocol::runtime::{DynamicTool, ItemKind, ToolCallContent};
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Context, Output, Pictures, Prepared, Preview, Spec, Tool, fit};
use serde::Serialize;
use serde_json::{Value, json};

use crate::host::{Answered, TurnHost};
use crate::limits;

/// A tool and the turn it was declared for.
pub(crate) struct ClientTool {
    host: TurnHost,
    tool: DynamicTool,
    spec: Spec,
    /// Whether the model knows the schema.
    is_told: AtomicBool,
}

/// Everything that decides what happens.
#[derive(Serialize)]
struct Call {
    namespace: Option<String>,
    tool: String,
    arguments: Value,
}

impl ClientTool {
    /// The tool as it is offered in this turn.
    pub(crate) fn offered(host: TurnHost, tool: DynamicTool) -> Arc<dyn Tool> {
        let (description, input_schema) = match tool.defer_loading {
            false => (tool.description.clone(), schema(&tool)),
            true => (
                format!(
                    "{} (Call it without arguments first: that tells what it takes.)",
                    tool.description
                ),
                json!({ "type": "object" }),
            ),
        };
        Arc::new(Self {
            spec: Spec {
                name: tool.shown_name().into(),
                aliases: &[],
                description: description.into(),
                input_schema: input_schema.into(),
                act: Act::Client,
                kind: ItemKind::ToolCall,
            },
            is_told: AtomicBool::new(!tool.defer_loading),
            host,
            tool,
        })
    }

    fn prepare_call(&self, input: Value) -> Result<Prepared, Output> {
        let name = &self.spec.name;
        let refused = |why: String| Output::failure(format!("{name} was not called: {why}"));
        let Some(members) = input.as_object() else {
            return Err(refused("the input is not a JSON object".to_owned()));
        };
        let was_told = self.is_told.swap(true, Ordering::Relaxed);
        if !was_told && members.is_empty() {
            return Err(Output::success(format!(
                "{name} takes an object of this JSON schema; call it again: {}",
                schema(&self.tool)
            )));
        }
        let required = self.tool.input_schema.get("required");
        let required = required.and_then(Value::as_array).into_iter().flatten();
        let mut required = required.filter_map(Value::as_str);
        if let Some(field) = required.find(|field| !members.contains_key(*field)) {
            return Err(refused(format!("missing field `{field}`")));
        }
        let shown = input.to_string();
        if shown.len() > limits::CLIENT_ARGUMENTS_BYTES_MAX {
            return Err(refused(format!(
                "the input is longer than {} bytes",
                limits::CLIENT_ARGUMENTS_BYTES_MAX
            )));
        }
        let end = shown.floor_char_boundary(limits::CLIENT_PREVIEW_BYTES_MAX);
        let preview = Preview {
            description: format!("Have the client run {name} with {}", &shown[..end]),
            ..Preview::default()
        };
        let call = Call {
            namespace: self.tool.namespace.clone(),
            tool: self.tool.name.clone(),
            arguments: input,
        };
        let host = self.host.clone();
        let demand = Demand::Client(shown);
        let job = move |call, context| run(host, call, context);
        Ok(Prepared::new(demand, name, call, preview, job))
    }
}

impl Tool for ClientTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn prepare<'a>(
        &'a self,
        input: Value,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        Box::pin(async move { self.prepare_call(input) })
    }
}

fn schema(tool: &DynamicTool) -> Value {
    let mut schema = tool.input_schema.clone();
    schema.entry("type").or_insert_with(|| json!("object"));
    Value::Object(schema)
}

async fn run(host: TurnHost, call: Call, context: Context) -> Output {
    let Call {
        namespace,
        tool,
        arguments,
    } = call;
    let cancel = context.cancel.clone();
    let answered = tokio::select! {
        biased;
        // What was asked for is called off where the turn ends.
        () = cancel.cancelled() => return Output::failure("The turn ended before the client answered."),
        answered = host.ask_client(namespace, tool, arguments) => answered,
    };
    match answered {
        Answered::Result { success, content } => {
            let mut pictures = Pictures::of(&context);
            let told = content.iter().flat_map(|part| {
                let number = data_of(part).and_then(|(_, data)| pictures.take(data));
                [Some(told(part)), number]
            });
            let told: Vec<String> = told.flatten().collect();
            let fitted = fit(told.join("\n"), &context).await;
            let text = match fitted.text.is_empty() {
                true => "[the tool said nothing]".to_owned(),
                false => fitted.text,
            };
            let output = match success {
                true => Output::success(text),
                false => Output::failure(text),
            };
            let facts = json!({ "truncated": fitted.truncated, "ref": fitted.reference });
            pictures.on(output.with_metadata(facts))
        }
        Answered::TooLate => Output::failure(
            "The client did not answer in time; whether it did something is not known. Go on without, \
             and say what is open.",
        ),
        Answered::TooMany => Output::failure(
            "Too many calls wait for clients; nothing was sent. Try again later, or go on without.",
        ),
        Answered::Lost => Output::failure("The call could not be written down; nothing was sent."),
    }
}

/// A part of a result, as text.
fn told(part: &ToolCallContent) -> String {
    match part {
        ToolCallContent::InputText { text } => text.clone(),
        ToolCallContent::InputImage { image_url } => match data_of(part) {
            Some((kind, data)) => {
                format!("[image of type {kind}, about {} bytes]", data.len() / 4 * 3)
            }
            None => format!("[image at {}]", image_url.trim()),
        },
    }
}

/// The type and the content of a picture that stands in its address.
fn data_of(part: &ToolCallContent) -> Option<(&str, &str)> {
    let ToolCallContent::InputImage { image_url } = part else {
        return None;
    };
    let address = image_url.trim().strip_prefix("data:")?;
    let (kind, data) = address.split_once(',')?;
    Some((kind.split(';').next().unwrap_or_default(), data))
}
