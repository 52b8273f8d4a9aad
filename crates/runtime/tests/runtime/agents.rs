//! Sub-agents: threads below threads, within bounds, with honest receipts.

use std::sync::Arc;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::{
    AgentRunsGet, AgentRunsList, ThreadsList, TurnsStart, UserInputAnswer,
};
use codewhale_protocol::runtime::{
    AgentRole, AgentRun, AgentRunStatus, Event, Mode, PermissionPosture, ThreadDetail, ThreadId,
    TurnStatus,
};
use codewhale_runtime::AgentSettings;
use codewhale_store::{Place, Writing};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::model::{Piece, call, says, wants};
use crate::world::{World, open};

async fn small(settings: AgentSettings) -> World {
    let store = open(Place::Memory, Writing::Inline);
    World::fitted(store, |options| options.agents = settings).await
}

fn start(prompt: &str, more: &Value) -> Vec<Piece> {
    let mut input = json!({"action": "start", "prompt": prompt});
    let more = more.as_object().cloned().unwrap_or_default();
    input.as_object_mut().unwrap().extend(more);
    wants("start", "agent", &input)
}

fn wait() -> Vec<Piece> {
    wants("wait", "agent", &json!({"action": "wait", "until": "all"}))
}

async fn runs(world: &World) -> Vec<AgentRun> {
    let listed = world.call::<AgentRunsList>(json!({})).await;
    listed.unwrap().runs
}

/// The thread of the one sub-agent there is.
async fn child(world: &World) -> ThreadId {
    let mut all = runs(world).await;
    assert_eq!(all.len(), 1);
    all.remove(0).takeover.thread_id
}

fn results(detail: &ThreadDetail) -> Vec<String> {
    let calls = detail.items.iter().filter(|item| item.kind.is_tool());
    calls.map(|item| item.detail.clone().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_sub_agent_works_in_a_thread_of_its_own_and_its_report_comes_back() {
    let world = World::new().await;
    let root = world.thread(json!({"allow_shell": true})).await;
    let scout = json!({"type": "explore", "name": "map"});
    world.model.to(
        "go",
        [start("Map it", &scout), wait(), says("All is well.")],
    );
    world.model.to(
        "Map it",
        [wants("look", "look", &json!({})), says("Three files.")],
    );
    assert_eq!(world.turn(&root, "go").await.status, TurnStatus::Completed);

    let told = results(&world.detail(&root).await);
    assert!(told[1].contains("is completed: 1 calls"), "{told:?}");
    assert!(
        told[1].contains("not checked by anyone:\nThree files."),
        "{told:?}"
    );
    let child = child(&world).await;
    let detail = world.detail(&child).await;
    let thread = &detail.thread;
    assert_eq!(
        (&thread.parent_id, &thread.root_id),
        (&Some(root.clone()), &Some(root.clone()))
    );
    assert_eq!(thread.agent_role, Some(AgentRole::Scout));
    assert_eq!(
        (thread.mode, thread.allow_shell),
        (Mode::Plan, false),
        "a scout only looks"
    );
    let by = &detail.turns[0].requested_by;
    assert_eq!(by.id, root.agent_id(), "the agent asked, not the person");
    let spawned = world.envelopes(&root).into_iter().map(|it| it.event);
    let spawned: Vec<String> = spawned.filter(|name| name.starts_with("agent.")).collect();
    assert_eq!(spawned, ["agent.spawned", "agent.completed"]);

    let listed = world.call::<ThreadsList>(json!({})).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|thread| &thread.id).collect();
    assert_eq!(listed, [&root], "lists show what people started");
    for id in [child.run_id(), child.agent_id()] {
        let run = world
            .call::<AgentRunsGet>(json!({"run_id": id}))
            .await
            .unwrap();
        assert_eq!(run.result_summary.as_deref(), Some("Three files."));
        assert_eq!(
            (run.status, run.steps_taken),
            (AgentRunStatus::Completed, 1)
        );
        assert_eq!(run.spec.session_name.as_deref(), Some("map"));
    }
    let unknown = world
        .call::<AgentRunsGet>(json!({"run_id": "run_none"}))
        .await;
    assert_eq!(unknown.unwrap_err().code, ErrorCode::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_sub_agent_is_asked_about_on_the_thread_at_the_top() {
    let world = World::new().await;
    let root = world.thread(json!({})).await;
    world
        .model
        .to("go", [start("Write it", &json!({})), wait(), says("Good.")]);
    world.model.to(
        "Write it",
        [wants("note", "note", &json!({})), says("Written.")],
    );
    world.start(&root, "go").await.unwrap();

    let pending = world.asked(&root).await;
    let child = child(&world).await;
    let by = pending.asked_by.clone().unwrap();
    assert_eq!(
        (by.thread_id, by.agent_id),
        (child.clone(), child.agent_id())
    );
    let own = world.detail(&child).await.pending_approvals;
    assert_eq!((&own[0].id, &own[0].asked_by), (&pending.id, &None));
    let waiting = runs(&world).await.remove(0);
    assert_eq!(waiting.status, AgentRunStatus::WaitingForUser);

    world.decide(&pending.id, "allow").await.unwrap();
    assert_eq!(world.ended(&root).await.status, TurnStatus::Completed);
    assert_eq!(world.ran.lock().unwrap().len(), 1);
    assert!(world.detail(&root).await.pending_approvals.is_empty());
    for thread in [&root, &child] {
        let names = world.envelopes(thread).into_iter().map(|it| it.event);
        let about: Vec<String> = names.filter(|name| name.starts_with("approval.")).collect();
        assert_eq!(about, ["approval.required", "approval.decided"], "{thread}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_of_a_sub_agent_is_answered_where_it_is_shown() {
    let world = World::new().await;
    let root = world.thread(json!({})).await;
    let option = |label: &str| json!({"label": label, "description": "one"});
    let question = json!({"questions": [{"header": "Way", "id": "way", "question": "Which?",
        "options": [option("left"), option("right")]}]});
    world
        .model
        .to("go", [start("Ask", &json!({})), wait(), says("Good.")]);
    world.model.to(
        "Ask",
        [
            wants("ask", "request_user_input", &question),
            says("Left it is."),
        ],
    );
    world.start(&root, "go").await.unwrap();
    let asks = |detail: &ThreadDetail| !detail.pending_user_inputs.is_empty();
    let asked = world.until(&root, asks).await.pending_user_inputs.remove(0);
    assert_eq!(asked.asked_by.unwrap().thread_id, child(&world).await);
    let answers = json!([{"id": "way", "label": "left", "value": "left"}]);
    let params = json!({"thread_id": root, "input_id": asked.id, "answers": answers});
    world.call::<UserInputAnswer>(params).await.unwrap();
    world.ended(&root).await;
    let run = runs(&world).await.remove(0);
    assert_eq!(run.result_summary.as_deref(), Some("Left it is."));
}

#[tokio::test(start_paused = true)]
async fn approvals_that_are_granted_by_themselves_are_inherited_and_nothing_is_widened() {
    let world = World::new().await;
    let root = world.thread(json!({})).await;
    let auto = json!({"thread_id": root, "prompt": "go", "auto_approve": true});
    world
        .model
        .to("go", [start("Write it", &json!({})), wait(), says("Good.")]);
    world.model.to(
        "Write it",
        [wants("note", "note", &json!({})), says("Written.")],
    );
    world.call::<TurnsStart>(auto).await.unwrap();
    world.ended(&root).await;
    let worker = world.detail(&child(&world).await).await.thread;
    assert_eq!(worker.permission().posture, PermissionPosture::FullAccess);
    assert!(!worker.allow_shell, "the parent has none");
    assert_eq!(world.ran.lock().unwrap().len(), 1);

    let root = world.thread(json!({})).await;
    world.model.to(
        "narrow",
        [
            start("Plan it", &json!({"type": "builder"})),
            wait(),
            says("Good."),
        ],
    );
    let plan = json!({"thread_id": root, "prompt": "narrow", "mode": "plan"});
    world.call::<TurnsStart>(plan).await.unwrap();
    world.ended(&root).await;
    let runs = runs(&world).await;
    let builder = runs
        .iter()
        .find(|run| run.spec.agent_type == AgentRole::Builder)
        .unwrap();
    let builder = world.detail(&builder.takeover.thread_id).await.thread;
    assert_eq!(builder.mode, Mode::Plan, "a builder below a planner plans");
}

#[tokio::test(start_paused = true)]
async fn a_follow_up_is_bounded_by_what_the_parent_may_now() {
    let world = World::new().await;
    let root = world.thread(json!({})).await;
    let auto = json!({"thread_id": root, "prompt": "go", "auto_approve": true});
    let named = json!({"name": "hand"});
    let more = json!({"action": "followup", "agent_id": "hand", "message": "More"});
    world.model.to(
        "go",
        [
            start("Write it", &named),
            wait(),
            says("Good."),
            wants("more", "agent", &more),
            wait(),
            says("Good again."),
        ],
    );
    world.model.to(
        "Write it",
        [
            says("Ready."),
            wants("note", "note", &json!({})),
            says("Written."),
        ],
    );
    world.call::<TurnsStart>(auto).await.unwrap();
    world.ended(&root).await;
    // The thread of the agent has full access; this turn of its parent does not.
    world.start(&root, "once more").await.unwrap();
    let pending = world.asked(&root).await;
    assert!(pending.asked_by.is_some());
    world.decide(&pending.id, "deny").await.unwrap();
    world.ended(&root).await;
    assert!(world.ran.lock().unwrap().is_empty());
}

/// Everyone who is asked anything starts two others and never stops by themselves.
async fn overgrown(settings: AgentSettings) -> (World, ThreadId) {
    let world = small(settings).await;
    let root = world.thread(json!({})).await;
    let more = json!({"action": "start", "prompt": "More"});
    let two = ["one", "two"].map(|id| call(id, "agent", &more));
    world.model.always(two.to_vec());
    let turn = world.turn(&root, "go").await;
    assert_eq!(turn.status, TurnStatus::Failed, "it ran out of steps");
    let settled = |detail: &ThreadDetail| detail.turns.iter().all(|turn| turn.status.is_terminal());
    for run in runs(&world).await {
        world.until(&run.takeover.thread_id, settled).await;
    }
    (world, root)
}

#[tokio::test(start_paused = true)]
async fn a_script_that_always_starts_more_runs_into_every_bound() {
    let usual = AgentSettings::default;
    for (settings, count, depth, refusal) in [
        (
            AgentSettings {
                live_max: 3,
                ..usual()
            },
            3,
            3,
            "at most 3 of a thread work at once",
        ),
        (
            AgentSettings {
                admitted_max: 7,
                ..usual()
            },
            7,
            3,
            "it has at most 7 in all",
        ),
        (
            AgentSettings {
                depth_max: 1,
                admitted_max: 5,
                ..usual()
            },
            5,
            1,
            "it has at most 5 in all",
        ),
    ] {
        let (world, root) = overgrown(settings).await;
        let runs = runs(&world).await;
        assert_eq!(runs.len(), count);
        assert!(runs.iter().all(|run| run.spec.spawn_depth <= depth));
        let ends: Vec<_> = runs.iter().map(|run| run.status).collect();
        assert!(
            ends.iter().all(|end| *end == AgentRunStatus::Failed),
            "nobody reported: {ends:?}"
        );
        let told = results(&world.detail(&root).await);
        assert!(told.last().unwrap().contains(refusal), "{told:?}");
        let below = results(&world.detail(&runs[0].takeover.thread_id).await);
        let is_deep = runs[0].spec.spawn_depth == depth;
        assert_eq!(
            below.iter().all(|text| text.contains("and you are")),
            is_deep && depth == 1
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_sub_agents_of_a_thread_share_one_budget() {
    let world = small(AgentSettings {
        token_budget: Some(100),
        ..AgentSettings::default()
    })
    .await;
    let root = world.thread(json!({})).await;
    let looks = || vec![call("look", "look", &json!({})), Piece::Usage(60)];
    world.model.to(
        "go",
        [
            start("First", &json!({})),
            wait(),
            start("Second", &json!({})),
            wait(),
            start("Third", &json!({})),
            says("That is all."),
        ],
    );
    world
        .model
        .to("First", [vec![Piece::Text("Done."), Piece::Usage(60)]]);
    world
        .model
        .to("Second", [looks(), says("Not done."), looks()]);
    world.turn(&root, "go").await;
    let mut runs = runs(&world).await;
    runs.sort_by_key(|run| run.spec.objective.clone());
    let [first, second] = &runs[..] else {
        panic!("{runs:?}")
    };
    assert_eq!(first.status, AgentRunStatus::Completed);
    assert_eq!(second.status, AgentRunStatus::Failed);
    assert!(
        second.error.as_deref().unwrap().contains("budget of 100"),
        "{second:?}"
    );
    assert_eq!(
        second.result_summary.as_deref(),
        Some("Not done."),
        "its last words are kept"
    );
    assert_eq!(second.usage.budget_spent_tokens, Some(122));
    let told = results(&world.detail(&root).await);
    assert!(
        told.last()
            .unwrap()
            .contains("is used up; do the rest yourself"),
        "{told:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn stopping_a_thread_stops_what_it_started_but_not_what_was_let_go() {
    let world = World::new().await;
    let root = world.thread(json!({})).await;
    let gate = Arc::new(Notify::new());
    let held = || {
        vec![
            Piece::Text("working"),
            Piece::Gate(Arc::clone(&gate)),
            Piece::Text("."),
        ]
    };
    world.model.to(
        "go",
        [
            start("Stay", &json!({})),
            start("Go on", &json!({"detached": true})),
            wait(),
        ],
    );
    world.model.to("Stay", [held()]);
    world.model.to("Go on", [held()]);
    let turn = world.start(&root, "go").await.unwrap();
    world
        .until(&root, |detail| results_begun(detail) == 3)
        .await;
    world.interrupt(&root, &turn).await.unwrap();
    assert_eq!(world.ended(&root).await.status, TurnStatus::Interrupted);
    let runs = runs(&world).await;
    let thread_of = |objective: &str| {
        let run = runs.iter().find(|run| run.spec.objective == objective);
        run.unwrap().takeover.thread_id.clone()
    };
    let stayed = thread_of("Stay");
    assert_eq!(world.ended(&stayed).await.status, TurnStatus::Interrupted);
    let free = thread_of("Go on");
    gate.notify_waiters();
    assert_eq!(world.ended(&free).await.status, TurnStatus::Completed);
}

fn results_begun(detail: &ThreadDetail) -> usize {
    detail
        .items
        .iter()
        .filter(|item| item.kind.is_tool())
        .count()
}

#[tokio::test(start_paused = true)]
async fn a_sub_agent_is_steered_stopped_and_told_to_go_on() {
    let world = World::new().await;
    let root = world.thread(json!({})).await;
    let ask = |action: &str, message: Option<&str>| {
        let input = json!({"action": action, "agent_id": "hand", "message": message});
        wants(action, "agent", &input)
    };
    let gate = Arc::new(Notify::new());
    let held = vec![Piece::Text("half of"), Piece::Gate(gate), Piece::Text("it")];
    world.model.to(
        "go",
        [
            start("Work", &json!({"name": "hand"})),
            ask("message", Some("Faster")),
            ask("peek", None),
            ask("interrupt", None),
            ask("followup", Some("Go on")),
            wait(),
            ask("cancel", None),
            ask("followup", Some("Once more")),
            says("Good."),
        ],
    );
    world.model.to("Work", [held, says("All of it.")]);
    world.turn(&root, "go").await;
    let told = results(&world.detail(&root).await);
    assert!(told[1].contains("has your message"), "{told:?}");
    assert!(told[2].contains("agent_message"), "{told:?}");
    assert!(told[3].contains("is interrupted"), "{told:?}");
    assert!(
        told[3].contains("half of"),
        "what it had said is not lost: {told:?}"
    );
    assert!(told[5].contains("All of it."), "{told:?}");
    assert!(told[6].contains("it is not at work"), "{told:?}");
    let child = world.detail(&child(&world).await).await;
    let said: Vec<_> = child
        .turns
        .iter()
        .map(|turn| turn.input_summary.as_str())
        .collect();
    assert_eq!(said, ["Work", "Go on", "Once more"]);
}

#[tokio::test(start_paused = true)]
async fn a_report_without_words_is_no_success() {
    let world = World::new().await;
    let root = world.thread(json!({})).await;
    world.model.to(
        "go",
        [start("Say nothing", &json!({})), wait(), says("Hm.")],
    );
    world.model.to("Say nothing", [vec![]]);
    world.turn(&root, "go").await;
    let run = runs(&world).await.remove(0);
    assert_eq!(run.status, AgentRunStatus::Failed);
    assert!(run.error.is_some() && run.result_summary.is_none());
    let news = world
        .envelopes(&root)
        .into_iter()
        .filter_map(|it| it.decode());
    let ends = news.filter_map(|event| match event.unwrap() {
        Event::AgentCompleted(news) => Some(news.status),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), [AgentRunStatus::Failed]);
}
