//! Calls without a model: judged, asked about and recorded like any other, and part of the conversation.

use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::{ToolsCall, ToolsList, TurnsSteer};
use codewhale_protocol::runtime::{ItemStatus, ThreadId, TurnStatus};
use serde_json::{Value, json};

use crate::model::says;
use crate::world::World;

async fn call(world: &World, thread: &ThreadId, more: Value) -> Result<(), ErrorCode> {
    let mut params = json!({ "thread_id": thread, "tool": "note", "input": { "text": "hi" } });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    let called = world.call::<ToolsCall>(params).await;
    called.map(drop).map_err(|error| error.code)
}

#[tokio::test(start_paused = true)]
async fn a_call_is_asked_about_runs_once_and_is_read_by_the_next_turn() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    call(&world, &thread, json!({})).await.unwrap();
    let approval = world.asked(&thread).await;
    assert_eq!(approval.detail.tool_name, "note");
    assert_eq!(
        call(&world, &thread, json!({})).await,
        Err(ErrorCode::Conflict)
    );
    let turn = world.detail(&thread).await.turns[0].id.clone();
    let steer = json!({ "thread_id": thread, "turn_id": turn, "prompt": "more" });
    assert!(
        world.call::<TurnsSteer>(steer).await.is_err(),
        "no model would read it"
    );
    world.decide(&approval.id, "allow").await.unwrap();
    let ended = world.ended(&thread).await;
    assert_eq!(ended.status, TurnStatus::Completed);
    assert_eq!(ended.input_summary, "Call of note");
    assert_eq!(world.ran().len(), 1);
    let detail = world.detail(&thread).await;
    let item = detail.items.iter().find(|it| it.kind.is_tool()).unwrap();
    assert_eq!(item.status, ItemStatus::Completed);

    world.model.then(says("done"));
    world.turn(&thread, "what was that?").await;
    let read = format!("{:?}", world.model.last_request());
    assert!(
        read.contains("Run the tool note as I call it here."),
        "{read}"
    );
    assert_eq!(world.ran().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_does_not_run_and_its_item_says_so() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    call(&world, &thread, json!({})).await.unwrap();
    let approval = world.asked(&thread).await.id;
    world.decide(&approval, "deny").await.unwrap();
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    assert_eq!(world.ran().len(), 0);
    let detail = world.detail(&thread).await;
    let item = detail.items.iter().find(|it| it.kind.is_tool()).unwrap();
    assert_eq!(item.status, ItemStatus::Failed);
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_where_the_caller_wants_it_though_the_thread_would_not_ask() {
    let world = World::new().await;
    let thread = world.thread(json!({ "auto_approve": true })).await;
    call(&world, &thread, json!({})).await.unwrap();
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    assert_eq!(world.ran().len(), 1);
    call(&world, &thread, json!({ "ask": true })).await.unwrap();
    let approval = world.asked(&thread).await.id;
    world.decide(&approval, "deny").await.unwrap();
    world.ended(&thread).await;
    assert_eq!(world.ran().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_tool_is_refused_or_fails_in_its_item() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let blank = call(&world, &thread, json!({ "tool": " " })).await;
    assert_eq!(blank, Err(ErrorCode::InvalidParams));
    call(&world, &thread, json!({ "tool": "nothing" }))
        .await
        .unwrap();
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    let detail = world.detail(&thread).await;
    let item = detail.items.iter().find(|it| it.kind.is_tool()).unwrap();
    assert_eq!(item.status, ItemStatus::Failed);
    let listed = world.call::<ToolsList>(json!({})).await.unwrap().tools;
    assert!(
        listed
            .iter()
            .any(|tool| tool.name == "note" && !tool.read_only)
    );
}
