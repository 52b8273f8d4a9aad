//! Commands that provably only look.
//!
//! A command is on the list by its bare name, with every word known, and with none of the options
//! that make a looking program write or run something. That it finds the system's program under that
//! name is the business of the walls: they keep the directories of programs from being written.

mod git;
mod sed;

use std::path::Path;

use crate::paths::{self, Whereabouts};
use crate::shell::{Form, Script, Segment, Word};

/// Judges the commands of one script, in order.
pub(crate) struct Judge<'a> {
    here: Whereabouts,
    workspace: &'a Path,
    /// Whether paths outside the workspace may be looked at.
    reads_outside: bool,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(cwd: &Path, workspace: &'a Path, reads_outside: bool) -> Self {
        Self {
            here: Whereabouts::at(cwd),
            workspace,
            reads_outside,
        }
    }

    /// For each command, whether it only looks.
    pub(crate) fn judge(mut self, script: &Script) -> Vec<bool> {
        let segments = script.segments.iter();
        segments.map(|it| self.segment(it)).collect()
    }

    fn segment(&mut self, segment: &Segment) -> bool {
        let verdict = self.only_looks(segment);
        if matches!(segment.name(), Some("cd" | "pushd" | "popd")) {
            let target = segment
                .words
                .get(1)
                .filter(|word| word.is_literal() && !word.is_flag());
            self.here.goes(target.map(|word| word.text.as_str()));
        }
        verdict
    }

    fn only_looks(&self, segment: &Segment) -> bool {
        if segment.writes_by_redirect() || segment.code.is_some() || !has_harmless_settings(segment)
        {
            return false;
        }
        let reads = segment.redirects.iter().map(|it| &it.target);
        let Some((program, words)) = segment.words.split_first() else {
            return segment.redirects.is_empty();
        };
        program.is_literal()
            && !program.text.contains('/')
            && reads.chain(words).all(|it| it.form != Form::Open)
            && is_listed(&program.text, words)
            && (program.text != "cd" || goes_somewhere(words))
            && self.stays_inside(&program.text, segment)
    }

    /// Whether every word that may be a path stays in the workspace.
    fn stays_inside(&self, program: &str, segment: &Segment) -> bool {
        if self.reads_outside {
            return true;
        }
        let is_attached = |it: &Word| {
            let text = it.text.as_str();
            (text.starts_with("-e") || text.starts_with("-f")) && text.len() > 2
                || text.starts_with("--regexp=")
        };
        let has_own = takes_expression(program) && !segment.words.iter().any(is_attached);
        let skipped = usize::from(has_own);
        let operands = segment.words[1..]
            .iter()
            .filter(|it| !it.is_flag())
            .skip(skipped);
        let values = segment.words[1..].iter().filter(|it| it.is_flag());
        let values = values.filter_map(|it| it.text.split_once('=').map(|(_, value)| value));
        let targets = segment.redirects.iter().map(|it| it.target.text.as_str());
        let texts = operands
            .map(|it| it.text.as_str())
            .chain(values)
            .chain(targets);
        let mut texts = texts.filter(|_| !prints_only(program));
        texts.all(|text| self.is_inside(text))
    }

    fn is_inside(&self, text: &str) -> bool {
        let is_path = text.contains('/') || text == ".." || text.starts_with('~');
        if !is_path || text == "/dev/null" {
            return true;
        }
        if text.starts_with('~') {
            return false;
        }
        // What is named by a pattern lies below what stands in front of it, unless it climbs again.
        let climbs = text
            .split('/')
            .skip_while(|it| !it.contains(['*', '?', '[']))
            .any(|it| it == "..");
        let paths = self.here.resolve(text).unwrap_or_default();
        let inside = |it: &std::path::PathBuf| paths::is_inside(it, self.workspace);
        !climbs && !paths.is_empty() && paths.iter().all(inside)
    }
}

/// Whether `cd` is told where to go; alone it goes home, and `-` is anyone's guess.
fn goes_somewhere(words: &[Word]) -> bool {
    matches!(words, [target] if target.is_literal() && !target.text.is_empty() && !target.text.starts_with('-'))
}

/// Variables that change how things look, and nothing else.
pub(crate) fn has_harmless_settings(segment: &Segment) -> bool {
    const HARMLESS: [&str; 14] = [
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LC_COLLATE",
        "TZ",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CI",
        "TERM",
        "COLUMNS",
        "LINES",
        "RUST_BACKTRACE",
        "CARGO_TERM_COLOR",
    ];
    let harmless = |name: &str| HARMLESS.contains(&name);
    let known = |it: &crate::shell::Assignment| harmless(&it.name) && it.value.is_literal();
    segment.assignments.iter().all(known)
}

/// Programs whose first word is an expression rather than a path.
fn takes_expression(program: &str) -> bool {
    matches!(
        program,
        "grep" | "egrep" | "fgrep" | "rg" | "sed" | "jq" | "tr" | "expr"
    )
}

/// Programs that take no path at all.
fn prints_only(program: &str) -> bool {
    matches!(
        program,
        "echo"
            | "printf"
            | "seq"
            | "expr"
            | "basename"
            | "dirname"
            | "tr"
            | "which"
            | "type"
            | "true"
            | "false"
            | ":"
    )
}

/// Programs that only look, whatever they are told.
#[rustfmt::skip]
const LOOKS: &[&str] = &[
    "ls", "cat", "head", "tail", "wc", "pwd", "echo", "printf", "basename", "dirname", "realpath",
    "readlink", "stat", "cut", "tr", "nl", "true", "false", ":", "test", "[", "which", "type",
    "whoami", "id", "uname", "du", "df", "cmp", "comm", "paste", "fold", "expand", "unexpand", "rev",
    "tac", "od", "hexdump", "strings", "md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum",
    "cksum", "sum", "seq", "nproc", "arch", "cd", "expr", "grep", "egrep", "fgrep", "zgrep", "ps",
    "uptime", "column", "diff", "jq", "sleep", "groups", "tty", "getconf", "locale", "look", "free",
];

/// Programs whose version may be asked.
#[rustfmt::skip]
const VERSIONED: &[&str] = &[
    "cargo", "rustc", "rustup", "node", "npm", "pnpm", "yarn", "bun", "deno", "python", "python3",
    "pip", "pip3", "go", "java", "javac", "gcc", "g++", "clang", "cmake", "make", "git", "docker",
    "kubectl", "ruby", "gem", "perl", "php", "rg", "fd", "jq", "bash", "zsh", "uv", "tsc", "gh",
];

fn is_listed(program: &str, words: &[Word]) -> bool {
    let has_known = || words.iter().all(Word::is_literal);
    if LOOKS.contains(&program) {
        return true;
    }
    if VERSIONED.contains(&program) && words.len() == 1 {
        let question = words[0].text.as_str();
        if matches!(question, "--version" | "-V") && words[0].is_literal() {
            return true;
        }
    }
    has_known()
        && match program {
            "git" => git::only_looks(words),
            "sed" => sed::only_looks(words),
            "rg" => !has_any(
                words,
                &['z'],
                &["pre", "pre-glob", "search-zip", "hostname-bin"],
            ),
            "fd" | "fdfind" => !has_any(words, &['x', 'X'], &["exec", "exec-batch"]),
            "find" => find(words),
            "sort" => !has_any(
                words,
                &['o', 'T'],
                &["output", "temporary-directory", "compress-program"],
            ),
            "tree" => !has_any(words, &['o', 'R'], &["output"]),
            "file" => !has_any(words, &['C'], &["compile"]),
            "uniq" => words.iter().filter(|it| !it.is_flag()).count() <= 1,
            "date" => date(words),
            "hostname" => words.is_empty(),
            "command" => words
                .first()
                .is_some_and(|it| it.text == "-v" || it.text == "-V"),
            _ => false,
        }
}

/// Whether one of these options is given: a letter in a bundle, or the beginning of a long name.
fn has_any(words: &[Word], letters: &[char], long: &[&str]) -> bool {
    words.iter().any(|word| {
        let text = word.text.as_str();
        match text.strip_prefix("--") {
            Some("") => false,
            Some(name) => {
                let name = name.split('=').next().unwrap_or(name);
                long.iter().any(|it| it.starts_with(name))
            }
            None => word.is_flag() && text.chars().any(|it| letters.contains(&it)),
        }
    })
}

fn find(words: &[Word]) -> bool {
    const ACTS: [&str; 9] = [
        "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls",
    ];
    !words.iter().any(|word| ACTS.contains(&word.text.as_str()))
}

/// `date` sets the clock when it is given a time in its own form.
fn date(words: &[Word]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-d" | "--date" | "-r" | "--reference" | "-f" => {
                words.next();
            }
            text if text.starts_with('+') => {}
            "-u" | "--utc" | "-R" | "-I" | "--universal" | "--rfc-email" => {}
            text if text.starts_with("--date=") || text.starts_with("-I") => {}
            text if text.starts_with("--iso-8601") || text.starts_with("--rfc-3339=") => {}
            _ => return false,
        }
    }
    true
}
