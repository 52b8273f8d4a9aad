//! The measured process: started, watched, ended.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::client::TOKEN;
use super::model::Model;
use super::process;
use super::site::Site;
use crate::shell::Line;

/// Between two looks whether the server is there. Short, because it is a part of what is measured.
const POLL: Duration = Duration::from_micros(200);

/// A server that has not answered or ended by then never will.
const WAIT: Duration = Duration::from_secs(30);

/// Whether deltas that pile up become one event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Merging {
    On,
    Off,
}

pub(super) struct Server {
    child: Child,
    address: SocketAddr,
    /// From the start of the process to its first answer.
    pub(super) start_time: Duration,
    log: PathBuf,
}

impl Server {
    pub(super) fn start(site: &Site, model: &Model, merging: Merging) -> Result<Self> {
        let address = free_address()?;
        let log = site.workspace.with_file_name("server.log");
        let mut command = command(site, address, model, merging);
        command.stdout(Stdio::null()).stderr(File::create(&log)?);
        let started = Instant::now();
        let child = command.spawn();
        let child = child.with_context(|| format!("could not start {}", site.bin.display()))?;
        let mut server = Self {
            child,
            address,
            start_time: Duration::ZERO,
            log,
        };
        server.wait_for_health(started)?;
        server.start_time = started.elapsed();
        Ok(server)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory, in megabytes.
    pub(super) fn resident_mb(&self) -> Result<f64> {
        process::resident_mb(self.pid())
    }

    /// CPU time so far, to the hundredth of a second.
    pub(super) fn cpu(&self) -> Result<Duration> {
        process::cpu(self.pid())
    }

    /// Asks it to end, and waits until it has.
    pub(super) fn end(mut self) -> Result<()> {
        let signal = format!("kill -TERM {}", self.pid());
        Line::new("sh -c").with([signal]).run()?;
        let started = Instant::now();
        while self.child.try_wait()?.is_none() {
            ensure!(
                started.elapsed() < WAIT,
                "the server does not end when asked to"
            );
            sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Ends it the hard way.
    pub(super) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    fn wait_for_health(&mut self, started: Instant) -> Result<()> {
        while !is_healthy(self.address)? {
            if let Some(status) = self.child.try_wait()? {
                let log = fs::read_to_string(&self.log).unwrap_or_default();
                bail!("the server ended at its start: {status}\n{log}");
            }
            ensure!(started.elapsed() < WAIT, "the server does not answer");
            sleep(POLL);
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The variables are those that older programs of this API know too.
fn command(site: &Site, address: SocketAddr, model: &Model, merging: Merging) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "starts the measured program; the menu is no part of the product"
    )]
    let mut command = Command::new(&site.bin);
    command
        .args(["app-server", "--http", "--host", "127.0.0.1"])
        .args(["--port", &address.port().to_string()])
        .args(["--auth-token", TOKEN])
        .current_dir(&site.workspace)
        .stdin(Stdio::null())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", &site.workspace)
        .env("CODEWHALE_HOME", &site.home)
        .env("DEEPSEEK_API_KEY", "bench-provider-key")
        .env("DEEPSEEK_BASE_URL", model.base_url());
    if merging == Merging::Off {
        command.env("CODEWHALE_MERGE_DELTAS", "0");
    }
    command
}

/// Free a moment ago; nobody else on this machine is that quick.
fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?)
}

/// False while nobody listens.
fn is_healthy(address: SocketAddr) -> Result<bool> {
    let mut stream = match TcpStream::connect(address) {
        Ok(stream) => stream,
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => return Ok(false),
        Err(error) => return Err(error).context("could not connect to the server"),
    };
    stream.set_read_timeout(Some(WAIT))?;
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer.starts_with(b"HTTP/1.1 200"))
}
