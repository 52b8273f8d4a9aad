//! What cannot be undone: deeds that a person confirms whatever else was settled.
//!
//! Recursive deletes, moves and overwrites of a root, a home, the workspace or anything outside it;
//! raw disks; programs fetched from the network and run unseen; functions that multiply.

mod fetched;
mod signs;

use std::path::Path;

use self::fetched::runs_fetched_code;
use self::signs::{
    GNU, before_pattern, code_that_deletes, has_flag, is_device, may_be_root, operands,
    takes_everything,
};

use crate::Execution;
use crate::paths::{self, Whereabouts};
use crate::shell::{Direction, Form, Script, Segment, Word};

/// Why a script needs a person's word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Harm {
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// What would happen, and to what.
    pub(crate) what: String,
}

/// The first thing in a script that cannot be undone.
pub(crate) fn of(execution: &Execution, workspace: &Path) -> Option<Harm> {
    of_script(&Script::read(&execution.script), &execution.cwd, workspace)
}

pub(crate) fn of_script(script: &Script, cwd: &Path, workspace: &Path) -> Option<Harm> {
    if script.forks {
        return harm(
            "harm:fork-bomb",
            "a function would multiply itself without end",
        );
    }
    if runs_fetched_code(script) {
        return harm(
            "harm:run-from-network",
            "a program would be fetched and run unseen",
        );
    }
    let mut guard = Guard {
        here: Whereabouts::at(cwd),
        workspace,
    };
    script.segments.iter().find_map(|it| guard.segment(it))
}

fn harm(rule: &'static str, what: impl Into<String>) -> Option<Harm> {
    Some(Harm {
        rule,
        what: what.into(),
    })
}

struct Guard<'a> {
    here: Whereabouts,
    workspace: &'a Path,
}

impl Guard<'_> {
    fn segment(&mut self, segment: &Segment) -> Option<Harm> {
        if let Some(found) = self.redirects(segment) {
            return Some(found);
        }
        if let Some(code) = &segment.code
            && let Some(found) = code_that_deletes(code)
        {
            return Some(found);
        }
        let name = segment.name()?.to_ascii_lowercase();
        let name = name
            .strip_prefix('g')
            .filter(|it| GNU.contains(it))
            .unwrap_or(&name);
        let words = &segment.words[1..];
        match name {
            "cd" | "pushd" => {
                self.follow(words);
                None
            }
            "rm" if has_flag(words, &['r', 'R'], "recursive") => {
                self.targets("harm:recursive-delete", "delete", operands(words))
            }
            "rm" | "unlink" => {
                let named = operands(words).into_iter();
                let patterns =
                    named.filter(|it| it.form == Form::Pattern && it.text.contains(['*', '?']));
                self.targets("harm:recursive-delete", "delete", patterns.collect())
            }
            "rmdir" | "rd" | "del" | "deltree" => None,
            "mv" => {
                // A lone variable names one file as a rule; with a slash behind it, it may be a root.
                let named = operands(words).into_iter();
                let known = named.filter(|it| !it.is_open() || may_be_root(&it.text));
                self.targets("harm:move", "move or replace", known.collect())
            }
            "cp" if has_flag(words, &['r', 'R', 'a'], "recursive")
                || has_flag(words, &[], "archive") =>
            {
                let target = operands(words).pop();
                self.targets("harm:overwrite", "overwrite", target.into_iter().collect())
            }
            "rsync"
                if words.iter().any(|it| {
                    it.text.starts_with("--del") || it.text == "--remove-source-files"
                }) =>
            {
                self.targets("harm:overwrite", "overwrite", operands(words))
            }
            "chmod" | "chown" | "chgrp" if has_flag(words, &['R'], "recursive") => {
                let targets = operands(words).into_iter().skip(1).collect();
                self.targets("harm:recursive-mode", "change the rights of", targets)
            }
            "find" | "fd" => self.find(words),
            "git" => self.git(words),
            "dd" => self.dd(words),
            "tee" | "truncate" | "install" | "ln" => self.devices(words),
            "shred" | "wipefs" | "blkdiscard" | "srm" | "wipe" => harm(
                "harm:disk",
                format!("`{name}` destroys what it is given for good"),
            ),
            "mkfs" | "mke2fs" | "mkswap" | "fdisk" | "sfdisk" | "parted" | "gdisk" | "sgdisk"
            | "diskutil" | "format" | "newfs" => {
                harm("harm:disk", format!("`{name}` changes whole disks"))
            }
            name if name.starts_with("mkfs.") => {
                harm("harm:disk", "a file system would be made anew")
            }
            _ => None,
        }
    }

    fn follow(&mut self, words: &[Word]) {
        let target = operands(words).into_iter().next();
        match target {
            Some(target) if target.is_literal() && target.text != "-" => {
                self.here.goes(Some(&target.text));
            }
            _ => self.here.goes(None),
        }
    }

    /// The first target that is out of bounds.
    fn targets(&self, rule: &'static str, deed: &str, targets: Vec<&Word>) -> Option<Harm> {
        let found = targets.into_iter().find(|it| self.is_grave(it))?;
        let shown = match found.text.is_empty() {
            true => "something that only the running command knows",
            false => found.text.as_str(),
        };
        harm(
            rule,
            format!("it would {deed} {shown}, which is not inside the workspace for sure"),
        )
    }

    /// Whether a target is, or may be, more than a part of the workspace.
    fn is_grave(&self, target: &Word) -> bool {
        let text = target.text.as_str();
        if target.is_open() || text.starts_with('~') {
            return true;
        }
        let solid = match target.is_literal() {
            true => text,
            false => match before_pattern(text) {
                Some(directory) => directory,
                None => return true,
            },
        };
        let everything = !target.is_literal() && takes_everything(text);
        let Some(paths) = self.here.resolve(solid) else {
            return true;
        };
        let workspace = paths::normal(self.workspace);
        paths.iter().any(|path| {
            let is_root = workspace.starts_with(path);
            let is_history = path.ends_with(".git");
            !path.starts_with(&workspace)
                || (is_root && (target.is_literal() || everything))
                || is_history
        })
    }

    fn find(&self, words: &[Word]) -> Option<Harm> {
        let deletes = words.iter().enumerate().any(|(at, word)| {
            let runs = word.text.starts_with("-exec")
                || word.text.starts_with("-ok")
                || word.text == "-x"
                || word.text == "-X";
            let next = words
                .get(at + 1)
                .map_or("", |it| it.text.rsplit('/').next().unwrap_or(""));
            word.text == "-delete" || (runs && matches!(next, "rm" | "shred" | "unlink" | "mv"))
        });
        if !deletes {
            return None;
        }
        let has_test = words.iter().any(|it| {
            matches!(
                it.text.as_str(),
                "-name"
                    | "-iname"
                    | "-path"
                    | "-regex"
                    | "-mtime"
                    | "-mmin"
                    | "-size"
                    | "-empty"
                    | "-newer"
            )
        });
        let starts: Vec<&Word> = words
            .iter()
            .take_while(|it| !it.is_flag() && it.text != "(" && it.text != "!")
            .collect();
        let here = Word::literal(".");
        let starts = if starts.is_empty() {
            vec![&here]
        } else {
            starts
        };
        let grave = starts
            .into_iter()
            .filter(|it| !(has_test && self.is_workspace(it)));
        self.targets("harm:recursive-delete", "delete below", grave.collect())
    }

    fn is_workspace(&self, word: &Word) -> bool {
        let paths = self.here.resolve(&word.text).unwrap_or_default();
        let workspace = paths::normal(self.workspace);
        word.is_literal() && !paths.is_empty() && paths.iter().all(|it| it.starts_with(&workspace))
    }

    fn git(&self, words: &[Word]) -> Option<Harm> {
        let at = words.iter().position(|it| it.text == "clean")?;
        if !has_flag(&words[at..], &['f'], "force") || has_flag(&words[at..], &['n'], "dry-run") {
            return None;
        }
        let elsewhere: Vec<&Word> = words[..at].iter().filter(|it| !it.is_flag()).collect();
        let targets: Vec<&Word> = operands(&words[at + 1..]);
        let all = elsewhere
            .into_iter()
            .chain(targets)
            .filter(|it| !self.is_workspace(it));
        self.targets("harm:recursive-delete", "delete in", all.collect())
    }

    fn dd(&self, words: &[Word]) -> Option<Harm> {
        let target = words
            .iter()
            .find_map(|it| Some((it, it.text.strip_prefix("of=")?)))?;
        let word = Word {
            text: target.1.to_owned(),
            form: target.0.form,
        };
        let is_bin = word.text == "/dev/null";
        (!is_bin).then(|| self.targets("harm:disk", "overwrite", vec![&word]))?
    }

    fn devices(&self, words: &[Word]) -> Option<Harm> {
        let found = words.iter().find(|it| is_device(&it.text))?;
        harm(
            "harm:disk",
            format!("it would write to the device {}", found.text),
        )
    }

    fn redirects(&self, segment: &Segment) -> Option<Harm> {
        let writes = segment
            .redirects
            .iter()
            .filter(|it| it.direction == Direction::Out);
        let device = writes.map(|it| &it.target).find(|it| is_device(&it.text))?;
        harm(
            "harm:disk",
            format!("it would write to the device {}", device.text),
        )
    }
}
