//! A runtime with a scripted model and fake tools, spoken to as a door would.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use codewhale_engine::RetryPolicy;
use codewhale_model::catalogue::prices::PriceBook;
use codewhale_model::{Effort, Route, Routes};
use codewhale_protocol::operations::{
    ApprovalsDecide, Operation, ThreadsCreate, ThreadsGet, ThreadsPatch, TurnsInterrupt,
    TurnsStart, TurnsSteer,
};
use codewhale_protocol::runtime::{
    ApprovalId, ApprovalReceipt, Event, OwnerId, PendingApproval, RuntimeEventEnvelope, Seq,
    StreamId, ThreadDetail, ThreadId, ThreadRecord, Timestamp, TurnId, TurnRecord,
};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Call, Caller, ErrorBody, Redactor, Service, Surface};
use codewhale_runtime::{
    AgentSettings, Env, GoalSettings, HookSettings, LibrarySettings, Options, RuleBook, Runtime,
    WallSettings,
};
use codewhale_store::{OwnerRow, Place, Store, Writing};
use serde_json::{Value, json};

use crate::model::Script;
use crate::tools::{Ran, registry};

pub(crate) const APPROVAL_TIMEOUT: Duration = Duration::from_secs(300);

/// How many tokens the scripted model takes.
pub(crate) const WINDOW: u64 = 20_000;

pub(crate) struct World {
    pub(crate) runtime: Runtime,
    pub(crate) store: Store,
    pub(crate) model: Arc<Script>,
    pub(crate) ran: Ran,
    pub(crate) operator: Caller,
}

impl World {
    /// A world in memory.
    pub(crate) async fn new() -> Self {
        Self::on(open(Place::Memory, Writing::Inline)).await
    }

    /// One of several processes on a home.
    pub(crate) async fn at(home: &Path) -> Self {
        Self::on(open(Place::Home(home.to_owned()), Writing::Inline)).await
    }

    /// A world in memory with other models than the usual one.
    pub(crate) async fn with_routes(routes: impl FnOnce(&Arc<Script>) -> Routes) -> Self {
        let store = open(Place::Memory, Writing::Inline);
        Self::made(store, |options, model| options.routes = routes(model)).await
    }

    /// A world on a home, with instructions in it.
    pub(crate) async fn with_library(home: &Path) -> Self {
        let library = LibrarySettings {
            home: home.to_owned(),
            person: None,
            skills: None,
            memory: false,
        };
        let store = open(Place::Home(home.to_owned()), Writing::Inline);
        Self::made(store, |options, _| options.library = Some(library)).await
    }

    pub(crate) async fn on(store: Store) -> Self {
        Self::made(store, |_, _| {}).await
    }

    /// A world with some options of its own.
    pub(crate) async fn fitted(store: Store, fit: impl FnOnce(&mut Options)) -> Self {
        Self::made(store, |options, _| fit(options)).await
    }

    /// The same for options that need its model.
    pub(crate) async fn made(
        store: Store,
        change: impl FnOnce(&mut Options, &Arc<Script>),
    ) -> Self {
        let (model, ran): (Arc<Script>, Ran) = Default::default();
        let mut options = options(&model, &ran);
        change(&mut options, &model);
        let runtime = Runtime::start(store.clone(), options).await.unwrap();
        Self {
            operator: runtime.operator(Surface::Http),
            runtime,
            store,
            model,
            ran,
        }
    }

    /// Asks as the operator.
    pub(crate) async fn call<O: Operation>(&self, params: Value) -> Result<O::Output, ErrorBody> {
        self.call_as::<O>(&self.operator, params).await
    }

    pub(crate) async fn call_as<O: Operation>(
        &self,
        caller: &Caller,
        params: Value,
    ) -> Result<O::Output, ErrorBody> {
        let call = Call::new(O::OP, params);
        let reply = self.runtime.call(caller, call).await?;
        Ok(serde_json::from_str(reply.get()).unwrap())
    }

    pub(crate) async fn thread(&self, params: Value) -> ThreadId {
        self.call::<ThreadsCreate>(params).await.unwrap().id
    }

    pub(crate) async fn start(&self, thread: &ThreadId, prompt: &str) -> Result<TurnId, ErrorBody> {
        let params = json!({ "thread_id": thread, "prompt": prompt });
        let started = self.call::<TurnsStart>(params).await?;
        Ok(started.turn.id)
    }

    pub(crate) async fn steer(
        &self,
        thread: &ThreadId,
        turn: &TurnId,
        prompt: &str,
    ) -> Result<TurnRecord, ErrorBody> {
        let params = json!({ "thread_id": thread, "turn_id": turn, "prompt": prompt });
        self.call::<TurnsSteer>(params).await
    }

    pub(crate) async fn interrupt(
        &self,
        thread: &ThreadId,
        turn: &TurnId,
    ) -> Result<TurnRecord, ErrorBody> {
        let params = json!({ "thread_id": thread, "turn_id": turn });
        self.call::<TurnsInterrupt>(params).await
    }

    pub(crate) async fn decide(
        &self,
        approval: &ApprovalId,
        word: &str,
    ) -> Result<ApprovalReceipt, ErrorBody> {
        let params = json!({ "approval_id": approval, "decision": word });
        self.call::<ApprovalsDecide>(params).await
    }

    pub(crate) async fn patch(
        &self,
        thread: &ThreadId,
        mut params: Value,
    ) -> Result<ThreadRecord, ErrorBody> {
        params["thread_id"] = json!(thread);
        self.call::<ThreadsPatch>(params).await
    }

    pub(crate) async fn detail(&self, thread: &ThreadId) -> ThreadDetail {
        let params = json!({ "thread_id": thread });
        self.call::<ThreadsGet>(params).await.unwrap()
    }

    /// The thread as soon as it is as wanted.
    pub(crate) async fn until(
        &self,
        thread: &ThreadId,
        wanted: impl Fn(&ThreadDetail) -> bool,
    ) -> ThreadDetail {
        for _ in 0..WAITS_MAX {
            let detail = self.detail(thread).await;
            if wanted(&detail) {
                return detail;
            }
            let stream = StreamId::Thread(thread.clone());
            let cursor = Cursor::after(detail.latest_seq);
            let mut events = self.store.subscribe(stream, cursor).unwrap();
            // Not everything that is waited for is an event.
            let _ = tokio::time::timeout(Duration::from_millis(100), events.next()).await;
        }
        panic!("waited in vain: {:#?}", self.detail(thread).await);
    }

    /// The newest turn, as soon as it has ended.
    pub(crate) async fn ended(&self, thread: &ThreadId) -> TurnRecord {
        let ended = |detail: &ThreadDetail| {
            let turn = detail.turns.last();
            turn.is_some_and(|turn| turn.status.is_terminal())
        };
        self.until(thread, ended).await.turns.pop().unwrap()
    }

    /// Starts a turn and waits for its end.
    pub(crate) async fn turn(&self, thread: &ThreadId, prompt: &str) -> TurnRecord {
        self.start(thread, prompt).await.unwrap();
        self.ended(thread).await
    }

    /// The question, as soon as one waits.
    pub(crate) async fn asked(&self, thread: &ThreadId) -> PendingApproval {
        let asked = |detail: &ThreadDetail| !detail.pending_approvals.is_empty();
        self.until(thread, asked).await.pending_approvals.remove(0)
    }

    pub(crate) fn envelopes(&self, thread: &ThreadId) -> Vec<RuntimeEventEnvelope> {
        let stream = StreamId::Thread(thread.clone());
        let read =
            |reader: &codewhale_store::Reader<'_>| reader.events(&stream, Seq::ZERO, usize::MAX);
        self.store.read(read).unwrap()
    }

    /// The names of a thread's events behind the start of its newest turn, deltas left out.
    pub(crate) fn story(&self, thread: &ThreadId) -> Vec<String> {
        let names = self.envelopes(thread).into_iter().map(|it| it.event);
        let names: Vec<String> = names.filter(|name| name != "item.delta").collect();
        let start = names.iter().rposition(|name| name == "turn.lifecycle");
        names[start.map_or(0, |start| start + 1)..].to_vec()
    }

    /// The moment of the only event that is as wanted.
    pub(crate) fn moment(&self, thread: &ThreadId, wanted: impl Fn(&Event) -> bool) -> Timestamp {
        let envelopes = self.envelopes(thread).into_iter();
        let mut found = envelopes.filter(|it| wanted(&it.decode().unwrap().unwrap()));
        let moment = found.next().unwrap().timestamp;
        assert_eq!(found.next(), None, "there is more than one");
        moment
    }

    pub(crate) fn ran(&self) -> Vec<Value> {
        self.ran.lock().unwrap().clone()
    }
}

/// Looks at a thread before giving up.
const WAITS_MAX: u32 = 10_000;

pub(crate) fn open(place: Place, writing: Writing) -> Store {
    static PROCESSES: AtomicU32 = AtomicU32::new(0);
    let pid = PROCESSES.fetch_add(1, Ordering::Relaxed) + 1;
    Store::open(codewhale_store::Options {
        place,
        writing,
        merge_deltas: true,
        redactor: Arc::new(Redactor::new([])),
        owner: OwnerRow {
            id: OwnerId::from(format!("owner_{pid}").as_str()),
            pid,
            started_at: Timestamp::from_ms(0),
        },
    })
    .unwrap()
}

fn options(model: &Arc<Script>, ran: &Ran) -> Options {
    static SEED: AtomicU32 = AtomicU32::new(0);
    let seed = SEED.fetch_add(1, Ordering::Relaxed);
    Options {
        env: Env::simulated(u64::from(seed), Timestamp::from_ms(1_780_000_000_000)),
        workspace: "/".to_owned(),
        routes: Routes::only(Route {
            context_window: Some(WINDOW),
            ..Route::to("scripted", "script", Arc::clone(model) as _)
        }),
        prices: PriceBook::default(),
        effort: Effort::Auto,
        tools: registry(ran),
        child_environment: Arc::from([]),
        allow_shell: false,
        retry: RetryPolicy::default(),
        mcp: None,
        library: None,
        hooks: HookSettings::default(),
        walls: WallSettings::default(),
        rules: RuleBook::default(),
        results: None,
        snapshots: None,
        old_sessions: Vec::new(),
        settings: None,
        approval_timeout: APPROVAL_TIMEOUT,
        agents: AgentSettings::default(),
        fleet: None,
        goals: GoalSettings::default(),
        workers: 2,
        time_zone: LazyLock::new(|| codewhale_runtime::TimeZone::UTC),
        version: "test".to_owned(),
    }
}
