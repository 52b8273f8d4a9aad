//! What holds for every rule, zone and clock.

use codewhale_protocol::runtime::Timestamp;
use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};
use proptest::prelude::*;

use super::rule::{Anchor, Rule};

/// Zones that change their clocks: by an hour and by half of one, in spring and in autumn, at night
/// and at midnight; and one that does not.
const ZONES: [&str; 6] = [
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "EST5EDT,M3.2.0,M11.1.0",
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    "<-04>4<-03>,M9.1.6/24,M4.1.6/24",
    "IST-1GMT0,M10.5.0,M3.5.0/1",
    "UTC0",
];

fn zone() -> impl Strategy<Value = TimeZone> {
    let zones = ZONES.map(|text| TimeZone::posix(text).expect("a rule of POSIX"));
    prop::sample::select(zones.to_vec())
}

/// A moment of 2026, in or near the days on which clocks change more often than not.
fn moment() -> impl Strategy<Value = Timestamp> {
    let days = [30, 66, 86, 94, 248, 276, 297, 304];
    (prop::sample::select(days.to_vec()), 0..3 * 86_400_i64).prop_map(|(day, secs)| {
        let first: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().expect("a moment");
        Timestamp::from_ms(first.as_millisecond() + (day * 86_400 + secs) * 1_000)
    })
}

fn list(most: u8) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::btree_set(0..most, 0..4).prop_map(|set| set.into_iter().collect())
}

/// A rule that is simple enough to be told minute by minute.
#[derive(Clone, Debug)]
struct Plain {
    freq: &'static str,
    interval: i64,
    days: Vec<u8>,
    hours: Vec<u8>,
    minutes: Vec<u8>,
}

const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

prop_compose! {
    fn plain()(
        freq in prop::sample::select(vec!["WEEKLY", "DAILY", "HOURLY", "MINUTELY"]),
        interval in 1..5_i64,
        days in list(7),
        hours in list(24),
        minutes in list(60),
    ) -> Plain {
        Plain { freq, interval, days, hours, minutes }
    }
}

impl Plain {
    fn text(&self) -> String {
        let mut text = format!("RRULE:FREQ={};INTERVAL={}", self.freq, self.interval);
        let mut add = |key: &str, values: Vec<String>| {
            if !values.is_empty() {
                text.push_str(&format!(";{key}={}", values.join(",")));
            }
        };
        let day = |day: &u8| DAYS[usize::from(*day)].to_owned();
        add("BYDAY", self.days.iter().map(day).collect());
        add("BYHOUR", self.hours.iter().map(u8::to_string).collect());
        add("BYMINUTE", self.minutes.iter().map(u8::to_string).collect());
        text
    }

    /// Whether a minute is one of the rule's, if it starts in another.
    fn has(&self, at: DateTime, start: DateTime) -> bool {
        let monday = Date::constant(2025, 12, 29).at(0, 0, 0, 0);
        let minutes = |at: DateTime| at.duration_since(monday).as_mins();
        let (unit, [days, hours, mins]) = match self.freq {
            "WEEKLY" => (7 * 24 * 60, [true; 3]),
            "DAILY" => (24 * 60, [false, true, true]),
            "HOURLY" => (60, [false, false, true]),
            _ => (1, [false; 3]),
        };
        let steps = minutes(at).div_euclid(unit) - minutes(start).div_euclid(unit);
        let fits = |list: &[u8], of: fn(DateTime) -> i8, is_taken_from_start: bool| match list {
            [] => !is_taken_from_start || of(at) == of(start),
            list => list.iter().any(|it| i8::try_from(*it) == Ok(of(at))),
        };
        at >= start
            && steps % self.interval == 0
            && fits(&self.days, |at| at.weekday().to_monday_zero_offset(), days)
            && fits(&self.hours, DateTime::hour, hours)
            && fits(&self.minutes, DateTime::minute, mins)
    }
}

/// Some rule of any form.
fn any_rule() -> impl Strategy<Value = String> {
    let fixed = [
        "FREQ=HOURLY;INTERVAL=5",
        "FREQ=HOURLY;INTERVAL=2;BYHOUR=1;BYMINUTE=30",
        "FREQ=WEEKLY;BYDAY=SU,MO;BYHOUR=2;BYMINUTE=30",
        "FREQ=CRON;EXPR=*/20 0-3 * * *",
        "FREQ=CRON;EXPR=30 2 * * SUN",
        "RRULE:FREQ=MONTHLY;BYDAY=-1SU,1SU,2SU;BYHOUR=0,1,2,3;BYMINUTE=0,30",
        "RRULE:FREQ=YEARLY;BYYEARDAY=67,88,95,298,305;BYHOUR=2;BYMINUTE=15",
        "DTSTART:20240229T023000 RRULE:FREQ=DAILY;INTERVAL=2",
    ];
    let fixed = prop::sample::select(fixed.map(str::to_owned).to_vec());
    prop_oneof![fixed, plain().prop_map(|plain| plain.text())]
}

fn shown(at: Timestamp, zone: &TimeZone) -> DateTime {
    let moment = jiff::Timestamp::from_millisecond(at.as_ms()).expect("a moment");
    zone.to_datetime(moment)
}

/// The moment of a wall time, unless the clocks leave it out; the first of two.
fn first(at: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let found = zone.to_ambiguous_timestamp(at);
    let AmbiguousOffset::Gap { .. } = found.offset() else {
        let moment = found.earlier().expect("a moment");
        return Some(Timestamp::from_ms(moment.as_millisecond()));
    };
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_moments_of_a_calendar_are_those_that_its_words_name(
        plain in plain(), zone in zone(), ruled in moment(),
    ) {
        let rule = Rule::parse(&plain.text(), &zone).expect("a rule");
        let start = shown(ruled, &zone);
        let start = start.date().at(start.hour(), start.minute(), 0, 0);
        let mut wanted = Vec::new();
        for minute in 0..9 * 24 * 60 {
            let at = start.checked_add(minute.minutes()).expect("a time");
            let moment = first(at, &zone).filter(|moment| *moment > ruled);
            wanted.extend(moment.filter(|_| plain.has(at, start)));
            if wanted.len() == 40 {
                break;
            }
        }
        let (made, mut last, mut found) = (ruled, ruled, Vec::new());
        while found.len() < wanted.len() {
            let next = rule.next(Anchor { made, ruled, last }, last, &zone);
            last = next.expect("another moment");
            found.push(last);
        }
        prop_assert_eq!(found, wanted, "{}", plain.text());
    }

    #[test]
    fn whatever_the_clock_shows_the_next_moment_is_the_first_one_behind_it(
        text in any_rule(), zone in zone(), made in moment(), jumps in prop::collection::vec(-3_000..9_000_i64, 12),
    ) {
        let rule = Rule::parse(&text, &zone).expect("a rule");
        let anchor = |last| Anchor { made, ruled: made, last };
        let (mut slot, mut now) = (made, made);
        for jump in jumps {
            // As the scheduler does it: behind the slot and behind what the clock shows, and the clock
            // may have been set back.
            now = Timestamp::from_ms(now.as_ms() + jump * 60_000);
            let after = slot.max(now);
            let Some(next) = rule.next(anchor(slot), after, &zone) else {
                break;
            };
            prop_assert!(next > slot && next > after, "{}: {} behind {}", text, next, after);
            // Nothing lies between: whoever looks a little earlier finds no other.
            let earlier = Timestamp::from_ms(next.as_ms() - 1).max(after);
            prop_assert_eq!(rule.next(anchor(slot), earlier, &zone), Some(next));
            if !text.starts_with("FREQ=HOURLY") {
                // It is the first moment at which the clock on the wall shows this.
                prop_assert_eq!(first(shown(next, &zone), &zone), Some(next));
            }
            slot = next;
        }
    }

    #[test]
    fn a_count_is_the_same_moments_and_then_none(
        plain in plain(), zone in zone(), ruled in moment(), count in 1..30_usize,
    ) {
        let moments = |text: &str| {
            let rule = Rule::parse(text, &zone).expect("a rule");
            let (made, mut last, mut found) = (ruled, ruled, Vec::new());
            while found.len() < 40 {
                let Some(next) = rule.next(Anchor { made, ruled, last }, last, &zone) else {
                    break;
                };
                found.push(next);
                last = next;
            }
            found
        };
        let all = moments(&plain.text());
        let counted = moments(&format!("{};COUNT={count}", plain.text()));
        prop_assert_eq!(&counted[..], &all[..count.min(all.len())]);
    }
}
