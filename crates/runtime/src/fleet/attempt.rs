//! One attempt at a task: a place to work, a worker, an ear for what it says, and a judgement.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use codewhale_policy::{Authority, Confinement};
use codewhale_protocol::runtime::{
    FleetArtifact, FleetFailureKind, FleetResult, Permission, ThreadId,
};
use codewhale_sandbox::Walls;
use codewhale_store::{FleetRun, FleetTask};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::change::Finish;
use super::files::{Log, Shelf};
use super::judge::{self, Court};
use super::lines::{self, Said};
use super::order::{order, place_of, writes};
use super::seam::WorkEnd;
use super::worktree::{For, Worktree};
use crate::limits;
use crate::runtime::Core;
use crate::walls::Common;

/// What a driver is told of an attempt.
pub(super) struct News {
    /// Which task of the run.
    pub(super) task: usize,
    pub(super) attempt: u64,
    pub(super) what: What,
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
        let court = Court {
            directory: &site.directory,
            environment: &self.core.child_environment,
            walls: self.walls(&site.directory),
        };
        let scorer = self.task.spec.scorer.as_ref();
        let verdict = judge::judge(scorer, court, &self.stop).await;
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
        Some(self.core.walls.around(&authority, directory, None, &common))
    }

    /// Keeps what the attempt leaves.
    async fn collect(&self, site: Site, log: Option<Log>) -> Vec<FleetArtifact> {
        let mut kept = Vec::new();
        if let Some(shelf) = &site.shelf {
            let wanted = self.task.spec.expected_artifacts.iter();
            for artifact in wanted.take(limits::FLEET_ARTIFACTS_MAX) {
                let (kind, path) = artifact.parts();
                match shelf.copy(kind, &site.directory, path) {
                    Ok(artifact) => kept.push(artifact),
                    Err(error) => tracing::info!(%error, path, "an artifact was not kept"),
                }
            }
            if let Some(worktree) = site.worktree {
                kept.extend(worktree.close(shelf).await);
            }
        }
        kept.extend(log.map(Log::end));
        kept
    }
}

/// Why a worker was stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cut {
    Silent,
    Budget(&'static str),
}

impl Cut {
    fn finish(self, ear: &Ear) -> Finish {
        match self {
            Cut::Silent => {
                let seconds = ear.patience.as_secs();
                let why = format!("it gave no sign of life for {seconds} seconds");
                failed(FleetFailureKind::Transport, "stale", why)
            }
            Cut::Budget(what) => {
                let why = format!("it used more {what} than its budget allows");
                failed(FleetFailureKind::Task, "budget_exhausted", why)
            }
        }
    }
}

/// What is known of a worker while it works.
struct Ear {
    message: String,
    /// Whether the next text begins another message.
    is_said: bool,
    calls: u64,
    tokens: u64,
    /// Calls that are under way: a call at work is no silence.
    open: u64,
    class: Option<String>,
    trouble: Option<String>,
    heard_at: Instant,
    told_at: Instant,
    patience: Duration,
    max_tokens: u64,
    max_calls: u64,
    verdict: Option<Cut>,
}

impl Ear {
    fn new(task: &FleetTask, stale_after_seconds: u64) -> Self {
        let budget = task.spec.budget.unwrap_or_default();
        let now = Instant::now();
        Self {
            message: String::new(),
            is_said: true,
            calls: 0,
            tokens: 0,
            open: 0,
            class: None,
            trouble: None,
            heard_at: now,
            told_at: now,
            patience: Duration::from_secs(stale_after_seconds),
            max_tokens: budget.max_tokens.unwrap_or(u64::MAX),
            max_calls: budget.max_tool_calls.unwrap_or(u64::MAX),
            verdict: None,
        }
    }

    /// When to look next.
    fn due(&self) -> Instant {
        let told = self.told_at + limits::FLEET_HEARTBEAT;
        match self.open {
            0 => told.min(self.heard_at + self.patience),
            _ => told,
        }
    }

    /// Looks at the clock; false when the worker is given up.
    fn is_alive(&mut self) -> bool {
        let now = Instant::now();
        self.told_at = now;
        if self.open == 0 && now - self.heard_at >= self.patience {
            self.verdict = Some(Cut::Silent);
        }
        self.verdict.is_none()
    }

    fn hear(&mut self, said: Said) -> Option<What> {
        self.heard_at = Instant::now();
        match said {
            Said::Thread(thread) => Some(What::Thread(thread)),
            Said::Text(text) => {
                if std::mem::take(&mut self.is_said) {
                    self.message.clear();
                }
                self.message.push_str(&text);
                let length = self.message.chars().count();
                let extra = length.saturating_sub(limits::FLEET_MESSAGE_CHARS_MAX);
                self.message = self.message.chars().skip(extra).collect();
                None
            }
            Said::Calls { tool, id } => {
                self.calls += 1;
                self.open += 1;
                self.is_said = true;
                if self.calls > self.max_calls {
                    self.verdict = Some(Cut::Budget("calls of tools"));
                }
                Some(What::Calls { tool, id })
            }
            Said::Called => {
                self.open = self.open.saturating_sub(1);
                (self.open == 0).then_some(What::Waits)
            }
            Said::Used(tokens) => {
                self.tokens = self.tokens.saturating_add(tokens);
                self.is_said = true;
                if self.tokens > self.max_tokens {
                    self.verdict = Some(Cut::Budget("tokens"));
                }
                None
            }
            Said::Trouble(words) => {
                self.trouble = Some(words.clone());
                Some(What::Trouble(words))
            }
            Said::Ended { class, error } => {
                self.class = class;
                self.trouble = error.or(self.trouble.take());
                None
            }
            Said::Else => None,
        }
    }
}

/// What the end of a process says.
fn of_end(end: &WorkEnd, ear: &Ear) -> Finish {
    let why = |otherwise: String, errors: &str| {
        let last = errors.lines().rev().find(|line| !line.trim().is_empty());
        let words = ear.trouble.clone().or(last.map(str::to_owned));
        words.map_or(otherwise.clone(), |words| format!("{otherwise}: {words}"))
    };
    let class = match ear.class.as_deref() {
        Some("budget_exhausted") => "budget_exhausted",
        Some("approval_required") => "approval_required",
        Some("timeout") => "timeout",
        Some("model_error") => "model_error",
        Some("tool_error") => "tool_error",
        _ => "unresolved",
    };
    let transport = FleetFailureKind::Transport;
    match end {
        WorkEnd::Exited { code: 0, .. } => Finish {
            exit_code: Some(0),
            ..good()
        },
        WorkEnd::Exited { code, errors } => {
            let finish = match code {
                75 => failed(
                    transport,
                    "infrastructure_error",
                    why(UNREACHED.into(), errors),
                ),
                130 => failed(
                    transport,
                    "interrupted",
                    why("it was interrupted".into(), errors),
                ),
                3 => {
                    let words = "a call needed an approval that nobody gives".to_owned();
                    failed(FleetFailureKind::Task, "approval_required", words)
                }
                code => {
                    let words = why(format!("it ended with {code}"), errors);
                    failed(FleetFailureKind::Task, class, words)
                }
            };
            Finish {
                exit_code: Some(*code),
                ..finish
            }
        }
        WorkEnd::Signaled { signal, errors } => {
            let words = why(format!("it was killed by signal {signal}"), errors);
            failed(transport, "died", words)
        }
        WorkEnd::NotStarted { reason } => failed(transport, "not_started", reason.clone()),
        WorkEnd::TimedOut => Finish {
            result: FleetResult::Timeout,
            ..failed(
                FleetFailureKind::Task,
                "timeout",
                "its time was over".into(),
            )
        },
        WorkEnd::Stopped => Finish {
            result: FleetResult::Skip,
            failure_class: Some("cancelled"),
            ..good()
        },
    }
}

const UNREACHED: &str = "it could not reach its model";

fn good() -> Finish {
    Finish {
        result: FleetResult::Pass,
        failure_kind: None,
        failure_class: None,
        reason: None,
        exit_code: None,
        summary: None,
        score: None,
        artifacts: Vec::new(),
    }
}

fn failed(kind: FleetFailureKind, class: &'static str, why: String) -> Finish {
    Finish {
        result: FleetResult::Fail,
        failure_kind: Some(kind),
        failure_class: Some(class),
        reason: Some(why),
        ..good()
    }
}
