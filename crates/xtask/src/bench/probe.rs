//! The program at our pipes: from its start to its first line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::site::Site;

/// What is asked, and then the end.
const HEALTH: &str = "{\"id\":1,\"method\":\"healthz\"}\n";
const SHUTDOWN: &str = "{\"id\":2,\"method\":\"shutdown\"}\n";

/// Starts it, asks how it is, ends it; how long the first answer took.
pub(super) fn first_answer(site: &Site) -> Result<Duration> {
    #[expect(
        clippy::disallowed_methods,
        reason = "starts the measured program; the menu is no part of the product"
    )]
    let mut command = Command::new(&site.bin);
    command
        .args(["app-server", "--stdio"])
        .current_dir(&site.workspace)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", &site.workspace)
        .env("CODEWHALE_HOME", &site.home);
    let started = Instant::now();
    let mut child = command.spawn().context("could not start the program")?;
    let mut input = child.stdin.take().context("its input is a pipe")?;
    let mut output = BufReader::new(child.stdout.take().context("its output is a pipe")?);
    input.write_all(HEALTH.as_bytes())?;
    let mut line = String::new();
    output.read_line(&mut line)?;
    let time = started.elapsed();
    ensure!(line.contains("\"status\":\"ok\""), "it answered {line:?}");
    input.write_all(SHUTDOWN.as_bytes())?;
    let status = child.wait()?;
    ensure!(status.success(), "it ended with {status}");
    Ok(time)
}
