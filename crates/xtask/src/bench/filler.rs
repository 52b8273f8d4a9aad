//! Fills a store much faster than it could be filled through a door: after the pattern of one
//! thread that the measured binary has made itself.

use std::sync::Arc;

use anyhow::{Context, Result};
use codewhale_protocol::runtime::{
    AutomationId, AutomationRunId, Event, ItemChanged, ItemId, ItemKind, ItemStarted, OwnerId,
    StreamId, TaskId, ThreadId, ThreadStarted, Timestamp, TurnCompleted, TurnId, TurnItemRecord,
    TurnRecord, TurnStarted, Usage,
};
use codewhale_protocol::{Actor, Redactor};
use codewhale_store::{
    About, BegunBy, CommitTicket, Durability, NewRun, OwnerRow, Place, Shown, Stamp, Store,
    StoredThread, TaskQuery, ThreadQuery, UsageRow, Writing,
};
use codewhale_testkit::model_server::Reply;

use super::model::Model;
use super::server::Merging;
use super::site::Site;
use super::watch::Pair;

/// What a delta says: with its envelope about 410 bytes.
const TEXT: &str = "the whale is a mammal that lives in the sea and comes up to breathe ";

/// Ordinals of items leave room for so many per turn, as the runtime has it.
const ITEMS_PER_TURN: u64 = 1 << 20;

/// The time over which use is spread, in milliseconds.
const YEAR_MS: u64 = 365 * 24 * 60 * 60 * 1_000;

/// Between the starts of two threads or turns, in milliseconds.
const STEP_MS: u64 = 1_000;

pub(super) struct Filler {
    store: Store,
    stamp: Arc<Stamp>,
    pattern: Pattern,
    /// Ids and moments are counted.
    count: u64,
    newest: Option<CommitTicket>,
}

/// What the measured binary writes for one thread with one turn.
struct Pattern {
    thread: StoredThread,
    turn: TurnRecord,
    prompt: TurnItemRecord,
    answer: TurnItemRecord,
}

/// A thread that turns are added to.
pub(super) struct Thread {
    stored: StoredThread,
    turns: u64,
}

/// A turn on its way into the store.
struct Draft {
    stream: StreamId,
    turn: TurnRecord,
    prompt: TurnItemRecord,
    answer: TurnItemRecord,
}

impl Thread {
    pub(super) fn id(&self) -> &str {
        self.stored.record.id.as_str()
    }
}

impl Filler {
    /// Lets the binary make its pattern, then opens what it left. Nothing, when that is no store
    /// of ours.
    pub(super) async fn open(site: &Site, model: &Model) -> Result<Option<Self>> {
        model.says(Reply::says(TEXT));
        let server = site.start(model, Merging::Off)?;
        let mut pair = Pair::new(&server).await?;
        pair.turn(TEXT.as_bytes()).await?;
        server.end()?;
        if !site.home.join("runtime.db").exists() {
            return Ok(None);
        }
        let store = Store::open(codewhale_store::Options {
            place: Place::Home(site.home.clone()),
            writing: Writing::Threaded,
            merge_deltas: false,
            redactor: Arc::new(Redactor::new([])),
            owner: OwnerRow {
                id: OwnerId::from("owner_bench"),
                pid: std::process::id(),
                started_at: Timestamp::from_ms(0),
            },
        })?;
        let pattern = Pattern::read(&store).context("the pattern thread could not be read")?;
        let stamp = store.stamp(Actor::system("bench").into());
        Ok(Some(Self {
            store,
            stamp,
            pattern,
            count: 0,
            newest: None,
        }))
    }

    /// Adds a thread without turns.
    pub(super) async fn thread(&mut self) -> Thread {
        self.store.room().await;
        let mut stored = self.pattern.thread.clone();
        let record = &mut stored.record;
        record.id = ThreadId::from(format!("thr_{:032x}", self.next()).as_str());
        (record.created_at, record.updated_at) = (self.now(), self.now());
        record.latest_turn_id = None;
        let stream = StreamId::Thread(record.id.clone());
        let mut batch = self.store.batch(Durability::Fast);
        batch.put_thread(record, &stored.words);
        let thread = record.clone();
        let started = Event::ThreadStarted(ThreadStarted { thread });
        batch.event(self.about(&stream, None, None), &started);
        self.newest = Some(self.store.commit(batch));
        Thread { stored, turns: 0 }
    }

    /// Adds a turn of so many deltas.
    pub(super) async fn turn(&mut self, thread: &mut Thread, deltas: usize) {
        self.store.room().await;
        let mut draft = self.draft(&thread.stored.record.id);
        self.begin(&draft);
        let item = (&draft.turn.thread_id, &draft.turn.id, &draft.answer.id);
        draft.answer.detail = Some(self.deltas(item, deltas).await);
        self.end(draft, thread);
    }

    fn draft(&mut self, thread: &ThreadId) -> Draft {
        let number = self.next();
        let turn_id = TurnId::from(format!("turn_{number:032x}").as_str());
        let item = |pattern: &TurnItemRecord, index: u64| TurnItemRecord {
            id: ItemId::from(format!("item_{:032x}", number << 1 | index).as_str()),
            turn_id: turn_id.clone(),
            ..pattern.clone()
        };
        let prompt = item(&self.pattern.prompt, 0);
        let answer = item(&self.pattern.answer, 1);
        let turn = TurnRecord {
            id: turn_id.clone(),
            thread_id: thread.clone(),
            item_ids: vec![prompt.id.clone(), answer.id.clone()],
            final_item_id: Some(answer.id.clone()),
            ..self.pattern.turn.clone()
        };
        Draft {
            stream: StreamId::Thread(thread.clone()),
            turn,
            prompt,
            answer,
        }
    }

    fn begin(&self, draft: &Draft) {
        let mut batch = self.store.batch(Durability::Fast);
        let turn = draft.turn.clone();
        let started = Event::TurnStarted(TurnStarted {
            turn,
            manual_compaction: false,
        });
        batch.event(
            self.about(&draft.stream, Some(&draft.turn.id), None),
            &started,
        );
        let mut show = |item: &TurnItemRecord, event: Event| {
            let about = self.about(&draft.stream, Some(&draft.turn.id), Some(&item.id));
            batch.event(about, &event);
        };
        for item in [&draft.prompt, &draft.answer] {
            let started = ItemStarted::new(item.clone(), None);
            show(item, Event::ItemStarted(started));
        }
        let item = draft.prompt.clone();
        show(&draft.prompt, Event::ItemCompleted(ItemChanged::from(item)));
        drop(self.store.commit(batch));
    }

    fn end(&mut self, draft: Draft, thread: &mut Thread) {
        let Draft {
            stream,
            turn,
            prompt,
            answer,
        } = draft;
        let mut batch = self.store.batch(Durability::Fast);
        let ordinal = thread.turns * ITEMS_PER_TURN;
        batch.put_item(&turn.thread_id, ordinal, &prompt);
        batch.put_item(&turn.thread_id, ordinal + 1, &answer);
        batch.put_turn(thread.turns, &turn);
        let about = self.about(&stream, Some(&turn.id), Some(&answer.id));
        let item = answer.clone();
        batch.event(about, &Event::ItemCompleted(ItemChanged::from(item)));
        let record = &mut thread.stored.record;
        record.latest_turn_id = Some(turn.id.clone());
        record.updated_at = self.now();
        batch.put_thread(record, &thread.stored.words);
        let (id, recovered) = (turn.id.clone(), false);
        let completed = Event::TurnCompleted(TurnCompleted { turn, recovered });
        batch.event(self.about(&stream, Some(&id), None), &completed);
        thread.turns += 1;
        self.newest = Some(self.store.commit(batch));
    }

    /// Sends deltas down the fast lane and gives their text.
    async fn deltas(&self, item: (&ThreadId, &TurnId, &ItemId), count: usize) -> String {
        let now = self.now();
        let kind = ItemKind::AgentMessage;
        let mut writer = self.store.delta_writer(item, kind, &self.stamp.id);
        let mut text = String::new();
        for index in 0..count {
            if index % 256 == 255 {
                self.store.room().await;
            }
            writer.push(now, TEXT, &mut text);
        }
        writer.finish(now, &mut text);
        text
    }

    /// Adds what turns of a year used: so many threads, so many turns each, of two models. The turns
    /// themselves are left out, as sums do not look at them.
    pub(super) async fn usage(&mut self, threads: usize, turns: usize) {
        let step_ms = YEAR_MS / (threads * turns) as u64;
        let record = &self.pattern.thread.record;
        let (room, seed) = (record.workroom_id.clone(), record.id.clone());
        for thread in 0..threads {
            self.store.room().await;
            let thread_id = ThreadId::from(format!("{seed}_{thread}").as_str());
            let mut batch = self.store.batch(Durability::Fast);
            for turn in 0..turns {
                let at = Timestamp::from_ms(0).plus_ms((thread * turns + turn) as u64 * step_ms);
                batch.put_usage(UsageRow {
                    turn_id: TurnId::from(format!("{thread_id}_{turn}").as_str()),
                    thread_id: thread_id.clone(),
                    room_id: room.clone(),
                    actor_id: self.stamp.id.clone(),
                    provider: "bench".to_owned(),
                    model: format!("model-{}", turn % 2),
                    began_at: at,
                    ended_at: at,
                    usage: Usage {
                        input_tokens: 1_000,
                        output_tokens: 100,
                        ..Usage::default()
                    },
                    cost_microusd: 250,
                    priced_by: Some("bench".to_owned()),
                });
            }
            self.newest = Some(self.store.commit(batch));
        }
    }

    /// Adds background tasks like the one there is, each a run of this automation.
    pub(super) async fn tasks(&mut self, automation: &str, count: usize) -> Result<()> {
        let principal = self.store.read(|reader| reader.operator())?;
        let principal = principal.context("there is no operator")?;
        let query = TaskQuery {
            principal: &principal,
            workspace: None,
            limit: 1,
        };
        let pattern = self.store.read(|reader| {
            let newest = reader.tasks(&query)?.pop();
            newest.map_or(Ok(None), |newest| reader.task(&newest.id))
        })?;
        let mut stored = pattern.context("there is no task")?;
        // Their threads and turns are not there; lists do not look for them.
        (stored.task.thread_id, stored.task.turn_id) = (None, None);
        for _ in 0..count {
            self.store.room().await;
            let number = self.next();
            stored.task.id = TaskId::from(format!("task_{number:032x}").as_str());
            let mut batch = self.store.batch(Durability::Fast);
            batch.put_task(&stored);
            batch.put_automation_run(NewRun {
                id: AutomationRunId::from(format!("arun_{number:032x}").as_str()),
                automation: AutomationId::from(automation),
                slot: self.now(),
                by: BegunBy::Clock,
                task: Ok(stored.task.id.clone()),
                at: self.now(),
            });
            self.newest = Some(self.store.commit(batch));
        }
        Ok(())
    }

    /// Waits until everything is written, and lets go.
    pub(super) async fn close(self) -> Result<()> {
        if let Some(newest) = self.newest {
            newest.await?;
        }
        Ok(self.store.close()?)
    }

    fn about<'a>(
        &'a self,
        stream: &'a StreamId,
        turn_id: Option<&'a TurnId>,
        item_id: Option<&'a ItemId>,
    ) -> About<'a> {
        About {
            stream,
            turn_id,
            item_id,
            at: self.now(),
            by: &self.stamp,
        }
    }

    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    /// Long ago, so that new threads are the newest.
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(0).plus_ms(self.count * STEP_MS)
    }
}

impl Pattern {
    fn read(store: &Store) -> Result<Self> {
        let found = store.read(|reader| {
            let Some(operator) = reader.operator()? else {
                return Ok(None);
            };
            let query = ThreadQuery {
                principal: operator.as_str(),
                shown: Shown::All,
                limit: 1,
                search: None,
            };
            let Some(listed) = reader.threads(&query)?.pop() else {
                return Ok(None);
            };
            let detail = reader.detail(&listed.record.id)?;
            Ok(detail.map(|detail| (listed, detail)))
        })?;
        let (listed, detail) = found.context("there is no thread")?;
        let item = |kind: ItemKind| {
            let item = detail.items.iter().find(|item| item.kind == kind);
            item.cloned()
                .with_context(|| format!("there is no {}", kind.as_str()))
        };
        Ok(Self {
            prompt: item(ItemKind::UserMessage)?,
            answer: item(ItemKind::AgentMessage)?,
            turn: detail.turns.first().cloned().context("there is no turn")?,
            thread: StoredThread {
                record: listed.record,
                words: listed.words,
            },
        })
    }
}
