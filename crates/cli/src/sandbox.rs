//! `codewhale sandbox`: what the law says of a command, what the walls do to it, and what walls this
//! system has.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use codewhale_config::{Config, Environment};
use codewhale_policy::{Authority, Call, Confinement, Demand, Execution, decide};
use codewhale_protocol::AskForApproval;
use codewhale_protocol::runtime::Permission;
use codewhale_sandbox::{End, Limits, Network, Walls, probe};
use tokio_util::sync::CancellationToken;

use crate::args::Global;
use crate::compose;

#[derive(Subcommand)]
pub(crate) enum Sandbox {
    /// Tell what would become of a command, as JSON.
    Check {
        /// The command, as it would be typed.
        command: String,
        /// When a person is asked.
        #[arg(long, value_name = "WHEN")]
        ask: Option<When>,
    },
    /// Run a command between walls; its exit code is ours.
    Run {
        /// The walls.
        #[arg(long, value_name = "POLICY", default_value = "workspace-write")]
        policy: Policy,
        /// Open the network.
        #[arg(long)]
        network: bool,
        /// A directory that may be written besides; can be given several times.
        #[arg(long, value_name = "DIR")]
        writable_root: Vec<PathBuf>,
        /// The directory to run it in.
        #[arg(long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        /// When to stop it.
        #[arg(long, value_name = "MS", default_value_t = 60_000)]
        timeout_ms: u64,
        /// The command and its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Tell what can hold a command on this system, and what is missing.
    Status,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum When {
    UnlessTrusted,
    OnFailure,
    OnRequest,
    Never,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Policy {
    ReadOnly,
    WorkspaceWrite,
    DangerFullAccess,
}

impl From<When> for AskForApproval {
    fn from(when: When) -> Self {
        match when {
            When::UnlessTrusted => Self::UnlessTrusted,
            When::OnFailure => Self::OnFailure,
            When::OnRequest => Self::OnRequest,
            When::Never => Self::Never,
        }
    }
}

pub(crate) fn run(global: &Global, command: Sandbox) -> anyhow::Result<ExitCode> {
    match command {
        Sandbox::Check { command, ask } => check(global, &command, ask),
        Sandbox::Status => Ok(status()),
        Sandbox::Run {
            policy,
            network,
            writable_root,
            cwd,
            timeout_ms,
            command,
        } => {
            let cwd = here(cwd.as_deref().or(global.workspace.as_deref()))?;
            let walls = walls(policy, network, &cwd, writable_root)?;
            run_between(walls, cwd, Duration::from_millis(timeout_ms), command)
        }
    }
}

fn here(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    let path = given.unwrap_or(Path::new("."));
    path.canonicalize()
        .with_context(|| format!("cannot work in {}", path.display()))
}

fn check(global: &Global, command: &str, ask: Option<When>) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &global.plain_flags(), &known)?;
    let workspace = here(global.workspace.as_deref())?;
    let demand = Demand::Execute(Execution::within(command, &workspace));
    let authority = Authority {
        approval_policy: ask.map(Into::into),
        confinement: Confinement::WorkspaceWrite,
        confined: probe().is_available(),
        ..Authority::plain(Permission::DEFAULT).with_shell()
    };
    let call = Call {
        tool: "exec_shell",
        demand: &demand,
        workspace: &workspace,
    };
    let decision = decide(call, &authority, &compose::rules(&config)?.law());
    let json = serde_json::to_string_pretty(&decision.to_exec_policy())?;
    println!("{json}");
    Ok(ExitCode::SUCCESS)
}

fn status() -> ExitCode {
    let support = probe();
    println!("{}", support.kind());
    for missing in &support.missing {
        println!("  {missing}");
    }
    match support.is_available() {
        true => ExitCode::SUCCESS,
        false => {
            println!("  commands cannot be held here, so each of them asks first");
            ExitCode::FAILURE
        }
    }
}

fn walls(
    policy: Policy,
    network: bool,
    cwd: &Path,
    writable: Vec<PathBuf>,
) -> anyhow::Result<Walls> {
    let mut confinement = match policy {
        Policy::DangerFullAccess => return Ok(Walls::Open),
        Policy::ReadOnly => codewhale_sandbox::Confinement::read_only(),
        Policy::WorkspaceWrite => codewhale_sandbox::Confinement::workspace(cwd),
    };
    for root in writable {
        confinement.writable.push(here(Some(&root))?);
    }
    if network {
        confinement.network = Network::On;
    }
    Ok(Walls::Confined(confinement))
}

fn run_between(
    walls: Walls,
    cwd: PathBuf,
    time: Duration,
    words: Vec<OsString>,
) -> anyhow::Result<ExitCode> {
    let mut words = words.into_iter();
    let program = words.next().context("there is no command")?;
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &codewhale_config::Flags::default(), &known)?;
    let command = codewhale_sandbox::Command {
        arguments: words.collect(),
        environment: config.child_environment(&environment),
        limits: Limits {
            wall_time: time,
            ..Limits::default()
        },
        walls,
        ..codewhale_sandbox::Command::new(program, cwd)
    };
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let cancel = CancellationToken::new();
    let outcome = tokio.block_on(codewhale_sandbox::run(command, &cancel))?;
    print!("{}", outcome.output.text);
    if let Some(denial) = &outcome.denial {
        eprintln!(
            "the walls may have kept it from something: {}",
            denial.evidence
        );
    }
    Ok(match outcome.end {
        End::Exited(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        End::Signaled(signal) => ExitCode::from(u8::try_from(128 + signal).unwrap_or(1)),
        End::TimedOut => {
            eprintln!("error: it was stopped after {} s", time.as_secs_f64());
            ExitCode::FAILURE
        }
        End::Cancelled => ExitCode::FAILURE,
    })
}
