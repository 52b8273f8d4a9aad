//! Tools that the client runs: a call is told, answered once, and ends with its time or its turn.

use std::time::Duration;

use codewhale_protocol::operations::{ThreadsRetry, ToolCallsResult, TurnsStart};
use codewhale_protocol::runtime::{
    Event, ThreadDetail, ThreadId, ToolCallCancelReason, ToolCallRequested, TurnId, TurnStatus,
};
use codewhale_protocol::{ErrorBody, ErrorCode};
use serde_json::{Value, json};

use crate::model::{says, wants};
use crate::processes::Process;
use crate::world::World;

fn tool(defer: bool) -> Value {
    json!({
        "namespace": "ide", "name": "open", "description": "Opens a file in the editor.",
        "input_schema": { "properties": { "path": { "type": "string" } }, "required": ["path"] },
        "defer_loading": defer
    })
}

async fn start(world: &World, thread: &ThreadId, tools: Value) -> Result<TurnId, ErrorBody> {
    let params = json!({ "thread_id": thread, "prompt": "go", "dynamic_tools": tools });
    Ok(world.call::<TurnsStart>(params).await?.turn.id)
}

/// A thread on which a call waits for the client.
async fn waiting(world: &World) -> (ThreadId, TurnId, ToolCallRequested) {
    let thread = world.thread(json!({})).await;
    let input = json!({ "path": "a.rs" });
    world.model.then(wants("call_1", "ide__open", &input));
    let turn = start(world, &thread, json!([tool(false)])).await.unwrap();
    let called = |detail: &ThreadDetail| !detail.pending_dynamic_tool_calls.is_empty();
    let mut detail = world.until(&thread, called).await;
    let call = detail.pending_dynamic_tool_calls.remove(0);
    (thread, turn, call)
}

async fn answer(world: &World, call: &ToolCallRequested, change: Value) -> Option<ErrorCode> {
    let mut params = json!({
        "thread_id": call.about.thread_id, "turn_id": call.about.turn_id,
        "call_id": call.about.call_id, "success": true,
    });
    for (key, value) in change.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    let answered = world.call::<ToolCallsResult>(params).await;
    answered.err().map(|error| error.code)
}

fn about_calls(world: &World, thread: &ThreadId) -> Vec<String> {
    let names = world.envelopes(thread).into_iter().map(|it| it.event);
    names.filter(|it| it.starts_with("tool_call.")).collect()
}

#[tokio::test(start_paused = true)]
async fn a_call_reaches_the_client_once_and_its_result_the_model() {
    let world = World::new().await;
    let (thread, turn, call) = waiting(&world).await;
    assert_eq!(call.about.turn_id, turn);
    assert_eq!(
        (call.namespace.as_deref(), call.tool.as_str()),
        (Some("ide"), "open")
    );
    assert_eq!(call.arguments, json!({ "path": "a.rs" }));
    let wrong = [
        json!({ "turn_id": "turn_none" }),
        json!({ "call_id": "ccall_none" }),
    ];
    for wrong in wrong {
        assert_eq!(
            answer(&world, &call, wrong).await,
            Some(ErrorCode::NotFound)
        );
    }
    let picture = json!({ "content": [{ "type": "input_image", "image_url": "file:///a.png" }] });
    let refused = answer(&world, &call, picture).await;
    assert_eq!(refused, Some(ErrorCode::InvalidParams));
    let content = json!({ "content": [
        { "type": "input_text", "text": "It is open." },
        { "type": "input_image", "image_url": "data:image/png;base64,AAAAAAAA" },
    ] });
    assert_eq!(answer(&world, &call, content.clone()).await, None);
    let again = answer(&world, &call, content).await;
    assert_eq!(again, Some(ErrorCode::NotFound));
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    let read = format!("{:?}", world.model.last_request());
    assert!(
        read.contains("It is open.\\n[image of type image/png, about 6 bytes]"),
        "{read}"
    );
    assert_eq!(
        about_calls(&world, &thread),
        ["tool_call.requested", "tool_call.resolved"]
    );
    let detail = world.detail(&thread).await;
    assert_eq!(detail.pending_dynamic_tool_calls, []);
    let item = detail.items.iter().find(|it| it.kind.is_tool()).unwrap();
    assert!(item.detail.as_ref().unwrap().contains("It is open."));
    // The tool was for that turn alone.
    world.model.then(wants("call_2", "ide__open", &json!({})));
    world.turn(&thread, "again").await;
    let read = format!("{:?}", world.model.last_request());
    assert!(read.contains("There is no tool named"), "{read}");
    assert_eq!(about_calls(&world, &thread).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_no_fails_the_call_and_not_the_turn() {
    let world = World::new().await;
    let (thread, _, call) = waiting(&world).await;
    let no = json!({ "success": false });
    assert_eq!(answer(&world, &call, no).await, None);
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    let resolved = |event: &Event| matches!(event, Event::ToolCallResolved(it) if !it.success);
    world.moment(&thread, resolved);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_answer_is_given_up_after_five_minutes() {
    let world = World::new().await;
    let (thread, _, call) = waiting(&world).await;
    world.model.then(says("Without it, then."));
    tokio::time::sleep(Duration::from_secs(301)).await;
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    assert_eq!(
        about_calls(&world, &thread),
        ["tool_call.requested", "tool_call.timeout"]
    );
    let late = answer(&world, &call, json!({})).await;
    assert_eq!(late, Some(ErrorCode::NotFound));
    let read = format!("{:?}", world.model.last_request());
    assert!(read.contains("did not answer in time"), "{read}");
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_calls_off_what_waits_for_the_client() {
    let world = World::new().await;
    let (thread, turn, call) = waiting(&world).await;
    world.interrupt(&thread, &turn).await.unwrap();
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Interrupted);
    let why = ToolCallCancelReason::TurnTerminal;
    let canceled = |event: &Event| matches!(event, Event::ToolCallCanceled(it) if it.reason == why);
    world.moment(&thread, canceled);
    assert_eq!(about_calls(&world, &thread).len(), 2);
    assert_eq!(world.detail(&thread).await.pending_dynamic_tool_calls, []);
    let late = answer(&world, &call, json!({})).await;
    assert_eq!(late, Some(ErrorCode::NotFound));
}

#[test]
fn the_next_process_calls_off_what_a_dead_one_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let process = Process::start(home.path());
    let (thread, _, _) = process.tokio.block_on(waiting(&process.world));
    process.kill(home.path());
    let process = Process::start(home.path());
    let world = &process.world;
    process.tokio.block_on(async {
        let why = ToolCallCancelReason::ProcessRestart;
        let canceled = |event: &Event| match event {
            Event::ToolCallCanceled(it) => it.reason == why && it.recovered && it.terminal,
            _ => false,
        };
        world.moment(&thread, canceled);
        let detail = world.detail(&thread).await;
        assert_eq!(detail.pending_dynamic_tool_calls, []);
        // Whether the client did something is not known.
        assert_eq!(detail.turns[0].outcome_unknown, 1);
    });
    process.kill(home.path());
}

#[tokio::test(start_paused = true)]
async fn a_result_that_reaches_another_process_is_passed_on() {
    let home = tempfile::tempdir().unwrap();
    let (world, other) = (World::at(home.path()).await, World::at(home.path()).await);
    let (thread, _, call) = waiting(&world).await;
    assert_eq!(answer(&other, &call, json!({})).await, None);
    assert_eq!(world.ended(&thread).await.status, TurnStatus::Completed);
    let settled = answer(&other, &call, json!({})).await;
    assert_eq!(settled, Some(ErrorCode::NotFound));
}

#[tokio::test(start_paused = true)]
async fn in_plan_mode_the_client_is_not_called() {
    let world = World::new().await;
    let thread = world.thread(json!({ "mode": "plan" })).await;
    let input = json!({ "path": "a.rs" });
    world.model.then(wants("call_1", "ide__open", &input));
    start(&world, &thread, json!([tool(false)])).await.unwrap();
    world.ended(&thread).await;
    assert_eq!(about_calls(&world, &thread), [""; 0]);
    let offered = &world.model.offered()[0];
    assert!(offered.iter().all(|it| it.name != "ide__open"));
}

#[tokio::test(start_paused = true)]
async fn a_deferred_tool_tells_what_it_takes_when_it_is_called_without_anything() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    for input in [json!({}), json!({}), json!({ "path": "a.rs" })] {
        world.model.then(wants("call_1", "ide__open", &input));
    }
    start(&world, &thread, json!([tool(true)])).await.unwrap();
    let called = |detail: &ThreadDetail| !detail.pending_dynamic_tool_calls.is_empty();
    let detail = world.until(&thread, called).await;
    let offered = &world.model.offered()[0];
    let shown = offered.iter().find(|it| it.name == "ide__open").unwrap();
    assert_eq!(*shown.input_schema, json!({ "type": "object" }));
    let read = format!("{:?}", world.model.last_request());
    assert!(read.contains("of this JSON schema"), "{read}");
    assert!(read.contains("missing field `path`"), "{read}");
    let call = &detail.pending_dynamic_tool_calls[0];
    assert_eq!(answer(&world, call, json!({})).await, None);
    world.ended(&thread).await;
}

#[tokio::test(start_paused = true)]
async fn tools_that_cannot_be_offered_begin_no_turn() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let mut taken = tool(false);
    taken["namespace"] = json!(null);
    taken["name"] = json!("look");
    let error = start(&world, &thread, json!([taken])).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
    let error = start(&world, &thread, json!("ide")).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidShape);
    let mut listed = tool(false);
    listed["input_schema"] = json!([]);
    let error = start(&world, &thread, json!([listed])).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidShape);
    assert_eq!(world.detail(&thread).await.turns, []);
}

#[tokio::test(start_paused = true)]
async fn a_retry_takes_tools_of_its_own() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.turn(&thread, "go").await;
    let params = json!({ "thread_id": thread, "dynamic_tools": [tool(false)] });
    let input = json!({ "path": "a.rs" });
    world.model.then(wants("call_1", "ide__open", &input));
    let fork = world.call::<ThreadsRetry>(params).await.unwrap().thread.id;
    let called = |detail: &ThreadDetail| !detail.pending_dynamic_tool_calls.is_empty();
    let detail = world.until(&fork, called).await;
    let call = &detail.pending_dynamic_tool_calls[0];
    assert_eq!(answer(&world, call, json!({})).await, None);
    world.ended(&fork).await;
}
