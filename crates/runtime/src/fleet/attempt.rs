//! One attempt at a task: a place to work, a worker, an ear for what it says, and a judgement.

mod ear;
mod ending;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use codewhale_policy::{Authority, Confinement};
use codewhale_protocol::runtime::{
    FleetArtifact, FleetExpectedArtifact, FleetFailureKind, FleetResult, FleetScorer, Permission,
    ThreadId,
};
use codewhale_sandbox::Walls;
use codewhale_store::{FleetRun, FleetTask};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::change::Finish;
use super::files::{Log, Shelf};
use super::judge::{self, Court, Verdict};
use super::lines::{self, Said};
use super::order::{order, place_of, writes};
use super::seam::WorkEnd;
use super::worktree::{For, Worktree};
use crate::limits;
use crate::runtime::Core;
use crate::walls::Common;
use ear::Ear;
use ending::{failed, of_end};

/// What a driver is told of an attempt.
pub(super) struct News {
    /// Which task of the run.
    pub(super) task: usize,
    pub(super) attempt: u64,
    pub(super) what: What,
}

impl News {
    /// Nobody knows what became of an attempt.
    pub(super) fn lost(task: usize, attempt: u64) -> Self {
        let why = "its keeper panicked; the log of the program has the cause".to_owned();
        let finish = failed(FleetFailureKind::Transport, "lost", why);
        Self {
            task,
            attempt,
            what: What::Ended(Box::new(finish)),
        }
    }
}

pub(super) enum What {
    /// Its process begins; this is its log.
    Runs(Option<FleetArtifact>),
    /// It works in this thread.
    Thread(ThreadId),
    /// It waits for a model.
    Waits,
    /// It calls a tool.
    Calls { tool: String, id: Option<String> },
    /// It lives. What it said last, and how many calls it has made.
    Alive(String, u64),
    /// Something went wrong.
    Trouble(String),
    /// It is over.
    Ended(Box<Finish>),
}

/// An attempt that is about to begin.
pub(super) struct Attempt {
    pub(super) core: Arc<Core>,
    pub(super) run: FleetRun,
    pub(super) task: FleetTask,
    pub(super) place: usize,
    pub(super) worker: String,
    pub(super) news: mpsc::Sender<News>,
    pub(super) stop: CancellationToken,
}

/// Where an attempt works.
struct Site {
    shelf: Option<Shelf>,
    worktree: Option<Worktree>,
    directory: PathBuf,
}

impl Attempt {
    /// Makes the attempt and tells its end.
    pub(super) async fn make(self) {
        let finish = match self.prepare().await {
            Ok(site) => self.work(site).await,
            Err(finish) => finish,
        };
        self.tell(What::Ended(Box::new(finish))).await;
    }

    async fn tell(&self, what: What) {
        let (task, attempt) = (self.place, self.task.attempt);
        let _ = self
            .news
            .send(News {
                task,
                attempt,
                what,
            })
            .await;
    }

    async fn prepare(&self) -> Result<Site, Finish> {
        let transport = |why: String| failed(FleetFailureKind::Transport, "not_started", why);
        let settings = self.core.fleets.settings.as_ref();
        let root = settings.and_then(|settings| settings.directory.clone());
        let (run, task, attempt) = (&self.run.id, &self.task.spec.id, self.task.attempt);
        let shelf = root.map(|root| Shelf::make(&root, run, task, attempt));
        let shelf = shelf
            .transpose()
            .map_err(|error| transport(error.to_string()))?;
        let workspace = Path::new(&self.run.workspace);
        let worktree = match &shelf {
            Some(shelf) if writes(self.task.spec.role()) => {
                let what = For { run, task, attempt };
                let environment = &self.core.child_environment;
                let made = Worktree::make(workspace, shelf, &what, environment).await;
                made.map_err(transport)?
            }
            _ => None,
        };
        let whole = worktree.as_ref().map(Worktree::directory);
        let directory = place_of(&self.task, whole.as_deref().unwrap_or(workspace));
        let required = self.task.spec.workspace.iter();
        let required = required.flat_map(|workspace| &workspace.required_files);
        for file in required {
            if !directory.join(file).exists() {
                let why = format!("the required file {file} is not there");
                if let (Some(shelf), Some(worktree)) = (&shelf, worktree) {
                    worktree.close(shelf).await;
                }
                return Err(failed(FleetFailureKind::Task, "missing_file", why));
            }
        }
        Ok(Site {
            shelf,
            worktree,
            directory,
        })
    }

    async fn work(&self, site: Site) -> Finish {
        let mut log = site.shelf.as_ref().and_then(|shelf| Log::begin(shelf).ok());
        let mut ear = Ear::new(&self.task, self.run.stale_after_seconds);
        let begun = site.shelf.as_ref().map(|shelf| FleetArtifact {
            kind: "log".to_owned(),
            path: shelf.at("worker.log").display().to_string(),
            checksum: None,
            mime_type: None,
            size_bytes: None,
        });
        self.tell(What::Runs(begun)).await;
        let end = self.listen(&site.directory, &mut ear, &mut log).await;
        let mut finish = self.judged(&site, &ear, end).await;
        finish.summary = Some(ear.message.clone()).filter(|it| !it.is_empty());
        finish.artifacts = self.collect(site, log).await;
        finish
    }

    /// Runs the worker to its end, one way or another.
    async fn listen(&self, directory: &Path, ear: &mut Ear, log: &mut Option<Log>) -> WorkEnd {
        let Some(settings) = &self.core.fleets.settings else {
            let reason = "this process runs no workers".to_owned();
            return WorkEnd::NotStarted { reason };
        };
        let redactor = self.core.store.redactor();
        let order = order(&self.run, &self.task, &self.worker, directory);
        let (said, mut lines) = mpsc::channel(limits::FLEET_LINES);
        let mut work = settings.workers.work(order, said, self.stop.clone());
        let mut is_over = None;
        loop {
            let due = ear.due();
            tokio::select! {
                biased;
                line = lines.recv() => match (line, is_over.take()) {
                    (Some(line), over) => {
                        is_over = over;
                        let line = redactor.mask(&line);
                        if let Some(log) = log {
                            log.line(&line);
                        }
                        self.hear(ear, lines::read(&line)).await;
                    }
                    (None, Some(end)) => return end,
                    // It says nothing more, and is not over yet.
                    (None, None) => return work.await,
                },
                end = &mut work, if is_over.is_none() => is_over = Some(end),
                () = sleep_until(due), if is_over.is_none() => {
                    if ear.is_alive() {
                        self.tell(What::Alive(ear.message.clone(), ear.calls)).await;
                    }
                }
            }
            if ear.verdict.is_some() {
                self.stop.cancel();
            }
        }
    }

    async fn hear(&self, ear: &mut Ear, said: Said) {
        let news = ear.hear(said);
        if let Some(news) = news {
            ear.told_at = Instant::now();
            self.tell(news).await;
        }
    }

    /// What is to be said of an attempt whose worker ended so.
    async fn judged(&self, site: &Site, ear: &Ear, end: WorkEnd) -> Finish {
        if let Some(verdict) = ear.verdict {
            return verdict.finish(ear);
        }
        let finish = of_end(&end, ear);
        if finish.reason.is_some() || finish.result == FleetResult::Skip {
            return finish;
        }
        let verdict = self.verdict(&site.directory).await;
        let notes = verdict.score.as_ref().map(|score| score.notes.clone());
        let is_bad = verdict.failure_kind.is_some();
        Finish {
            result: verdict.result,
            failure_kind: verdict.failure_kind,
            failure_class: is_bad.then_some("evidence_missing"),
            reason: notes.filter(|_| is_bad),
            score: verdict.score,
            ..finish
        }
    }

    async fn verdict(&self, directory: &Path) -> Verdict {
        let scorer = self.task.spec.scorer.clone().unwrap_or_default();
        if let FleetScorer::Command { command, args } = &scorer {
            let court = Court {
                directory,
                environment: &self.core.child_environment,
                walls: self.walls(directory),
            };
            return judge::ask(command, args, court, &self.stop).await;
        }
        let directory = directory.to_owned();
        let look = move || judge::by_sight(&scorer, &directory);
        let seen = self.core.store.apart(look).await;
        seen.unwrap_or_else(|_| judge::by_sight(&FleetScorer::Manual, Path::new("")))
    }

    /// What stands around commands that judge: never nothing.
    fn walls(&self, directory: &Path) -> Option<Walls> {
        if !(self.core.walls.can_confine)() {
            return None;
        }
        let authority = Authority::plain(Permission::DEFAULT).with_shell();
        let authority = self.core.held(authority);
        let authority = Authority {
            confinement: authority.confinement.min(Confinement::WorkspaceWrite),
            confined: true,
            ..authority
        };
        let common = Common::default();
        Some(
            self.core
                .walls
                .around(&authority, (directory, &[]), None, &common),
        )
    }

    /// Keeps what the attempt leaves.
    async fn collect(&self, site: Site, log: Option<Log>) -> Vec<FleetArtifact> {
        let mut kept = Vec::new();
        if let Some(shelf) = site.shelf {
            let wanted = self.task.spec.expected_artifacts.clone();
            let (place, directory) = (shelf.clone(), site.directory);
            let copy = move || copy_all(&place, &wanted, &directory);
            kept.extend(self.core.store.apart(copy).await.unwrap_or_default());
            if let Some(worktree) = site.worktree {
                kept.extend(worktree.close(&shelf).await);
            }
        }
        kept.extend(log.map(Log::end));
        kept
    }
}

/// Copies the files that were asked for, as far as they are there.
fn copy_all(
    shelf: &Shelf,
    wanted: &[FleetExpectedArtifact],
    directory: &Path,
) -> Vec<FleetArtifact> {
    let wanted = wanted.iter().take(limits::FLEET_ARTIFACTS_MAX);
    let kept = wanted.filter_map(|artifact| {
        let (kind, path) = artifact.parts();
        let kept = shelf.copy(kind, directory, path);
        kept.inspect_err(|error| tracing::info!(%error, path, "an artifact was not kept"))
            .ok()
    });
    kept.collect()
}
