//! A small world around a store: one principal, one room, threads, turns and items made by hand.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use codewhale_protocol::operations::Role;
use codewhale_protocol::runtime::*;
use codewhale_protocol::{Actor, Origin, Redactor, Secret, Surface};
use codewhale_store::{
    About, Batch, Committed, Durability, Error, MemberRow, Options, OwnerRow, Place, Stamp, Store,
    ThreadWords, Writing,
};
use tempfile::TempDir;

/// A value the redactor knows.
pub(crate) const SECRET: &str = "canary-0123456789";

/// The engines that a test runs on.
pub(crate) fn engines() -> Vec<Engine> {
    vec![
        Engine {
            name: "memory",
            place: None,
            writing: Writing::Inline,
        },
        Engine {
            name: "file",
            place: Some(tempfile::tempdir().unwrap()),
            writing: Writing::Threaded,
        },
        Engine {
            name: "file, inline",
            place: Some(tempfile::tempdir().unwrap()),
            writing: Writing::Inline,
        },
    ]
}

pub(crate) struct Engine {
    pub(crate) name: &'static str,
    place: Option<TempDir>,
    writing: Writing,
}

impl Engine {
    pub(crate) fn world(&self) -> World {
        let place = match &self.place {
            None => Place::Memory,
            Some(dir) => Place::Home(dir.path().to_owned()),
        };
        World::new(open(place, self.writing).unwrap())
    }
}

pub(crate) fn home_world(home: &Path) -> World {
    World::new(open(Place::Home(home.to_owned()), Writing::Threaded).unwrap())
}

pub(crate) fn open(place: Place, writing: Writing) -> Result<Store, codewhale_store::OpenError> {
    static OWNERS: AtomicU64 = AtomicU64::new(0);
    let number = OWNERS.fetch_add(1, Ordering::Relaxed);
    Store::open(Options {
        place,
        writing,
        merge_deltas: true,
        redactor: Arc::new(Redactor::new(&[Secret::new(SECRET)])),
        owner: OwnerRow {
            id: OwnerId::from(format!("owner_{}_{number}", std::process::id()).as_str()),
            pid: std::process::id(),
            started_at: Timestamp::from_ms(0),
        },
    })
}

pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) stamp: Arc<Stamp>,
    pub(crate) room: RoomId,
    pub(crate) principal: PrincipalId,
}

impl World {
    pub(crate) fn new(store: Store) -> Self {
        let redactor = Redactor::new([]);
        let stamp = Arc::new(Stamp::new(&redactor, Actor::system("test").into()));
        Self {
            store,
            stamp,
            room: RoomId::from("wr_1"),
            principal: PrincipalId::from("prn_1"),
        }
    }

    pub(crate) fn batch(&self) -> Batch {
        self.store.batch(Durability::Synced)
    }

    pub(crate) async fn commit(&self, batch: Batch) -> Committed {
        self.store.commit(batch).await.unwrap()
    }

    pub(crate) fn thread_record(&self, id: &str, updated_ms: i64) -> ThreadRecord {
        let at = Timestamp::from_ms(updated_ms);
        let mut thread = ThreadRecord {
            schema_version: RECORD_SCHEMA_VERSION,
            id: id.into(),
            created_at: at,
            updated_at: at,
            model: "m".into(),
            model_provider: Some("p".into()),
            model_provider_id: None,
            reasoning_effort: None,
            workspace: "/w".into(),
            additional_directories: Vec::new(),
            mode: Mode::Agent,
            permission_posture: None,
            approval_policy: None,
            sandbox_mode: None,
            allow_shell: false,
            trust_mode: false,
            auto_approve: false,
            latest_turn_id: None,
            latest_response_bookmark: None,
            archived: false,
            system_prompt: None,
            task_id: None,
            title: None,
            session_id: None,
            coherence_state: CoherenceState::Healthy,
            workroom_id: self.room.clone(),
            kind: ThreadKind::AgentTask,
            audience: Audience::Room,
            origin: Origin::of(Surface::Http),
            parent_id: None,
            root_id: None,
            agent_role: None,
            bounds: None,
            deleted_at: None,
        };
        thread.set_permission(Permission::DEFAULT);
        thread
    }

    pub(crate) fn turn_record(&self, thread: &str, id: &str) -> TurnRecord {
        let by = Actor::system("test");
        let mut turn = TurnRecord::new(id.into(), thread.into(), Timestamp::from_ms(1), by);
        turn.input_summary = "do it".into();
        turn
    }

    pub(crate) fn item_record(&self, turn: &str, id: &str) -> TurnItemRecord {
        let (kind, by) = (ItemKind::AgentMessage, self.stamp.id.clone());
        TurnItemRecord::new(id.into(), turn.into(), kind, by, Timestamp::from_ms(1))
    }

    pub(crate) fn event(&self, batch: &mut Batch, thread: &str, event: &Event) {
        let about = About {
            stream: &StreamId::Thread(thread.into()),
            turn_id: None,
            item_id: None,
            at: Timestamp::from_ms(1),
            by: &self.stamp,
        };
        batch.event(about, event);
    }

    /// A batch that makes a thread.
    pub(crate) fn new_thread(&self, id: &str, updated_ms: i64) -> Batch {
        let mut batch = self.batch();
        let thread = self.thread_record(id, updated_ms);
        batch.put_thread(&thread, &ThreadWords::default());
        self.event(
            &mut batch,
            id,
            &Event::ThreadStarted(ThreadStarted { thread }),
        );
        batch
    }

    /// A batch that starts a turn.
    pub(crate) fn new_turn(&self, thread: &str, id: &str, ordinal: u64) -> Batch {
        let mut batch = self.batch();
        let turn = self.turn_record(thread, id);
        batch.put_turn(ordinal, &turn);
        self.event(
            &mut batch,
            thread,
            &Event::TurnStarted(TurnStarted {
                turn,
                manual_compaction: false,
            }),
        );
        batch
    }

    /// A batch with nothing but an event.
    pub(crate) fn note(&self, thread: &str) -> Batch {
        let mut batch = self.batch();
        let event = Event::SandboxDenied(SandboxDenied {
            tool_id: "call_1".into(),
            tool_name: "exec_shell".into(),
            reason: "no".into(),
        });
        self.event(&mut batch, thread, &event);
        batch
    }

    pub(crate) async fn join_room(&self) {
        let mut batch = self.batch();
        batch.put_member(MemberRow {
            room: self.room.clone(),
            principal: self.principal.clone(),
            role: Role::Owner,
            added_by: self.principal.clone(),
            added_at: Timestamp::from_ms(0),
        });
        self.commit(batch).await;
    }

    pub(crate) fn events(&self, thread: &str) -> Vec<RuntimeEventEnvelope> {
        let stream = StreamId::Thread(thread.into());
        self.store
            .read(|reader| reader.events(&stream, Seq::ZERO, usize::MAX))
            .unwrap()
    }
}

#[track_caller]
pub(crate) fn guard_failed<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::Guard(_))), "{result:?}");
}
