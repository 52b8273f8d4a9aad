//! Judging work: by the exit of the worker, by a file, by a command, or by a person.

use std::path::Path;
use std::time::Duration;

use codewhale_protocol::runtime::{FleetFailureKind, FleetResult, FleetScore, FleetScorer};
use codewhale_sandbox::{Command, End, Limits, Walls, run};
use regex::RegexBuilder;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::files::read_bounded;
use crate::limits;

/// What a judge says of work whose worker ended well.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Verdict {
    pub(super) result: FleetResult,
    pub(super) failure_kind: Option<FleetFailureKind>,
    pub(super) score: Option<FleetScore>,
}

/// Where and with what a command judges.
pub(super) struct Court<'a> {
    pub(super) directory: &'a Path,
    pub(super) environment: &'a [(String, String)],
    /// Around commands; none run without.
    pub(super) walls: Option<Walls>,
}

/// Whether a judge can be asked at all.
pub(super) fn check(scorer: Option<&FleetScorer>) -> Result<(), String> {
    match scorer {
        Some(FleetScorer::RegexMatch { pattern, .. }) => regex(pattern).map(drop),
        Some(FleetScorer::JsonPath { expression, .. }) => steps(expression).map(drop),
        Some(FleetScorer::Command { command, .. }) if command.trim().is_empty() => {
            Err("it names no command".to_owned())
        }
        Some(
            FleetScorer::ExitCode
            | FleetScorer::FileExists { .. }
            | FleetScorer::Command { .. }
            | FleetScorer::CodeWhaleVerifierPrompt { .. }
            | FleetScorer::Manual,
        )
        | None => Ok(()),
    }
}

/// Judges by what can be seen. Looks at files; not for the async workers.
pub(super) fn by_sight(scorer: &FleetScorer, directory: &Path) -> Verdict {
    match scorer {
        FleetScorer::ExitCode => said(true, "the worker ended well"),
        FleetScorer::FileExists { path } => match read_bounded(directory, path, 0) {
            Ok(_) => said(true, &format!("{path} is there")),
            Err(error) => said(false, &format!("{path}: {error}")),
        },
        FleetScorer::RegexMatch { path, pattern } => match matches(directory, path, pattern) {
            Ok(true) => said(true, &format!("{path} fits the pattern")),
            Ok(false) => said(false, &format!("{path} does not fit the pattern")),
            Err(why) => said(false, &why),
        },
        FleetScorer::JsonPath { path, expression } => match selects(directory, path, expression) {
            Ok(true) => said(true, &format!("{path} has {expression}")),
            Ok(false) => said(false, &format!("{path} has no {expression}")),
            Err(why) => said(false, &why),
        },
        FleetScorer::Command { .. }
        | FleetScorer::CodeWhaleVerifierPrompt { .. }
        | FleetScorer::Manual => partial("a person has to judge this"),
    }
}

fn said(good: bool, notes: &str) -> Verdict {
    Verdict {
        result: if good {
            FleetResult::Pass
        } else {
            FleetResult::Fail
        },
        failure_kind: (!good).then_some(FleetFailureKind::Verifier),
        score: Some(FleetScore {
            value: f64::from(u8::from(good)),
            max: 1.0,
            notes: notes.to_owned(),
        }),
    }
}

fn partial(notes: &str) -> Verdict {
    Verdict {
        result: FleetResult::Partial,
        failure_kind: None,
        score: Some(FleetScore {
            value: 0.0,
            max: 1.0,
            notes: notes.to_owned(),
        }),
    }
}

fn regex(pattern: &str) -> Result<regex::Regex, String> {
    let built = RegexBuilder::new(pattern)
        .size_limit(limits::FLEET_PATTERN_BYTES_MAX)
        .multi_line(true)
        .build();
    built.map_err(|error| error.to_string())
}

fn matches(directory: &Path, path: &str, pattern: &str) -> Result<bool, String> {
    let regex = regex(pattern)?;
    let text = text_of(directory, path)?;
    Ok(regex.is_match(&text))
}

fn text_of(directory: &Path, path: &str) -> Result<String, String> {
    let read = read_bounded(directory, path, limits::FLEET_JUDGED_BYTES_MAX);
    let file = read.map_err(|error| format!("{path}: {error}"))?;
    Ok(String::from_utf8_lossy(&file.bytes).into_owned())
}

fn selects(directory: &Path, path: &str, expression: &str) -> Result<bool, String> {
    let steps = steps(expression)?;
    let text = text_of(directory, path)?;
    let json: Value = serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
    let mut found = Some(&json);
    for step in &steps {
        found = found.and_then(|value| match step {
            Step::Member(name) => value.get(name),
            Step::Place(place) => value.get(place),
        });
    }
    Ok(found.is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false))))
}

#[derive(PartialEq, Eq, Debug)]
enum Step {
    Member(String),
    Place(usize),
}

/// Reads `$.a.b[0]['c']`: the way to one value.
fn steps(expression: &str) -> Result<Vec<Step>, String> {
    let bad = || format!("{expression:?} is not a way to one value, such as $.a.b[0]['c']");
    let mut rest = expression.trim().strip_prefix('$').ok_or_else(bad)?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('.') {
            let end = behind.find(['.', '[']).unwrap_or(behind.len());
            let (name, next) = behind.split_at(end);
            if name.is_empty() || name.contains('*') {
                return Err(bad());
            }
            steps.push(Step::Member(name.to_owned()));
            rest = next;
            continue;
        }
        let inner = rest.strip_prefix('[').ok_or_else(bad)?;
        let (inner, next) = inner.split_once(']').ok_or_else(bad)?;
        let mut quotes = ['\'', '"'].into_iter();
        let quoted = quotes.find_map(|it| inner.strip_prefix(it)?.strip_suffix(it));
        steps.push(match (inner.parse(), quoted) {
            (Ok(place), _) => Step::Place(place),
            (Err(_), Some(name)) => Step::Member(name.to_owned()),
            (Err(_), None) => return Err(bad()),
        });
        rest = next;
    }
    Ok(steps)
}

/// Has a command judge, between walls. Where there are none a person judges.
pub(super) async fn ask(
    command: &str,
    args: &[String],
    court: Court<'_>,
    stop: &CancellationToken,
) -> Verdict {
    let Some(walls) = court.walls else {
        return partial("the command was not run: nothing on this system can hold it");
    };
    let command = Command {
        arguments: args.iter().map(Into::into).collect(),
        environment: court.environment.to_vec(),
        limits: Limits {
            wall_time: limits::FLEET_JUDGE_WALL,
            output_bytes_max: limits::FLEET_JUDGE_SAID_BYTES_MAX,
            ..Limits::default()
        },
        walls,
        ..Command::new(command, court.directory)
    };
    match run(command, stop).await {
        Ok(outcome) => {
            let words = outcome.output.text.trim();
            match outcome.end {
                End::Exited(0) => said(true, words),
                End::Exited(code) => said(false, &format!("it ended with {code}: {words}")),
                End::Signaled(signal) => said(false, &format!("it was killed ({signal}): {words}")),
                End::TimedOut => said(false, &format!("it took longer than {:?}", WALL)),
                End::Cancelled => said(false, "it was stopped"),
            }
        }
        Err(error) => said(false, &error.to_string()),
    }
}

const WALL: Duration = limits::FLEET_JUDGE_WALL;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_way_to_a_value_is_followed_and_nothing_else_is_read() {
        let place = |number| Step::Place(number);
        let member = |name: &str| Step::Member(name.to_owned());
        assert_eq!(steps("$").unwrap(), []);
        let all = steps("$.a[0]['b.c'].d").unwrap();
        assert_eq!(all, [member("a"), place(0), member("b.c"), member("d")]);
        for bad in ["", "a", "$a", "$.", "$..a", "$.*", "$[*]", "$[1", "$[x]"] {
            assert!(steps(bad).is_err(), "{bad}");
        }
    }

    #[tokio::test]
    async fn files_are_judged_by_what_is_in_them() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(
            directory.path().join("a.json"),
            r#"{"ok":true,"n":[0,null]}"#,
        )
        .unwrap();
        let result = |scorer: FleetScorer| by_sight(&scorer, directory.path()).result;
        let path = || "a.json".to_owned();
        let at = |expression: &str| FleetScorer::JsonPath {
            path: path(),
            expression: expression.to_owned(),
        };
        let fits = |pattern: &str| FleetScorer::RegexMatch {
            path: path(),
            pattern: pattern.to_owned(),
        };
        assert_eq!(result(at("$.ok")), FleetResult::Pass);
        assert_eq!(result(at("$.n[0]")), FleetResult::Pass);
        assert_eq!(result(at("$.n[1]")), FleetResult::Fail);
        assert_eq!(result(at("$.no")), FleetResult::Fail);
        assert_eq!(result(fits("\"ok\":true")), FleetResult::Pass);
        assert_eq!(result(fits("^nothing$")), FleetResult::Fail);
        let there = FleetScorer::FileExists { path: path() };
        assert_eq!(result(there), FleetResult::Pass);
        let gone = FleetScorer::FileExists {
            path: "b.json".to_owned(),
        };
        assert_eq!(result(gone), FleetResult::Fail);
        assert_eq!(result(FleetScorer::Manual), FleetResult::Partial);
        let court = Court {
            directory: directory.path(),
            environment: &[],
            walls: None,
        };
        let unheld = ask("true", &[], court, &CancellationToken::new()).await;
        assert_eq!(unheld.result, FleetResult::Partial);
    }

    #[test]
    fn a_link_out_of_the_workspace_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "yes").unwrap();
        std::os::unix::fs::symlink(outside.path(), directory.path().join("out")).unwrap();
        let scorer = FleetScorer::FileExists {
            path: "out/secret".to_owned(),
        };
        let verdict = by_sight(&scorer, directory.path());
        assert_eq!(verdict.result, FleetResult::Fail);
    }
}
