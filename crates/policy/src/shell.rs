//! What a shell script would run: every command in it, however it is wrapped.
//!
//! A grammar takes the text apart (`shell/tree.rs`), a second reader checks it (`shell/second.rs`),
//! and what one command runs through another is brought out as well (`shell/unwrap.rs`). What cannot
//! be read for sure says so, and is then never taken for harmless.

mod grammar;
mod programs;
mod second;
mod tree;
mod unwrap;
mod word;

pub use word::{Form, Word};

use crate::limits::{NESTED_SCRIPTS_MAX, SCRIPT_BYTES_MAX, SEGMENTS_MAX};

/// A script, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Script {
    /// The text it was read from.
    pub text: String,
    /// Every command that would run, in the order of the text; what a command runs follows it.
    pub segments: Vec<Segment>,
    /// How well it could be read.
    pub clarity: Clarity,
    /// Whether it defines a function that multiplies itself.
    pub forks: bool,
}

/// How well a script could be read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Clarity {
    /// Two readings agree on every word.
    Certain,
    /// The grammar reads it; parts are beyond the second reading.
    Likely,
    /// Parts of it cannot be known before it runs, or are no shell at all.
    Opaque,
}

/// One command that would run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// What is set in front of it, or alone.
    pub assignments: Vec<Assignment>,
    /// Where its input and output go.
    pub redirects: Vec<Redirect>,
    /// Why it is in the list.
    pub role: Role,
    /// Where its input comes from.
    pub input: Input,
    /// A program text in another language that it is given.
    pub code: Option<Word>,
}

/// A variable that is set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: Word,
}

/// A redirection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redirect {
    /// Which way.
    pub direction: Direction,
    /// The file or descriptor.
    pub target: Word,
}

/// Which way a redirection goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From a file or text.
    In,
    /// Into a file.
    Out,
    /// To a descriptor that is open already.
    Duplicate,
}

/// Why a command is in the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// It runs, and is judged for itself.
    #[default]
    Program,
    /// It only runs the commands behind it; they are judged in its place.
    Wrapper,
    /// It runs the commands behind it elsewhere or as someone else, and is judged with them.
    Elevated,
    /// It runs inside an elevated command, which answers for it.
    Inside,
}

/// Where a command's input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Input {
    /// Wherever the script's comes from.
    #[default]
    Inherited,
    /// Another command.
    Pipe,
    /// Text in the script.
    Text,
}

impl Script {
    /// Reads a script. Never fails: what cannot be read is opaque.
    pub fn read(text: &str) -> Self {
        Self::read_nested(text, 0)
    }

    fn read_nested(text: &str, level: usize) -> Self {
        let mut script = Self {
            text: text.to_owned(),
            segments: Vec::new(),
            clarity: Clarity::Certain,
            forks: false,
        };
        let has_control = |it: char| it.is_control() && !matches!(it, '\n' | '\t');
        if text.len() > SCRIPT_BYTES_MAX || level > NESTED_SCRIPTS_MAX {
            script.clarity = Clarity::Opaque;
            return script;
        }
        let Some(joined) = join_lines(text) else {
            script.clarity = Clarity::Opaque;
            return script;
        };
        if text.contains(has_control) || text.contains("\\`") {
            script.clarity = Clarity::Opaque;
        }
        let found = tree::read(&joined);
        script.blur(found.clarity);
        script.blur(agreement(&joined, &found.places));
        script.forks = found.forks;
        for segment in found.segments {
            unwrap::unwrap(segment, &mut script, level);
        }
        script
    }

    /// Takes in a script that one of its commands runs.
    fn absorb(&mut self, inner: &str, level: usize, is_inside: bool) {
        let inner = Self::read_nested(inner, level + 1);
        self.blur(inner.clarity);
        self.forks |= inner.forks;
        for mut segment in inner.segments {
            if is_inside {
                segment.role = Role::Inside;
            }
            self.push(segment);
        }
    }

    fn push(&mut self, segment: Segment) {
        match self.segments.len() < SEGMENTS_MAX {
            true => self.segments.push(segment),
            false => self.clarity = Clarity::Opaque,
        }
    }

    fn blur(&mut self, clarity: Clarity) {
        self.clarity = self.clarity.max(clarity);
    }

    /// Whether parts of it are unknown.
    pub fn is_opaque(&self) -> bool {
        self.clarity == Clarity::Opaque
    }

    /// Whether every word of it is beyond doubt.
    pub fn is_certain(&self) -> bool {
        self.clarity == Clarity::Certain
    }
}

impl Segment {
    /// The program as it is written.
    pub fn program(&self) -> Option<&Word> {
        self.words.first()
    }

    /// The program without its directory, where it is known.
    pub fn name(&self) -> Option<&str> {
        let program = self.program().filter(|word| word.is_literal())?;
        let name = program.text.rsplit('/').next()?;
        (!name.is_empty()).then_some(name)
    }

    /// Whether it sends output into a file other than the bin.
    pub fn writes_by_redirect(&self) -> bool {
        self.redirects.iter().any(|it| match it.direction {
            Direction::Out => !(it.target.is_literal() && it.target.text == "/dev/null"),
            Direction::In | Direction::Duplicate => false,
        })
    }
}

/// Whether the second reading finds the same words.
fn agreement(text: &str, places: &[second::Places]) -> Clarity {
    match second::read(text) {
        Err(second::GivesUp) => Clarity::Likely,
        Ok(again) if again == places => Clarity::Certain,
        Ok(_) => Clarity::Opaque,
    }
}

/// Puts together lines that end in a backslash. `None` where only a shell can say what such an end
/// means: in comments and in texts within the script.
fn join_lines(text: &str) -> Option<String> {
    if !text.contains("\\\n") {
        return Some(text.to_owned());
    }
    if text.contains('#') || text.contains("<<") {
        return None;
    }
    let mut joined = String::with_capacity(text.len());
    let mut characters = text.chars();
    let (mut is_raw, mut is_quoted) = (false, false);
    while let Some(character) = characters.next() {
        match character {
            '\\' if !is_raw => match characters.next() {
                Some('\n') | None => {}
                Some(next) => joined.extend(['\\', next]),
            },
            _ => {
                is_raw ^= character == '\'' && !is_quoted;
                is_quoted ^= character == '"' && !is_raw;
                joined.push(character);
            }
        }
    }
    Some(joined)
}
