//! What the kernel says about a process.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};

/// The kernel tells CPU time in hundredths of a second, whatever its own clock does.
pub(super) const TICKS_PER_SECOND: f64 = 100.0;

/// Resident memory, in megabytes.
pub(super) fn resident_mb(pid: u32) -> Result<f64> {
    status_mb(pid, "VmRSS:")
}

/// The most resident memory since [`forget_peak`], in megabytes.
pub(super) fn peak_mb(pid: u32) -> Result<f64> {
    status_mb(pid, "VmHWM:")
}

/// Lets the peak begin anew.
pub(super) fn forget_peak(pid: u32) -> Result<()> {
    let path = format!("/proc/{pid}/clear_refs");
    fs::write(&path, "5").with_context(|| format!("could not write {path}"))
}

/// CPU time of user and kernel since the start of the process, to the hundredth of a second.
pub(super) fn cpu(pid: u32) -> Result<Duration> {
    let text = read(&format!("/proc/{pid}/stat"))?;
    ticks(&text)
        .map(|ticks| Duration::from_secs_f64(ticks / TICKS_PER_SECOND))
        .with_context(|| format!("the kernel says something strange about process {pid}"))
}

/// CPU time of the threads that live now, to the nanosecond. Only differences over a short time
/// mean anything: a thread that ends takes its time with it.
pub(super) fn cpu_of_threads(pid: u32) -> Result<Duration> {
    let mut sum = Duration::ZERO;
    for entry in fs::read_dir(format!("/proc/{pid}/task"))? {
        // A thread may end while we look.
        let text = fs::read_to_string(entry?.path().join("schedstat")).unwrap_or_default();
        let nanos = text.split(' ').next().and_then(|word| word.parse().ok());
        sum += Duration::from_nanos(nanos.unwrap_or(0));
    }
    Ok(sum)
}

fn status_mb(pid: u32, name: &str) -> Result<f64> {
    let text = read(&format!("/proc/{pid}/status"))?;
    kilobytes(&text, name)
        .map(|kilobytes| kilobytes * 1024.0 / 1e6)
        .with_context(|| format!("the kernel does not tell {name} of process {pid}"))
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("could not read {path}"))
}

fn kilobytes(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// User and kernel time in ticks. The name of the program may hold anything, so fields are counted
/// behind its closing parenthesis.
fn ticks(stat: &str) -> Option<f64> {
    sum_of_times(stat, 2)
}

/// The same, with the time of children that have ended.
pub(super) fn ticks_with_children(stat: &str) -> Option<f64> {
    sum_of_times(stat, 4)
}

fn sum_of_times(stat: &str, count: usize) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let times = fields.get(11..11 + count)?.iter();
    times.map(|field| field.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 100 0 0 0 31 11 5 2 20 0 5 0 99 1 2 3";
        assert_eq!(ticks(stat), Some(42.0));
        assert_eq!(ticks_with_children(stat), Some(49.0));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn memory_is_found_by_its_name() {
        let status = "Name:\tx\nVmHWM:\t   14 kB\nVmRSS:\t   12 kB\n";
        assert_eq!(kilobytes(status, "VmRSS:"), Some(12.0));
        assert_eq!(kilobytes(status, "VmSwap:"), None);
    }
}
