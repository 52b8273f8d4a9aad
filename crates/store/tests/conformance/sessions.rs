//! Sessions: which threads are some, and what they amount to.

use codewhale_protocol::runtime::{ItemKind, ThreadRecord, Timestamp};
use codewhale_store::{Located, SessionFigures, SessionQuery, Shown, ThreadWords};

use crate::world::{self, World};

/// A thread with a turn in it that took this long.
async fn record(world: &World, id: &str, change: impl FnOnce(&mut ThreadRecord)) {
    let turn = format!("turn_of_{id}");
    let mut thread = world.thread_record(id, 1);
    thread.latest_turn_id = Some(turn.as_str().into());
    change(&mut thread);
    let mut batch = world.batch();
    batch.put_thread(&thread, &ThreadWords::default());
    let mut done = world.turn_record(id, &turn);
    done.duration_ms = Some(1500);
    batch.put_turn(0, &done);
    let kinds = [
        ItemKind::UserMessage,
        ItemKind::AgentReasoning,
        ItemKind::ToolCall,
        ItemKind::AgentMessage,
    ];
    for (ordinal, kind) in (0..).zip(kinds) {
        let mut item = world.item_record(&turn, &format!("item_{ordinal}_of_{id}"));
        item.kind = kind;
        batch.put_item(&id.into(), ordinal, &item);
    }
    world.commit(batch).await;
}

fn list(world: &World, shown: Shown, search: Option<&str>, workspace: Option<&str>) -> Vec<String> {
    let query = SessionQuery {
        principal: world.principal.as_str(),
        shown,
        limit: 10,
        search,
        workspace,
    };
    let lines = world.store.read(|reader| reader.sessions(&query)).unwrap();
    let ids = lines.into_iter().map(|line| line.record.id.to_string());
    ids.collect()
}

#[tokio::test]
async fn threads_with_a_turn_are_listed_by_what_they_are_and_where() {
    for engine in world::engines() {
        let world = engine.world();
        world.join_room().await;
        let empty = world.new_thread("thr_empty", 5);
        world.commit(empty).await;
        record(&world, "thr_a", |it| it.title = Some("50% Done".into())).await;
        record(&world, "thr_b", |it| it.workspace = "/Work/there".into()).await;
        record(&world, "thr_c", |it| it.archived = true).await;
        assert_eq!(list(&world, Shown::Active, None, None), ["thr_b", "thr_a"]);
        assert_eq!(list(&world, Shown::Archived, None, None), ["thr_c"]);
        assert_eq!(list(&world, Shown::All, Some("50%"), None), ["thr_a"]);
        assert_eq!(list(&world, Shown::All, Some("work/"), None), ["thr_b"]);
        assert_eq!(
            list(&world, Shown::All, None, Some("/w")),
            ["thr_c", "thr_a"]
        );
        let figures = SessionFigures {
            messages: 2,
            worked_ms: 1500,
            ..SessionFigures::default()
        };
        let id = "thr_a".into();
        let found = world.store.read(|reader| reader.session_figures(&id));
        assert_eq!(found.unwrap(), figures, "{}", engine.name);
    }
}

#[tokio::test]
async fn a_deleted_thread_is_in_no_list_and_nobody_has_a_role_there() {
    for engine in world::engines() {
        let world = engine.world();
        world.join_room().await;
        record(&world, "thr_a", |_| {}).await;
        record(&world, "thr_child", |it| {
            it.parent_id = Some("thr_a".into());
            it.root_id = Some("thr_a".into());
        })
        .await;
        let role = |id: &str| {
            let id = id.into();
            let role = world
                .store
                .read(|reader| reader.role(&world.principal, Located::Thread(&id)));
            role.unwrap()
        };
        assert!(role("thr_a").is_some() && role("thr_child").is_some());
        let mut thread = world.thread_record("thr_a", 2);
        thread.deleted_at = Some(Timestamp::from_ms(2));
        let mut batch = world.batch();
        batch.put_thread(&thread, &ThreadWords::default());
        world.commit(batch).await;
        assert_eq!((role("thr_a"), role("thr_child")), (None, None));
        assert_eq!(list(&world, Shown::All, None, None), [""; 0]);
        let hidden = world.store.read(|reader| reader.hidden_threads()).unwrap();
        assert_eq!(hidden, ["thr_a".into()], "{}", engine.name);
    }
}
