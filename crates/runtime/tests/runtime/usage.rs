//! What turns used, added up for those who may see it.

use codewhale_protocol::operations::UsageReport;
use codewhale_protocol::runtime::{Usage, UsageTotals};
use codewhale_protocol::{Caller, ErrorCode};
use serde_json::json;

use crate::model::Piece;
use crate::world::World;

#[tokio::test(start_paused = true)]
async fn nothing_used_is_zero_and_no_buckets() {
    let world = World::new().await;
    let report = world.call::<UsageReport>(json!({})).await.unwrap();
    let nothing = UsageTotals {
        cost_complete: true,
        ..UsageTotals::default()
    };
    assert_eq!((report.totals, report.buckets), (nothing, Vec::new()));
    assert_eq!((report.since, report.until), (None, None));
}

#[tokio::test(start_paused = true)]
async fn what_a_turn_used_counts_by_day_model_provider_and_thread() {
    let world = World::new().await;
    let used = Usage {
        input_tokens: 100,
        output_tokens: 20,
        prompt_cache_hit_tokens: Some(60),
        prompt_cache_write_tokens: Some(10),
        reasoning_tokens: Some(5),
        ..Usage::default()
    };
    let mut threads = Vec::new();
    for _ in 0..2 {
        let thread = world.thread(json!({})).await;
        world
            .model
            .then(vec![Piece::Text("done"), Piece::Used(used)]);
        world.turn(&thread, "go").await;
        threads.push(thread.to_string());
    }
    threads.sort();
    let expected = UsageTotals {
        input_tokens: 30,
        output_tokens: 20,
        cached_tokens: 60,
        cache_write_tokens: 10,
        reasoning_tokens: 5,
        // Nobody knows what this model costs.
        cost_usd: 0.0,
        turns: 1,
        priced_turns: 0,
        unpriced_turns: 1,
        cost_complete: false,
    };
    let by = async |group: &str| {
        let params = json!({ "group_by": group });
        let report = world.call::<UsageReport>(params).await.unwrap();
        assert_eq!(report.totals.turns, 2, "{group}");
        let keys = report.buckets.iter().map(|it| it.key.clone());
        (keys.collect::<Vec<_>>(), report.buckets[0].totals)
    };
    assert_eq!(by("day").await.0, ["2026-05-28"]);
    assert_eq!(by("model").await.0, ["script"]);
    assert_eq!(by("provider").await.0, ["scripted"]);
    assert_eq!(by("thread").await, (threads, expected));
    let stranger = Caller {
        principal: "prn_stranger".into(),
        ..world.operator.clone()
    };
    let seen = world.call_as::<UsageReport>(&stranger, json!({})).await;
    assert_eq!(seen.unwrap().totals.turns, 0);
    let later = json!({ "since": "2026-05-29T00:00:00Z" });
    let report = world.call::<UsageReport>(later).await.unwrap();
    assert_eq!(report.totals.turns, 0);
}

#[tokio::test(start_paused = true)]
async fn a_time_that_ends_before_it_begins_is_refused() {
    let world = World::new().await;
    let params = json!({ "since": "2026-05-02T00:00:00Z", "until": "2026-05-01T00:00:00Z" });
    let error = world.call::<UsageReport>(params).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
}
