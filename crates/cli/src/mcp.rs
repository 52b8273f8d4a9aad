//! `codewhale mcp`, and which MCP servers the user has.

mod itself;
mod login;
mod source;
mod tried;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Subcommand;
use codewhale_config::{Config, Environment};
use codewhale_mcp_client::{
    Reach, Server, Settings, Vault, add, disable, enable, init, init_anew, is_logged_in, remove,
};
use codewhale_protocol::Redactor;
use serde_json::{Value, json};

use crate::args::Global;
use crate::compose;
pub(crate) use itself::Itself;
pub(crate) use login::KeyVault;
pub(crate) use source::Source;
pub(crate) use source::file_of;
use source::text_of;
use tried::{Tried, chosen, is_shut};

#[derive(Subcommand)]
pub(crate) enum Mcp {
    /// Write presets for well-known servers, all of them disabled.
    Init {
        /// Write them anew where they are there already.
        #[arg(long)]
        force: bool,
    },
    /// List the configured servers.
    List,
    /// Add a server: a program with its arguments, or an address.
    Add(Add),
    /// Remove a server.
    Remove {
        /// Its name.
        name: String,
    },
    /// Turn a server on.
    Enable {
        /// Its name.
        name: String,
    },
    /// Turn a server off.
    Disable {
        /// Its name.
        name: String,
    },
    /// Start the enabled servers, or one, and tell what they offer.
    #[command(visible_alias = "test")]
    Connect {
        /// Its name.
        server: Option<String>,
    },
    /// List the tools of the enabled servers, or of one, as the model knows them.
    Tools {
        /// Its name.
        server: Option<String>,
    },
    /// Start the enabled servers; fails when one does not come up.
    Validate,
    /// Log in at a server that wants it: prints an address to open in a browser.
    Login {
        /// Its name.
        name: String,
        /// What to ask for; can be given several times.
        #[arg(long, value_name = "SCOPE")]
        scope: Vec<String>,
    },
    /// Add this program itself, as a server that runs `serve --mcp`.
    AddSelf {
        /// The name of the entry.
        #[arg(long, default_value = "codewhale")]
        name: String,
        /// The directory it works in; the one it is started in when left out.
        #[arg(long, value_name = "DIR")]
        workspace: Option<PathBuf>,
    },
    /// Forget the login at a server.
    Logout {
        /// Its name.
        name: String,
    },
}

#[derive(clap::Args)]
pub(crate) struct Add {
    /// Its name.
    name: String,
    /// The program to start.
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["url", "words"])]
    command: Option<String>,
    /// An argument of the program; can be given several times.
    #[arg(
        long,
        value_name = "WORD",
        requires = "command",
        allow_hyphen_values = true
    )]
    arg: Vec<String>,
    /// The address of a server that runs elsewhere.
    #[arg(long, value_name = "URL", conflicts_with = "words")]
    url: Option<String>,
    /// How the address is spoken to, if not in the usual way: sse.
    #[arg(long, value_name = "NAME", requires = "url")]
    transport: Option<String>,
    /// The variable that holds its token.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    bearer_token_env_var: Option<String>,
    /// The name of a client that was registered by hand.
    #[arg(long, value_name = "ID", requires = "url")]
    oauth_client_id: Option<String>,
    /// What tokens are asked for.
    #[arg(long, value_name = "URL", requires = "url")]
    oauth_resource: Option<String>,
    /// What a login asks for; can be given several times.
    #[arg(long, value_name = "SCOPE", requires = "url")]
    scope: Vec<String>,
    /// The program and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub(crate) fn run(global: &Global, command: Mcp) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &global.plain_flags(), &known)?;
    let file = file_of(&config);
    let text = || text_of(&file);
    let scene = || Scene::open(&config, &environment);
    match command {
        Mcp::Init { force: false } => put(&file, &init(&text()?)?)?,
        Mcp::Init { force: true } => put(&file, &init_anew(&text()?)?)?,
        Mcp::Add(server) => put(&file, &add(&text()?, &server.name, entry(&server)?)?)?,
        Mcp::AddSelf { name, workspace } => {
            let workspace = workspace.or_else(|| global.workspace.clone());
            put(
                &file,
                &add(&text()?, &name, own_entry(workspace.as_deref())?)?,
            )?;
        }
        Mcp::Remove { name } => put(&file, &remove(&text()?, &name)?)?,
        Mcp::Enable { name } => put(&file, &enable(&text()?, &name)?)?,
        Mcp::Disable { name } => put(&file, &disable(&text()?, &name)?)?,
        Mcp::List => scene()?.list()?,
        Mcp::Connect { server } => return waited(scene()?.connect(server.as_deref())),
        Mcp::Tools { server } => return waited(scene()?.tools(server.as_deref())),
        Mcp::Validate => return waited(scene()?.validate()),
        Mcp::Login { name, scope } => waited(scene()?.log_in(&name, scope))?,
        Mcp::Logout { name } => waited(scene()?.log_out(&name))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn waited<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    tokio.block_on(work)
}

/// The servers as they are configured, and where logins are kept.
struct Scene<'a> {
    config: &'a Config,
    environment: &'a Environment,
    settings: Settings,
    vault: Arc<dyn Vault>,
}

impl<'a> Scene<'a> {
    fn open(config: &'a Config, environment: &'a Environment) -> anyhow::Result<Self> {
        let (settings, warnings) = Source::new(config, environment, Itself::Kept).read()?;
        warn(warnings);
        let redactor = Arc::new(Redactor::new(config.secrets()));
        Ok(Self {
            config,
            environment,
            settings,
            vault: KeyVault::open(config, redactor)?,
        })
    }

    async fn start(self, server: Option<&str>) -> anyhow::Result<Tried> {
        let settings = chosen(self.settings, server)?;
        Tried::start(settings, self.config, self.environment, self.vault).await
    }

    async fn connect(self, server: Option<&str>) -> anyhow::Result<ExitCode> {
        let tried = self.start(server).await?;
        tried.tell();
        tried.tell_tools();
        let code = tried.code(|health| health.required || server.is_some());
        tried.stop().await;
        Ok(code)
    }

    async fn tools(self, server: Option<&str>) -> anyhow::Result<ExitCode> {
        let tried = self.start(server).await?;
        tried.tell_tools();
        let code = tried.code(|health| health.required || server.is_some());
        tried.stop().await;
        Ok(code)
    }

    async fn validate(self) -> anyhow::Result<ExitCode> {
        let tried = self.start(None).await?;
        tried.tell();
        let code = tried.code(|_| true);
        tried.stop().await;
        Ok(code)
    }

    async fn log_in(self, name: &str, scopes: Vec<String>) -> anyhow::Result<()> {
        let is_shut = is_shut(self.config)?;
        login::log_in(
            name,
            scopes,
            &self.settings,
            self.config,
            self.vault,
            is_shut,
        )
        .await
    }

    async fn log_out(self, name: &str) -> anyhow::Result<()> {
        login::log_out(name, &self.settings, self.vault).await
    }

    fn list(&self) -> anyhow::Result<()> {
        for (name, server) in &self.settings.servers {
            let state = match server.enabled {
                true => "enabled",
                false => "disabled",
            };
            let has_auth = has_auth(name, server, self.vault.as_ref())?;
            let required = if server.required { ", required" } else { "" };
            let auth = if has_auth { ", auth" } else { "" };
            let place = server.program().map(str::to_owned);
            let place = place.or_else(|| server.address()).unwrap_or_default();
            println!("  - {name} [{state}{required}{auth}] {place}");
        }
        Ok(())
    }
}

pub(crate) fn warn(warnings: Vec<String>) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}

fn put(file: &Path, text: &str) -> anyhow::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(directory).and_then(|()| {
        let fresh = file.with_extension("json.new");
        fs::write(&fresh, text)?;
        fs::rename(&fresh, file)
    });
    written.with_context(|| format!("could not write {}", file.display()))?;
    println!("wrote {}", file.display());
    Ok(())
}

fn entry(server: &Add) -> anyhow::Result<Value> {
    if let Some(command) = &server.command {
        return Ok(json!({ "command": command, "args": server.arg }));
    }
    let Some(url) = &server.url else {
        return match server.words.split_first() {
            Some((program, words)) => Ok(json!({ "command": program, "args": words })),
            None => bail!("give a program to start, or --url with an address"),
        };
    };
    let mut entry = json!({ "url": url });
    for (member, value) in [
        ("transport", &server.transport),
        ("bearer_token_env_var", &server.bearer_token_env_var),
        ("oauth_resource", &server.oauth_resource),
    ] {
        if let Some(value) = value {
            entry[member] = json!(value);
        }
    }
    if let Some(id) = &server.oauth_client_id {
        entry["oauth"] = json!({ "client_id": id });
    }
    if !server.scope.is_empty() {
        entry["scopes"] = json!(server.scope);
    }
    Ok(entry)
}

/// This program as a server.
fn own_entry(workspace: Option<&Path>) -> anyhow::Result<Value> {
    let program = std::env::current_exe().context("this program does not know where it lies")?;
    let mut words = Vec::new();
    if let Some(workspace) = workspace {
        let workspace = fs::canonicalize(workspace)
            .with_context(|| format!("there is no directory {}", workspace.display()))?;
        words.extend(["--workspace".to_owned(), workspace.display().to_string()]);
    }
    words.extend(["serve".to_owned(), "--mcp".to_owned()]);
    Ok(json!({ "command": program, "args": words }))
}

/// Whether somebody is known to a server: by a header, or by a login.
fn has_auth(name: &str, server: &Server, vault: &dyn Vault) -> anyhow::Result<bool> {
    match &server.reach {
        Reach::Stdio(_) => Ok(false),
        Reach::Http(remote) if remote.headers.contains_key("authorization") => Ok(true),
        Reach::Http(remote) => Ok(is_logged_in(name, remote, vault)?),
    }
}
