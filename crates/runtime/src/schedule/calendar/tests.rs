//! Rules of RFC 5545 and the moments they name.

use codewhale_protocol::runtime::Timestamp;
use jiff::tz::TimeZone;

use crate::schedule::rule::{Anchor, Rule};

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
