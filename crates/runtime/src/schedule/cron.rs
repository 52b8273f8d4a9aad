//! Wall times: minutes, hours and days, as five fields of cron say them.

use jiff::civil::Date;

use super::rule::{day_bit, wrong};
use crate::Error;

/// Some minutes of some hours of some days. Each field is a set of bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wall {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    /// From Monday on.
    weekdays: u8,
    /// Either kind of day is enough when both are restricted.
    either: bool,
}

impl Wall {
    /// One time on some weekdays.
    pub(super) fn weekly(weekdays: u8, hour: i8, minute: i8) -> Self {
        Self {
            minutes: 1 << minute,
            hours: 1 << hour,
            days: !0,
            months: !0,
            weekdays,
            either: false,
        }
    }

    pub(super) fn has_day(&self, date: Date) -> bool {
        let has = |set: u64, value: i8| set & (1 << value) != 0;
        let (day, weekday) = (
            has(self.days, date.day()),
            self.weekdays & day_bit(date.weekday()) != 0,
        );
        has(self.months, date.month())
            && match self.either {
                true => day || weekday,
                false => day && weekday,
            }
    }

    /// The times of a day, in order.
    pub(super) fn times(&self) -> impl Iterator<Item = (i8, i8)> + '_ {
        let hours = (0..24).filter(|hour| self.hours & (1 << hour) != 0);
        hours.flat_map(|hour| {
            let minutes = (0..60).filter(|minute| self.minutes & (1 << minute) != 0);
            minutes.map(move |minute| (hour, minute))
        })
    }
}

const MONTHS: &[&str] = &[
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
];
const DAYS: &[&str] = &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// Days that months have at most, from January on.
const LENGTHS: [u64; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// Reads the five fields.
pub(super) fn parse(text: &str) -> Result<Wall, Error> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [minute, hour, day, month, weekday] = fields[..] else {
        return Err(wrong(
            "EXPR takes five fields: minute, hour, day of month, month, day of week",
        ));
    };
    let sundays = set(weekday, 0, 7, DAYS, 0)?;
    // Cron counts from Sunday, and knows it twice.
    let from_monday = ((sundays >> 1) & 0x3f) | (((sundays | (sundays >> 7)) & 1) << 6);
    let wall = Wall {
        minutes: set(minute, 0, 59, &[], 0)?,
        hours: set(hour, 0, 23, &[], 0)?,
        days: set(day, 1, 31, &[], 0)?,
        months: set(month, 1, 12, MONTHS, 1)?,
        weekdays: u8::try_from(from_monday).unwrap_or(0x7f),
        either: !day.starts_with('*') && !weekday.starts_with('*'),
    };
    let exists = |month: usize| {
        wall.months & (2 << month) != 0 && wall.days & ((2 << LENGTHS[month]) - 2) != 0
    };
    match wall.either || (0..12).any(exists) {
        true => Ok(wall),
        false => Err(wrong(format!("{text} names a day that no month has"))),
    }
}

fn set(field: &str, least: u64, most: u64, names: &[&str], first: u64) -> Result<u64, Error> {
    let fail = || {
        wrong(format!(
            "{field} is not a field with values from {least} to {most}"
        ))
    };
    let value = |text: &str| {
        let named = names.iter().position(|name| *name == text);
        let named = named.and_then(|place| u64::try_from(place).ok());
        let value = named.map(|place| place + first).or(text.parse().ok());
        value
            .filter(|value| (least..=most).contains(value))
            .ok_or_else(fail)
    };
    let mut all = 0;
    for part in field.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<u64>().map_err(|_| fail())?)),
            None => (part, None),
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((from, to)) => (value(from)?, value(to)?),
            None if step.is_some() => (value(range)?, most),
            None => (value(range)?, value(range)?),
        };
        let step = step.unwrap_or(1);
        if from > to || step == 0 {
            return Err(fail());
        }
        let mut at = from;
        while at <= to {
            all |= 1 << at;
            at += step;
        }
    }
    Ok(all)
}
