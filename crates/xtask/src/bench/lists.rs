//! Lists of 50 out of many: recordings, background tasks, runs of an automation. And the first
//! summary of threads that work in ten repositories, none of which was looked at before.

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use codewhale_testkit::model_server::Reply;
use serde_json::Value;

use super::client::Http;
use super::filler::Filler;
use super::model::Model;
use super::report::{Report, grouped};
use super::samples::Samples;
use super::server::{Merging, Server};
use super::site::Site;
use super::watch::ms;
use super::{Bench, latency};
use crate::shell::Line;

/// Repositories that the threads of the cold summary work in, and threads in each.
const REPOSITORIES: usize = 10;
const THREADS_EACH: usize = 5;

/// Files of each of them.
const FILES: usize = 200;

const AUTOMATION: &str =
    r#"{"name":"bench","prompt":"Say it.","rrule":"FREQ=HOURLY","status":"paused"}"#;

const FIGURES: &[&str] = &["list.sessions", "list.tasks", "list.runs"];

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let model = Model::start()?;
    cold_summary(bench, &model, report).await?;
    let site = bench.site("lists")?;
    let automation = pattern(&site, &model).await?;
    let Some(mut filler) = Filler::open(&site, &model).await? else {
        for id in FIGURES {
            report.skip(id, "its store is not ours");
        }
        return Ok(());
    };
    let count = bench.scale.threads_many;
    // A thread without a turn is no session.
    for _ in 0..count {
        let mut thread = filler.thread().await;
        filler.turn(&mut thread, 1).await;
    }
    filler.tasks(&automation, count).await?;
    filler.close().await?;
    let server = site.start(&model, Merging::On)?;
    let runs = format!("/v1/automations/{automation}/runs");
    let paths = ["/v1/sessions", "/v1/tasks", &runs];
    let note = format!("50 of {}", grouped(count as f64));
    for (id, path) in FIGURES.iter().zip(paths) {
        let times = latency::list(&server, path, bench.scale.runs, bench.scale.samples).await?;
        report.add(id, times, note.clone());
    }
    server.end()
}

/// Lets the binary make an automation with one finished run, and gives its id.
async fn pattern(site: &Site, model: &Model) -> Result<String> {
    model.says(Reply::says("Well."));
    let server = site.start(model, Merging::On)?;
    let mut http = Http::connect(server.address()).await?;
    let made: Value = serde_json::from_slice(&http.post("/v1/automations", AUTOMATION).await?)?;
    let id = made["id"].as_str().context("a new automation has no id")?;
    http.post(&format!("/v1/automations/{id}/run"), "").await?;
    loop {
        let tasks: Value = serde_json::from_slice(&http.get("/v1/tasks").await?)?;
        if tasks["counts"]["completed"] == 1 {
            break;
        }
        ensure!(tasks["counts"]["failed"] == 0, "the pattern task failed");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    server.end()?;
    Ok(id.to_owned())
}

/// The first summary after a start: each repository is looked at.
async fn cold_summary(bench: &Bench, model: &Model, report: &mut Report) -> Result<()> {
    let site = bench.site("summary")?;
    let server = site.start(model, Merging::On)?;
    let mut http = Http::connect(server.address()).await?;
    for number in 0..REPOSITORIES {
        let folder = repository(&site, number)?;
        let body = serde_json::json!({ "workspace": folder }).to_string();
        for _ in 0..THREADS_EACH {
            http.post("/v1/threads", &body).await?;
        }
    }
    server.end()?;
    let mut samples = Samples::default();
    for _ in 0..bench.scale.runs {
        samples.values(vec![first_summary(&site.start(model, Merging::On)?).await?]);
    }
    let threads = REPOSITORIES * THREADS_EACH;
    let note = format!("{threads} threads, {REPOSITORIES} repositories");
    report.add("summary.cold", samples, note);
    Ok(())
}

async fn first_summary(server: &Server) -> Result<f64> {
    let mut http = Http::connect(server.address()).await?;
    let started = Instant::now();
    let body = http.get("/v1/threads/summary?limit=50").await?;
    let time = ms(started.elapsed());
    let listed: Value = serde_json::from_slice(&body)?;
    let listed = listed.as_array().context("a summary is a list")?;
    let known = listed.iter().filter(|thread| thread["branch"] == "main");
    ensure!(
        known.count() == REPOSITORIES * THREADS_EACH,
        "the summary does not tell every branch"
    );
    Ok(time)
}

/// A repository with one commit and one changed file.
fn repository(site: &Site, number: usize) -> Result<String> {
    let folder = site.home.with_file_name(format!("repository-{number}"));
    fs::create_dir_all(&folder)?;
    for file in 0..FILES {
        fs::write(folder.join(format!("{file}.txt")), "whale\n")?;
    }
    let path = folder.display().to_string();
    for words in [
        "init --quiet --initial-branch=main",
        "add --all",
        "-c user.name=bench -c user.email=bench@localhost commit --quiet --message=one",
    ] {
        let words = words.split(' ');
        Line::new("git -C").with([&path]).with(words).run()?;
    }
    fs::write(folder.join("0.txt"), "whales\n")?;
    Ok(path)
}
