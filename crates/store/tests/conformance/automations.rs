//! Automations and their runs.

use codewhale_protocol::Actor;
use codewhale_protocol::runtime::{
    AUTOMATION_SCHEMA_VERSION, AutomationId, AutomationRecord, AutomationStatus, MissedRuns,
    TaskStatus, Timestamp,
};
use codewhale_store::{BegunBy, Guard, NewRun, StoredAutomation};

use crate::tasks::task;
use crate::world::{self, World};

fn automation(world: &World, id: &str, next_ms: Option<i64>) -> StoredAutomation {
    let record = AutomationRecord {
        schema_version: AUTOMATION_SCHEMA_VERSION,
        id: id.into(),
        name: "mine".into(),
        prompt: "go".into(),
        rrule: "FREQ=HOURLY".into(),
        rrule_since: None,
        cwds: Vec::new(),
        mode: None,
        allow_shell: None,
        trust_mode: None,
        auto_approve: None,
        delivery_mode: None,
        missed_runs: MissedRuns::RunOnce,
        status: AutomationStatus::Active,
        created_at: Timestamp::from_ms(1),
        updated_at: Timestamp::from_ms(1),
        next_run_at: next_ms.map(Timestamp::from_ms),
        last_run_at: None,
        created_by: Actor::system("test"),
    };
    StoredAutomation {
        record,
        room: world.room.clone(),
        principal: world.principal.clone(),
        version: 1,
    }
}

fn run(id: &str, automation: &AutomationId, slot_ms: i64, by: BegunBy) -> NewRun {
    NewRun {
        id: id.into(),
        automation: automation.clone(),
        slot: Timestamp::from_ms(slot_ms),
        by,
        task: Err(format!("no task, {}", world::SECRET)),
        at: Timestamp::from_ms(slot_ms + 1),
    }
}

#[tokio::test]
async fn what_is_due_is_found_the_longest_due_first_and_what_is_paused_never() {
    for engine in world::engines() {
        let world = engine.world();
        world.join_room().await;
        let all = [
            ("auto_late", Some(30)),
            ("auto_soon", Some(10)),
            ("auto_paused", None),
            ("auto_next", Some(20)),
        ];
        let next = || world.store.read(|reader| reader.next_due()).unwrap();
        assert_eq!(next(), None, "{}", engine.name);
        for (id, next_ms) in all {
            let mut batch = world.batch();
            batch.put_automation(&automation(&world, id, next_ms));
            world.commit(batch).await;
        }
        let due = |now_ms, limit| {
            let now = Timestamp::from_ms(now_ms);
            let due = world
                .store
                .read(|reader| reader.due_automations(now, limit));
            let ids = due.unwrap().into_iter().map(|it| it.record.id.to_string());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(due(9, 9), [""; 0]);
        assert_eq!(due(20, 9), ["auto_soon", "auto_next"]);
        assert_eq!(due(99, 1), ["auto_soon"]);
        assert_eq!(next(), Some(Timestamp::from_ms(10)));
        let visible = |principal: &str| {
            let principal = principal.into();
            let found = world
                .store
                .read(|reader| reader.automations(&principal, 9))
                .unwrap();
            found.len()
        };
        assert_eq!(visible(world.principal.as_str()), 4);
        assert_eq!(visible("prn_stranger"), 0);
    }
}

#[tokio::test]
async fn a_slot_is_taken_once_by_the_clock_and_as_often_as_they_like_by_people() {
    for engine in world::engines() {
        let world = engine.world();
        let stored = automation(&world, "auto_a", Some(10));
        let id = stored.record.id.clone();
        let mut batch = world.batch();
        batch.put_automation(&stored);
        world.commit(batch).await;
        let begin = |run: NewRun| {
            let mut batch = world.batch();
            if run.by == BegunBy::Clock {
                batch.guard(Guard::SlotFree {
                    automation: run.automation.clone(),
                    slot: run.slot,
                });
            }
            batch.put_automation_run(run);
            world.store.commit(batch)
        };
        let taken = |slot_ms| {
            let slot = Timestamp::from_ms(slot_ms);
            world
                .store
                .read(|reader| reader.has_slot(&id, slot))
                .unwrap()
        };
        begin(run("arun_1", &id, 10, BegunBy::Person))
            .await
            .unwrap();
        assert!(!taken(10), "{}", engine.name);
        begin(run("arun_2", &id, 10, BegunBy::Clock)).await.unwrap();
        assert!(taken(10) && !taken(11));
        world::guard_failed(begin(run("arun_3", &id, 10, BegunBy::Clock)).await);
        begin(run("arun_4", &id, 10, BegunBy::Person))
            .await
            .unwrap();
        let runs = |limit| {
            let runs = world
                .store
                .read(|reader| reader.automation_runs(&id, limit));
            runs.unwrap()
        };
        let ids: Vec<_> = runs(9).into_iter().map(|it| it.id.to_string()).collect();
        assert_eq!(ids, ["arun_4", "arun_2", "arun_1"]);
        assert_eq!(runs(1).len(), 1);
        let error = runs(1)[0].error.clone().unwrap();
        assert!(error.starts_with("no task") && !error.contains(world::SECRET));
    }
}

#[tokio::test]
async fn a_run_stands_as_its_task_does_and_goes_with_its_automation() {
    for engine in world::engines() {
        let world = engine.world();
        let stored = automation(&world, "auto_a", Some(10));
        let id = stored.record.id.clone();
        let mut work = task(&world, "task_a", "/a");
        let mut batch = world.batch();
        batch.put_automation(&stored);
        batch.put_task(&work);
        batch.put_automation_run(NewRun {
            task: Ok(work.task.id.clone()),
            ..run("arun_1", &id, 10, BegunBy::Clock)
        });
        world.commit(batch).await;
        let read = || {
            let runs = world.store.read(|reader| reader.automation_runs(&id, 9));
            runs.unwrap()
        };
        assert_eq!(read()[0].status, TaskStatus::Queued, "{}", engine.name);
        work.task.status = TaskStatus::Failed;
        work.task.ended_at = Some(Timestamp::from_ms(99));
        work.task.error = Some("why".into());
        let mut batch = world.batch();
        batch.put_task(&work);
        world.commit(batch).await;
        let shown = read().remove(0);
        assert_eq!(
            (shown.status, shown.ended_at),
            (TaskStatus::Failed, work.task.ended_at)
        );
        assert_eq!(shown.error.as_deref(), Some("why"));
        let mut batch = world.batch();
        batch.guard(Guard::AutomationAt {
            automation: id.clone(),
            version: 1,
        });
        batch.drop_automation(&id);
        world.commit(batch).await;
        assert!(read().is_empty());
        assert_eq!(
            world.store.read(|reader| reader.automation(&id)).unwrap(),
            None
        );
        let mut batch = world.batch();
        batch.guard(Guard::AutomationAt {
            automation: id.clone(),
            version: 1,
        });
        world::guard_failed(world.store.commit(batch).await);
    }
}
