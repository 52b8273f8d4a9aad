//! Wall times that follow each other by hours or minutes.
//!
//! The crate `rrule` loses its step where such a rule names hours or days as well, so these are
//! counted here: every step is a whole number of intervals away from the start.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use rrule::NWeekday;

use crate::limits;
use crate::schedule::rule::day_bit;

/// Minutes of a day.
const DAY: i64 = 24 * 60;

/// What a rule says about wall times, list by list; an empty list says nothing.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Parts {
    pub(super) months: Vec<u8>,
    pub(super) weeks: Vec<i8>,
    pub(super) year_days: Vec<i16>,
    pub(super) month_days: Vec<i16>,
    pub(super) weekdays: Vec<NWeekday>,
    pub(super) hours: Vec<u8>,
    pub(super) minutes: Vec<u8>,
    pub(super) second: Option<u8>,
    pub(super) places: Vec<i32>,
}

/// The hours or minutes of a rule, one interval after the other.
pub(super) struct Steps<'a> {
    parts: &'a Parts,
    /// Minutes from one step to the next: whole hours, or single minutes.
    step: i64,
    is_hourly: bool,
    start: DateTime,
    at: DateTime,
    /// The wall times of the hour that was stepped to, last first.
    found: Vec<DateTime>,
    /// There will never be one.
    is_vain: bool,
}

impl<'a> Steps<'a> {
    /// The steps of a rule that starts at `start`, from `begin` on, which is one of them.
    pub(super) fn hourly(parts: &'a Parts, start: DateTime, begin: DateTime, hours: u16) -> Self {
        Self::new(parts, (start, begin), 60 * i64::from(hours), true)
    }

    /// The same for minutes.
    pub(super) fn minutely(parts: &'a Parts, start: DateTime, begin: DateTime, every: u16) -> Self {
        Self::new(parts, (start, begin), i64::from(every), false)
    }

    fn new(
        parts: &'a Parts,
        (start, begin): (DateTime, DateTime),
        step: i64,
        is_hourly: bool,
    ) -> Self {
        let minute = if is_hourly { 0 } else { begin.minute() };
        let mut steps = Self {
            parts,
            step,
            is_hourly,
            start,
            at: begin.date().at(begin.hour(), minute, 0, 0),
            found: Vec::new(),
            is_vain: false,
        };
        steps.is_vain = !steps.comes_round();
        steps
    }

    /// Whether some step of a day is at a time that the rule names; if none is, none ever will be.
    fn comes_round(&self) -> bool {
        let first = i64::from(self.at.hour()) * 60 + i64::from(self.at.minute());
        let times = (0..DAY).map(|steps| (first + steps * self.step) % DAY);
        let mut times = times.map(|time| ((time / 60) as i8, (time % 60) as i8));
        times.any(|(hour, minute)| {
            has(&self.parts.hours, hour) && (self.is_hourly || has(&self.parts.minutes, minute))
        })
    }

    /// Goes on to the first step that is at least so many minutes ahead.
    fn go_on(&mut self, minutes: i64) -> Option<()> {
        let steps = (minutes + self.step - 1) / self.step;
        self.at = self.at.checked_add((steps * self.step).minutes()).ok()?;
        Some(())
    }

    /// The wall times of the step that is stood on, last first.
    fn here(&self) -> Vec<DateTime> {
        let minutes = match (self.is_hourly, self.parts.minutes.as_slice()) {
            (true, []) => vec![self.start.minute()],
            (true, minutes) => minutes.iter().rev().map(|it| it.cast_signed()).collect(),
            (false, minutes) if has(minutes, self.at.minute()) => vec![self.at.minute()],
            (false, _) => Vec::new(),
        };
        let second = self.parts.second.map(u8::cast_signed);
        let second = second.unwrap_or(self.start.second());
        let times = minutes.into_iter();
        let times = times.map(|minute| self.at.date().at(self.at.hour(), minute, second, 0));
        times.filter(|time| *time >= self.start).collect()
    }
}

impl Iterator for Steps<'_> {
    type Item = DateTime;

    fn next(&mut self) -> Option<DateTime> {
        if self.is_vain {
            return None;
        }
        for _ in 0..limits::SCHEDULE_SEARCH_MAX {
            if let Some(found) = self.found.pop() {
                return Some(found);
            }
            let (hour, minute) = (i64::from(self.at.hour()), i64::from(self.at.minute()));
            if !self.parts.have_day(self.at.date()) {
                self.go_on((24 - hour) * 60 - minute)?;
            } else if !has(&self.parts.hours, self.at.hour()) {
                self.go_on(60 - minute)?;
            } else {
                self.found = self.here();
                self.go_on(1)?;
            }
        }
        None
    }
}

impl Parts {
    /// Whether a day is one of those that the rule names.
    fn have_day(&self, date: Date) -> bool {
        let (day, in_month) = (i16::from(date.day()), i16::from(date.days_in_month()));
        has(&self.months, date.month())
            && has_day(&self.month_days, day, in_month)
            && has_day(&self.year_days, date.day_of_year(), date.days_in_year())
            && (self.weekdays.is_empty() || self.weekdays.iter().any(|day| is_on(*day, date)))
    }
}

/// Whether a day is in a list that counts from both ends: the last one is -1.
fn has_day(list: &[i16], day: i16, length: i16) -> bool {
    let is_it = |it: &i16| *it == day || *it == day - length - 1;
    list.is_empty() || list.iter().any(is_it)
}

/// Days by number are for months and years, and refused here.
fn is_on(day: NWeekday, date: Date) -> bool {
    let (NWeekday::Every(day) | NWeekday::Nth(_, day)) = day;
    1 << day.num_days_from_monday() == day_bit(date.weekday())
}

fn has(list: &[u8], value: i8) -> bool {
    list.is_empty() || list.iter().any(|it| it.cast_signed() == value)
}
