//! What the agents of a turn used and what it cost.

use codewhale_protocol::runtime::{Timestamp, TurnId, Usage};
use codewhale_store::{UsageGroup, UsageQuery, UsageRow, UsageSum};

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
            began_at: Timestamp::from_ms(6),
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

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The moment of an hour of a day, both counted from the epoch and from midnight.
fn moment(day: i64, hour: i64) -> Timestamp {
    Timestamp::from_ms(day * DAY_MS + hour * 60 * 60 * 1000)
}

/// Something used at a moment: 10 tokens in, of which 4 were cached, 2 out, for 3 millionths.
fn used(world: &world::World, number: u64, thread: &str, model: &str, at: Timestamp) -> UsageRow {
    UsageRow {
        turn_id: format!("turn_{number}").as_str().into(),
        thread_id: thread.into(),
        room_id: world.room.clone(),
        actor_id: "act_1".into(),
        provider: "p".into(),
        model: model.into(),
        began_at: at,
        ended_at: moment(99, 0),
        usage: Usage {
            input_tokens: 10,
            output_tokens: 2,
            prompt_cache_hit_tokens: Some(4),
            ..Usage::default()
        },
        cost_microusd: 3,
        priced_by: (model != "free").then(|| "2026-08".to_owned()),
    }
}

#[tokio::test]
async fn sums_are_those_of_the_rows_whatever_part_of_a_day_is_asked_for() {
    for engine in world::engines() {
        let world = engine.world();
        world.join_room().await;
        let rows = [
            used(&world, 1, "thr_a", "m", moment(0, 5)),
            used(&world, 2, "thr_a", "m", moment(1, 0)),
            used(&world, 3, "thr_a", "free", moment(1, 13)),
            used(&world, 4, "thr_b", "m", moment(1, 13)),
            used(&world, 5, "thr_b", "m", moment(3, 23)),
        ];
        let mut batch = world.batch();
        rows.iter().for_each(|row| batch.put_usage(row.clone()));
        world.commit(batch).await;
        let ask = |principal: &str, since, until, group| {
            let query = UsageQuery {
                principal,
                since,
                until,
                group,
            };
            let sums = world.store.read(|reader| reader.usage_sums(&query));
            sums.unwrap()
        };
        let counts = |since, until, group| {
            let sums = ask(world.principal.as_str(), since, until, group).into_iter();
            let counts = sums.map(|(key, sum)| format!("{key} {}", sum.records));
            counts.collect::<Vec<_>>()
        };
        let always = (moment(0, 0), moment(30, 0));
        let by = |group| counts(always.0, always.1, group);
        assert_eq!(
            by(UsageGroup::Day),
            ["1970-01-01 1", "1970-01-02 3", "1970-01-04 1"]
        );
        assert_eq!(by(UsageGroup::Model), ["free 1", "m 4"]);
        assert_eq!(by(UsageGroup::Provider), ["p 5"]);
        assert_eq!(by(UsageGroup::Thread), ["thr_a 3", "thr_b 2"]);
        for (since, until, expected) in [
            (moment(0, 6), moment(1, 13), 3),
            (moment(1, 0), moment(1, 0), 1),
            (moment(1, 1), moment(1, 13), 2),
            (moment(1, 0), moment(3, 22), 3),
            (moment(0, 5), moment(3, 23), 5),
            (moment(4, 0), moment(5, 0), 0),
        ] {
            let sums = ask(world.principal.as_str(), since, until, UsageGroup::Provider);
            let records = sums.first().map_or(0, |(_, sum)| sum.records);
            assert_eq!(records, expected, "{since} to {until}");
        }
        let all = ask(
            world.principal.as_str(),
            always.0,
            always.1,
            UsageGroup::Provider,
        );
        let expected = UsageSum {
            records: 5,
            priced_records: 4,
            input_tokens: 50,
            output_tokens: 10,
            cached_tokens: 20,
            cache_write_tokens: 0,
            reasoning_tokens: 0,
            cost_microusd: 15,
        };
        assert_eq!(all, [("p".to_owned(), expected)]);
        // Who is in none of the rooms has seen nothing of it.
        assert_eq!(ask("prn_stranger", always.0, always.1, UsageGroup::Day), []);
    }
}
