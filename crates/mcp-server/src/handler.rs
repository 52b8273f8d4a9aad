//! The requests of MCP, each turned into what answers it.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::agent::arguments;
use crate::catalogue::{Called, Catalogue};
use crate::error::{invalid, refused};
use crate::{Door, prompts, resources};

const INSTRUCTIONS: &str = "Coding agents and their tools on this machine. `codewhale` starts an agent on a \
    durable thread, `codewhale-reply` continues it. The other tools act in the workspace themselves, one \
    recorded call each. Calls may wait until a person has approved them.";

type Context = RequestContext<RoleServer>;

impl ServerHandler for Door {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .build();
        let own = Implementation::new("codewhale", self.options().version.clone());
        InitializeResult::new(capabilities)
            .with_server_info(own.with_title("CodeWhale"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        let client = self.client(&context)?;
        let catalogue = Catalogue::read(&client, self.options()).await;
        Ok(ListToolsResult {
            tools: catalogue.map_err(refused)?.shown(),
            ..ListToolsResult::default()
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(&context)?;
        let catalogue = Catalogue::read(&client, self.options())
            .await
            .map_err(refused)?;
        let Some(called) = catalogue.find(&request.name) else {
            let name = &request.name;
            let words = format!("there is no tool {name:?}; tools/list names them");
            return Err(invalid(words));
        };
        let Ok(_room) = self.inner.room.try_acquire() else {
            return Ok(crowded().into());
        };
        let given = request.arguments.unwrap_or_default();
        match (request.request_state, request.input_responses, called) {
            (Some(state), answers, called) => {
                let answers = answers.unwrap_or_default();
                self.again(&called, &state, answers, &context).await
            }
            (None, Some(_), _) => Err(invalid("answers need the requestState they belong to")),
            (None, None, Called::Begin) => self.begin(arguments(given)?, &context).await,
            (None, None, Called::Reply) => self.reply(arguments(given)?, &context).await,
            (None, None, Called::Tool(tool)) => self.call(&tool, given, &context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let client = self.client(&context)?;
        let cursor = request.and_then(|request| request.cursor);
        resources::list(&client, &self.options().workspace, cursor.as_deref()).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        Ok(ListResourceTemplatesResult {
            resource_templates: resources::templates(),
            ..ListResourceTemplatesResult::default()
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let client = self.client(&context)?;
        let read = resources::read(&client, &self.options().workspace, &request.uri).await?;
        Ok(read.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        let client = self.client(&context)?;
        let watched = (request.uri.clone(), self.watched(&request.uri)?);
        self.subscriptions
            .add(&client, &context.peer, watched)
            .await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: Context,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(self.granted(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.tell_all(&context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        Ok(ListPromptsResult {
            prompts: prompts::list(),
            ..ListPromptsResult::default()
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let client = self.client(&context)?;
        let given = request.arguments.unwrap_or_default();
        let prompt = prompts::get(&client, &request.name, &given).await?;
        Ok(prompt.into())
    }
}

/// There is no room for a call.
fn crowded() -> CallToolResult {
    let words =
        "Too many calls are under way on this server; try again when some of them have ended.";
    CallToolResult::error(vec![ContentBlock::text(words)])
}

/// Lists that fit one page have no other.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(invalid(
            "this list has one page; ask again without a cursor",
        )),
    }
}
