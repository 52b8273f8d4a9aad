//! Waiting for sub-agents: for their ends, or for anything they do.

use std::time::Duration;

use codewhale_protocol::runtime::AgentRun;
use codewhale_tools::{Refusal, Until};
use tokio::time::{Instant, timeout_at};

use super::Crew;
use crate::limits;

/// Waits as the model asked to. When the time is up, they are told as they stand.
pub(super) async fn for_agents(
    crew: &Crew,
    agent: Option<&str>,
    until_what: Until,
) -> Result<Vec<AgentRun>, Refusal> {
    let before = crew.runs(agent)?;
    if before.is_empty() {
        return Ok(before);
    }
    let live = before
        .iter()
        .filter(|run| !run.status.is_terminal())
        .count();
    let ended = |run: &AgentRun| run.status.is_terminal();
    let wait = limits::AGENT_WAIT;
    match until_what {
        Until::All => until(crew, agent, wait, |runs| runs.iter().all(ended)).await,
        // Those that had ended before are no news, unless all had.
        Until::Completion => {
            let fewer = |runs: &[AgentRun]| {
                let still = runs.iter().filter(|run| !ended(run)).count();
                still == 0 || still < live
            };
            until(crew, agent, wait, fewer).await
        }
        Until::Activity => {
            let moved = |runs: &[AgentRun]| runs.iter().all(ended) || runs != before;
            until(crew, agent, wait, moved).await
        }
    }
}

/// Waits until the agents stand so, or the time is up; tells how they stand.
pub(super) async fn until(
    crew: &Crew,
    agent: Option<&str>,
    wait: Duration,
    stand_so: impl Fn(&[AgentRun]) -> bool,
) -> Result<Vec<AgentRun>, Refusal> {
    let mut stirred = crew.desk.tree.watch();
    let deadline = Instant::now() + wait;
    loop {
        stirred.look(|()| ());
        let runs = crew.runs(agent)?;
        if stand_so(&runs) || Instant::now() >= deadline {
            return Ok(runs);
        }
        // One may also be at work in another process, which stirs nothing here.
        let look = deadline.min(Instant::now() + limits::AGENT_LOOK);
        let _ = timeout_at(look, stirred.changed()).await;
    }
}
