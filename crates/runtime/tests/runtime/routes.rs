//! Several models on one turn: who is named, who is charged.

use codewhale_model::{ErrorKind, Route, Routes};
use codewhale_protocol::operations::ThreadsCompact;
use codewhale_protocol::runtime::{ItemKind, TurnStatus};
use codewhale_store::UsageRow;
use serde_json::json;

use crate::model::{Piece, says, wants};
use crate::world::World;

/// A world whose model is DeepSeek's, with one of Anthropic's to stand in.
async fn world() -> World {
    World::with_routes(|model| {
        let route = |provider: &str, name: &str| Route {
            context_window: Some(10_000_000),
            ..Route::to(provider, name, model.clone())
        };
        let stand_in = route("anthropic", "claude-sonnet-4-6");
        Routes::chain(route("deepseek", "deepseek-v4-pro"), vec![stand_in])
    })
    .await
}

fn usage(world: &World, turn: &codewhale_protocol::runtime::TurnId) -> Vec<UsageRow> {
    world.store.read(|reader| reader.usage(turn)).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_went_on_with_another_model_names_it_and_charges_each_for_its_own() {
    let world = world().await;
    let thread = world.thread(json!({ "auto_approve": true })).await;
    let mut first = wants("call_1", "note", &json!({ "n": 1 }));
    first.push(Piece::Usage(1_000_000));
    world.model.then(first);
    world
        .model
        .then(vec![Piece::Text("I am"), Piece::Fail(ErrorKind::Exhausted)]);
    world
        .model
        .then(vec![Piece::Text("Done."), Piece::Usage(2_000_000)]);
    let turn = world.turn(&thread, "go").await;
    assert_eq!(turn.status, TurnStatus::Completed);
    assert_eq!(turn.effective_provider.as_deref(), Some("anthropic"));
    assert_eq!(turn.effective_model.as_deref(), Some("claude-sonnet-4-6"));
    let answered = turn.answered_by.clone().unwrap().agent.unwrap();
    assert_eq!(answered.model, "claude-sonnet-4-6");
    assert_eq!(turn.usage.unwrap().input_tokens, 3_000_000);
    assert_eq!(turn.cost_usd, Some(6.660_017));

    let rows = usage(&world, &turn.id);
    let told = |row: &UsageRow| (row.model.clone(), row.usage.input_tokens, row.cost_microusd);
    assert_eq!(
        rows.iter().map(told).collect::<Vec<_>>(),
        [
            ("claude-sonnet-4-6".to_owned(), 2_000_000, 6_000_015),
            ("deepseek-v4-pro".to_owned(), 1_000_000, 660_002),
        ]
    );
    assert!(rows.iter().all(|row| row.priced_by.is_some()));

    // Events behind the switch name the model that spoke; the text that broke off was the first's.
    let models: Vec<(String, String)> = world
        .envelopes(&thread)
        .into_iter()
        .filter(|it| it.event.starts_with("item.") && it.event != "item.delta")
        .filter_map(|it| Some((it.event, it.actor?.agent?.model)))
        .collect();
    let switch = models
        .iter()
        .position(|(_, model)| model == "claude-sonnet-4-6")
        .unwrap();
    assert!(
        models[..switch]
            .iter()
            .any(|(event, _)| event == "item.failed")
    );
    assert!(
        models[switch..]
            .iter()
            .all(|(_, model)| model == "claude-sonnet-4-6"),
        "{models:?}"
    );
    // The next turn begins with the model of the thread again.
    let turn = world.turn(&thread, "again").await;
    assert_eq!(turn.effective_model.as_deref(), Some("deepseek-v4-pro"));
}

#[tokio::test(start_paused = true)]
async fn who_shortens_a_conversation_is_an_agent_of_its_own_with_its_own_costs() {
    let world = world().await;
    let thread = world.thread(json!({})).await;
    let long = "a long story, told at length, ".repeat(40);
    world.turn(&thread, &long).await;
    world
        .model
        .then(vec![Piece::Text("Much was said."), Piece::Usage(1_000_000)]);
    let params = json!({ "thread_id": thread });
    world.call::<ThreadsCompact>(params).await.unwrap();
    let turn = world.ended(&thread).await;
    assert_eq!(turn.status, TurnStatus::Completed);
    let detail = world.detail(&thread).await;
    let item = |kind| detail.items.iter().find(|item| item.kind == kind).unwrap();
    let (said, shortened) = (
        item(ItemKind::AgentMessage),
        item(ItemKind::ContextCompaction),
    );
    assert_ne!(said.actor_id, shortened.actor_id);
    let rows = usage(&world, &turn.id);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].actor_id, shortened.actor_id);
    assert_eq!(rows[0].cost_microusd, 660_002);
}

#[tokio::test(start_paused = true)]
async fn a_model_without_a_known_price_counts_tokens_and_costs_nothing() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.model.then(vec![Piece::Text("Hi."), Piece::Usage(9)]);
    let turn = world.turn(&thread, "hello").await;
    assert_eq!(turn.cost_usd, Some(0.0));
    let rows = usage(&world, &turn.id);
    assert_eq!(
        (rows[0].cost_microusd, rows[0].priced_by.clone()),
        (0, None)
    );
    world.model.then(says("no count"));
    let turn = world.turn(&thread, "again").await;
    assert!(usage(&world, &turn.id).is_empty());
}
