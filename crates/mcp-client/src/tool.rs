//! A tool of a server, as the engine knows tools.

use std::path::PathBuf;
use std::sync::Arc;

use codewhale_policy::{Act, Demand, Execution, Walls};
use codewhale_protocol::runtime::ItemKind;
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Context, Output, Prepared, Preview, Spec, Tool};
use serde::Serialize;
use serde_json::{Value, json};

use crate::catalogue::Listed;
use crate::content;
use crate::limits::PREVIEW_BYTES_MAX;
use crate::supervisor::Supervisor;

/// A tool and the server it belongs to.
pub(crate) struct McpTool {
    supervisor: Arc<Supervisor>,
    name: String,
    spec: Spec,
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
        let only_reads = supervisor.server.trusted && tool.says_it_only_reads;
        Self {
            supervisor,
            name: tool.name.clone(),
            spec: Spec {
                name: tool.shown.clone().into(),
                aliases: &[],
                description: tool.description.clone(),
                input_schema: tool.schema.clone(),
                act: if only_reads { Act::Read } else { Act::Execute },
                kind: ItemKind::ToolCall,
            },
        }
    }

    pub(crate) fn server(&self) -> &str {
        &self.supervisor.name
    }

    pub(crate) fn raw_name(&self) -> &str {
        &self.name
    }

    fn prepare_call(&self, input: Value, context: &Context) -> Result<Prepared, Output> {
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
        let demand = self.demand(&shown, context.workspace.clone());
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

    /// To the law it is a command named like the tool, which no walls of ours hold: the server
    /// does with it what it may do itself.
    fn demand(&self, input: &str, cwd: PathBuf) -> Demand {
        if self.spec.act == Act::Read {
            return Demand::Read(Vec::new());
        }
        let input = input.replace('\'', r"'\''");
        Demand::Execute(Execution {
            script: format!("{} '{input}'", self.spec.name),
            cwd,
            walls: Walls::Without,
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
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        let prepared = self.prepare_call(input, context);
        Box::pin(async move { prepared })
    }
}

async fn run(supervisor: Arc<Supervisor>, call: Call, context: Context) -> Output {
    let _call = supervisor.callers.enter(context.person.clone());
    let params = json!({"name": call.tool, "arguments": call.input});
    let at_most = supervisor.server.timeouts.execute;
    let answer = supervisor.ask("tools/call", params, at_most, &context.cancel);
    match answer.await {
        Ok(answer) => content::of_call(&answer, &context).await,
        Err(error) => Output::failure(format!(
            "the MCP server {} {}",
            call.server,
            crate::error::chain(&error)
        )),
    }
}
