//! What the model reads besides what people say: instructions and tools that are the same from turn
//! to turn, what changed told behind, and what is known of each turn at the end of each message.

use std::sync::Arc;
use std::time::Duration;

use codewhale_model::{Message, without_meta};
use codewhale_protocol::runtime::{ItemKind, TurnStatus};
use codewhale_store::{Place, Writing};
use serde_json::json;
use tokio::sync::Notify;

use crate::input::write_all;
use crate::model::{Piece, call, says, wants};
use crate::world::{WINDOW, World, open};

#[tokio::test(start_paused = true)]
async fn edited_instructions_are_told_behind_the_conversation_and_the_prefix_stays() {
    let home = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(home.path().join("AGENTS.md"), text).unwrap();
    write("Use tabs.");
    let world = World::with_library(home.path()).await;
    let thread = world.thread(json!({})).await;
    world.turn(&thread, "one").await;
    write("Use spaces.");
    world.turn(&thread, "two").await;
    world.turn(&thread, "three").await;

    let systems = world.model.systems();
    assert!(systems[0].contains("Use tabs."), "{systems:?}");
    assert!(systems.iter().all(|system| *system == systems[0]));
    let requests = world.model.requests();
    for pair in requests.windows(2) {
        assert_eq!(pair[1][..pair[0].len()], pair[0]);
    }
    let is_update = |message: &Message| matches!(message, Message::User { text, .. } if text.starts_with("<context_update>") && text.contains("Use spaces."));
    assert_eq!(requests[2].iter().filter(|it| is_update(it)).count(), 1);
    let last = Message::user("two");
    assert_eq!(requests[1].last(), Some(&last));
    let detail = world.detail(&thread).await;
    let seen = serde_json::to_string(&detail.items).unwrap();
    assert!(!seen.contains("context_update"), "{seen}");
    world.runtime.shutdown().await.unwrap();

    // Told anew, it begins with the instructions as they are.
    let world = World::with_library(home.path()).await;
    world.turn(&thread, "four").await;
    let systems = world.model.systems();
    assert!(systems[0].contains("Use spaces."), "{systems:?}");
    assert!(!world.model.last_request().iter().any(is_update));
}

#[tokio::test(start_paused = true)]
async fn what_was_told_of_a_change_outlives_the_summary_that_takes_it_away() {
    let home = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(home.path().join("AGENTS.md"), text).unwrap();
    write("Use tabs.");
    let world = World::with_library(home.path()).await;
    let thread = world.thread(json!({})).await;
    world.turn(&thread, "one").await;
    write("Use spaces.");
    let long = json!({ "at": "a long way ".repeat(200) });
    world.model.then(vec![
        call("call_1", "look", &long),
        Piece::Usage(WINDOW * 9 / 10),
    ]);
    world.model.then(says("In short."));
    world.turn(&thread, "two").await;
    world.turn(&thread, "three").await;

    // One, two, the summary; and from then on.
    let systems = world.model.systems();
    assert!(systems[..3].iter().all(|it| it.contains("Use tabs.")));
    assert!(systems[3].contains("Use spaces.") && !systems[3].contains("Use tabs."));
    assert_eq!(systems[4], systems[3]);
    let sent = world.model.sent();
    assert_eq!(sent[4][..sent[3].len()], sent[3]);
}

#[tokio::test(start_paused = true)]
async fn each_message_ends_with_its_turn_and_reads_the_same_when_it_is_told_anew() {
    let home = tempfile::tempdir().unwrap();
    let world = World::at(home.path()).await;
    let thread = world.thread(json!({})).await;
    let first = world.turn(&thread, "one").await;
    world
        .patch(&thread, json!({ "mode": "plan" }))
        .await
        .unwrap();
    world.turn(&thread, "two").await;
    let meta = first.meta.unwrap();
    let told = format!(
        "one\n\n<turn_meta>\nlocal_date: {}\nworkspace: {}\nmode: agent\nroute: {}\n</turn_meta>",
        meta.local_date, meta.workspace, meta.route
    );
    let sent = world.model.sent().pop().unwrap();
    assert_eq!(sent[0], Message::user(told));
    assert!(matches!(&sent[2], Message::User { text, .. } if text.starts_with("<context_update>")));
    assert!(
        matches!(sent.last(), Some(Message::User { text, .. })
            if text.starts_with("two\n\n<turn_meta>") && text.contains("\nmode: plan\n")),
        "{sent:#?}"
    );
    let detail = world.detail(&thread).await;
    let shown = serde_json::to_string(&(&detail.items, world.envelopes(&thread))).unwrap();
    assert!(!shown.contains("<turn_meta>"), "{shown}");
    // Settings of today say nothing about the turns of yesterday.
    world
        .patch(&thread, json!({ "mode": "agent" }))
        .await
        .unwrap();
    world.runtime.shutdown().await.unwrap();

    let world = World::at(home.path()).await;
    world.turn(&thread, "three").await;
    let anew = world.model.sent().pop().unwrap();
    assert_eq!(anew[..2], sent[..2]);
    assert_eq!(anew[2], *sent.last().unwrap());
    let said: Vec<&str> = anew.iter().filter_map(text_of).map(without_meta).collect();
    assert_eq!(said, ["one", "two", "three"]);
}

fn text_of(message: &Message) -> Option<&str> {
    match message {
        Message::User { text, .. } => Some(text),
        Message::Assistant { .. } | Message::Tool { .. } => None,
    }
}

#[tokio::test(start_paused = true)]
async fn tools_stay_listed_when_the_mode_forbids_them_and_the_law_refuses_them() {
    let world = World::new().await;
    let thread = world.thread(json!({ "mode": "plan" })).await;
    world.turn(&thread, "look").await;
    world
        .patch(&thread, json!({ "mode": "agent", "auto_approve": true }))
        .await
        .unwrap();
    world.turn(&thread, "work").await;
    world
        .patch(&thread, json!({ "mode": "plan" }))
        .await
        .unwrap();
    world.model.then(wants("call_1", "note", &json!({})));
    world.turn(&thread, "think").await;
    let offered = world.model.offered();
    let names = |request: usize| -> Vec<&str> {
        let tools = offered[request].iter().map(|tool| tool.name.as_str());
        tools
            .filter(|name| ["look", "note", "run"].contains(name))
            .collect()
    };
    assert_eq!(names(0), ["look"]);
    assert_eq!(names(1)[..2], ["look", "note"]);
    assert!(offered[1..].iter().all(|tools| *tools == offered[1]));
    assert!(world.ran().is_empty());
    let told = world.model.last_request();
    let refused = |message: &Message| matches!(message, Message::Tool { output, success: false, .. } if output.starts_with("Not allowed"));
    assert!(told.iter().any(refused), "{told:#?}");
    let updates = told.iter().filter_map(text_of);
    let updates: Vec<_> = updates
        .filter(|it| it.starts_with("<context_update>"))
        .collect();
    assert_eq!(updates.len(), 1);
    assert!(updates[0].contains("refused: note"), "{updates:?}");
}

#[tokio::test(start_paused = true)]
async fn a_mode_that_widens_in_the_middle_of_a_turn_adds_tools_to_the_next_one() {
    let world = World::new().await;
    let thread = world.thread(json!({ "mode": "plan" })).await;
    let gate = Arc::new(Notify::new());
    world.model.then(vec![
        Piece::Gate(Arc::clone(&gate)),
        call("call_1", "look", &json!({})),
    ]);
    world.start(&thread, "look").await.unwrap();
    world
        .until(&thread, |_| !world.model.requests().is_empty())
        .await;
    world
        .patch(&thread, json!({ "mode": "agent" }))
        .await
        .unwrap();
    gate.notify_one();
    world.ended(&thread).await;
    world.turn(&thread, "go on").await;
    let listed: Vec<usize> = world.model.offered().iter().map(Vec::len).collect();
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[0], listed[1]);
    assert!(listed[2] > listed[1], "{listed:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_added_just_before_a_summary_is_read_behind_it_also_when_told_anew() {
    let home = tempfile::tempdir().unwrap();
    let store = open(Place::Home(home.path().to_owned()), Writing::ByHand);
    let (world, ()) = tokio::join!(World::on(store.clone()), write_all(&store));
    let (thread, ()) = tokio::join!(world.thread(json!({})), write_all(&store));
    let [speak, sum_up] = [(); 2].map(|()| Arc::new(Notify::new()));
    world.model.then(vec![
        Piece::Gate(Arc::clone(&speak)),
        call(
            "call_1",
            "look",
            &json!({ "at": "a long way ".repeat(200) }),
        ),
        Piece::Usage(WINDOW * 9 / 10),
    ]);
    world.model.then(vec![
        Piece::Gate(Arc::clone(&sum_up)),
        Piece::Text("In short."),
    ]);
    world.model.then(says("I go on."));
    let (turn, ()) = tokio::join!(world.start(&thread, "first"), write_all(&store));
    let turn = turn.unwrap();
    let summary_begins = async {
        // The addition has its place, and the disk has not taken it yet.
        tokio::time::sleep(Duration::from_millis(1)).await;
        speak.notify_one();
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(world.model.requests().len(), 2, "the summary is asked for");
        write_all(&store).await;
    };
    let (steered, ()) = tokio::join!(world.steer(&thread, &turn, "second"), summary_begins);
    steered.unwrap();
    sum_up.notify_one();
    let (turn, ()) = tokio::join!(world.ended(&thread), write_all(&store));
    assert_eq!(turn.status, TurnStatus::Completed);
    let (detail, ()) = tokio::join!(world.detail(&thread), write_all(&store));
    let place = |wanted: &dyn Fn(ItemKind, &str) -> bool| {
        let items = detail.items.iter();
        items
            .map(|it| wanted(it.kind, &it.summary))
            .position(|it| it)
            .unwrap()
    };
    let said = place(&|kind, text| kind == ItemKind::UserMessage && text == "second");
    assert!(said < place(&|kind, _| kind == ItemKind::ContextCompaction));
    let live = world.model.sent().pop().unwrap();
    let words: Vec<&str> = live.iter().filter_map(text_of).map(without_meta).collect();
    assert_eq!((words.len(), words[1]), (2, "second"), "{live:#?}");

    // Unloaded by now.
    tokio::time::sleep(Duration::from_secs(125)).await;
    let (_, ()) = tokio::join!(world.turn(&thread, "third"), write_all(&store));
    let anew = world.model.sent().pop().unwrap();
    assert_eq!(anew[..live.len()], live);
}
