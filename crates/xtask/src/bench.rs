//! `bench`: what the product costs, beside what it may cost.
//!
//! ```text
//!   this process                                the measured binary
//!   model thread: scripted model server ◄─────── asks for answers
//!   main thread:  load tool ────────────────────► HTTP, event streams
//! ```
//!
//! A scene starts the binary, drives it and gives samples; [`figures`] says what each figure is
//! called and may cost; [`report`] puts the two side by side. Both processes share the machine, so
//! the load tool is kept lean, and ratios are taken within one run. A missed budget is shown,
//! never a failure: only something that does not work is.

mod client;
mod doors;
mod figures;
mod filler;
mod history;
mod latency;
mod lists;
mod machine;
mod model;
mod process;
mod readers;
mod report;
mod samples;
mod scale;
mod server;
mod site;
mod sse;
mod starts;
mod streams;
mod thousand;
mod usage;
mod walls;
mod watch;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::shell::Line;
use crate::workspace;
use machine::Others;
use report::Report;
use samples::Samples;
use scale::Scale;
use site::Site;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The binary to measure, any that speaks the same API; built when left out
    #[arg(long, value_name = "PATH")]
    bin: Option<PathBuf>,
    /// Only these scenes: binary, starts, doors, latency, streams, readers, thousand,
    /// history, usage, lists, walls
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Everything small: shows that it works, measures nothing worth keeping
    #[arg(long)]
    quick: bool,
    /// Runs per figure
    #[arg(long, value_name = "N")]
    runs: Option<usize>,
    /// JSON lines instead of a table
    #[arg(long)]
    json: bool,
}

/// The parts of a run, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scene {
    Binary,
    Starts,
    Doors,
    Latency,
    Streams,
    Readers,
    Thousand,
    History,
    Usage,
    Lists,
    Walls,
}

const SCENES: &[(&str, Scene)] = &[
    ("binary", Scene::Binary),
    // While this process is small: it is copied for each command.
    ("walls", Scene::Walls),
    ("starts", Scene::Starts),
    ("doors", Scene::Doors),
    ("latency", Scene::Latency),
    ("streams", Scene::Streams),
    ("readers", Scene::Readers),
    ("thousand", Scene::Thousand),
    ("history", Scene::History),
    ("usage", Scene::Usage),
    ("lists", Scene::Lists),
];

/// Runs that are thrown away before those that count.
const WARM_UP: usize = 1;

/// What all scenes share.
struct Bench {
    bin: PathBuf,
    scale: Scale,
    /// Everything a run leaves on the disk.
    folder: TempDir,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let scenes = chosen(&options.only)?;
    if cfg!(debug_assertions) {
        // Measured with an unoptimised load tool, the load tool is what is measured.
        return Line::new("cargo run --release --quiet --locked --package xtask -- bench")
            .with(options.words()?)
            .run();
    }
    let bench = Bench::new(options)?;
    let mut report = Report::default();
    report.machine = machine::facts(bench.folder.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let all = Others::watch();
    let say = |line: String| {
        if !options.json {
            println!("{line}");
        }
    };
    for (name, scene) in scenes {
        let (started, others) = (Instant::now(), Others::watch());
        say(format!("==> {name}"));
        runtime
            .block_on(play(scene, &bench, &mut report))
            .with_context(|| format!("the scene `{name}` failed"))?;
        let (took, others) = (started.elapsed().as_secs_f64(), others.percent());
        say(format!(
            "<== {name}: {took:.1} s, other programs took {others:.0} % of the machine"
        ));
    }
    let others = format!("{:.0} % of the machine", all.percent());
    report
        .machine
        .push(("other programs during the run", others));
    match options.json {
        true => print!("{}", report.json_lines()),
        false => print!("\n{}", report.table()),
    }
    Ok(())
}

async fn play(scene: Scene, bench: &Bench, report: &mut Report) -> Result<()> {
    match scene {
        Scene::Binary => binary(bench, report),
        Scene::Starts => starts::run(bench, report).await,
        Scene::Doors => doors::run(bench, report).await,
        Scene::Latency => latency::run(bench, report).await,
        Scene::Streams => streams::run(bench, report).await,
        Scene::Readers => readers::run(bench, report).await,
        Scene::Thousand => thousand::run(bench, report).await,
        Scene::History => history::run(bench, report).await,
        Scene::Usage => usage::run(bench, report).await,
        Scene::Lists => lists::run(bench, report).await,
        Scene::Walls => walls::run(bench, report).await,
    }
}

fn binary(bench: &Bench, report: &mut Report) -> Result<()> {
    let bytes = std::fs::metadata(&bench.bin)?.len();
    report.add("binary", Samples::once(bytes as f64 / 1e6), "");
    Ok(())
}

fn chosen(only: &[String]) -> Result<Vec<(&'static str, Scene)>> {
    for name in only {
        ensure!(
            SCENES.iter().any(|(known, _)| known == name),
            "there is no scene `{name}`; there are {}",
            SCENES
                .iter()
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    let wanted = |name: &str| only.is_empty() || only.iter().any(|it| it == name);
    let all = SCENES.iter().copied();
    Ok(all.filter(|(name, _)| wanted(name)).collect())
}

impl Options {
    /// These options as words for the same command.
    fn words(&self) -> Result<Vec<String>> {
        let mut words = Vec::new();
        if let Some(bin) = &self.bin {
            words.extend(["--bin".to_owned(), absolute(bin)?.display().to_string()]);
        }
        if !self.only.is_empty() {
            words.extend(["--only".to_owned(), self.only.join(",")]);
        }
        if let Some(runs) = self.runs {
            words.extend(["--runs".to_owned(), runs.to_string()]);
        }
        words.extend(self.quick.then(|| "--quick".to_owned()));
        words.extend(self.json.then(|| "--json".to_owned()));
        Ok(words)
    }
}

impl Bench {
    fn new(options: &Options) -> Result<Self> {
        let bin = match &options.bin {
            Some(bin) => absolute(bin)?,
            None => build()?,
        };
        let mut scale = match options.quick {
            true => Scale::quick(),
            false => Scale::full(),
        };
        if let Some(runs) = options.runs {
            ensure!(runs > 0, "a figure needs at least one run");
            scale.runs = runs;
        }
        // On the disk of the checkout: elsewhere may be memory, where a sync costs nothing.
        let folder = workspace::root().join("target");
        let folder = tempfile::Builder::new()
            .prefix("bench-")
            .tempdir_in(folder)?;
        Ok(Self { bin, scale, folder })
    }

    /// A fresh home and workspace for a scene.
    fn site(&self, name: &str) -> Result<Site> {
        Site::new(&self.bin, &self.folder.path().join(name))
    }
}

fn absolute(path: &std::path::Path) -> Result<PathBuf> {
    path.canonicalize()
        .with_context(|| format!("there is no {}", path.display()))
}

/// Builds the product beside this program.
fn build() -> Result<PathBuf> {
    Line::new("cargo build --release --quiet --locked --package codewhale-cli").run()?;
    let own = std::env::current_exe().context("this program does not know where it lies")?;
    absolute(&own.with_file_name("codewhale"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_chosen_by_name_and_played_in_their_order() {
        let names = |only: &[&str]| {
            let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
            chosen(&only).map(|scenes| scenes.into_iter().map(|(name, _)| name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap().len(), SCENES.len());
        assert_eq!(
            names(&["streams", "binary"]).unwrap(),
            ["binary", "streams"]
        );
        assert!(names(&["nothing"]).is_err());
    }

    #[test]
    fn options_survive_the_way_to_the_optimised_program() {
        let options = Options {
            bin: None,
            only: vec!["starts".to_owned(), "streams".to_owned()],
            quick: true,
            runs: Some(3),
            json: true,
        };
        let expected = [
            "--only",
            "starts,streams",
            "--runs",
            "3",
            "--quick",
            "--json",
        ];
        assert_eq!(options.words().unwrap(), expected);
    }
}
