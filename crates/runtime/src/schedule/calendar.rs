//! Rules of RFC 5545, for what the contract's own forms cannot say: `RRULE:FREQ=MONTHLY;BYDAY=-1FR`.
//!
//! The crate `rrule` finds wall times as if there were no zones; which moments they are is decided
//! here, as for every other rule. So is what `COUNT` and `UNTIL` end: a wall time that never comes
//! is not counted.

mod read;
mod steps;

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

#[cfg(test)]
mod tests {
    use super::super::rule::{Anchor, Rule};
    use super::*;

    /// Central Europe: forward on the last Sunday of March at two, back in October at three.
    fn zone() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a rule of POSIX")
    }

    fn at(text: &str) -> Timestamp {
        let moment: jiff::Timestamp = text.parse().expect("a moment");
        Timestamp::from_ms(moment.as_millisecond())
    }

    /// The first moments of a rule that was given then, as clocks in UTC show them.
    fn moments(rule: &str, since: &str, count: usize) -> Vec<String> {
        let rule = Rule::parse(rule, &zone()).unwrap_or_else(|error| panic!("{rule}: {error}"));
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
    fn days_months_and_years_are_followed_by_the_clock_on_the_wall() {
        let cases = [
            (
                "RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=30",
                [
                    "2026-03-28T08:30Z",
                    "2026-03-29T07:30Z",
                    "2026-03-30T07:30Z",
                ],
            ),
            (
                "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=17;BYMINUTE=0;BYSECOND=0",
                [
                    "2026-03-31T15:00Z",
                    "2026-04-30T15:00Z",
                    "2026-05-29T15:00Z",
                ],
            ),
            (
                "RRULE:FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=0;BYMINUTE=0",
                [
                    "2026-03-30T22:00Z",
                    "2026-05-30T22:00Z",
                    "2026-07-30T22:00Z",
                ],
            ),
            (
                "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=12;BYMINUTE=0",
                [
                    "2028-02-29T11:00Z",
                    "2032-02-29T11:00Z",
                    "2036-02-29T11:00Z",
                ],
            ),
            (
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;BYHOUR=8;BYMINUTE=0",
                [
                    "2026-03-28T07:00Z",
                    "2026-04-11T06:00Z",
                    "2026-04-25T06:00Z",
                ],
            ),
            // Several hours are no form of the contract's own; the prefix says which is meant.
            (
                "RRULE:FREQ=WEEKLY;BYDAY=SA;BYHOUR=8,9;BYMINUTE=0",
                [
                    "2026-03-28T07:00Z",
                    "2026-03-28T08:00Z",
                    "2026-04-04T06:00Z",
                ],
            ),
        ];
        for (rule, wanted) in cases {
            assert_eq!(moments(rule, "2026-03-28T06:00:30Z", 3), wanted, "{rule}");
        }
    }

    #[test]
    fn a_start_of_its_own_gives_the_time_the_zone_and_where_counting_begins() {
        let since = "2026-06-01T12:00:00Z";
        let cases = [
            (
                "DTSTART:20260602T091500 RRULE:FREQ=DAILY",
                "2026-06-02T07:15Z",
            ),
            (
                "DTSTART:20260602T091500Z\nRRULE:FREQ=DAILY",
                "2026-06-02T09:15Z",
            ),
            (
                "DTSTART;VALUE=DATE:20260602 RRULE:FREQ=DAILY",
                "2026-06-01T22:00Z",
            ),
            // Every third day, counted from one long ago.
            (
                "DTSTART:20000101T000000Z RRULE:FREQ=DAILY;INTERVAL=3",
                "2026-06-04T00:00Z",
            ),
        ];
        for (rule, first) in cases {
            assert_eq!(moments(rule, since, 1), [first], "{rule}");
        }
        let counted = "DTSTART:20260531T090000Z RRULE:FREQ=DAILY;COUNT=4";
        let wanted = ["2026-06-02T09:00Z", "2026-06-03T09:00Z"];
        assert_eq!(moments(counted, since, 9), wanted);
    }

    #[test]
    fn a_rule_ends_after_its_count_or_at_its_last_moment() {
        let since = "2026-03-27T12:00:00Z";
        // The night on which half past two does not come is not counted.
        assert_eq!(
            moments("FREQ=DAILY;COUNT=2;BYHOUR=2;BYMINUTE=30", since, 9),
            ["2026-03-28T01:30Z", "2026-03-30T00:30Z"]
        );
        assert_eq!(
            moments("FREQ=HOURLY;COUNT=2", since, 9),
            ["2026-03-27T13:00Z", "2026-03-27T14:00Z"]
        );
        for until in ["20260329", "20260329T090000", "20260329T070000Z"] {
            let rule = format!("FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL={until}");
            let wanted = ["2026-03-28T08:00Z", "2026-03-29T07:00Z"];
            assert_eq!(moments(&rule, since, 9), wanted, "{until}");
        }
    }

    #[test]
    fn a_rule_that_never_comes_true_is_not_searched_for_ever() {
        for rule in [
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
            "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
            "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=31",
            "FREQ=HOURLY;INTERVAL=24;BYHOUR=3;COUNT=1",
            "FREQ=MONTHLY;INTERVAL=65535;BYMONTHDAY=1",
            "DTSTART:20200101T000000 RRULE:FREQ=DAILY;UNTIL=20200102",
            "DTSTART:20200101T000000 RRULE:FREQ=DAILY;COUNT=2",
        ] {
            let none: [&str; 0] = [];
            assert_eq!(moments(rule, "2026-06-01T12:10:00Z", 1), none, "{rule}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_what_is_wrong() {
        let cases = [
            ("FREQ=SECONDLY", "use MINUTELY"),
            ("RRULE:FREQ=ONCE", "FREQ=ONCE is not known"),
            ("RRULE:INTERVAL=2", "FREQ is missing"),
            ("FREQ=DAILY;BYHOUR=24", "BYHOUR=24 is not a list"),
            ("FREQ=DAILY;BYHOUR=", "BYHOUR= is not a list"),
            ("FREQ=DAILY;INTERVAL=0", "INTERVAL=0 is not"),
            ("FREQ=DAILY;INTERVAL=1,2", "INTERVAL takes one number"),
            ("FREQ=DAILY;COUNT=3;UNTIL=20270101", "exclude each other"),
            ("FREQ=DAILY;COUNT=10001", "COUNT=10001 is not"),
            ("FREQ=DAILY;UNTIL=TOMORROW", "UNTIL=TOMORROW cannot be read"),
            ("FREQ=DAILY;BYDAY=2MO", "BYDAY=2MO counts days"),
            ("FREQ=MONTHLY;BYDAY=XX", "BYDAY=XX cannot be read"),
            ("FREQ=MONTHLY;BYDAY=Ö", "BYDAY=Ö cannot be read"),
            ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY=0 cannot be read"),
            ("FREQ=DAILY;BYSECOND=0,30", "BYSECOND takes one value"),
            ("FREQ=DAILY;BYSETPOS=1", "BYSETPOS"),
            ("FREQ=WEEKLY;WKST=MO;BYMONTHDAY=1", "BYMONTHDAY"),
            ("FREQ=DAILY;BYEASTER=1", "BYEASTER has no meaning here"),
            (
                "FREQ=DAILY;DTSTART=20260101T000000",
                "stands before the rule",
            ),
            ("DTSTART:20260101T000000", "RRULE: is missing"),
            (
                "DTSTART:SOON RRULE:FREQ=DAILY",
                "DTSTART:SOON cannot be read",
            ),
            (
                "DTSTART;TZID=MARS/UTOPIA:20260101T000000 RRULE:FREQ=DAILY",
                "no zone MARS/UTOPIA",
            ),
            (
                "RRULE:FREQ=DAILY\nEXDATE:20260101T000000",
                "nothing may follow",
            ),
        ];
        for (text, why) in cases {
            let error = Rule::parse(text, &zone()).expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        let long = format!("FREQ=DAILY;BYHOUR={}", "9,".repeat(1_000));
        assert!(Rule::parse(&long, &zone()).is_err());
    }
}
