//! A simulated process: a runtime of its own on tasks and a clock of its own, which end with it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use codewhale_engine::RetryPolicy;
use codewhale_model::catalogue::prices::PriceBook;
use codewhale_model::{Effort, Model, Route, Routes};
use codewhale_protocol::runtime::{OwnerId, Timestamp};
use codewhale_protocol::{Redactor, Secret};
use codewhale_runtime::{
    AgentSettings, Env, FleetSettings, GoalSettings, HookSettings, Options, Preferences, RuleBook,
    Runtime, WallSettings,
};
use codewhale_store::{OwnerRow, Place, Store, Writing};
use tokio::runtime::Builder;
use tokio::time::Instant;

use super::dice::Dice;
use super::journal::{Journal, SECRET};
use super::model::SeededModel;
use super::settings::Steady;
use super::tools;
use super::workers::SeededWorkers;

/// How long an approval waits for a person in the simulation.
pub(crate) const APPROVAL_TIMEOUT: Duration = Duration::from_secs(30);

/// What the model takes at once, in tokens: about what it says that it was sent.
const CONTEXT_WINDOW: u64 = 10_000;

/// The moment at which every world begins, in milliseconds.
const EPOCH_MS: i64 = 1_780_000_000_000;

/// What a process is born into.
pub(crate) struct Birth<'a> {
    pub(crate) home: &'a Path,
    pub(crate) seed: u64,
    /// The how-manieth process of the world it is.
    pub(crate) number: u32,
    /// The time of the world.
    pub(crate) clock: Duration,
    pub(crate) journal: &'a Arc<Journal>,
    /// Set when models are to be calm.
    pub(crate) calm: &'a Arc<AtomicBool>,
}

pub(crate) struct Process {
    pub(crate) number: u32,
    pub(crate) store: Store,
    pub(crate) runtime: Runtime,
    pub(crate) condition: Arc<Condition>,
    tokio: tokio::runtime::Runtime,
    /// Where its clock and that of the world were the same.
    started: (Instant, Duration),
}

/// How well a process is.
#[derive(Default)]
pub(crate) struct Condition {
    /// The disk refuses most of what is written.
    disk_full: AtomicBool,
    /// It has had a reason to answer that it cannot serve.
    pub(crate) excused: AtomicBool,
}

impl Condition {
    pub(crate) fn is_disk_full(&self) -> bool {
        self.disk_full.load(Ordering::Relaxed)
    }

    pub(crate) fn fill_disk(&self) {
        self.disk_full.store(true, Ordering::Relaxed);
        self.excused.store(true, Ordering::Relaxed);
    }

    pub(crate) fn free_disk(&self) {
        self.disk_full.store(false, Ordering::Relaxed);
    }
}

impl Process {
    pub(crate) fn start(birth: &Birth<'_>) -> Self {
        // Looking up after each task lets a crash come between any two of them.
        let tokio = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .event_interval(1)
            .build()
            .expect("a runtime without threads can be made");
        let number = birth.number;
        let store = Store::open(codewhale_store::Options {
            place: Place::Home(birth.home.to_owned()),
            writing: Writing::ByHand,
            merge_deltas: true,
            redactor: Arc::new(Redactor::new(&[Secret::new(SECRET)])),
            owner: OwnerRow {
                id: OwnerId::from(format!("owner_{number}").as_str()),
                pid: number,
                started_at: now(birth.clock),
            },
        })
        .expect("the store of a simulation opens");
        let condition = Arc::new(Condition::default());
        let dice = Dice::new(birth.seed, &[2, u64::from(number)]);
        tokio.spawn(write_by_hand(store.clone(), Arc::clone(&condition), dice));
        let begin = async {
            let options = options(birth);
            let runtime = Runtime::start(store.clone(), options).await;
            runtime.expect("a runtime starts on a store that works")
        };
        let started = (tokio.block_on(async { Instant::now() }), birth.clock);
        let runtime = tokio.block_on(begin);
        Self {
            number,
            store,
            runtime,
            condition,
            tokio,
            started,
        }
    }

    /// Starts a task of this process.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tokio.spawn(task);
    }

    /// Lets the process run until the clock of the world shows this.
    pub(crate) fn run_until(&self, clock: Duration) {
        // What other processes have written is noticed now, as a writer's thread would.
        self.store.step();
        let (instant, then) = self.started;
        let until = instant + clock.saturating_sub(then);
        self.tokio
            .block_on(async { tokio::time::sleep_until(until).await });
    }

    /// Lets so many of its tasks do a step. No time passes.
    pub(crate) fn run_steps(&self, steps: usize) {
        self.tokio.block_on(async {
            for _ in 0..steps {
                tokio::task::yield_now().await;
            }
        });
    }

    /// The clock of the world as this process sees it.
    pub(crate) fn clock(&self) -> Duration {
        let (instant, then) = self.started;
        self.tokio.block_on(async { instant.elapsed() }) + then
    }

    /// Ends the process as a kill would: nothing of it runs on, and its lock file stays behind.
    pub(crate) fn crash(self, home: &Path) {
        let owner = self.store.owner().clone();
        drop(self.tokio);
        drop((self.runtime, self.store));
        std::fs::write(home.join("run").join(format!("{owner}.lock")), [])
            .expect("the directory of the lock files exists");
    }

    /// Ends the process in order, and tells how late it is then.
    pub(crate) fn shut_down(self) -> Duration {
        self.condition.free_disk();
        self.condition.excused.store(true, Ordering::Relaxed);
        let ended = self.tokio.block_on(self.runtime.shutdown());
        ended.expect("a store that works closes");
        self.clock()
    }
}

/// Bounds of trees of agents, so small that histories run into them.
pub(crate) const DEPTH_MAX: u64 = 2;
pub(crate) const LIVE_MAX: u64 = 3;
pub(crate) const ADMITTED_MAX: u64 = 5;

fn options(birth: &Birth<'_>) -> Options {
    let seed = Dice::new(birth.seed, &[3, u64::from(birth.number)]).draw();
    let model = SeededModel::new(
        birth.seed,
        u64::from(birth.number),
        Arc::clone(birth.journal),
        Arc::clone(birth.calm),
    );
    let model: Arc<dyn Model> = Arc::new(model);
    let preferences = move || preferences(&model);
    let Preferences {
        routes,
        effort,
        allow_shell,
        retry,
    } = preferences();
    Options {
        env: Env::simulated(seed, now(birth.clock)),
        workspace: "/".to_owned(),
        routes,
        prices: PriceBook::default(),
        effort,
        tools: tools::registry(birth.journal),
        child_environment: Arc::from([]),
        allow_shell,
        retry,
        mcp: None,
        library: None,
        hooks: HookSettings::default(),
        walls: WallSettings::default(),
        rules: RuleBook::default(),
        results: None,
        snapshots: None,
        old_sessions: Vec::new(),
        settings: Some(Arc::new(Steady(Box::new(preferences)))),
        approval_timeout: APPROVAL_TIMEOUT,
        agents: AgentSettings {
            depth_max: DEPTH_MAX,
            live_max: LIVE_MAX,
            admitted_max: ADMITTED_MAX,
            token_budget: Some(20_000),
            export: false,
        },
        fleet: Some(FleetSettings {
            workers: Arc::new(SeededWorkers::new(Dice::new(
                birth.seed,
                &[6, u64::from(birth.number)],
            ))),
            directory: None,
        }),
        workers: 2,
        time_zone: LazyLock::new(|| codewhale_runtime::TimeZone::UTC),
        goals: GoalSettings {
            continuations_max: 2,
            continuation_delay: Duration::from_millis(300),
        },
        version: "simulated".to_owned(),
    }
}

fn preferences(model: &Arc<dyn Model>) -> Preferences {
    let route = |name: &str| Route {
        context_window: Some(CONTEXT_WINDOW),
        ..Route::to("simulated", name, Arc::clone(model))
    };
    Preferences {
        routes: Routes::chain(route("seeded"), vec![route("stand-in")]),
        effort: Effort::Auto,
        allow_shell: true,
        retry: RetryPolicy {
            retries_max: 2,
            ..RetryPolicy::default()
        },
    }
}

fn now(clock: Duration) -> Timestamp {
    let ms = u64::try_from(clock.as_millis()).expect("a world ends before that");
    Timestamp::from_ms(EPOCH_MS).plus_ms(ms)
}

/// The disk: takes its time over each commit, and refuses some when it is full.
async fn write_by_hand(store: Store, condition: Arc<Condition>, mut dice: Dice) {
    loop {
        store.queued().await;
        match dice.below(100) {
            0..40 => {}
            40..70 => tokio::task::yield_now().await,
            70..98 => tokio::time::sleep(dice.ms(1, 10)).await,
            _ => tokio::time::sleep(dice.ms(100, 500)).await,
        }
        match condition.is_disk_full() && dice.percent(70) {
            true => store.refuse_queued(),
            false => store.step(),
        }
    }
}
