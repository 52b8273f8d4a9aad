//! The doors for programs: from the start of the process to its first answer, and `exec` from start
//! to end.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::client::Http;
use super::model::Model;
use super::report::Report;
use super::samples::Samples;
use super::server::Merging;
use super::site::Site;
use super::watch::ms;
use super::{Bench, WARM_UP};

/// A door at the pipes of the program.
struct Door {
    figure: &'static str,
    arguments: &'static [&'static str],
    /// What is asked first.
    question: &'static str,
    /// What is in the answer.
    answer: &'static str,
}

const DOORS: &[Door] = &[
    Door {
        figure: "start.stdio",
        arguments: &["app-server", "--stdio"],
        question: r#"{"id":1,"method":"healthz"}"#,
        answer: r#""status":"ok""#,
    },
    Door {
        figure: "start.acp",
        arguments: &["serve", "--acp"],
        question: r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#,
        answer: r#""agentCapabilities""#,
    },
    Door {
        figure: "start.mcp",
        arguments: &["serve", "--mcp"],
        question: r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
        answer: r#""serverInfo""#,
    },
];

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let site = bench.site("doors")?;
    let rounds = 2 * bench.scale.runs;
    let measure = |time: &dyn Fn() -> Result<Duration>| -> Result<Samples> {
        let mut samples = Samples::default();
        for round in 0..rounds + WARM_UP {
            let time = ms(time()?);
            if round >= WARM_UP {
                samples.value(time);
            }
        }
        Ok(samples)
    };
    for door in DOORS {
        report.add(door.figure, measure(&|| first_answer(&site, door))?, "");
    }
    report.add("exec", measure(&|| offline_answer(&site))?, "");
    report.add("start.agents", first_pings(&site, rounds).await?, "");
    Ok(())
}

fn program(site: &Site, arguments: &[&str]) -> Command {
    #[expect(
        clippy::disallowed_methods,
        reason = "starts the measured program; the menu is no part of the product"
    )]
    let mut command = Command::new(&site.bin);
    command
        .args(arguments)
        .current_dir(&site.workspace)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", &site.workspace)
        .env("CODEWHALE_HOME", &site.home);
    command
}

/// Starts it, asks, hangs up; how long the answer took.
fn first_answer(site: &Site, door: &Door) -> Result<Duration> {
    let mut command = program(site, door.arguments);
    let started = Instant::now();
    let mut child = command.spawn().context("could not start the program")?;
    let mut input = child.stdin.take().context("its input is a pipe")?;
    let mut output = BufReader::new(child.stdout.take().context("its output is a pipe")?);
    writeln!(input, "{}", door.question)?;
    let mut line = String::new();
    output.read_line(&mut line)?;
    let time = started.elapsed();
    ensure!(line.contains(door.answer), "it answered {line:?}");
    drop(input);
    ended(child)?;
    Ok(time)
}

/// One piece of work for the built-in model, from start to exit.
fn offline_answer(site: &Site) -> Result<Duration> {
    let mut command = program(site, &["exec", "say hello"]);
    command.stdin(Stdio::null());
    let started = Instant::now();
    let output = command.output().context("could not start the program")?;
    let time = started.elapsed();
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && said.contains("offline model"),
        "it ended with {} and said {said:?}",
        output.status
    );
    Ok(time)
}

/// Starts the server for other agents until it has answered the first of them.
async fn first_pings(site: &Site, rounds: usize) -> Result<Samples> {
    let model = Model::start()?;
    let mut samples = Samples::default();
    for round in 0..rounds + WARM_UP {
        let server = site.start(&model, Merging::On)?;
        let connecting = Instant::now();
        let mut http = Http::connect(server.address()).await?;
        http.get("/acp/ping").await?;
        let time = server.start_time + connecting.elapsed();
        if round >= WARM_UP {
            samples.value(ms(time));
        }
        server.end()?;
    }
    Ok(samples)
}

fn ended(mut child: Child) -> Result<()> {
    let status = child.wait()?;
    ensure!(status.success(), "it ended with {status}");
    Ok(())
}
