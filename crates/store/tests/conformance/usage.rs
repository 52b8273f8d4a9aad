//! What the agents of a turn used and what it cost.

use codewhale_protocol::runtime::{Timestamp, TurnId, Usage};
use codewhale_store::UsageRow;

use crate::world;

#[tokio::test]
async fn each_agent_of_a_turn_has_a_row_of_its_own_with_its_cost() {
    for engine in world::engines() {
        let world = engine.world();
        let row = |actor: &str, model: &str, cost_microusd, priced_by: Option<&str>| UsageRow {
            turn_id: "turn_1".into(),
            thread_id: "thr_a".into(),
            room_id: "room_1".into(),
            actor_id: actor.into(),
            provider: "p".into(),
            model: model.into(),
            ended_at: Timestamp::from_ms(7),
            usage: Usage {
                input_tokens: 5,
                output_tokens: 4,
                prompt_cache_hit_tokens: Some(3),
                prompt_cache_miss_tokens: None,
                prompt_cache_write_tokens: Some(2),
                reasoning_tokens: Some(1),
            },
            cost_microusd,
            priced_by: priced_by.map(str::to_owned),
        };
        let rows = [
            row("act_1", "a", 12, Some("2026-08")),
            row("act_2", "b", 0, None),
        ];
        let mut batch = world.batch();
        rows.iter().for_each(|row| batch.put_usage(row.clone()));
        world.commit(batch).await;
        let read = |turn: &str| {
            let turn = TurnId::from(turn);
            world.store.read(|reader| reader.usage(&turn)).unwrap()
        };
        assert_eq!(read("turn_1"), rows, "{}", engine.name);
        assert_eq!(read("turn_2"), []);
    }
}
