//! The tools that start and continue threads: a whole agent behind one call.

use std::path::Path;
use std::sync::Arc;

use codewhale_protocol::operations::TurnsStart;
use codewhale_protocol::runtime::{
    ThreadId, ThreadsCreateParams, TurnOverrides, TurnStatus, TurnsStartParams,
};
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Door;
use crate::catalogue::object;
use crate::error::{answered, failed, invalid};
use crate::threads::make;
use crate::turn::Watch;
use crate::way::{Ended, how_to_approve};

/// Starts a thread.
pub(crate) const BEGIN: &str = "codewhale";
/// Continues one.
pub(crate) const REPLY: &str = "codewhale-reply";
/// The older name of the first.
pub(crate) const BEGIN_BEFORE: &str = "deepseek";
/// The older name of the second.
pub(crate) const REPLY_BEFORE: &str = "deepseek-reply";

/// What `codewhale` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Begin {
    /// What the agent is to do.
    prompt: String,
    /// The model that answers; the configured one when left out.
    model: Option<String>,
    /// The provider of the model; the configured one when left out.
    provider: Option<String>,
    /// The directory to work in; that of the server when left out.
    cwd: Option<String>,
    /// What kind of work: `agent`, or `plan` to look and think only.
    mode: Option<String>,
    /// A title for the thread.
    title: Option<String>,
}

/// What `codewhale-reply` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    /// The thread, as `threadId` of an earlier result names it.
    #[serde(alias = "threadId")]
    thread_id: String,
    /// What the agent is to do next.
    prompt: String,
    /// Another model, for this turn only.
    model: Option<String>,
}

/// What both answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Said {
    /// The thread; `codewhale-reply` continues it.
    thread_id: String,
    /// The turn.
    turn_id: String,
    /// How it ended.
    status: String,
    /// The last message of the agent.
    content: String,
    /// What the model used.
    usage: Used,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Used {
    /// Tokens that were read.
    input_tokens: u64,
    /// Tokens that were written.
    output_tokens: u64,
}

pub(crate) fn begin_tool(name: &str) -> Tool {
    let words = "Starts a coding agent on a thread of its own and waits until it is done. It reads and \
                 changes files and runs commands in its directory, and asks for approval where needed. The \
                 thread is kept: continue it with codewhale-reply.";
    tool::<Begin>(name, words)
}

pub(crate) fn reply_tool(name: &str) -> Tool {
    let words =
        "Continues a thread that codewhale started, or any other thread, with another prompt.";
    tool::<Reply>(name, words)
}

fn tool<I: JsonSchema>(name: &str, words: &'static str) -> Tool {
    let hints = ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .open_world(true);
    Tool::new(name.to_owned(), words, schema::<I>())
        .with_raw_output_schema(schema::<Said>())
        .with_annotations(hints)
}

fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    Arc::new(object(schema.to_value()))
}

/// Reads the arguments of a call.
pub(crate) fn arguments<T: DeserializeOwned>(given: JsonObject) -> Result<T, ErrorData> {
    serde_json::from_value(Value::Object(given))
        .map_err(|error| invalid(format!("the arguments do not fit the tool: {error}")))
}

impl Door {
    pub(crate) async fn begin(
        &self,
        begin: Begin,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        check_prompt(&begin.prompt)?;
        let client = self.client(context)?;
        let params = ThreadsCreateParams {
            model: begin.model,
            model_provider: begin.provider,
            workspace: Some(self.directory(begin.cwd.as_deref())),
            mode: begin.mode,
            title: begin.title,
            ..ThreadsCreateParams::default()
        };
        match make(&client, params).await {
            Ok(thread) => {
                let overrides = TurnOverrides::default();
                self.prompt(thread.id, begin.prompt, overrides, context)
                    .await
            }
            Err(error) => failed(error).map(CallToolResponse::from),
        }
    }

    pub(crate) async fn reply(
        &self,
        reply: Reply,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        check_prompt(&reply.prompt)?;
        let overrides = TurnOverrides {
            model: reply.model,
            ..TurnOverrides::default()
        };
        let thread = ThreadId::from(reply.thread_id.as_str());
        self.prompt(thread, reply.prompt, overrides, context).await
    }

    async fn prompt(
        &self,
        thread: ThreadId,
        prompt: String,
        overrides: TurnOverrides,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(context)?;
        let params = TurnsStartParams {
            thread_id: thread.clone(),
            prompt,
            input: None,
            overrides,
        };
        let watch = Watch {
            door: self,
            client: &client,
            context,
            thread,
        };
        answered(watch.run(client.call::<TurnsStart>(params)).await, result)
    }

    /// The directory a client means: its own words, seen from ours.
    fn directory(&self, cwd: Option<&str>) -> String {
        let own = Path::new(&self.options().workspace);
        let cwd = cwd.map(str::trim).filter(|it| !it.is_empty());
        cwd.map_or_else(
            || self.options().workspace.clone(),
            |cwd| own.join(cwd).to_string_lossy().into_owned(),
        )
    }
}

fn check_prompt(prompt: &str) -> Result<(), ErrorData> {
    match prompt.trim().is_empty() {
        true => Err(invalid("the prompt is blank; say what the agent should do")),
        false => Ok(()),
    }
}

/// What came of the turn of an agent.
pub(crate) fn result(ended: Ended) -> CallToolResult {
    let turn = &ended.turn;
    let usage = turn.usage.unwrap_or_default();
    let said = Said {
        thread_id: turn.thread_id.to_string(),
        turn_id: turn.id.to_string(),
        status: turn.status.as_str().to_owned(),
        content: ended.said.clone(),
        usage: Used {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
        },
    };
    let mut content = Vec::new();
    if !ended.said.is_empty() {
        content.push(ContentBlock::text(ended.said));
    }
    let is_done = turn.status == TurnStatus::Completed;
    if !is_done {
        let why = turn.error.as_deref().unwrap_or("it was stopped");
        let line = format!(
            "The turn is {}: {why}. Its thread is {}.",
            said.status, said.thread_id
        );
        content.push(ContentBlock::text(line));
    }
    content.extend(how_to_approve(&ended.unanswered).map(ContentBlock::text));
    let mut result = match is_done {
        true => CallToolResult::success(content),
        false => CallToolResult::error(content),
    };
    result.structured_content = serde_json::to_value(said).ok();
    result
}
