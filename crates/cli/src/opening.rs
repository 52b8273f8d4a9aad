//! From flags to a running runtime, for every door that stays open: the configuration, the log, the
//! store, and what the runtime is given.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use codewhale_config::{Config, Environment, Flags};
use codewhale_protocol::{Redactor, Secret};
use codewhale_runtime::{McpSettings, Runtime};
use codewhale_store::Store;

use crate::args::Global;
use crate::mcp::Itself;
use crate::{compose, log, mcp, settings};

/// Threads that serve requests. Two are as fast as more here, and idle ones cost memory.
const WORKERS: usize = 2;

/// What was configured.
pub(crate) struct Opening {
    environment: Environment,
    flags: Flags,
    pub(crate) config: Config,
    itself: Itself,
}

/// Everything a runtime is made of.
pub(crate) struct Parts {
    environment: Environment,
    pub(crate) config: Config,
    pub(crate) workspace: PathBuf,
    servers: McpSettings,
    desk: settings::Desk,
    store: Store,
}

impl Opening {
    /// Reads the configuration. Keys lie in our memory from here on.
    pub(crate) fn read(flags: Flags) -> anyhow::Result<Self> {
        keep_memory_private();
        let environment = Environment::of_process();
        let config = Config::load(&environment, &flags, &compose::known_providers())?;
        Ok(Self {
            environment,
            flags,
            config,
            itself: Itself::Kept,
        })
    }

    /// This program is an MCP server itself: it must not start the next one.
    pub(crate) fn without_itself(self) -> Self {
        Self {
            itself: Itself::LeftOut,
            ..self
        }
    }

    /// Starts the log, which shows no secret, and opens the store.
    pub(crate) fn parts(
        self,
        global: &Global,
        more_secrets: impl IntoIterator<Item = Secret>,
    ) -> anyhow::Result<Parts> {
        let Opening {
            environment,
            flags,
            config,
            itself,
        } = self;
        let source = mcp::Source::new(&config, &environment, itself);
        let (servers, warnings) = source.read()?;
        mcp::warn(warnings);
        let mut secrets = config.secrets().to_vec();
        secrets.extend(servers.secrets().map(Secret::new));
        secrets.extend(more_secrets);
        let redactor = Arc::new(Redactor::new(&secrets));
        let level = config.log_level.as_ref().map(|level| level.value.as_str());
        log::start(level, Arc::clone(&redactor))?;
        let servers = McpSettings {
            servers,
            again: source.again(),
            vault: Some(mcp::KeyVault::open(&config, Arc::clone(&redactor))?),
        };
        for warning in &config.warnings {
            eprintln!("warning: {warning}");
        }
        let workspace = match &global.workspace {
            Some(workspace) => workspace.clone(),
            None => std::env::current_dir().context("the current directory cannot be read")?,
        };
        let desk = settings::Desk::new(
            environment.clone(),
            flags,
            config.clone(),
            Arc::clone(&redactor),
        )?;
        let store = compose::store(&config, redactor)?;
        Ok(Parts {
            environment,
            config,
            workspace,
            servers,
            desk,
            store,
        })
    }
}

impl Parts {
    /// Starts the runtime, with so many workers for background tasks.
    pub(crate) async fn start(self, workers: u8) -> anyhow::Result<(Runtime, Config)> {
        let runtime = compose::runtime(
            self.store,
            &self.config,
            &self.environment,
            &self.workspace,
            Some(self.servers),
            Some(Arc::new(self.desk)),
            workers,
        );
        Ok((runtime.await?, self.config))
    }
}

/// What runs the futures of a door.
pub(crate) fn tokio() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .thread_name("codewhale")
        .enable_all()
        .build()
        .context("the async runtime could not start")
}

/// Keys lie in our memory and environment: other processes of the user may not look, and no core
/// dump holds them. Where the system has no such switch, walls keep commands from looking.
pub(crate) fn keep_memory_private() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
