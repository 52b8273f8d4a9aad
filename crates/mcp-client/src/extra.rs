//! Tools for what servers have besides tools: resources and prompts. Each is offered only when
//! there is something to use it on.

use codewhale_policy::{Act, Demand, McpCall};
use codewhale_protocol::runtime::ItemKind;
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Context, Output, Prepared, Preview, Spec, Tool};
use serde_json::{Map, Value, json};
use std::sync::Arc;

use crate::{Error, Servers, content};

#[derive(Clone, Copy)]
enum Job {
    ListResources,
    ListTemplates,
    ReadResource,
    GetPrompt,
}

struct Extra {
    servers: Servers,
    job: Job,
    spec: Spec,
}

/// Those that make sense now.
pub(crate) fn tools(servers: &Servers) -> Vec<Arc<dyn Tool>> {
    let has_resources = !servers.resources().is_empty();
    let has_templates = !servers.resource_templates().is_empty();
    let has_prompts = !servers.prompts().is_empty();
    let jobs = [
        (Job::ListResources, has_resources),
        (Job::ListTemplates, has_templates),
        (Job::ReadResource, has_resources || has_templates),
        (Job::GetPrompt, has_prompts),
    ];
    let jobs = jobs.into_iter().filter(|(_, is_of_use)| *is_of_use);
    jobs.map(|(job, _)| {
        Arc::new(Extra {
            servers: servers.clone(),
            job,
            spec: spec(job),
        }) as Arc<dyn Tool>
    })
    .collect()
}

fn spec(job: Job) -> Spec {
    let server = json!({"type": "string", "description": "The name of the MCP server."});
    let of = |properties: Value, required: &[&str]| {
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    let (name, aliases, description, input_schema): (_, &'static [&'static str], _, _) = match job {
        Job::ListResources => (
            "list_mcp_resources",
            &[],
            "Lists what MCP servers offer to be read, of all of them or of one.",
            of(json!({"server": server}), &[]),
        ),
        Job::ListTemplates => (
            "list_mcp_resource_templates",
            &[],
            "Lists the patterns of addresses that MCP servers offer to be read.",
            of(json!({"server": server}), &[]),
        ),
        Job::ReadResource => (
            "read_mcp_resource",
            &["mcp_read_resource"],
            "Reads a resource of an MCP server. Its address must be listed, or fit a listed pattern.",
            of(
                json!({
                    "server": server,
                    "uri": {"type": "string", "description": "The address of the resource."},
                }),
                &["server", "uri"],
            ),
        ),
        Job::GetPrompt => (
            "mcp_get_prompt",
            &[],
            "Gets a prepared text of an MCP server, with its gaps filled in. Without a name it \
             lists the texts there are.",
            of(
                json!({
                    "server": server,
                    "name": {"type": "string", "description": "The name of the prepared text."},
                    "arguments": {"type": "object", "description": "What fills its gaps."},
                }),
                &[],
            ),
        ),
    };
    Spec {
        name: name.into(),
        aliases,
        description: description.into(),
        input_schema: input_schema.into(),
        act: Act::McpLook,
        kind: ItemKind::ToolCall,
    }
}

impl Tool for Extra {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn prepare<'a>(
        &'a self,
        input: Value,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        Box::pin(async move {
            if !input.is_object() {
                return Err(Output::failure(format!(
                    "{} was not run: the input is not a JSON object",
                    self.spec.name
                )));
            }
            let preview = Preview {
                description: format!("{} with {input}", self.spec.name),
                ..Preview::default()
            };
            let (servers, job) = (self.servers.clone(), self.job);
            let server = input["server"].as_str().unwrap_or_default();
            let demand = Demand::Mcp(McpCall {
                input: input.to_string(),
                host: servers.host(server),
                only_looks: true,
                of_workspace: servers.is_of_workspace(server),
            });
            Ok(Prepared::new(
                demand,
                &self.spec.name,
                input,
                preview,
                move |input, context| run(servers, job, input, context),
            ))
        })
    }
}

async fn run(servers: Servers, job: Job, input: Value, context: Context) -> Output {
    match answer(&servers, job, &input, &context).await {
        Ok(text) => {
            let (text, reference, truncated) = content::fitted(text, &context).await;
            Output::success(text).with_metadata(json!({"truncated": truncated, "ref": reference}))
        }
        Err(error) => Output::failure(format!("the MCP server: {}", crate::error::chain(&error))),
    }
}

async fn answer(
    servers: &Servers,
    job: Job,
    input: &Value,
    context: &Context,
) -> Result<String, Error> {
    let server = input["server"].as_str();
    let name = input["name"].as_str();
    match (job, server, name) {
        (Job::ListResources, ..) => Ok(lines(servers.resources(), server)),
        (Job::ListTemplates, ..) => Ok(lines(servers.resource_templates(), server)),
        (Job::ReadResource, server, _) => {
            let uri = input["uri"].as_str().unwrap_or_default();
            let server = server.unwrap_or_default();
            servers.read_resource(server, uri, &context.cancel).await
        }
        (Job::GetPrompt, Some(server), Some(name)) => {
            let arguments = input["arguments"].as_object().cloned();
            let arguments: Map<String, Value> = arguments.unwrap_or_default();
            servers
                .prompt(server, name, arguments, &context.cancel)
                .await
        }
        (Job::GetPrompt, server, _) => Ok(lines(servers.prompts(), server)),
    }
}

/// One line of JSON for each, with its server.
fn lines<T: serde::Serialize>(all: Vec<(String, T)>, only: Option<&str>) -> String {
    let all = all.into_iter();
    let all = all.filter(|(server, _)| only.is_none_or(|only| only == server));
    let lines = all.map(|(server, it)| json!({"server": server, "is": it}).to_string());
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => "there are none".to_owned(),
        false => lines.join("\n"),
    }
}
