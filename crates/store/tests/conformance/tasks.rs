//! The queue of background tasks.

use codewhale_protocol::Actor;
use codewhale_protocol::runtime::{
    Mode, TASK_SCHEMA_VERSION, Task, TaskCounts, TaskStatus, Timestamp,
};
use codewhale_store::{Guard, StoredTask, TaskQuery};

use crate::world::{self, World};

pub(crate) fn task(world: &World, id: &str, workspace: &str) -> StoredTask {
    let task = Task {
        schema_version: TASK_SCHEMA_VERSION,
        id: id.into(),
        prompt: "do it".into(),
        model: "m".into(),
        mode: Mode::Agent,
        workspace: workspace.into(),
        allow_shell: false,
        trust_mode: false,
        auto_approve: false,
        status: TaskStatus::Queued,
        created_at: Timestamp::from_ms(1),
        started_at: None,
        ended_at: None,
        duration_ms: None,
        error: None,
        terminal_reason: None,
        stopping: None,
        thread_id: None,
        turn_id: None,
        owner_session_id: None,
        automation_id: None,
        lifecycle_seq: 1,
        created_by: Actor::system("test"),
        timeline: Vec::new(),
    };
    StoredTask {
        task,
        room: world.room.clone(),
        principal: world.principal.clone(),
        owner: None,
    }
}

#[tokio::test]
async fn tasks_leave_the_queue_in_the_order_they_came_whatever_their_ids_are() {
    for engine in world::engines() {
        let world = engine.world();
        world.join_room().await;
        for (id, workspace) in [("task_c", "/a"), ("task_a", "/a"), ("task_b", "/b")] {
            let mut batch = world.batch();
            batch.put_task(&task(&world, id, workspace));
            world.commit(batch).await;
        }
        let mut order = Vec::new();
        while let Some(mut next) = world.store.read(|reader| reader.next_task()).unwrap() {
            order.push(next.task.id.to_string());
            next.task.status = TaskStatus::Running;
            next.owner = Some("owner_1".into());
            let mut batch = world.batch();
            batch.put_task(&next);
            world.commit(batch).await;
        }
        assert_eq!(order, ["task_c", "task_a", "task_b"], "{}", engine.name);
        let running = world.store.read(|reader| reader.running_tasks()).unwrap();
        assert_eq!(running.len(), 3);
        assert_eq!(running[0].owner, Some("owner_1".into()));
        let listed = |workspace| {
            let query = TaskQuery {
                principal: &world.principal,
                workspace,
                limit: 2,
            };
            let tasks = world.store.read(|reader| reader.tasks(&query)).unwrap();
            let ids = tasks.into_iter().map(|task| task.id.to_string());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(listed(None), ["task_b", "task_a"]);
        assert_eq!(listed(Some("/a")), ["task_a", "task_c"]);
        let counts = |principal: &str| {
            let principal = principal.into();
            let counts = world.store.read(|reader| reader.task_counts(&principal));
            counts.unwrap()
        };
        let all = TaskCounts {
            running: 3,
            ..TaskCounts::default()
        };
        assert_eq!(counts(world.principal.as_str()), all);
        assert_eq!(counts("prn_stranger"), TaskCounts::default());
        let mut batch = world.batch();
        for mut ended in running.into_iter().take(2) {
            ended.task.status = TaskStatus::Completed;
            batch.put_task(&ended);
        }
        batch.put_task(&task(&world, "task_d", "/a"));
        world.commit(batch).await;
        let all = TaskCounts {
            queued: 1,
            running: 1,
            completed: 2,
            ..TaskCounts::default()
        };
        assert_eq!(counts(world.principal.as_str()), all);
    }
}

#[tokio::test]
async fn of_two_who_change_a_task_at_once_one_is_told_to_look_again() {
    for engine in world::engines() {
        let world = engine.world();
        let mut stored = task(&world, "task_a", "/a");
        let mut batch = world.batch();
        batch.put_task(&stored);
        world.commit(batch).await;
        stored.task.lifecycle_seq = 2;
        let change = || {
            let mut batch = world.batch();
            batch.guard(Guard::TaskAt {
                task: stored.task.id.clone(),
                lifecycle_seq: 1,
            });
            batch.put_task(&stored);
            batch
        };
        world.commit(change()).await;
        world::guard_failed(world.store.commit(change()).await);
    }
}
