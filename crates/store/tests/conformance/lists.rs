//! Lists of threads.

use codewhale_protocol::runtime::ThreadRecord;
use codewhale_store::{Shown, ThreadQuery, ThreadWords};

use crate::world::{self, World};

async fn put(world: &World, id: &str, updated_ms: i64, change: impl FnOnce(&mut ThreadRecord)) {
    let mut thread = world.thread_record(id, updated_ms);
    change(&mut thread);
    let mut batch = world.batch();
    let words = ThreadWords {
        latest_input: Some("Fix it".into()),
        latest_message: None,
    };
    batch.put_thread(&thread, &words);
    world.commit(batch).await;
}

fn list(world: &World, shown: Shown, limit: u64, search: Option<&str>) -> Vec<String> {
    let query = ThreadQuery {
        principal: world.principal.as_str(),
        shown,
        limit,
        search,
    };
    let lines = world.store.read(|reader| reader.threads(&query)).unwrap();
    lines
        .into_iter()
        .map(|line| line.record.id.to_string())
        .collect()
}

#[tokio::test]
async fn the_last_changed_comes_first_and_archived_ones_only_on_request() {
    for engine in world::engines() {
        let world = engine.world();
        world.join_room().await;
        for (id, updated, archived) in [
            ("thr_a", 3, false),
            ("thr_b", 1, false),
            ("thr_c", 2, true),
            ("thr_d", 4, true),
        ] {
            put(&world, id, updated, |thread| thread.archived = archived).await;
        }
        assert_eq!(
            list(&world, Shown::Active, 10, None),
            ["thr_a", "thr_b"],
            "{}",
            engine.name
        );
        assert_eq!(list(&world, Shown::Archived, 10, None), ["thr_d", "thr_c"]);
        assert_eq!(
            list(&world, Shown::All, 10, None),
            ["thr_d", "thr_a", "thr_c", "thr_b"]
        );
        assert_eq!(list(&world, Shown::All, 2, None), ["thr_d", "thr_a"]);
        put(&world, "thr_b", 9, |_| {}).await;
        assert_eq!(list(&world, Shown::Active, 1, None), ["thr_b"]);
    }
}

#[tokio::test]
async fn search_looks_at_id_title_preview_and_model_and_takes_text_literally() {
    for engine in world::engines() {
        let world = engine.world();
        world.join_room().await;
        put(&world, "thr_a", 1, |thread| {
            thread.title = Some("50% DONE".into())
        })
        .await;
        put(&world, "thr_b", 2, |thread| {
            thread.model = "Whale-Large".into()
        })
        .await;
        let search = |text: &str| list(&world, Shown::Active, 10, Some(text));
        assert_eq!(search("50% d"), ["thr_a"], "{}", engine.name);
        assert_eq!(search("whale-l"), ["thr_b"]);
        assert_eq!(search("THR_"), ["thr_b", "thr_a"]);
        assert_eq!(
            search("fix it"),
            ["thr_b"],
            "the prompt stands in for a title"
        );
        assert!(search("thr%a").is_empty());
    }
}

#[tokio::test]
async fn someone_who_is_in_no_room_sees_an_empty_list() {
    for engine in world::engines() {
        let world = engine.world();
        put(&world, "thr_a", 1, |_| {}).await;
        assert!(
            list(&world, Shown::All, 10, None).is_empty(),
            "{}",
            engine.name
        );
    }
}
