//! What comes in: the prompt, and lines of JSON on standard input.

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, bail};
use codewhale_protocol::lines;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::args::{Exec, InputFormat};
use super::limits;

/// One line of input.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
    /// Something for the agent: a turn of its own, or an addition to the one that runs.
    User { content: String },
    /// The answer to a question.
    Approval { id: String, decision: String },
    /// The turn is to stop.
    Interrupt {},
}

/// Where the prompt comes from, or the lines that take its place.
pub(super) struct Input {
    /// The first prompt; none when the first line brings it.
    pub(super) prompt: Option<String>,
    pub(super) lines: Option<mpsc::Receiver<Result<Line, String>>>,
}

impl Input {
    /// Reads what there is to read before anything begins.
    pub(super) fn open(exec: &Exec) -> anyhow::Result<Self> {
        match exec.input_format {
            InputFormat::Text => Ok(Self {
                prompt: Some(prompt(exec)?),
                lines: None,
            }),
            InputFormat::StreamJson => {
                let prompt = match (&exec.prompt_file, exec.prompt.as_slice()) {
                    (Some(file), _) => Some(of_file(file)?),
                    (None, []) => None,
                    (None, [dash]) if dash == "-" => None,
                    (None, words) => Some(words.join(" ")),
                };
                Ok(Self {
                    prompt: prompt.map(not_blank).transpose()?,
                    lines: Some(lines()),
                })
            }
        }
    }

    /// The next line; waits for ever where no lines come, and is `None` once behind the last.
    pub(super) async fn next(&mut self) -> Option<Result<Line, String>> {
        match &mut self.lines {
            Some(lines) => lines.recv().await,
            None => std::future::pending().await,
        }
    }
}

fn prompt(exec: &Exec) -> anyhow::Result<String> {
    if let Some(file) = &exec.prompt_file {
        return not_blank(of_file(file)?);
    }
    let stdin = io::stdin();
    match exec.prompt.as_slice() {
        [dash] if dash == "-" => not_blank(of_reader(stdin, "standard input")?),
        [] if stdin.is_terminal() => {
            bail!("there is no prompt; name one: codewhale exec \"fix the tests\"")
        }
        [] => not_blank(of_reader(stdin, "standard input")?),
        words => not_blank(words.join(" ")),
    }
}

fn not_blank(prompt: String) -> anyhow::Result<String> {
    match prompt.trim().is_empty() {
        true => bail!("the prompt is blank; say what the agent should do"),
        false => Ok(prompt),
    }
}

fn of_file(file: &Path) -> anyhow::Result<String> {
    let name = file.display().to_string();
    let opened = std::fs::File::open(file).with_context(|| format!("cannot read {name}"))?;
    of_reader(opened, &name)
}

fn of_reader(reader: impl Read, name: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut bounded = reader.take(limits::PROMPT_BYTES_MAX as u64 + 1);
    bounded
        .read_to_string(&mut text)
        .with_context(|| format!("cannot read a prompt from {name}"))?;
    if text.len() > limits::PROMPT_BYTES_MAX {
        let most = limits::PROMPT_BYTES_MAX / (1024 * 1024);
        bail!("the prompt from {name} has more than {most} MiB; put it into a file to look at");
    }
    Ok(text)
}

/// Reads lines on a thread of its own: standard input cannot be waited for otherwise, and nothing
/// waits for the thread when the program ends.
fn lines() -> mpsc::Receiver<Result<Line, String>> {
    let (tell, lines) = mpsc::channel(limits::LINES_WAITING_MAX);
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut lines = lines::Lines::new(limits::PROMPT_BYTES_MAX);
        loop {
            let Ok(bytes) = stdin.fill_buf() else {
                return;
            };
            let is_end = bytes.is_empty();
            let (taken, line) = lines.take(bytes);
            stdin.consume(taken);
            let line = if is_end { lines.rest() } else { line };
            let read = line.and_then(|line| read(&line));
            if read.is_some_and(|read| tell.blocking_send(read).is_err()) || is_end {
                return;
            }
        }
    });
    lines
}

/// What a line says; nothing when it is blank.
fn read(line: &lines::Line) -> Option<Result<Line, String>> {
    let text = match line {
        lines::Line::Whole(bytes) => bytes.trim_ascii(),
        lines::Line::TooLong => {
            let most = limits::PROMPT_BYTES_MAX / (1024 * 1024);
            return Some(Err(format!("a line of input has more than {most} MiB")));
        }
    };
    let read = || serde_json::from_slice(text);
    let told = |error| format!("a line of input does not read: {error}");
    (!text.is_empty()).then(|| read().map_err(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_by_their_type() {
        let read = |text: &str| serde_json::from_str::<Line>(text).ok();
        let user = Line::User {
            content: "go".into(),
        };
        assert_eq!(read(r#"{"type":"user","content":"go"}"#), Some(user));
        let approval = Line::Approval {
            id: "appr_1".into(),
            decision: "allow".into(),
        };
        let text = r#"{"type":"approval","id":"appr_1","decision":"allow"}"#;
        assert_eq!(read(text), Some(approval));
        assert_eq!(read(r#"{"type":"interrupt"}"#), Some(Line::Interrupt {}));
        assert_eq!(read(r#"{"type":"swim"}"#), None);
        assert_eq!(read(r#"{"type":"user","content":1}"#), None);
    }

    #[test]
    fn a_blank_line_says_nothing_and_one_that_is_too_long_is_told() {
        let whole = |text: &str| lines::Line::Whole(text.into());
        assert_eq!(read(&whole(" \r")), None);
        let told = |line| read(&line).and_then(Result::err);
        assert!(told(whole("{")).is_some_and(|why| why.contains("does not read")));
        let why = told(lines::Line::TooLong);
        assert_eq!(why.as_deref(), Some("a line of input has more than 8 MiB"));
        let said = read(&whole(" {\"type\":\"interrupt\"}\r"));
        assert_eq!(said, Some(Ok(Line::Interrupt {})));
    }
}
