//! The end of the process, sudden or asked for, and the next start.

mod automations;
mod chance;
mod crashes;
mod effects;
mod once;
mod orderly;
mod tasks;

use codewhale_protocol::Redactor;
use codewhale_protocol::runtime::{
    ItemStatus, OwnerId, StreamId, ThreadId, ThreadView, Timestamp, TurnStatus,
};
use codewhale_store::{Options, OwnerRow, Place, Store, Verified, Writing};
use codewhale_testkit::app::{App, Home, Seen, fold};

/// What turns and items are told that a process left behind.
const CAUSE: &str = "Interrupted by process restart";

/// The store of a program that has ended, opened on a copy of its files.
struct Opened {
    store: Store,
    _copy: Home,
}

fn open(home: &Home) -> Opened {
    let copy = home.copy();
    let store = Store::open(Options {
        place: Place::Home(copy.path()),
        writing: Writing::Inline,
        merge_deltas: true,
        redactor: std::sync::Arc::new(Redactor::new([])),
        owner: OwnerRow {
            id: OwnerId::from("owner_of_the_tests"),
            pid: std::process::id(),
            started_at: Timestamp::from_ms(0),
        },
    });
    Opened {
        store: store.unwrap(),
        _copy: copy,
    }
}

impl Opened {
    /// The hash chain of a thread holds from its first event to its last.
    fn check_chain(&self, thread: &ThreadId, events: usize) {
        let stream = StreamId::Thread(thread.clone());
        let verified = self.store.read(|reader| reader.verify(&stream)).unwrap();
        let Verified::Intact { events: found, .. } = verified else {
            panic!("{thread}: {verified:?}");
        };
        assert_eq!(found, events as u64, "{thread}");
    }
}

/// Sees that a thread came through a restart: nothing that anyone saw is lost or changed, every
/// turn has one end, nothing is in progress, and the snapshot is what the events tell.
async fn check_survived(app: &App, thread: &ThreadId, seen: &[Seen]) -> Vec<Seen> {
    let history = app.history(thread).await;
    assert!(history.len() >= seen.len());
    for (seen, kept) in seen.iter().zip(&history) {
        assert_eq!(seen.data, kept.data);
    }
    let snapshot = app.snapshot(thread).await;
    for turn in &snapshot.turns {
        let ends = history
            .iter()
            .filter(|event| event.event == "turn.completed");
        let ends = ends.filter(|event| event.turn_id.as_ref() == Some(&turn.id));
        assert_eq!(ends.count(), 1, "{}", turn.id);
        assert!(turn.status.is_terminal(), "{}", turn.id);
    }
    for item in &snapshot.items {
        assert!(item.status.is_terminal(), "{}", item.id);
    }
    assert!(snapshot.pending_approvals.is_empty());
    assert_eq!(fold(&history), ThreadView::from(snapshot));
    history
}

/// Sees that what was cut off is told so.
fn check_cut_off(history: &[Seen], seen: &[Seen]) {
    let added = &history[seen.len()..];
    let before = fold(seen);
    let after = fold(history);
    let end = added.last().unwrap();
    assert_eq!(end.event, "turn.completed");
    assert_eq!(end.payload["recovered"], true);
    assert_eq!(end.payload["turn"]["error"], CAUSE);
    assert_eq!(end.payload["turn"]["failure_class"], "restart");
    let turn = after.turns.last().unwrap();
    assert_eq!(turn.status, TurnStatus::Interrupted);
    let was_open = |id| {
        before
            .items
            .iter()
            .any(|it| it.id == id && !it.status.is_terminal())
    };
    for item in after.items.iter().filter(|item| was_open(item.id.clone())) {
        if item.status == ItemStatus::Interrupted {
            assert_eq!(item.metadata.as_ref().unwrap()["error"], CAUSE);
            assert!(item.ended_at.is_some());
        }
    }
}
