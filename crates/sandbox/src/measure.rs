//! What walls cost.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::{Command, Error, Walls, run};

/// How long a command that does nothing takes within these walls, from asking for it to knowing its
/// end: the median of so many runs. Compare it with that of [`Walls::Open`].
pub async fn measure(walls: &Walls, runs: usize) -> Result<Duration, Error> {
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs.max(1) {
        let command = Command {
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            walls: walls.clone(),
            ..Command::new("true", "/")
        };
        let started = Instant::now();
        run(command, &CancellationToken::new()).await?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Confinement, Error};

    #[tokio::test]
    async fn both_kinds_can_be_measured() {
        measure(&Walls::Open, 3).await.unwrap();
        match measure(&Walls::Confined(Confinement::read_only()), 3).await {
            Ok(_) | Err(Error::CannotConfine { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
}
