//! Rules: the moments at which an automation is due. Pure: the zone and the time are given.
//!
//! A wall time that a change of the clocks leaves out is left out; one that it repeats counts once,
//! the first time.

use codewhale_protocol::runtime::Timestamp;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::calendar::Calendar;
use super::cron::{self, Wall};
use super::members::Members;
use crate::{Error, limits};

/// When an automation is due.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Rule {
    /// At wall times.
    Wall(Wall),
    /// Every so many milliseconds, on some weekdays.
    Every {
        step_ms: i64,
        days: u8,
        /// The wall time of the first day from which steps are counted; without, they are counted
        /// from the last moment.
        from: Option<(i8, i8)>,
    },
    /// At one moment.
    Once(Timestamp),
    /// As RFC 5545 says it.
    Calendar(Box<Calendar>),
}

/// Where steps are counted from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    /// When the automation was made.
    pub(super) made: Timestamp,
    /// When its rule was given to it.
    pub(super) ruled: Timestamp,
    /// The moment that was due last, or when the clock began to count.
    pub(super) last: Timestamp,
}

/// All seven days.
const ALL_DAYS: u8 = 0x7f;

/// What a rule may say besides its `FREQ` to be one of the contract's own forms. With anything else
/// it is one of RFC 5545.
const HOURLY: &[&str] = &["INTERVAL", "BYDAY", "BYHOUR", "BYMINUTE"];
const WEEKLY: &[&str] = &["BYDAY", "BYHOUR", "BYMINUTE"];

impl Rule {
    /// Reads a rule.
    pub(super) fn parse(text: &str, zone: &TimeZone) -> Result<Rule, Error> {
        if text.len() > limits::RULE_BYTES_MAX {
            let most = limits::RULE_BYTES_MAX;
            return Err(wrong(format!("it is longer than {most} bytes")));
        }
        if text.starts_with("DTSTART") || text.starts_with("RRULE:") {
            return Ok(Rule::Calendar(Box::new(Calendar::parse(text)?)));
        }
        let members = Members::read(text)?;
        let rule = match members.require("FREQ")? {
            "HOURLY" if members.are_only(HOURLY) => hourly(&members)?,
            "WEEKLY" if members.are_only(WEEKLY) => Rule::Wall(Wall::weekly(
                days(members.require("BYDAY")?)?,
                number(members.require("BYHOUR")?, 0, 23)?,
                number(members.require("BYMINUTE")?, 0, 59)?,
            )),
            "ONCE" => {
                members.allow(&["AT"])?;
                Rule::Once(moment(members.require("AT")?, zone)?)
            }
            "CRON" => {
                members.allow(&["EXPR"])?;
                Rule::Wall(cron::parse(members.require("EXPR")?)?)
            }
            _ => Rule::Calendar(Box::new(Calendar::read(&members, None)?)),
        };
        Ok(rule)
    }

    /// The first moment behind another one; `None` when there is none, or none within five years.
    pub(super) fn next(
        &self,
        anchor: Anchor,
        after: Timestamp,
        zone: &TimeZone,
    ) -> Option<Timestamp> {
        match self {
            Rule::Once(at) => Some(*at).filter(|at| *at > after),
            Rule::Wall(wall) => next_wall(wall, after, zone),
            Rule::Calendar(calendar) => calendar.next(anchor.ruled, after, zone),
            Rule::Every {
                step_ms,
                days,
                from,
            } => {
                let from = match from {
                    Some((hour, minute)) => first_of_day(anchor.made, *hour, *minute, zone)?,
                    None => anchor.last.as_ms() / 60_000 * 60_000,
                };
                next_step(from, *step_ms, *days, after, zone)
            }
        }
    }
}

fn hourly(members: &Members<'_>) -> Result<Rule, Error> {
    let hours = members.get("INTERVAL").map_or(Ok(1), |text| {
        let hours: i64 = text.parse().map_err(|_| bad("INTERVAL", text))?;
        match (1..=limits::SCHEDULE_HOURS_MAX).contains(&hours) {
            true => Ok(hours),
            false => Err(bad("INTERVAL", text)),
        }
    })?;
    let (hour, minute) = (members.get("BYHOUR"), members.get("BYMINUTE"));
    let from = match (hour, minute) {
        (None, None) => None,
        (hour, minute) => Some((
            number(hour.unwrap_or("0"), 0, 23)?,
            number(minute.unwrap_or("0"), 0, 59)?,
        )),
    };
    Ok(Rule::Every {
        step_ms: hours * 3_600_000,
        days: members.get("BYDAY").map_or(Ok(ALL_DAYS), days)?,
        from,
    })
}

fn next_step(
    from: i64,
    step_ms: i64,
    days: u8,
    after: Timestamp,
    zone: &TimeZone,
) -> Option<Timestamp> {
    let gone = (after.as_ms() - from).max(-1).div_euclid(step_ms);
    let mut next = from + (gone + 1) * step_ms;
    let horizon = after.as_ms() + limits::SCHEDULE_HORIZON_DAYS * 86_400_000;
    while next <= horizon {
        let day = local(Timestamp::from_ms(next), zone)?.weekday();
        if days & day_bit(day) != 0 {
            return Some(Timestamp::from_ms(next));
        }
        next += step_ms;
    }
    None
}

fn next_wall(wall: &Wall, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let mut date = local(after, zone)?.date();
    for _ in 0..=limits::SCHEDULE_HORIZON_DAYS {
        if wall.has_day(date) {
            let times = wall
                .times()
                .map(|(hour, minute)| date.at(hour, minute, 0, 0));
            let mut moments = times.filter_map(|time| first_moment(time, zone));
            if let Some(found) = moments.find(|at| *at > after) {
                return Some(found);
            }
        }
        date = date.tomorrow().ok()?;
    }
    None
}

/// The first moment at which the clock on the wall shows this, if it ever does.
pub(super) fn first_moment(time: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let ambiguous = zone.to_ambiguous_timestamp(time);
    if let AmbiguousOffset::Gap { .. } = ambiguous.offset() {
        return None;
    }
    let moment = ambiguous.earlier().ok()?;
    Some(Timestamp::from_ms(moment.as_millisecond()))
}

fn first_of_day(at: Timestamp, hour: i8, minute: i8, zone: &TimeZone) -> Option<i64> {
    let date: Date = local(at, zone)?.date();
    let moment = zone
        .to_ambiguous_timestamp(date.at(hour, minute, 0, 0))
        .compatible();
    moment.ok().map(|moment| moment.as_millisecond())
}

/// What the clock on the wall shows.
pub(super) fn local(at: Timestamp, zone: &TimeZone) -> Option<DateTime> {
    let moment = jiff::Timestamp::from_millisecond(at.as_ms()).ok()?;
    Some(zone.to_datetime(moment))
}

fn moment(text: &str, zone: &TimeZone) -> Result<Timestamp, Error> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Ok(Timestamp::from_ms(moment.as_millisecond()));
    }
    let time: DateTime = text.parse().map_err(|_| bad("AT", text))?;
    first_moment(time, zone)
        .ok_or_else(|| wrong(format!("the clocks leave {text} out; choose another time")))
}

fn days(text: &str) -> Result<u8, Error> {
    const WORDS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
    let mut days = 0;
    for word in text.split(',') {
        let place = WORDS.iter().position(|it| *it == word.trim());
        days |= 1 << place.ok_or_else(|| bad("BYDAY", text))?;
    }
    Ok(days)
}

/// The bit of a weekday, from Monday on.
pub(super) fn day_bit(day: Weekday) -> u8 {
    1 << day.to_monday_zero_offset()
}

fn number(text: &str, least: i8, most: i8) -> Result<i8, Error> {
    let number = text.trim().parse().ok();
    let number = number.filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| wrong(format!("{text} is not a number from {least} to {most}")))
}

/// A member that cannot be read.
pub(super) fn bad(key: &str, value: &str) -> Error {
    wrong(format!("{key}={value} cannot be read"))
}

/// A rule that cannot be used, and why.
pub(super) fn wrong(why: impl std::fmt::Display) -> Error {
    Error::Invalid(format!("the schedule does not fit: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central Europe: forward on the last Sunday of March at two, back in October at three.
    fn zone() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a rule of POSIX")
    }

    fn at(text: &str) -> Timestamp {
        let moment: jiff::Timestamp = text.parse().expect("a moment");
        Timestamp::from_ms(moment.as_millisecond())
    }

    /// The moments of a rule behind another one.
    fn moments(rule: &str, since: &str, count: usize) -> Vec<String> {
        let rule = Rule::parse(rule, &zone()).expect("a rule");
        let (made, mut last) = (at(since), at(since));
        let ruled = made;
        let mut found = Vec::new();
        while let Some(next) = rule.next(Anchor { made, ruled, last }, last, &zone()) {
            found.push(next.to_string().replace(":00.000Z", "Z"));
            last = next;
            if found.len() == count {
                break;
            }
        }
        found
    }

    #[test]
    fn wall_times_keep_their_hour_when_the_clocks_change() {
        let daily = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=9;BYMINUTE=30";
        assert_eq!(
            moments(daily, "2026-03-28T00:00:00Z", 3),
            [
                "2026-03-28T08:30Z",
                "2026-03-29T07:30Z",
                "2026-03-30T07:30Z"
            ]
        );
        assert_eq!(
            moments(daily, "2026-10-24T00:00:00Z", 3),
            [
                "2026-10-24T07:30Z",
                "2026-10-25T08:30Z",
                "2026-10-26T08:30Z"
            ]
        );
    }

    #[test]
    fn a_wall_time_that_is_left_out_is_left_out_and_one_that_is_repeated_counts_once() {
        let cron = "FREQ=CRON;EXPR=30 2 * * *";
        assert_eq!(
            moments(cron, "2026-03-28T00:00:00Z", 2),
            ["2026-03-28T01:30Z", "2026-03-30T00:30Z"]
        );
        assert_eq!(
            moments(cron, "2026-10-24T12:00:00Z", 2),
            ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]
        );
    }

    #[test]
    fn hours_are_counted_from_the_last_moment_or_along_a_grid() {
        assert_eq!(
            moments("FREQ=HOURLY;INTERVAL=2", "2026-06-01T08:15:42Z", 2),
            ["2026-06-01T10:15Z", "2026-06-01T12:15Z"]
        );
        assert_eq!(
            moments(
                "FREQ=HOURLY;INTERVAL=6;BYHOUR=1;BYMINUTE=5",
                "2026-06-01T08:15:42Z",
                3
            ),
            [
                "2026-06-01T11:05Z",
                "2026-06-01T17:05Z",
                "2026-06-01T23:05Z"
            ]
        );
        // Monday the first; the next Wednesday begins at ten in the evening, by our clocks.
        assert_eq!(
            moments("FREQ=HOURLY;BYDAY=WE", "2026-06-01T08:00:00Z", 1),
            ["2026-06-02T22:00Z"]
        );
    }

    #[test]
    fn cron_knows_names_steps_and_either_day() {
        assert_eq!(
            moments(
                "FREQ=CRON;EXPR=*/20 8-9 * JUN MON",
                "2026-06-01T06:30:00Z",
                4
            ),
            [
                "2026-06-01T06:40Z",
                "2026-06-01T07:00Z",
                "2026-06-01T07:20Z",
                "2026-06-01T07:40Z"
            ]
        );
        assert_eq!(
            moments("FREQ=CRON;EXPR=0 12 13 * 7", "2026-06-08T00:00:00Z", 3),
            [
                "2026-06-13T10:00Z",
                "2026-06-14T10:00Z",
                "2026-06-21T10:00Z"
            ]
        );
        assert_eq!(
            moments("FREQ=CRON;EXPR=0 0 29 2 *", "2026-01-01T00:00:00Z", 1),
            ["2028-02-28T23:00Z"]
        );
    }

    #[test]
    fn once_is_once_in_either_spelling() {
        assert_eq!(
            moments("FREQ=ONCE;AT=2026-06-01T10:00", "2026-05-01T00:00:00Z", 9),
            ["2026-06-01T08:00Z"]
        );
        assert_eq!(
            moments(
                "FREQ=ONCE;AT=2026-06-01T10:00:00+01:00",
                "2026-05-01T00:00:00Z",
                9
            ),
            ["2026-06-01T09:00Z"]
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let wrong = [
            "",
            "HOURLY",
            "FREQ=SOMETIMES",
            "FREQ=HOURLY;INTERVAL=0",
            "FREQ=HOURLY;FREQ=HOURLY",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9",
            "FREQ=WEEKLY;BYDAY=XX;BYHOUR=9;BYMINUTE=0",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=24;BYMINUTE=0",
            "FREQ=ONCE",
            "FREQ=ONCE;AT=TOMORROW",
            "FREQ=ONCE;AT=2026-03-29T02:30",
            "FREQ=CRON;EXPR=* * * *",
            "FREQ=CRON;EXPR=60 * * * *",
            "FREQ=CRON;EXPR=5-1 * * * *",
            "FREQ=CRON;EXPR=*/0 * * * *",
            "FREQ=CRON;EXPR=0 0 30 2 *",
        ];
        for text in wrong {
            let rule = Rule::parse(text, &zone());
            assert!(matches!(rule, Err(Error::Invalid(_))), "{text}: {rule:?}");
        }
    }
}
