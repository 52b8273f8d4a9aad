//! The log: a chain from which nothing is lost, and which every reader sees as it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use codewhale_protocol::runtime::{Seq, StreamId};
use serde::Deserialize;

use super::{Case, Verdict, expect};
use crate::sim::follower::Session;
use crate::sim::journal::{ANSWER, SECRET};

pub(super) fn every_stream_is_a_chain_without_a_missing_link(case: &Case<'_>) -> Verdict {
    expect(case.evidence.broken.is_empty(), || {
        format!("{:?}", case.evidence.broken)
    })?;
    for thread in &case.evidence.threads {
        let mut previous = Seq::ZERO;
        for (envelope, _) in &thread.events {
            expect(envelope.previous_seq == Some(previous), || {
                format!("{} behind {previous}: {envelope:?}", thread.id)
            })?;
            previous = envelope.seq;
        }
    }
    Ok(())
}

pub(super) fn nothing_disappears_from_the_log(case: &Case<'_>) -> Verdict {
    for (stream, before) in &case.before.logs {
        let now = case
            .evidence
            .logs
            .get(stream)
            .map_or(&[][..], Vec::as_slice);
        expect(now.starts_with(before), || {
            let lost = before.iter().find(|text| !now.contains(text));
            format!("{stream:?} lacks {lost:?}")
        })?;
    }
    Ok(())
}

pub(super) fn seq_only_ever_grows(case: &Case<'_>) -> Verdict {
    let mut all = BTreeSet::new();
    for (stream, texts) in &case.evidence.logs {
        let seen = case.before.logs.get(stream);
        let known = match (stream, seen) {
            // A room is looked at from its first thread on, and may be older than that.
            (StreamId::Room(_), None) => texts.len(),
            _ => seen.map_or(0, Vec::len),
        };
        for (index, text) in texts.iter().enumerate() {
            let Place { seq } = serde_json::from_str(text).map_err(|error| error.to_string())?;
            expect(all.insert(seq), || format!("{seq} was given twice"))?;
            expect(index < known || seq > case.before.highest, || {
                format!("{seq} came behind {}", case.before.highest)
            })?;
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Place {
    seq: Seq,
}

pub(super) fn a_follower_sees_each_event_once_and_in_order(case: &Case<'_>) -> Verdict {
    for session in case.sessions {
        let seen = session.seen();
        let Some((first, _)) = seen.first() else {
            continue;
        };
        let thread = case.evidence.thread(&session.thread);
        let thread = thread.ok_or("a thread that was followed is gone")?;
        let log = &case.evidence.logs[&StreamId::Thread(session.thread.clone())];
        let places: Vec<Seq> = thread.events.iter().map(|(it, _)| it.seq).collect();
        let from = match session.cursor.replay_limit {
            None => places.partition_point(|seq| *seq <= session.cursor.after),
            Some(_) => places.partition_point(|seq| seq < first),
        };
        for (index, (seq, text)) in seen.iter().enumerate() {
            let at = from + index;
            let kept = places.get(at).zip(log.get(at));
            expect(
                kept == Some((seq, text)) && *seq > session.cursor.after,
                || {
                    format!(
                        "{:?}: saw {seq} {text}, but {kept:?} is there",
                        session.cursor
                    )
                },
            )?;
        }
    }
    Ok(())
}

pub(super) fn no_secret_is_stored(case: &Case<'_>) -> Verdict {
    for text in case.evidence.logs.values().flatten() {
        let is_clean = !text.contains(SECRET) && !text.contains(ANSWER);
        expect(is_clean, || text.clone())?;
    }
    for thread in &case.evidence.threads {
        let rows = serde_json::to_string(&thread.detail).expect("rows are JSON");
        expect(!rows.contains(SECRET), || {
            format!("in the rows of {}", thread.id)
        })?;
    }
    Ok(())
}

pub(super) fn a_follower_who_stays_sees_everything(case: &Case<'_>) -> Verdict {
    let stays = |session: &&Arc<Session>| {
        let process = session.stays_in();
        process.is_some_and(|number| case.alive.contains(&number))
    };
    for session in case.sessions.iter().filter(stays) {
        let thread = case.evidence.thread(&session.thread);
        let head = thread.and_then(|thread| Some(thread.events.last()?.0.seq));
        let seen = session.seen().last().map(|(seq, _)| *seq);
        let last = seen.unwrap_or(session.cursor.after);
        expect(Some(last) >= head, || {
            format!(
                "{:?} of {} has seen {last}, and the last is {head:?}",
                session.cursor, session.thread
            )
        })?;
    }
    Ok(())
}
