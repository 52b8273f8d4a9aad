//! Lists of servers and tools. Looking starts nothing but what is new in the file of the user.

use std::path::Path;
use std::sync::Arc;

use codewhale_mcp_client::{Health, ListedTool, Phase, Servers};
use codewhale_protocol::operations::{McpServers, McpTools};
use codewhale_protocol::runtime::{
    McpServerInfo, McpServerList, McpServersParams, McpToolInfo, McpToolList, McpToolsParams,
};
use codewhale_protocol::{Caller, Redactor, Scope};

use crate::Error;
use crate::gate::require_scope;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::workspace::check_workspace;

impl Handler<McpServers> for Arc<Core> {
    async fn handle(&self, _: &Caller, params: McpServersParams) -> Result<McpServerList, Error> {
        let servers = self.servers_in(params.workspace).await?;
        let redactor = self.store.redactor();
        let health = servers.map(|it| it.health()).unwrap_or_default();
        Ok(McpServerList {
            servers: health.into_iter().map(|it| info(it, &redactor)).collect(),
        })
    }
}

impl Handler<McpTools> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: McpToolsParams) -> Result<McpToolList, Error> {
        let servers = match params.connect {
            true => {
                require_scope(caller, Scope::Run)?;
                self.connected_in(params.workspace).await?
            }
            false => self.servers_in(params.workspace).await?,
        };
        let tools = servers.map(|it| it.listed()).unwrap_or_default();
        let wanted = |tool: &ListedTool| {
            let server = params.server.as_deref();
            server.is_none_or(|server| server == tool.server)
        };
        let tools = tools.into_iter().filter(wanted).map(tool_info);
        Ok(McpToolList {
            tools: tools.collect(),
        })
    }
}

impl Core {
    /// The servers of a workspace, whether they run or not.
    async fn servers_in(&self, workspace: Option<String>) -> Result<Option<Servers>, Error> {
        let workspace = check_workspace(&workspace.unwrap_or_else(|| self.workspace.clone()))?;
        Ok(self.servers_seen_in(Path::new(&workspace)).await)
    }

    /// The same, all of them started and heard of.
    async fn connected_in(&self, workspace: Option<String>) -> Result<Option<Servers>, Error> {
        let workspace = check_workspace(&workspace.unwrap_or_else(|| self.workspace.clone()))?;
        let workspace = Path::new(&workspace);
        let seal = self.trusted_content(workspace).await;
        let (servers, _) = self.servers_for(workspace, seal.as_deref()).await;
        if let Some(servers) = &servers {
            servers.connect().await;
        }
        Ok(servers)
    }
}

fn info(health: Health, redactor: &Redactor) -> McpServerInfo {
    let masked = |text: Option<String>| text.map(|text| redactor.mask(&text).into_owned());
    McpServerInfo {
        name: health.server,
        enabled: health.enabled,
        required: health.required,
        command: masked(health.command),
        url: masked(health.url),
        connected: health.phase == Phase::Ready,
        enabled_tools: health.filter.enabled,
        disabled_tools: health.filter.disabled,
        transport: health.transport.to_owned(),
        status: health.phase.as_str().to_owned(),
        error: masked(health.error),
        tools: health.tools,
        quarantined: health.quarantined,
    }
}

fn tool_info(tool: ListedTool) -> McpToolInfo {
    McpToolInfo {
        server: tool.server,
        name: tool.name,
        prefixed_name: tool.shown,
        description: tool.description,
        input_schema: tool.input_schema,
    }
}
