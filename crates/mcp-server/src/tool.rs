//! A call of a tool by the client: one turn on the thread of its session.

use codewhale_client::Client;
use codewhale_protocol::operations::ToolsCall;
use codewhale_protocol::runtime::{
    ItemStatus, MediaKind, ThreadId, ThreadsCreateParams, ToolInfo, ToolsCallParams,
};
use codewhale_protocol::{ErrorBody, ErrorCode};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject, MetaObject};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use crate::Door;
use crate::door::{client_name, session_of};
use crate::error::{answered, failed};
use crate::threads::{Line, make};
use crate::turn::Watch;
use crate::way::{Ended, Outcome, how_to_approve};

impl Door {
    /// Runs a tool for the client.
    pub(crate) async fn call(
        &self,
        tool: &ToolInfo,
        input: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(context)?;
        let line = self
            .inner
            .threads
            .line(&session_of(client.caller(), context));
        let place = tokio::select! {
            biased;
            () = context.ct.cancelled() => return Ok(not_begun().into()),
            () = self.inner.gone.cancelled() => return Ok(not_begun().into()),
            place = line.wait() => place,
        };
        let _place = match place {
            Ok(place) => place,
            Err(error) => return failed(error).map(CallToolResponse::from),
        };
        let ran = self.run_on_line(&client, &line, tool, input, context).await;
        answer(&client, ran).await
    }

    async fn run_on_line(
        &self,
        client: &Client,
        line: &Line,
        tool: &ToolInfo,
        input: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome, ErrorBody> {
        if let Some(thread) = line.thread() {
            let ran = self
                .run_on(client, thread, tool, input.clone(), context)
                .await;
            match ran {
                // Someone has deleted it.
                Err(error) if error.code == ErrorCode::NotFound => line.forget(),
                ran => return ran,
            }
        }
        let made = make(client, self.tool_thread(context)).await?;
        line.remember(&made.id);
        self.run_on(client, made.id, tool, input, context).await
    }

    fn tool_thread(&self, context: &RequestContext<RoleServer>) -> ThreadsCreateParams {
        ThreadsCreateParams {
            title: Some(format!("Tool calls of {}", client_name(context))),
            workspace: Some(self.options().workspace.clone()),
            ..ThreadsCreateParams::default()
        }
    }

    async fn run_on(
        &self,
        client: &Client,
        thread: ThreadId,
        tool: &ToolInfo,
        input: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome, ErrorBody> {
        let params = ToolsCallParams {
            thread_id: thread.clone(),
            tool: tool.name.clone(),
            input,
            ask: self.options().require_approval && !tool.read_only,
        };
        let watch = Watch {
            door: self,
            client,
            context,
            thread,
        };
        watch.run(client.call::<ToolsCall>(params)).await
    }
}

fn not_begun() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(
        "The call was not begun: it was called off.",
    )])
}

/// What a call is answered with, pictures and all.
pub(crate) async fn answer(
    client: &Client,
    outcome: Result<Outcome, ErrorBody>,
) -> Result<CallToolResponse, ErrorData> {
    let outcome = match outcome {
        Ok(outcome) => Ok(outcome.shown(client).await),
        Err(error) => Err(error),
    };
    answered(outcome, result)
}

/// What came of a call. Where it is recorded stands beside it, out of the model's sight.
fn result(mut ended: Ended) -> CallToolResult {
    let (text, is_error) = match &ended.call {
        Some(item) => {
            let text = item.detail.as_ref().unwrap_or(&item.summary);
            (text.clone(), item.status != ItemStatus::Completed)
        }
        None => (why_not(&ended), true),
    };
    let mut content = vec![ContentBlock::text(text)];
    content.extend(std::mem::take(&mut ended.shown).into_iter().map(|shown| {
        let form = shown.attachment.media_type;
        match form.kind() {
            MediaKind::Image => ContentBlock::image(shown.data, form.as_str()),
            MediaKind::Audio => ContentBlock::audio(shown.data, form.as_str()),
        }
    }));
    content.extend(how_to_approve(&ended.unanswered).map(ContentBlock::text));
    let mut result = match is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    let mut meta = MetaObject::new();
    let turn = &ended.turn;
    meta.insert(
        "codewhale/threadId".to_owned(),
        turn.thread_id.as_str().into(),
    );
    meta.insert("codewhale/turnId".to_owned(), turn.id.as_str().into());
    result.meta = Some(meta);
    result
}

fn why_not(ended: &Ended) -> String {
    let status = ended.turn.status.as_str();
    match &ended.turn.error {
        Some(error) => error.clone(),
        None => format!("The call did not run: its turn is {status}."),
    }
}
