//! Rules of RFC 5545, for what the contract's own forms cannot say: `RRULE:FREQ=MONTHLY;BYDAY=-1FR`.
//!
//! The crate `rrule` finds wall times as if there were no zones; which moments they are is decided
//! here, as for every other rule. So is what `COUNT` and `UNTIL` end: a wall time that never comes
//! is not counted.

mod read;
mod steps;
#[cfg(test)]
mod tests;

use chrono::{DateTime as Chrono, Month, Weekday};
use codewhale_protocol::runtime::Timestamp;
use jiff::ToSpan;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rrule::{Frequency, RRule, RRuleSet, Tz, Validated};

use super::rule::{first_moment, local, wrong};
use crate::{Error, limits};
use steps::{Parts, Steps};

/// A rule of RFC 5545.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Calendar {
    parts: Parts,
    week_start: Weekday,
    freq: Frequency,
    interval: u16,
    start: Option<Start>,
    count: Option<u64>,
    until: Option<Until>,
}

/// Where a rule says that it begins.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Start {
    at: DateTime,
    /// The zone whose clocks count; that of the host when it names none.
    zone: Option<TimeZone>,
}

/// Where a rule ends; that moment is still part of it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Until {
    Moment(Timestamp),
    Wall(DateTime),
}

impl Calendar {
    /// The first moment behind another one, for a rule that was given at `ruled`.
    pub(super) fn next(
        &self,
        ruled: Timestamp,
        after: Timestamp,
        zone: &TimeZone,
    ) -> Option<Timestamp> {
        let named = self.start.as_ref().and_then(|start| start.zone.as_ref());
        let zone = named.unwrap_or(zone);
        let (start, not_before) = match &self.start {
            Some(start) => (start.at, None),
            // Its making is not one of its moments.
            None => (whole_minute(local(ruled, zone)?), Some(ruled)),
        };
        // What lies so far back cannot be ahead, whatever a zone does to its clocks.
        let gone = local(after, zone)?.checked_sub(2.days()).ok()?;
        let begin = match self.count {
            // Those that went by must be counted.
            Some(_) => start,
            None => self.nearer(start, gone),
        };
        let mut counted = 0;
        let walls = self.walls(start, begin)?;
        for wall in walls.take(limits::SCHEDULE_STEPS_MAX) {
            if self.count.is_none() && wall < gone {
                continue;
            }
            let Some(moment) = first_moment(wall, zone) else {
                continue;
            };
            if not_before.is_some_and(|first| moment <= first) {
                continue;
            }
            counted += 1;
            if self.count.is_some_and(|count| counted > count) || self.is_over(wall, moment) {
                return None;
            }
            if moment > after {
                return Some(moment);
            }
        }
        None
    }

    fn is_over(&self, wall: DateTime, moment: Timestamp) -> bool {
        match self.until {
            Some(Until::Moment(last)) => moment > last,
            Some(Until::Wall(last)) => wall > last,
            None => false,
        }
    }

    /// The wall times of the rule, from `begin` on.
    fn walls(
        &self,
        start: DateTime,
        begin: DateTime,
    ) -> Option<Box<dyn Iterator<Item = DateTime> + '_>> {
        let (parts, interval) = (&self.parts, self.interval);
        match self.freq {
            Frequency::Hourly => Some(Box::new(Steps::hourly(parts, start, begin, interval))),
            Frequency::Minutely | Frequency::Secondly => {
                Some(Box::new(Steps::minutely(parts, start, begin, interval)))
            }
            Frequency::Yearly | Frequency::Monthly | Frequency::Weekly | Frequency::Daily => {
                let rule = self.resolved(start).ok()?;
                let set = RRuleSet::new(to_chrono(begin)?).limit().rrule(rule);
                let walls = set.into_iter().map_while(from_chrono);
                Some(Box::new(walls))
            }
        }
    }

    /// The rule as the crate knows it, with everything in it that it takes from its start.
    fn resolved(&self, start: DateTime) -> Result<RRule<Validated>, Error> {
        let start = to_chrono(start).ok_or_else(|| wrong("its start is out of reach"))?;
        let parts = self.parts.clone();
        let months = parts.months.into_iter();
        let months: Vec<_> = months.filter_map(|it| Month::try_from(it).ok()).collect();
        let days = parts.month_days.into_iter();
        let days = days.filter_map(|it| i8::try_from(it).ok()).collect();
        let rule = RRule::new(self.freq)
            .interval(self.interval)
            .week_start(self.week_start)
            .by_month(&months)
            .by_week_no(parts.weeks)
            .by_year_day(parts.year_days)
            .by_month_day(days)
            .by_weekday(parts.weekdays)
            .by_hour(parts.hours)
            .by_minute(parts.minutes)
            .by_second(parts.second.into_iter().collect())
            .by_set_pos(parts.places);
        rule.validate(start).map_err(wrong)
    }

    /// A start from which the same wall times follow, as near before `gone` as its steps allow.
    fn nearer(&self, start: DateTime, gone: DateTime) -> DateTime {
        if gone <= start {
            return start;
        }
        let steps = i64::from(self.interval);
        let whole = |passed: i64| passed / steps * steps;
        let minutes = |unit: i64| {
            let passed = gone.duration_since(start).as_mins() / unit;
            start.checked_add((whole(passed) * unit).minutes()).ok()
        };
        let months = |unit: i64| {
            let month = |at: DateTime| i64::from(at.year()) * 12 + i64::from(at.month()) - 1;
            let passed = whole(month(gone) / unit - month(start) / unit) * unit;
            let first = match unit {
                1 => start.date().first_of_month(),
                _ => start.date().first_of_year(),
            };
            let nearer = first.checked_add(passed.months()).ok()?;
            Some(nearer.at(0, 0, 0, 0).max(start))
        };
        let nearer = match self.freq {
            Frequency::Yearly => months(12),
            Frequency::Monthly => months(1),
            Frequency::Weekly => minutes(7 * 24 * 60),
            Frequency::Daily => minutes(24 * 60),
            Frequency::Hourly => minutes(60),
            Frequency::Minutely | Frequency::Secondly => minutes(1),
        };
        nearer.unwrap_or(start)
    }
}

fn whole_minute(at: DateTime) -> DateTime {
    at.date().at(at.hour(), at.minute(), 0, 0)
}

/// A wall time as the crate sees it: in a zone whose clocks never change.
fn to_chrono(at: DateTime) -> Option<Chrono<Tz>> {
    let moment = TimeZone::UTC.to_timestamp(at).ok()?;
    Some(Chrono::from_timestamp(moment.as_second(), 0)?.with_timezone(&Tz::UTC))
}

fn from_chrono(at: Chrono<Tz>) -> Option<DateTime> {
    let moment = jiff::Timestamp::from_second(at.timestamp()).ok()?;
    Some(TimeZone::UTC.to_datetime(moment))
}
