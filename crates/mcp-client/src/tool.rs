//! A tool of a server, as the engine knows tools.

use std::sync::Arc;

use codewhale_policy::{Act, Demand, McpCall};
use codewhale_protocol::runtime::ItemKind;
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Context, Output, Prepared, Preview, Spec, Tool};
use serde::Serialize;
use serde_json::{Value, json};

use crate::callers::Notes;
use crate::catalogue::Listed;
use crate::content;
use crate::limits::PREVIEW_BYTES_MAX;
use crate::settings::Origin;
use crate::supervisor::Supervisor;

/// A tool and the server it belongs to.
pub(crate) struct McpTool {
    supervisor: Arc<Supervisor>,
    name: String,
    /// What the server says it does.
    description: Option<String>,
    spec: Spec,
}

/// A tool as it is listed for people and programs.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedTool {
    /// Whose it is.
    pub server: String,
    /// What the server calls it.
    pub name: String,
    /// What the model calls it.
    pub shown: String,
    /// What it does, if its server says so.
    pub description: Option<String>,
    /// The schema of its input.
    pub input_schema: Value,
}

/// Everything that decides what happens.
#[derive(Serialize)]
struct Call {
    server: String,
    tool: String,
    input: Value,
}

impl McpTool {
    pub(crate) fn new(supervisor: Arc<Supervisor>, tool: &Listed) -> Self {
        let (name, server) = (&tool.name, &supervisor.name);
        let unsaid = || format!("The tool {name} of the MCP server {server}.");
        let description = tool.description.clone().unwrap_or_else(unsaid);
        let only_reads = supervisor.server.trusted && tool.says_it_only_reads;
        Self {
            supervisor,
            name: tool.name.clone(),
            description: tool.description.clone(),
            spec: Spec {
                name: tool.shown.clone().into(),
                aliases: &[],
                description: description.into(),
                input_schema: tool.schema.clone().into(),
                act: if only_reads {
                    Act::McpLook
                } else {
                    Act::McpCall
                },
                kind: ItemKind::ToolCall,
            },
        }
    }

    pub(crate) fn listed(&self) -> ListedTool {
        ListedTool {
            server: self.server().to_owned(),
            name: self.name.clone(),
            shown: self.spec.name.clone().into_owned(),
            description: self.description.clone(),
            input_schema: Value::clone(&self.spec.input_schema),
        }
    }

    pub(crate) fn server(&self) -> &str {
        &self.supervisor.name
    }

    pub(crate) fn raw_name(&self) -> &str {
        &self.name
    }

    fn prepare_call(&self, input: Value) -> Result<Prepared, Output> {
        let refused =
            |why: String| Output::failure(format!("{} was not run: {why}", self.spec.name));
        let Some(members) = input.as_object() else {
            return Err(refused("the input is not a JSON object".to_owned()));
        };
        let required = self.spec.input_schema["required"].as_array();
        let mut required = required.into_iter().flatten().filter_map(Value::as_str);
        if let Some(name) = required.find(|name| !members.contains_key(*name)) {
            return Err(refused(format!("missing field `{name}`")));
        }
        let (server, tool) = (self.server().to_owned(), self.name.clone());
        let shown = input.to_string();
        let end = shown.floor_char_boundary(PREVIEW_BYTES_MAX);
        let preview = Preview {
            description: format!(
                "Call {tool} of the MCP server {server} with {}",
                &shown[..end]
            ),
            ..Preview::default()
        };
        let demand = self.demand(shown);
        let call = Call {
            server,
            tool,
            input,
        };
        let supervisor = self.supervisor.clone();
        Ok(Prepared::new(
            demand,
            &self.spec.name,
            call,
            preview,
            move |call, context| run(supervisor, call, context),
        ))
    }

    fn demand(&self, input: String) -> Demand {
        let server = &self.supervisor.server;
        Demand::Mcp(McpCall {
            input,
            host: server.host(),
            only_looks: self.spec.act == Act::McpLook,
            of_workspace: server.origin == Origin::Workspace,
        })
    }
}

impl Tool for McpTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn prepare<'a>(
        &'a self,
        input: Value,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        let prepared = self.prepare_call(input);
        Box::pin(async move { prepared })
    }
}

async fn run(supervisor: Arc<Supervisor>, call: Call, context: Context) -> Output {
    let waiting = supervisor.callers.enter(context.person.clone());
    let params = json!({"name": call.tool, "arguments": call.input});
    let at_most = supervisor.server.timeouts.execute;
    let answer = supervisor.ask("tools/call", params, at_most, &context.cancel);
    let answer = answer.await;
    let notes = waiting.notes();
    // What a person said may come back in the answer: the model reads it, and nobody keeps it.
    let context = match notes.has_answers {
        true => Context::new(context.workspace, context.environment, context.cancel),
        false => context,
    };
    let output = match answer {
        Ok(answer) => content::of_call(&answer, &context).await,
        Err(error) => Output::failure(format!(
            "the MCP server {} {}",
            call.server,
            crate::error::chain(&error)
        )),
    };
    told(output, &notes)
}

/// The output with what came of the server's questions.
fn told(mut output: Output, notes: &Notes) -> Output {
    for why in &notes.declined {
        let line = format!("\n[a question of the server was declined: {why}]");
        output.text.push_str(&line);
    }
    match notes.has_answers {
        true => {
            output.shown_as("[not kept: a person answered questions of the server during the call]")
        }
        false => output,
    }
}
