//! The gate: who may do what, and what the others are told.

use codewhale_protocol::operations::{
    ApprovalsDecide, Locate, Op, Role, ThreadsCreate, ThreadsGet, ThreadsList, ThreadsPatch,
    ThreadsSummary, TurnsStart,
};
use codewhale_protocol::runtime::{ApprovalId, Seq, ThreadDetail, ThreadId, Timestamp};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Call, Caller, ErrorCode, Scope, Scopes, Service, Source};
use codewhale_store::{Durability, MemberRow};
use serde_json::{Value, json};

use crate::model::wants;
use crate::world::World;

/// Someone who is in no room.
fn stranger(world: &World) -> Caller {
    Caller {
        principal: "prn_stranger".into(),
        ..world.operator.clone()
    }
}

/// The operator with a token that allows no more than this.
fn limited(world: &World, scopes: &[Scope]) -> Caller {
    Caller {
        scopes: Scopes::of(scopes),
        ..world.operator.clone()
    }
}

/// Parameters that fit every operation.
fn params(thread: &str, turn: &str, approval: &str) -> Value {
    json!({
        "thread_id": thread, "session_id": thread, "turn_id": turn, "approval_id": approval,
        "prompt": "go", "decision": "deny", "title": "mine", "call_id": "ccall_none", "success": true,
        "tool": "note", "item_id": "item_none"
    })
}

#[tokio::test(start_paused = true)]
async fn a_stranger_is_told_the_same_of_what_exists_and_what_does_not() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.model.then(wants("call_1", "note", &json!({})));
    let turn = world.start(&thread, "write").await.unwrap();
    let approval = world.asked(&thread).await.id;
    let stranger = stranger(&world);
    let before = world.detail(&thread).await;
    let mut located = 0;
    for op in Op::ALL {
        if !matches!(
            op.row().locate,
            Locate::Thread | Locate::Approval | Locate::Session
        ) {
            continue;
        }
        located += 1;
        let ask = |params| {
            let call = Call::new(*op, params);
            world.runtime.call(&stranger, call)
        };
        let real = params(thread.as_str(), turn.as_str(), approval.as_str());
        let real = ask(real).await.unwrap_err();
        let unknown = ask(params("thr_none", "turn_none", "appr_none")).await;
        assert_eq!(real, unknown.unwrap_err(), "{op:?}");
        assert_eq!(real.code, ErrorCode::NotFound, "{op:?}");
    }
    assert_eq!(located, 28);
    let follow = |id: &str| {
        let source = Source::Thread(id.into());
        world
            .runtime
            .events(&stranger, source, Cursor::after(Seq::ZERO))
    };
    let real = follow(thread.as_str()).await.err().unwrap();
    assert_eq!(real, follow("thr_none").await.err().unwrap());
    let all = json!({ "include_archived": true });
    let listed = world.call_as::<ThreadsList>(&stranger, all.clone()).await;
    assert!(listed.unwrap().is_empty());
    let listed = world.call_as::<ThreadsSummary>(&stranger, all).await;
    assert!(listed.unwrap().is_empty());
    assert_eq!(world.detail(&thread).await, before);
}

#[tokio::test(start_paused = true)]
async fn a_stranger_cannot_put_a_thread_into_the_room_of_someone_elses_workspace() {
    let world = World::new().await;
    world.thread(json!({})).await;
    let stranger = stranger(&world);
    let error = world.call_as::<ThreadsCreate>(&stranger, json!({})).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::NotFound);
    let room = json!({ "workroom_id": "wr_none" });
    let error = world.call_as::<ThreadsCreate>(&world.operator, room).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_may_only_look_can_look_and_nothing_else() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.model.then(wants("call_1", "note", &json!({})));
    let turn = world.start(&thread, "write").await.unwrap();
    let approval = world.asked(&thread).await.id;
    let looks = limited(&world, &[Scope::Read]);
    for op in Op::ALL {
        let params = match op.row().locate {
            Locate::Visible | Locate::Target => json!({}),
            _ => params(thread.as_str(), turn.as_str(), approval.as_str()),
        };
        let call = Call::new(*op, params);
        let answer = world.runtime.call(&looks, call).await;
        match op.row().scope {
            Scope::Read => assert!(
                answer
                    .err()
                    .is_none_or(|error| error.code != ErrorCode::Forbidden),
                "{op:?}"
            ),
            _ => assert_eq!(answer.unwrap_err().code, ErrorCode::Forbidden, "{op:?}"),
        }
    }
    let blind = limited(&world, &[Scope::Run]);
    let source = Source::Thread(thread);
    let stream = world
        .runtime
        .events(&blind, source, Cursor::after(Seq::ZERO));
    assert_eq!(stream.await.err().unwrap().code, ErrorCode::Forbidden);
}

/// Whether a token without `admin` may do this.
async fn check_loosening(world: &World, change: Value, allowed: bool) {
    let runs = limited(world, &[Scope::Read, Scope::Run]);
    let told = |answer: Option<ErrorCode>| match (answer, allowed) {
        (None, true) | (Some(ErrorCode::Forbidden), false) => {}
        (answer, _) => panic!("{change} gave {answer:?}"),
    };
    let created = world.call_as::<ThreadsCreate>(&runs, change.clone()).await;
    told(created.err().map(|error| error.code));
    let thread = world.thread(json!({})).await;
    let mut params = change.clone();
    params["thread_id"] = json!(thread);
    params["prompt"] = json!("go");
    let started = world.call_as::<TurnsStart>(&runs, params).await;
    let started = started.err().map(|error| error.code);
    if started.is_none() {
        world.ended(&thread).await;
    }
    told(started);
    let mut params = change.clone();
    params["thread_id"] = json!(thread);
    let patched = world.call_as::<ThreadsPatch>(&runs, params).await;
    told(patched.err().map(|error| error.code));
}

#[tokio::test(start_paused = true)]
async fn loosening_permissions_takes_admin_whichever_way_it_is_asked_for() {
    let world = World::new().await;
    for loose in [
        json!({ "auto_approve": true }),
        json!({ "allow_shell": true }),
        json!({ "trust_mode": true }),
        json!({ "mode": "yolo" }),
        json!({ "permission_posture": "full_access" }),
    ] {
        check_loosening(&world, loose, false).await;
    }
    for tight in [
        json!({ "auto_approve": false }),
        json!({ "allow_shell": false, "trust_mode": false }),
        json!({ "mode": "plan" }),
        json!({ "permission_posture": "auto_review" }),
        json!({ "mode": "yolo", "permission_posture": "ask" }),
    ] {
        check_loosening(&world, tight, true).await;
    }
}

#[tokio::test(start_paused = true)]
async fn leaving_plan_mode_is_loosening() {
    let world = World::new().await;
    let thread = world.thread(json!({ "mode": "plan" })).await;
    let runs = limited(&world, &[Scope::Read, Scope::Run]);
    let params = json!({ "thread_id": thread, "mode": "agent" });
    let error = world.call_as::<ThreadsPatch>(&runs, params.clone()).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::Forbidden);
    world.call::<ThreadsPatch>(params).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_lasts_takes_admin_and_one_for_this_call_does_not() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    world.model.then(wants("call_1", "note", &json!({})));
    world.model.then(wants("call_2", "note", &json!({})));
    world.start(&thread, "write").await.unwrap();
    let asked = world.asked(&thread).await.id;
    let answers = limited(&world, &[Scope::Read, Scope::Run, Scope::Approve]);
    let decide = |approval: &ApprovalId, word: &str, remember: bool| {
        let params = json!({ "approval_id": approval, "decision": word, "remember": remember });
        world.call_as::<ApprovalsDecide>(&answers, params)
    };
    for (word, remember) in [
        ("allow", true),
        ("approved_for_session", true),
        ("approved_execpolicy_amendment", false),
        ("network_policy_amendment", false),
    ] {
        let error = decide(&asked, word, remember).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Forbidden, "{word}");
        assert_eq!(world.asked(&thread).await.id, asked, "it still waits");
    }
    assert!(world.ran().is_empty());
    decide(&asked, "allow", false).await.unwrap();
    // A no loosens nothing, however long it lasts.
    let next = |detail: &ThreadDetail| {
        let mut waiting = detail.pending_approvals.iter();
        waiting.any(|it| it.id != asked)
    };
    let mut detail = world.until(&thread, next).await;
    let second = detail.pending_approvals.pop().unwrap().id;
    decide(&second, "deny", true).await.unwrap();
    world.ended(&thread).await;
    assert_eq!(world.ran().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_is_refused_leaves_no_room_behind() {
    let world = World::new().await;
    let runs = limited(&world, &[Scope::Read, Scope::Run]);
    let loose = json!({ "auto_approve": true });
    world
        .call_as::<ThreadsCreate>(&runs, loose)
        .await
        .unwrap_err();
    let room = world.store.read(|reader| reader.room_of_workspace("/"));
    assert_eq!(room.unwrap(), None);
}

/// Makes someone a member of a thread's room.
async fn join(world: &World, thread: &ThreadId, role: Role) -> Caller {
    let member = Caller {
        principal: format!("prn_{}", role.as_str()).as_str().into(),
        ..world.operator.clone()
    };
    let mut batch = world.store.batch(Durability::Synced);
    batch.put_member(MemberRow {
        room: world.detail(thread).await.thread.workroom_id,
        principal: member.principal.clone(),
        role,
        added_by: world.operator.principal.clone(),
        added_at: Timestamp::from_ms(0),
    });
    world.store.commit(batch).await.unwrap();
    member
}

#[tokio::test(start_paused = true)]
async fn members_may_do_what_their_role_says() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let viewer = join(&world, &thread, Role::Viewer).await;
    let participant = join(&world, &thread, Role::Participant).await;
    let all = json!({});
    let listed = world.call_as::<ThreadsList>(&viewer, all).await.unwrap();
    assert_eq!(listed.len(), 1);
    let get = json!({ "thread_id": thread });
    let error = world.call_as::<ThreadsGet>(&viewer, get.clone()).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::Forbidden);

    world
        .call_as::<ThreadsGet>(&participant, get)
        .await
        .unwrap();
    let title = json!({ "thread_id": thread, "title": "ours" });
    let error = world.call_as::<ThreadsPatch>(&participant, title).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::Forbidden);
    let go = json!({ "thread_id": thread, "prompt": "go" });
    let turn = world
        .call_as::<TurnsStart>(&participant, go)
        .await
        .unwrap()
        .turn;
    assert_eq!(turn.requested_by.id, "prn_participant");
    world.ended(&thread).await;
}
