//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgGroup, Parser, Subcommand};
use clap_complete::Shell;
use codewhale_config::Flags;
use codewhale_protocol::Secret;

use crate::auth::Auth;
use crate::config::Settings;
use crate::doctor::Doctor;
use crate::exec::Exec;
use crate::fleet::Fleet;
use crate::mcp::Mcp;
use crate::model::Model;
use crate::models::Models;
use crate::recordings::{Sessions, Thread};
use crate::sandbox::Sandbox;
use crate::view::ViewCall;
use crate::{control, editor, later, mcp_server, serve};

/// Runs coding agents on your own machine and lets any program or person drive them.
#[derive(Parser)]
#[command(
    name = "codewhale",
    version,
    subcommand_value_name = "COMMAND",
    subcommand_help_heading = "Commands"
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options that stand before the command.
#[derive(clap::Args)]
pub(crate) struct Global {
    /// Configuration file; wins over every variable.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Profile of the configuration file to lay over it.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Provider to use.
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Model to use.
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// Key of the provider, for this run.
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
    /// Address of the provider, for this run.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// What is logged to standard error: error, warn, info, debug.
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Directory to work in; the current one when left out.
    #[arg(short = 'C', long, alias = "cd", value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
}

/// The same options behind the command, where that is allowed. They count more.
#[derive(Default, clap::Args)]
pub(crate) struct Again {
    /// Profile of the configuration file to lay over it.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Provider to use.
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Model to use.
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// Key of the provider, for this run.
    #[arg(long, value_name = "KEY")]
    api_key: Option<String>,
    /// Address of the provider, for this run.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// What is logged to standard error: error, warn, info, debug.
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Directory to work in; the current one when left out.
    #[arg(short = 'C', long, alias = "cd", value_name = "DIR")]
    workspace: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve the Runtime API and a page for the browser, for this machine only.
    Web(Web),
    /// Serve the Runtime API.
    AppServer(Server),
    /// Serve the Runtime API (the older name of app-server).
    Serve(Server),
    /// Serve MCP on standard input and output (the same as serve --mcp).
    McpServer,
    /// Show and change settings.
    #[command(subcommand)]
    Config(Settings),
    /// Print the completions of a shell.
    #[command(alias = "completion")]
    Completions {
        /// Which shell.
        shell: Shell,
    },
    /// Do one piece of work, print what happens, and end.
    Exec(Box<Exec>),
    /// Tell how this installation stands, and what to do about it.
    Doctor(Doctor),
    /// Work with fleets: many tasks, each done by a worker of its own.
    #[command(subcommand)]
    Fleet(Fleet),
    /// Keep the keys of providers.
    #[command(subcommand)]
    Auth(Auth),
    /// Configure and try MCP servers.
    #[command(subcommand)]
    Mcp(Mcp),
    /// List known models, try a wish for one, and set the default.
    #[command(subcommand)]
    Model(Model),
    /// List the model that answers, the providers there are, and servers on this machine.
    Models(Models),
    /// List sessions: what was said before, the last changed first.
    Sessions(Sessions),
    /// List, show and rename threads.
    #[command(subcommand, alias = "threads")]
    Thread(Thread),
    /// Try out the law and the walls on a command.
    #[command(subcommand)]
    Sandbox(Sandbox),
    /// Show a call while it runs, for the terminals of editors.
    #[command(hide = true)]
    ViewCall(ViewCall),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

#[derive(clap::Args)]
pub(crate) struct Web {
    /// Port to listen on.
    #[arg(long, default_value_t = 7878, value_name = "PORT")]
    port: u16,
    /// Token that requests must carry; generated when left out.
    #[arg(long, value_name = "TOKEN")]
    auth_token: Option<String>,
}

#[derive(clap::Args)]
#[command(group(ArgGroup::new("mode").args(["http", "mobile", "stdio", "web", "acp", "mcp"])))]
pub(crate) struct Server {
    /// HTTP and server-sent events.
    #[arg(long)]
    http: bool,
    #[arg(long, hide = true)]
    mobile: bool,
    /// JSON-RPC, a message per line, on standard input and output.
    #[arg(long)]
    stdio: bool,
    #[arg(long, hide = true)]
    web: bool,
    /// Agent Client Protocol on standard input and output, for editors.
    #[arg(long)]
    acp: bool,
    /// The Model Context Protocol on standard input and output, for other agents and editors.
    #[arg(long)]
    mcp: bool,
    /// Host to listen on.
    #[arg(long, default_value = "127.0.0.1", value_name = "HOST")]
    host: String,
    /// Port to listen on; 0 lets the system choose one.
    #[arg(long, default_value_t = 7878, value_name = "PORT")]
    port: u16,
    /// How many background tasks run at once, 1 to 8; 2 when left out, and none with --stdio, --acp or --mcp.
    #[arg(long, value_name = "N")]
    workers: Option<u8>,
    /// Token that requests must carry; generated when left out.
    #[arg(long, value_name = "TOKEN")]
    auth_token: Option<String>,
    /// Let everyone on this machine in without a token. Refused on other addresses.
    #[arg(long, alias = "insecure-no-auth")]
    insecure: bool,
    /// Origin of a page that may call; can be given several times.
    #[arg(long, value_name = "URL")]
    cors_origin: Vec<String>,
}

/// Background tasks that run at once where nobody says otherwise.
const WORKERS: u8 = 2;

/// What is to be served, whichever command asked for it.
pub(crate) struct Served {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) page: bool,
    pub(crate) workers: u8,
    pub(crate) insecure: bool,
    pub(crate) auth_token: Option<String>,
    pub(crate) cors_origins: Vec<String>,
}

impl From<Web> for Served {
    fn from(web: Web) -> Self {
        Served {
            host: "127.0.0.1".to_owned(),
            port: web.port,
            page: true,
            workers: WORKERS,
            insecure: false,
            auth_token: web.auth_token,
            cors_origins: Vec::new(),
        }
    }
}

impl Server {
    /// Runs the server asked for.
    pub(crate) fn run(self, global: &Global, command: &str) -> anyhow::Result<ExitCode> {
        // A program that only asks something must not take up work that it will not finish.
        let workers = self.workers.unwrap_or(0);
        match (self.stdio, self.acp, self.mcp) {
            (true, ..) => control::run(global, workers),
            (_, true, _) => editor::run(global, workers),
            (.., true) => mcp_server::run(global, workers),
            (false, false, false) => serve::run(global, self.served(command)?),
        }
    }

    /// The server asked for, or the sentence that says what works instead.
    fn served(self, command: &str) -> anyhow::Result<Served> {
        if self.mobile {
            return Err(later::mode(command, "--mobile"));
        }
        if !self.http && !self.web {
            return Err(later::no_mode(command));
        }
        Ok(Served {
            host: self.host,
            port: self.port,
            page: self.web,
            workers: self.workers.unwrap_or(WORKERS),
            insecure: self.insecure,
            auth_token: self.auth_token,
            cors_origins: self.cors_origin,
        })
    }
}

impl Global {
    /// The configuration file that was named, if one was.
    pub(crate) fn config_file(&self) -> Option<String> {
        let file = self.config.as_ref();
        file.map(|file| file.display().to_string())
    }

    /// These with what was said again behind the command.
    pub(crate) fn with(self, again: Again) -> Self {
        Self {
            config: self.config,
            profile: again.profile.or(self.profile),
            provider: again.provider.or(self.provider),
            model: again.model.or(self.model),
            api_key: again.api_key.or(self.api_key),
            base_url: again.base_url.or(self.base_url),
            log_level: again.log_level.or(self.log_level),
            workspace: again.workspace.or(self.workspace),
        }
    }

    /// The provider and the model that were asked for.
    pub(crate) fn route(&self) -> (Option<String>, Option<String>) {
        (self.provider.clone(), self.model.clone())
    }

    /// The options that are part of the configuration, where nothing is served.
    pub(crate) fn plain_flags(&self) -> Flags {
        Flags {
            config: self.config.clone(),
            profile: self.profile.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            api_key: self.api_key.clone().map(Secret::new),
            base_url: self.base_url.clone(),
            log_level: self.log_level.clone(),
            ..Flags::default()
        }
    }

    /// The options that are part of the configuration.
    pub(crate) fn flags(&self, served: &Served) -> Flags {
        Flags {
            auth_token: served.auth_token.clone().map(Secret::new),
            cors_origins: served.cors_origins.clone(),
            ..self.plain_flags()
        }
    }
}
