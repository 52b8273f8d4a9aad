//! What a call would do to the world, as far as the law is concerned.

use std::path::PathBuf;

/// The kind of act a tool does: enough to know whether it is offered at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Nothing leaves the turn.
    Inward,
    /// Files are looked at.
    Read,
    /// Files change.
    Write,
    /// A command runs.
    Execute,
    /// A host is spoken to.
    Fetch,
    /// A tool of an MCP server is called that only looks, on the word of someone who may say so.
    McpLook,
    /// A tool of an MCP server is called.
    McpCall,
    /// The client of the turn runs a tool of its own.
    Client,
}

/// What a prepared call asks permission for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Demand {
    /// Nothing that leaves the turn.
    Inward,
    /// Look at files.
    Read(Vec<File>),
    /// Change files.
    Write(Vec<File>),
    /// Run a command.
    Execute(Execution),
    /// Speak to a host.
    Fetch(Host),
    /// Call a tool of an MCP server.
    Mcp(McpCall),
    /// Have the client of the turn run a tool of its own, with this input as JSON.
    Client(String),
}

/// A file or directory, its path followed to the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Absolute, without links.
    pub path: PathBuf,
    /// Whether it lies in the workspace.
    pub inside: bool,
}

/// A script for the shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// Exactly what the shell is given.
    pub script: String,
    /// Where it runs.
    pub cwd: PathBuf,
    /// What it wants of the walls.
    pub walls: Walls,
}

impl Execution {
    /// A script within the walls of its thread.
    pub fn within(script: impl Into<String>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            script: script.into(),
            cwd: cwd.into(),
            walls: Walls::Usual,
        }
    }
}

/// What a command wants of the walls around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Walls {
    /// Those of the thread.
    Usual,
    /// Those of the thread, with the network open.
    Network,
    /// None.
    Without,
}

/// A host on the network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    /// Its name or address, in lower case, without a dot at its end.
    pub name: String,
    /// The port.
    pub port: u16,
}

/// A call of a tool of an MCP server. What the server does with it, no walls of ours decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct McpCall {
    /// The input, as JSON.
    pub input: String,
    /// The host that is spoken to; none when the server is a process on this machine.
    pub host: Option<String>,
    /// Whether it only looks. The word of a server counts where the user believes it.
    pub only_looks: bool,
    /// Whether the server came with the workspace: the user never chose its name.
    pub of_workspace: bool,
}

impl Demand {
    /// Looks at one file.
    pub fn read(path: PathBuf, inside: bool) -> Self {
        Self::Read(vec![File { path, inside }])
    }

    /// Changes one file.
    pub fn write(path: PathBuf, inside: bool) -> Self {
        Self::Write(vec![File { path, inside }])
    }

    /// Its kind.
    pub fn act(&self) -> Act {
        match self {
            Self::Inward => Act::Inward,
            Self::Read(_) => Act::Read,
            Self::Write(_) => Act::Write,
            Self::Execute(_) => Act::Execute,
            Self::Fetch(_) => Act::Fetch,
            Self::Mcp(call) if call.only_looks => Act::McpLook,
            Self::Mcp(_) => Act::McpCall,
            Self::Client(_) => Act::Client,
        }
    }

    /// Whether it has an effect that a repetition would have again: what is read can be read twice.
    pub fn reaches_out(&self) -> bool {
        match self.act() {
            Act::Write | Act::Execute | Act::Fetch | Act::McpCall | Act::Client => true,
            Act::Inward | Act::Read | Act::McpLook => false,
        }
    }

    /// Whether a file of it lies outside the workspace.
    pub fn is_outside(&self) -> bool {
        match self {
            Self::Read(files) | Self::Write(files) => files.iter().any(|file| !file.inside),
            Self::Inward | Self::Execute(_) | Self::Fetch(_) | Self::Mcp(_) | Self::Client(_) => {
                false
            }
        }
    }
}
