//! What a run found, for people and for programs.

use std::fmt::Write as _;

use serde_json::json;

use super::figures::{Budget, FIGURES, Figure, Unit};
use super::samples::{Samples, Summary};

#[derive(Default)]
pub(super) struct Report {
    /// What kind of machine this is.
    pub(super) machine: Vec<(&'static str, String)>,
    measured: Vec<Measured>,
}

struct Measured {
    figure: &'static Figure,
    summary: Option<Summary>,
    /// What a reader must know about this value.
    note: String,
}

impl Report {
    /// Takes the samples of a figure.
    pub(super) fn add(&mut self, id: &str, samples: Samples, note: impl Into<String>) {
        let figure = FIGURES.iter().find(|figure| figure.id == id);
        self.measured.push(Measured {
            figure: figure.expect("a scene measures figures of the table"),
            summary: samples.summary(),
            note: note.into(),
        });
    }

    /// Says why a figure has no value.
    pub(super) fn skip(&mut self, id: &str, reason: &str) {
        self.add(id, Samples::default(), reason);
    }

    pub(super) fn table(&self) -> String {
        let mut rows = vec![
            [
                "figure",
                "measured",
                "runs: least to greatest",
                "budget",
                "",
                "remarks",
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        rows.extend(self.in_order().map(Measured::row));
        let mut text = String::new();
        for (name, fact) in &self.machine {
            line(&mut text, format_args!("{name}: {fact}"));
        }
        text.push('\n');
        text.push_str(&aligned(&rows));
        let over = self.in_order().filter(|it| it.is_kept() == Some(false));
        let over: Vec<&str> = over.map(|it| it.figure.id).collect();
        line(&mut text, format_args!("\nover budget: {}", listed(&over)));
        text
    }

    pub(super) fn json_lines(&self) -> String {
        let mut text = String::new();
        let facts: serde_json::Map<_, _> = self
            .machine
            .iter()
            .map(|(name, fact)| ((*name).to_owned(), fact.clone().into()))
            .collect();
        line(&mut text, json!({ "machine": facts }));
        for measured in self.in_order() {
            line(&mut text, measured.json());
        }
        text
    }

    /// By the table of figures.
    fn in_order(&self) -> impl Iterator<Item = &Measured> {
        FIGURES.iter().flat_map(|figure| {
            let of = move |it: &&Measured| it.figure.id == figure.id;
            self.measured.iter().filter(of)
        })
    }
}

impl Measured {
    fn is_kept(&self) -> Option<bool> {
        let summary = self.summary?;
        self.figure.budget.is_kept(summary.median, summary.p99)
    }

    fn row(&self) -> Vec<String> {
        let unit = self.figure.unit;
        let shows_tail = matches!(self.figure.budget, Budget::AtMostTail(..));
        let (value, spread) = match self.summary {
            None => ("-".to_owned(), String::new()),
            Some(summary) => {
                let tail = summary.p99.filter(|_| shows_tail);
                let spread = match summary.runs {
                    1 => "1".to_owned(),
                    runs => format!(
                        "{runs}: {} to {}",
                        number(summary.least, unit),
                        number(summary.greatest, unit)
                    ),
                };
                (with_tail(summary.median, tail, unit), spread)
            }
        };
        let verdict = match self.is_kept() {
            None => "",
            Some(true) => "ok",
            Some(false) => "OVER",
        };
        vec![
            self.figure.title.to_owned(),
            value,
            spread,
            budget(self.figure),
            verdict.to_owned(),
            self.note.clone(),
        ]
    }

    fn json(&self) -> serde_json::Value {
        let figure = self.figure;
        let (bound, tail) = match figure.budget {
            Budget::Free => (None, None),
            Budget::AtMost(bound) | Budget::AtLeast(bound) => (Some(bound), None),
            Budget::AtMostTail(bound, tail) => (Some(bound), Some(tail)),
        };
        json!({
            "figure": figure.id,
            "unit": word(figure.unit),
            "median": self.summary.map(|summary| summary.median),
            "p99": self.summary.and_then(|summary| summary.p99),
            "least": self.summary.map(|summary| summary.least),
            "greatest": self.summary.map(|summary| summary.greatest),
            "runs": self.summary.map_or(0, |summary| summary.runs),
            "budget": bound,
            "budget_p99": tail,
            "kept": self.is_kept(),
            "note": self.note,
        })
    }
}

fn budget(figure: &Figure) -> String {
    let unit = figure.unit;
    match figure.budget {
        Budget::Free => String::new(),
        Budget::AtMost(most) => format!("<= {}", with_tail(most, None, unit)),
        Budget::AtMostTail(most, tail) => format!("<= {}", with_tail(most, Some(tail), unit)),
        Budget::AtLeast(least) => format!(">= {}", with_tail(least, None, unit)),
    }
}

fn with_tail(value: f64, tail: Option<f64>, unit: Unit) -> String {
    let tail = tail.map_or(String::new(), |tail| {
        format!(" (p99 {})", number(tail, unit))
    });
    match unit {
        Unit::PerSecond => format!("{}{tail}", number(value, unit)),
        Unit::Times => format!("{} x{tail}", number(value, unit)),
        Unit::Milliseconds | Unit::Microseconds | Unit::Megabytes => {
            format!("{} {}{tail}", number(value, unit), word(unit))
        }
    }
}

fn word(unit: Unit) -> &'static str {
    match unit {
        Unit::Milliseconds => "ms",
        Unit::Microseconds => "µs",
        Unit::PerSecond => "/s",
        Unit::Megabytes => "MB",
        Unit::Times => "x",
    }
}

fn number(value: f64, unit: Unit) -> String {
    match unit {
        Unit::PerSecond => grouped(value),
        Unit::Milliseconds | Unit::Microseconds | Unit::Times if value < 10.0 => {
            format!("{value:.2}")
        }
        Unit::Milliseconds | Unit::Microseconds | Unit::Times | Unit::Megabytes => {
            format!("{value:.1}")
        }
    }
}

/// A whole number with its digits in groups of three.
pub(super) fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.max(0.0));
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => names.join(", "),
    }
}

fn line(text: &mut String, line: impl std::fmt::Display) {
    writeln!(text, "{line}").expect("writing to a string cannot fail");
}

/// Columns as wide as their widest cell; the first row is the head.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        line(&mut text, cells.join(" | ").trim_end());
        if index == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            line(&mut text, rules.join("-|-"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_beside_its_budget_and_the_verdict() {
        let mut report = Report::default();
        report.add("binary", Samples::once(31.24), "stripped");
        let mut runs = Samples::default();
        for median in [0.2, 0.4, 0.3] {
            runs.values(vec![median; 100]);
        }
        report.add("age", runs, "");
        report.skip("replay", "not our store");
        let expected = "
figure                                     | measured            | runs: least to greatest | budget                 |      | remarks
-------------------------------------------|---------------------|-------------------------|------------------------|------|--------------
age of a delta, model paced at 2 ms        | 0.30 ms (p99 0.30)  | 3: 0.20 to 0.40         | <= 0.30 ms (p99 1.00)  | ok   |
replay of a 100,000-event thread, events/s | -                   |                         | >= 400,000             |      | not our store
size of the binary                         | 31.2 MB             | 1                       | <= 30.0 MB             | OVER | stripped

over budget: binary
";
        let plain = |text: &str| -> String {
            let lines = text
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
            lines
                .filter(|line| !line.starts_with('-'))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(plain(&report.table()), plain(expected));
    }

    #[test]
    fn programs_get_plain_numbers() {
        let mut report = Report::default();
        report.add("create", Samples::once(0.25), "");
        let text = report.json_lines();
        let line: serde_json::Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        assert_eq!(line["figure"], "create");
        assert_eq!(line["median"], 0.25);
        assert_eq!(
            (&line["budget"], &line["kept"]),
            (&json!(0.7), &json!(true))
        );
    }

    #[test]
    fn numbers_are_as_exact_as_they_deserve() {
        assert_eq!(number(0.2345, Unit::Milliseconds), "0.23");
        assert_eq!(number(114.26, Unit::Milliseconds), "114.3");
        assert_eq!(number(1_234_567.8, Unit::PerSecond), "1,234,568");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(0.0), "0");
    }
}
