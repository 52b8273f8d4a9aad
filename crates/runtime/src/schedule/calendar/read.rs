//! How a rule of RFC 5545 is read.

use chrono::Weekday;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use rrule::{Frequency, NWeekday};

use super::steps::Parts;
use super::{Calendar, Start, Until};
use crate::schedule::members::Members;
use crate::schedule::rule::{bad, first_moment, wrong};
use crate::{Error, limits};

/// What a rule may say.
const KEYS: &[&str] = &[
    "INTERVAL",
    "COUNT",
    "UNTIL",
    "WKST",
    "BYMONTH",
    "BYWEEKNO",
    "BYYEARDAY",
    "BYMONTHDAY",
    "BYDAY",
    "BYHOUR",
    "BYMINUTE",
    "BYSECOND",
    "BYSETPOS",
];

impl Calendar {
    /// Reads a rule as calendars write it: `RRULE:…`, with a `DTSTART` before it if it has one.
    pub(in crate::schedule) fn parse(text: &str) -> Result<Self, Error> {
        let Some((start, rule)) = text.split_once("RRULE:") else {
            return Err(wrong("RRULE: is missing behind DTSTART"));
        };
        if rule.contains(['\n', '\r']) {
            return Err(wrong("nothing may follow the RRULE; write it in one line"));
        }
        let start = match start.trim() {
            "" => None,
            start => Some(Start::parse(start)?),
        };
        Self::read(&Members::read(rule)?, start)
    }

    /// Takes a rule from its members.
    pub(in crate::schedule) fn read(
        members: &Members<'_>,
        start: Option<Start>,
    ) -> Result<Self, Error> {
        let freq = freq(members.require("FREQ")?)?;
        if members.get("DTSTART").is_some() {
            let form = "DTSTART:20260601T090000 RRULE:FREQ=…";
            return Err(wrong(format!("DTSTART stands before the rule: {form}")));
        }
        members.allow(KEYS)?;
        if members.get("COUNT").is_some() && members.get("UNTIL").is_some() {
            return Err(wrong("COUNT and UNTIL exclude each other; keep one"));
        }
        let interval = one(members, "INTERVAL", 1, i64::from(u16::MAX))?.unwrap_or(1);
        let interval = u16::try_from(interval).map_err(|_| bad("INTERVAL", "that"))?;
        let calendar = Self {
            parts: parts(members, freq)?,
            week_start: members.get("WKST").map_or(Ok(Weekday::Mon), |text| {
                weekday(text).ok_or_else(|| bad("WKST", text))
            })?,
            freq,
            interval,
            start,
            count: one(members, "COUNT", 1, limits::SCHEDULE_COUNT_MAX)?.map(i64::unsigned_abs),
            until: members.get("UNTIL").map(until).transpose()?,
        };
        // Which day it begins on does not decide whether it can be read.
        calendar.resolved(Date::constant(2000, 1, 1).at(0, 0, 0, 0))?;
        Ok(calendar)
    }
}

impl Start {
    /// `DTSTART:20260601T090000`, with a `Z` behind it or a `TZID` in front of it.
    fn parse(text: &str) -> Result<Self, Error> {
        let fail = || {
            wrong(format!(
                "{text} cannot be read; write DTSTART:20260601T090000"
            ))
        };
        let (name, value) = text.split_once(':').ok_or_else(fail)?;
        let mut zone = None;
        for parameter in name.strip_prefix("DTSTART").ok_or_else(fail)?.split(';') {
            match parameter.split_once('=') {
                None if parameter.trim().is_empty() => {}
                Some(("VALUE", _)) => {}
                Some(("TZID", name)) => {
                    let known = TimeZone::get(name);
                    zone = Some(known.map_err(|_| wrong(format!("no zone {name} is known here")))?);
                }
                _ => return Err(fail()),
            }
        }
        let (value, is_utc) = match value.trim().strip_suffix('Z') {
            Some(value) => (value, true),
            None => (value.trim(), false),
        };
        if is_utc && zone.replace(TimeZone::UTC).is_some() {
            return Err(wrong("DTSTART has a TZID and a Z; keep one"));
        }
        let at = wall(value).map(|(at, _)| at).ok_or_else(fail)?;
        Ok(Self { at, zone })
    }
}

/// The parts of a rule that choose wall times.
fn parts(members: &Members<'_>, freq: Frequency) -> Result<Parts, Error> {
    let is_short = matches!(freq, Frequency::Hourly | Frequency::Minutely);
    if is_short && members.get("BYSETPOS").is_some() {
        return Err(wrong("BYSETPOS takes FREQ=DAILY or a longer one"));
    }
    let is_by = |key: &&str| key.starts_with("BY") && *key != "BYSETPOS";
    let mut others = KEYS.iter().filter(|key| is_by(key));
    if members.get("BYSETPOS").is_some() && !others.any(|key| members.get(key).is_some()) {
        return Err(wrong(
            "BYSETPOS chooses among what another BY… names; add one",
        ));
    }
    let seconds: Vec<u8> = list(members, "BYSECOND", 0, 59)?;
    if seconds.len() > 1 {
        let why = "BYSECOND takes one value; the clock is not looked at so often";
        return Err(wrong(why));
    }
    let is_numbered =
        matches!(freq, Frequency::Monthly | Frequency::Yearly) && members.get("BYWEEKNO").is_none();
    let days = members.get("BYDAY").map(|text| text.split(','));
    let days = days.into_iter().flatten();
    let mut parts = Parts {
        months: list(members, "BYMONTH", 1, 12)?,
        weeks: signed(members, "BYWEEKNO", 53)?,
        year_days: signed(members, "BYYEARDAY", 366)?,
        month_days: signed(members, "BYMONTHDAY", 31)?,
        weekdays: days
            .map(|text| day(text.trim(), is_numbered))
            .collect::<Result<_, _>>()?,
        hours: list(members, "BYHOUR", 0, 23)?,
        minutes: list(members, "BYMINUTE", 0, 59)?,
        second: seconds.first().copied(),
        places: signed(members, "BYSETPOS", 366)?,
    };
    parts.minutes.sort_unstable();
    parts.minutes.dedup();
    Ok(parts)
}

fn freq(text: &str) -> Result<Frequency, Error> {
    match text {
        "YEARLY" => Ok(Frequency::Yearly),
        "MONTHLY" => Ok(Frequency::Monthly),
        "WEEKLY" => Ok(Frequency::Weekly),
        "DAILY" => Ok(Frequency::Daily),
        "HOURLY" => Ok(Frequency::Hourly),
        "MINUTELY" => Ok(Frequency::Minutely),
        "SECONDLY" => Err(wrong(
            "FREQ=SECONDLY is more often than the clock is looked at; use MINUTELY",
        )),
        other => Err(wrong(format!(
            "FREQ={other} is not known; use MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, ONCE \
             or CRON"
        ))),
    }
}

/// A weekday, or the how-manieth of them.
fn day(text: &str, is_numbered: bool) -> Result<NWeekday, Error> {
    let split = text.len().saturating_sub(2);
    let place = text.is_char_boundary(split).then(|| text.split_at(split));
    let (number, day) = place.ok_or_else(|| bad("BYDAY", text))?;
    let day = weekday(day).ok_or_else(|| bad("BYDAY", text))?;
    if number.is_empty() {
        return Ok(NWeekday::Every(day));
    }
    if !is_numbered {
        return Err(wrong(format!(
            "BYDAY={text} counts days; that takes FREQ=MONTHLY or YEARLY, without BYWEEKNO"
        )));
    }
    match number.parse() {
        Ok(number) if number != 0 => Ok(NWeekday::Nth(number, day)),
        Ok(_) | Err(_) => Err(bad("BYDAY", text)),
    }
}

fn weekday(text: &str) -> Option<Weekday> {
    match text {
        "MO" => Some(Weekday::Mon),
        "TU" => Some(Weekday::Tue),
        "WE" => Some(Weekday::Wed),
        "TH" => Some(Weekday::Thu),
        "FR" => Some(Weekday::Fri),
        "SA" => Some(Weekday::Sat),
        "SU" => Some(Weekday::Sun),
        _ => None,
    }
}

/// The numbers of a member; from `-most` to `most`, without zero.
fn signed<T: TryFrom<i64>>(members: &Members<'_>, key: &str, most: i64) -> Result<Vec<T>, Error> {
    match members.get(key) {
        Some(text) if text.split(',').any(|it| it.trim() == "0") => Err(bad(key, text)),
        Some(_) | None => list(members, key, -most, most),
    }
}

fn list<T: TryFrom<i64>>(
    members: &Members<'_>,
    key: &str,
    least: i64,
    most: i64,
) -> Result<Vec<T>, Error> {
    let Some(text) = members.get(key) else {
        return Ok(Vec::new());
    };
    let number = |text: &str| {
        let number = text.trim().parse::<i64>().ok();
        let number = number.filter(|number| (least..=most).contains(number));
        number.and_then(|number| T::try_from(number).ok())
    };
    let numbers = text.split(',').map(number).collect::<Option<_>>();
    numbers.ok_or_else(|| {
        wrong(format!(
            "{key}={text} is not a list of numbers from {least} to {most}"
        ))
    })
}

fn one(members: &Members<'_>, key: &str, least: i64, most: i64) -> Result<Option<i64>, Error> {
    match list(members, key, least, most)?.as_slice() {
        [] => Ok(None),
        [number] => Ok(Some(*number)),
        _ => Err(wrong(format!("{key} takes one number"))),
    }
}

fn until(text: &str) -> Result<Until, Error> {
    let fail = || bad("UNTIL", text);
    if let Some(text) = text.strip_suffix('Z') {
        let (at, _) = wall(text).ok_or_else(fail)?;
        let moment = first_moment(at, &TimeZone::UTC).ok_or_else(fail)?;
        return Ok(Until::Moment(moment));
    }
    let (at, is_day) = wall(text).ok_or_else(fail)?;
    // A day is over at its end.
    Ok(Until::Wall(match is_day {
        true => at.date().at(23, 59, 59, 0),
        false => at,
    }))
}

/// `20260601T090000`, or a day alone: its first moment, and that it is a day.
fn wall(text: &str) -> Option<(DateTime, bool)> {
    match text.len() {
        8 => Some((Date::strptime("%Y%m%d", text).ok()?.at(0, 0, 0, 0), true)),
        15 => Some((DateTime::strptime("%Y%m%dT%H%M%S", text).ok()?, false)),
        _ => None,
    }
}
