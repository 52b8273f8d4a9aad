//! Background tasks: none is lost, none runs twice, and each ends with its turn.

use codewhale_protocol::runtime::{TaskStatus, TurnStatus};

use super::{Case, Verdict, expect};

pub(super) fn a_task_that_was_accepted_is_kept(case: &Case<'_>) -> Verdict {
    for id in &case.notes.tasks {
        let mut tasks = case.evidence.tasks.iter();
        expect(tasks.any(|it| it.task.id == *id), || {
            format!("{id} is lost")
        })?;
    }
    Ok(())
}

pub(super) fn a_task_has_one_thread_and_begins_and_ends_with_one_turn_there(
    case: &Case<'_>,
) -> Verdict {
    for stored in &case.evidence.tasks {
        let task = &stored.task;
        let made = case.evidence.threads.iter().filter(|thread| {
            let record = &thread.detail.thread;
            !thread.is_fork() && record.task_id.as_deref() == Some(task.id.as_str())
        });
        let made = made.count();
        expect(made == usize::from(task.thread_id.is_some()), || {
            format!("{} has {made} threads", task.id)
        })?;
        let thread = task.thread_id.as_ref();
        let thread = thread.and_then(|id| case.evidence.thread(id));
        let turns = thread.map_or(&[][..], |thread| &thread.detail.turns);
        let turn = turns
            .iter()
            .find(|turn| Some(&turn.id) == task.turn_id.as_ref());
        expect(turn.is_some() == task.turn_id.is_some(), || {
            format!("{} has a turn that is not there", task.id)
        })?;
        let is_ended = task.status.is_terminal();
        let together = turn.is_none_or(|turn| turn.status.is_terminal() == is_ended);
        let completed = turn.map(|turn| turn.status) == Some(TurnStatus::Completed);
        expect(
            together && completed == (task.status == TaskStatus::Completed),
            || format!("{} is {:?}, its turn {turn:?}", task.id, task.status),
        )?;
        let is_owned = stored.owner.is_some();
        expect(is_owned == (task.status == TaskStatus::Running), || {
            format!(
                "{:?} runs {}, which is {:?}",
                stored.owner, task.id, task.status
            )
        })?;
    }
    Ok(())
}

pub(super) fn every_task_has_ended(case: &Case<'_>) -> Verdict {
    for stored in &case.evidence.tasks {
        let task = &stored.task;
        expect(task.status.is_terminal(), || {
            format!("{} is {:?}", task.id, task.status)
        })?;
    }
    Ok(())
}
