//! What `mcp.json` says.

mod entry;
mod server;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::SettingsError;
use crate::limits::{
    CONNECT_TIMEOUT, EXECUTE_TIMEOUT, READ_TIMEOUT, SECRET_BYTES_MIN, SERVERS_MAX,
    SETTINGS_BYTES_MAX,
};
pub(crate) use entry::read as read_entry;

/// The servers of one workspace by their names.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The servers, those that are off too.
    pub servers: BTreeMap<String, Server>,
}

/// A server as it is configured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Server {
    /// How it is spoken to.
    pub reach: Reach,
    /// Whether it is started.
    pub enabled: bool,
    /// Whether it is a failure of the whole when this one does not come up.
    pub required: bool,
    /// Whether the user believes what it says about its tools.
    pub trusted: bool,
    /// How long it may take.
    pub timeouts: Timeouts,
    /// Which of its tools are offered.
    pub tools: Filter,
    /// Whose file it stands in.
    pub origin: Origin,
}

/// Whose file a server stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The user's own: its process may do what the user may.
    User,
    /// That of a plugin the user installed: the same, but what it says about itself is not believed.
    Plugin,
    /// That of a workspace the user trusts: its process is confined like the shell.
    Workspace,
}

/// How a server is spoken to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Through a process of its own.
    Stdio(Program),
    /// Over HTTP.
    Http(Remote),
}

/// A program that is a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    /// A path, or a name that is looked up in the PATH.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What its environment has besides ours.
    pub env: BTreeMap<String, String>,
    /// Where it runs, if not in the workspace.
    pub cwd: Option<PathBuf>,
}

/// A server behind an address.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// The address.
    pub url: String,
    /// What is sent with every request; may hold secrets.
    pub headers: BTreeMap<String, String>,
    /// Which of the two ways it speaks.
    pub wire: Wire,
    /// How a person logs in there.
    pub oauth: Oauth,
}

/// How a person logs in at a server, where that is not left to the server.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Oauth {
    /// The name of a client that was registered by hand.
    pub client_id: Option<String>,
    /// What to ask for.
    pub scopes: Vec<String>,
    /// What the tokens are for.
    pub resource: Option<String>,
}

/// How MCP is spoken over HTTP.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Wire {
    /// One address; the older way when the server does not know this one.
    #[default]
    Streamable,
    /// The older way: a stream of events and an address to post to.
    Sse,
}

/// How long a server may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// To come up, until it counts as slow.
    pub connect: Duration,
    /// To run one call.
    pub execute: Duration,
    /// To list or read something.
    pub read: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: CONNECT_TIMEOUT,
            execute: EXECUTE_TIMEOUT,
            read: READ_TIMEOUT,
        }
    }
}

/// Which tools of a server are offered.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Only these, unless empty.
    pub enabled: Vec<String>,
    /// Never these.
    pub disabled: Vec<String>,
}

impl Filter {
    /// Whether a tool is offered.
    pub fn admits(&self, tool: &str) -> bool {
        let is_named = |names: &[String]| names.iter().any(|name| name == tool);
        (self.enabled.is_empty() || is_named(&self.enabled)) && !is_named(&self.disabled)
    }
}

impl Settings {
    /// Reads a file. What cannot be used in it is left out, with a sentence each; `variable`
    /// answers what `${NAME}` and `env_headers` stand for.
    pub fn read(
        text: &str,
        origin: Origin,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<String>), SettingsError> {
        let mut document = document(text)?;
        let mut warnings = Vec::new();
        let timeouts = entry::timeouts(
            document.remove("timeouts"),
            Timeouts::default(),
            &mut warnings,
        );
        let mut servers = BTreeMap::new();
        for (name, value) in entries(&mut document)? {
            if servers.len() == SERVERS_MAX {
                warnings.push(format!(
                    "mcp.json has more than {SERVERS_MAX} servers; {name:?} is left out"
                ));
                continue;
            }
            match entry::read(&name, value, origin, timeouts, variable) {
                Ok((server, more)) => {
                    warnings.extend(more);
                    servers.insert(name, server);
                }
                Err(why) => warnings.push(format!("MCP server {name:?} is left out: {why}")),
            }
        }
        let unknown = document.keys();
        warnings.extend(unknown.map(|member| format!("mcp.json: {member:?} means nothing here")));
        Ok((Self { servers }, warnings))
    }

    /// These, with the servers of a plugin in this directory, which run there. Their names say whose
    /// they are, so that no plugin takes the place of another or of the user's.
    pub fn with_plugin(
        mut self,
        directory: &Path,
        text: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<String>), SettingsError> {
        let plugin = directory.file_name().unwrap_or_default().to_string_lossy();
        let (brought, warnings) = Self::read(text, Origin::Plugin, variable)?;
        for (name, mut server) in brought.servers {
            if let Reach::Stdio(program) = &mut server.reach {
                let cwd = program.cwd.take().unwrap_or_default();
                program.cwd = Some(directory.join(cwd));
            }
            let name = format!("plugin-{}-{plugin}-{name}", plugin.len());
            self.servers.insert(name, server);
        }
        Ok((self, warnings))
    }

    /// What must not show anywhere: headers, and variables whose names say so.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let all = self.servers.values().flat_map(Server::secrets);
        all.filter(|value| value.len() >= SECRET_BYTES_MIN)
    }

    /// Where the workspace's own file is.
    pub fn workspace_file(workspace: &Path) -> PathBuf {
        workspace.join(".codewhale").join("mcp.json")
    }
}

/// The file as it is written.
pub(crate) fn document(text: &str) -> Result<Map<String, Value>, SettingsError> {
    let unreadable = |why: String| SettingsError::Unreadable { why };
    if text.len() > SETTINGS_BYTES_MAX {
        return Err(unreadable(format!(
            "it has more than {SETTINGS_BYTES_MAX} bytes"
        )));
    }
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(document)) => Ok(document),
        Ok(_) => Err(unreadable("it is not a JSON object".to_owned())),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

/// The servers of a document, taken out of it.
pub(crate) fn entries(
    document: &mut Map<String, Value>,
) -> Result<Map<String, Value>, SettingsError> {
    let mut all = Map::new();
    for key in ["mcpServers", "servers"] {
        match document.remove(key) {
            Some(Value::Object(servers)) => all.extend(servers),
            Some(Value::Null) | None => {}
            Some(_) => {
                return Err(SettingsError::Unreadable {
                    why: format!("`{key}` is not an object"),
                });
            }
        }
    }
    Ok(all)
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .finish()
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("url", &self.url)
            .field("headers", &self.headers.keys())
            .field("wire", &self.wire)
            .finish()
    }
}

#[cfg(test)]
mod tests;
