//! How a server is.

use crate::settings::Filter;
use crate::supervisor::Supervisor;

/// How far a server has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// It is configured and off.
    Disabled,
    /// It was started and has not answered yet.
    Starting,
    /// It takes longer than it should, and is still waited for.
    Slow,
    /// It answers.
    Ready,
    /// It went away and is started again soon.
    Disconnected,
    /// It wants authorisation.
    NeedsAuth,
    /// It did not come up several times in a row. A call, or a person, makes it try again.
    Failed,
    /// It was stopped with all the others.
    Stopped,
}

impl Phase {
    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Starting => "starting",
            Self::Slow => "slow",
            Self::Ready => "ready",
            Self::Disconnected => "disconnected",
            Self::NeedsAuth => "needs_auth",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }
}

/// What there is to say about a server: that of the running connection, never of a probe.
#[derive(Clone, PartialEq, Debug)]
pub struct Health {
    /// Its name.
    pub server: String,
    /// `stdio`, `http` or `sse`.
    pub transport: &'static str,
    /// The program, without its arguments.
    pub command: Option<String>,
    /// The address, without what may be secret in it.
    pub url: Option<String>,
    /// Which of its tools are offered.
    pub filter: Filter,
    /// Whether it is started at all.
    pub enabled: bool,
    /// Whether the whole fails with it.
    pub required: bool,
    /// How far it has come.
    pub phase: Phase,
    /// What went wrong last, if it is not ready.
    pub error: Option<String>,
    /// What it calls itself, and its version.
    pub peer: Option<String>,
    /// How often it was started again.
    pub restarts: u32,
    /// Tools that are offered.
    pub tools: usize,
    /// Tools that were put aside.
    pub quarantined: usize,
    /// Resources and templates it has.
    pub resources: usize,
    /// Prompts it has.
    pub prompts: usize,
    /// Its timeouts in seconds: to connect, to run a call, to read.
    pub timeouts_s: [f64; 3],
}

impl Health {
    pub(crate) fn of(supervisor: &Supervisor) -> Self {
        let (state, server) = (supervisor.state(), &supervisor.server);
        let (timeouts, catalogue) = (server.timeouts, &state.catalogue);
        Self {
            server: supervisor.name.clone(),
            transport: supervisor.transport(),
            command: server.program().map(str::to_owned),
            url: server.address(),
            filter: server.tools.clone(),
            enabled: server.enabled,
            required: server.required,
            phase: state.phase,
            error: state.error.clone(),
            peer: supervisor.calls_itself(),
            restarts: state.restarts,
            tools: catalogue.tools.len(),
            quarantined: catalogue.quarantined.len(),
            resources: catalogue.resources.len() + catalogue.templates.len(),
            prompts: catalogue.prompts.len(),
            timeouts_s: [timeouts.connect, timeouts.execute, timeouts.read]
                .map(|timeout| timeout.as_secs_f64()),
        }
    }
}
