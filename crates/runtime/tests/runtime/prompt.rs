//! Standing instructions: the same from turn to turn, with what changed told behind.

use codewhale_model::Message;
use serde_json::json;

use crate::world::World;

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
    let is_update = |message: &Message| matches!(message, Message::User { text } if text.starts_with("<context_update>") && text.contains("Use spaces."));
    assert_eq!(requests[2].iter().filter(|it| is_update(it)).count(), 1);
    let last = Message::User {
        text: "two".to_owned(),
    };
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
