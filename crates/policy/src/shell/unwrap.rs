//! Brings out what a command runs through itself: `sudo`, `xargs`, `sh -c`, `find -exec` and many more.

mod git;
mod languages;
mod words;
mod wrappers;

use self::git::git;
use self::languages::{aliases, awk, helper_program, runner_or_interpreter, shell};
use self::words::joined;
use self::wrappers::{env, find, package_runner, parallel, ssh, with_script_option, wrapped};
use super::programs::{self, WRAPPERS};
use super::{Assignment, Clarity, Direction, Input, Role, Script, Segment, Word};
use crate::limits::WRAPPERS_MAX;

/// Adds a command to its script, and behind it everything that it runs.
pub(super) fn unwrap(segment: Segment, script: &mut Script, level: usize) {
    let mut unwrapper = Unwrapper { script, level };
    unwrapper.segment(segment, 0);
}

struct Unwrapper<'a> {
    script: &'a mut Script,
    level: usize,
}

/// What a command runs.
enum Runs {
    Nothing,
    /// A program text in another language.
    Code(Word),
    /// One command, given by its words.
    Command(Role, Vec<Assignment>, Vec<Word>),
    /// Scripts for a shell.
    Scripts(Role, Vec<Word>),
    /// Something that the text does not show.
    Unknown,
}

impl Unwrapper<'_> {
    fn segment(&mut self, mut segment: Segment, depth: usize) {
        if depth > WRAPPERS_MAX {
            self.script.blur(Clarity::Opaque);
            return;
        }
        let is_inside = segment.role == Role::Inside;
        let Some(program) = segment.program() else {
            self.script.push(segment);
            return;
        };
        if !program.is_literal() || program.text.is_empty() {
            self.script.blur(Clarity::Opaque);
            self.script.push(segment);
            return;
        }
        let input = segment.input;
        match runs(&segment) {
            Runs::Nothing => self.script.push(segment),
            Runs::Unknown => {
                self.script.blur(Clarity::Opaque);
                self.script.push(segment);
            }
            Runs::Code(code) => {
                segment.code = Some(code);
                self.script.push(segment);
            }
            Runs::Command(role, assignments, words) => {
                let role_inside = self.outer(segment, role, is_inside);
                let inner = Segment {
                    words,
                    assignments,
                    input,
                    role: role_inside,
                    ..Segment::default()
                };
                self.segment(inner, depth + 1);
            }
            Runs::Scripts(role, scripts) => {
                let role_inside = self.outer(segment, role, is_inside);
                for script in scripts {
                    self.inner_script(&script, role_inside == Role::Inside);
                }
            }
        }
    }

    /// Adds the command that runs others. Tells which role they have.
    fn outer(&mut self, mut segment: Segment, role: Role, is_inside: bool) -> Role {
        segment.role = if is_inside { Role::Inside } else { role };
        self.script.push(segment);
        match is_inside || role == Role::Elevated {
            true => Role::Inside,
            false => Role::Program,
        }
    }

    fn inner_script(&mut self, text: &Word, is_inside: bool) {
        if !text.is_literal() {
            self.script.blur(Clarity::Opaque);
        }
        self.script.absorb(&text.text, self.level, is_inside);
    }
}

fn runs(segment: &Segment) -> Runs {
    let Some(name) = segment.name() else {
        return Runs::Nothing;
    };
    let words = &segment.words;
    if programs::SHELLS.contains(&name) {
        return shell(segment);
    }
    if programs::WINDOWS_SHELLS.contains(&name) {
        return Runs::Code(joined(&words[1..]));
    }
    if let Some(wrapper) = WRAPPERS.iter().find(|it| it.names.contains(&name)) {
        return wrapped(name, words, wrapper);
    }
    match name {
        "env" | "genv" => env(words),
        "." | "source" => match words.get(1) {
            Some(file) if file.is_literal() && !file.text.starts_with("/dev/") => Runs::Nothing,
            _ => Runs::Unknown,
        },
        "su" | "runuser" | "script" | "flock" => with_script_option(name, words),
        "ssh" => ssh(words),
        "find" | "gfind" | "fd" | "fdfind" => find(words),
        "parallel" => parallel(words),
        "git" => git(words),
        "alias" => aliases(words),
        "trap" => match words.get(1) {
            Some(code) if words.len() > 2 && !code.is_flag() => {
                Runs::Scripts(Role::Program, vec![code.clone()])
            }
            _ => Runs::Nothing,
        },
        "awk" | "gawk" | "mawk" | "nawk" => awk(words),
        "tar" | "gtar" | "bsdtar" | "rsync" | "zip" => helper_program(words),
        "npx" | "bunx" | "pnpx" => package_runner(words, 1),
        "at" | "batch" | "coproc" => Runs::Unknown,
        _ => runner_or_interpreter(name, segment),
    }
}

impl Segment {
    /// Whether it runs what only its input or an expansion tells: a shell without a script, `eval`.
    pub(crate) fn is_fed(&self) -> bool {
        let has_input = self
            .redirects
            .iter()
            .any(|it| it.direction == Direction::In);
        self.input != Input::Inherited || has_input
    }
}
