//! What kind of machine this is: figures of different machines do not compare.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};

use super::process::{self, TICKS_PER_SECOND};
use super::samples::Samples;

/// Appends that are synced to see what a sync costs.
const SYNCS: usize = 100;

pub(super) fn facts(folder: &Path) -> Result<Vec<(&'static str, String)>> {
    let cores = std::thread::available_parallelism()?.to_string();
    let kernel = read("/proc/sys/kernel/osrelease");
    let load = read("/proc/loadavg");
    let load: Vec<&str> = load.split(' ').take(3).collect();
    Ok(vec![
        ("processor", format!("{}, cores: {cores}", processor())),
        ("kernel", kernel.trim().to_owned()),
        ("load before the run", load.join(" ")),
        ("synced append of 4 KB", sync_cost(folder)?),
    ])
}

fn processor() -> String {
    let text = read("/proc/cpuinfo");
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let name = name.map(|rest| rest.trim_start_matches([' ', '\t', ':']));
    name.unwrap_or("unknown").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|_| "unknown".to_owned())
}

/// What other programs take of the machine while something is measured. Servers count as ours once
/// they have ended.
pub(super) struct Others {
    started: Instant,
    /// Seconds of CPU: of the whole machine, and of this program with the servers it had.
    busy: f64,
    own: f64,
}

impl Others {
    pub(super) fn watch() -> Self {
        Self {
            started: Instant::now(),
            busy: busy(&read("/proc/stat")).unwrap_or(0.0),
            own: own(),
        }
    }

    /// Their share of all cores since then, in percent.
    pub(super) fn percent(&self) -> f64 {
        let busy = busy(&read("/proc/stat")).unwrap_or(0.0) - self.busy;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let all = self.started.elapsed().as_secs_f64() * cores as f64;
        (100.0 * (busy - (own() - self.own)) / all.max(1e-3)).max(0.0)
    }
}

fn own() -> f64 {
    process::ticks_with_children(&read("/proc/self/stat")).unwrap_or(0.0) / TICKS_PER_SECOND
}

/// All time that was not idle, in seconds.
fn busy(stat: &str) -> Option<f64> {
    let fields = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<f64> = fields
        .split_ascii_whitespace()
        .map_while(|field| field.parse().ok())
        .collect();
    let [user, nice, system, _idle, _waiting, rest @ ..] = &ticks[..] else {
        return None;
    };
    let rest: f64 = rest.iter().take(3).sum();
    Some((user + nice + system + rest) / TICKS_PER_SECOND)
}

/// What the disk takes for the smallest thing that must survive a loss of power.
fn sync_cost(folder: &Path) -> Result<String> {
    let path = folder.join("synced");
    let mut file = File::create(&path).context("could not write a file to sync")?;
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let started = Instant::now();
        file.write_all(&[b'x'; 4096])?;
        file.sync_data()?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    fs::remove_file(path)?;
    let mut samples = Samples::default();
    samples.values(times);
    let summary = samples.summary().expect("there are samples");
    let tail = summary.p99.unwrap_or(summary.greatest);
    Ok(format!("{:.2} ms (p99 {tail:.2})", summary.median))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_waiting_time_is_not_busy() {
        let stat = "cpu  100 20 30 4000 500 1 2 47 9 9\ncpu0 1 2 3\n";
        assert_eq!(busy(stat), Some(2.0));
        assert_eq!(busy("nonsense"), None);
    }
}
