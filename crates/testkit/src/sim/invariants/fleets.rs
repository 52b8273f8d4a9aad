//! Fleets: no task is lost, none ends twice, and only the latest attempt counts.

use std::collections::BTreeMap;

use codewhale_protocol::runtime::{
    Event, FleetNews, FleetTaskStatus, RuntimeEventEnvelope, StreamId,
};
use serde_json::Value;

use super::{Case, Verdict, expect};

pub(super) fn a_fleet_that_was_accepted_is_kept(case: &Case<'_>) -> Verdict {
    for id in &case.notes.fleets {
        let mut fleets = case.evidence.fleets.iter();
        expect(fleets.any(|it| it.stored.run.id == *id), || {
            format!("{id} is lost")
        })?;
    }
    Ok(())
}

/// What the log says of a task.
#[derive(Default)]
struct Life {
    attempt: u64,
    is_leased: bool,
    receipts: BTreeMap<u64, u64>,
}

pub(super) fn every_attempt_of_a_fleet_ends_once(case: &Case<'_>) -> Verdict {
    for fleet in &case.evidence.fleets {
        let id = &fleet.stored.run.id;
        let texts = case.evidence.logs.get(&StreamId::Run(id.clone()));
        let mut lives: BTreeMap<String, Life> = BTreeMap::new();
        for news in texts.into_iter().flatten().filter_map(|text| read(text)) {
            follow(&mut lives, &news)?;
        }
        for task in &fleet.tasks {
            let life = lives.entry(task.spec.id.clone()).or_default();
            let same = life.attempt == task.attempt
                && life.is_leased == (task.status == FleetTaskStatus::Leased);
            expect(same, || {
                format!("the log of {id} tells another story of {}", task.spec.id)
            })?;
            let told = task.receipt.as_ref().and_then(|it| it.attempt);
            let known = told.is_none_or(|attempt| life.receipts.contains_key(&attempt));
            expect(known, || format!("a receipt of {id} is in no event"))?;
        }
        let is_owned = fleet.stored.owner.is_some();
        let is_open = fleet.tasks.iter().any(|task| !task.status.is_terminal());
        expect(!is_owned || is_open, || format!("{id} is over and driven"))?;
        let is_over = fleet.stored.run.lifecycle.is_terminal();
        expect(is_over != is_open, || {
            format!("{id} is {:?}", fleet.stored.run.lifecycle)
        })?;
    }
    Ok(())
}

fn follow(lives: &mut BTreeMap<String, Life>, news: &FleetNews) -> Verdict {
    match news {
        FleetNews::TaskLeased(leased) => {
            let life = lives.entry(leased.task_id.clone()).or_default();
            expect(
                !life.is_leased && leased.attempt == life.attempt + 1,
                || format!("{} is leased twice", leased.task_id),
            )?;
            life.attempt = leased.attempt;
            life.is_leased = true;
        }
        FleetNews::TaskEnqueued(it) => {
            lives.entry(it.task_id.clone()).or_default().is_leased = false;
        }
        FleetNews::TaskTerminal(it) => {
            lives.entry(it.task_id.clone()).or_default().is_leased = false;
        }
        FleetNews::ReceiptRecorded(it) => {
            let receipt = &it.receipt;
            let life = lives.entry(receipt.task_id.clone()).or_default();
            let count = life
                .receipts
                .entry(receipt.attempt.unwrap_or(0))
                .or_default();
            *count += 1;
            expect(*count == 1 && receipt.attempt == Some(life.attempt), || {
                format!(
                    "{} has a receipt that is not of its latest attempt",
                    receipt.task_id
                )
            })?;
        }
        FleetNews::Worker(news) => {
            let life = lives.entry(news.task_id.clone()).or_default();
            expect(news.attempt == life.attempt, || {
                format!("{} is told of an earlier attempt", news.task_id)
            })?;
        }
        FleetNews::RunCreated(_) | FleetNews::RunStatusChanged(_) => {}
    }
    Ok(())
}

fn read(text: &str) -> Option<FleetNews> {
    let stored: Value = serde_json::from_str(text).ok()?;
    let name = stored["event"].as_str()?;
    match Event::decode(name, &stored["payload"].to_string())?.ok()? {
        Event::Fleet(news) => Some(news),
        _ => None,
    }
}

/// The envelope of a run names its stream, not a thread: a reader of threads cannot mistake it.
pub(super) fn no_event_of_a_fleet_reads_as_one_of_a_thread(case: &Case<'_>) -> Verdict {
    for fleet in &case.evidence.fleets {
        let id = &fleet.stored.run.id;
        let texts = case.evidence.logs.get(&StreamId::Run(id.clone()));
        for text in texts.into_iter().flatten() {
            let read = serde_json::from_str::<RuntimeEventEnvelope>(text);
            expect(read.is_err(), || format!("an event of {id} names a thread"))?;
        }
    }
    Ok(())
}

pub(super) fn no_fleet_is_driven_by_a_dead_process(case: &Case<'_>) -> Verdict {
    for fleet in &case.evidence.fleets {
        let Some(owner) = &fleet.stored.owner else {
            continue;
        };
        let mut alive = case.alive.iter();
        let lives = alive.any(|number| owner.as_str() == format!("owner_{number}"));
        expect(lives, || {
            format!("{} is driven by {owner}", fleet.stored.run.id)
        })?;
    }
    Ok(())
}

pub(super) fn no_fleet_is_driven(case: &Case<'_>) -> Verdict {
    for fleet in &case.evidence.fleets {
        let id = &fleet.stored.run.id;
        expect(fleet.stored.owner.is_none(), || {
            format!("{id} is still driven")
        })?;
    }
    Ok(())
}
