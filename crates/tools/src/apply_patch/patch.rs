//! What a patch asks for, whichever form it was written in.

/// What is to become of one file.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct FilePatch {
    pub(super) path: String,
    pub(super) action: Action,
}

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Make a file with this content. There must be none.
    Create(String),
    /// Make a file with this content, whatever is there.
    Put(String),
    /// Remove the file; nothing but these lines may be in it, if they are known.
    Delete(Vec<Hunk>),
    /// Change the file, and perhaps its name.
    Update {
        hunks: Vec<Hunk>,
        moved_to: Option<String>,
    },
}

/// Lines that belong together.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Hunk {
    /// How it is called in answers.
    pub(super) header: String,
    /// The line it starts at, counted from 0, if the patch says so.
    pub(super) hint: Option<usize>,
    /// A line somewhere above it.
    pub(super) anchor: Option<String>,
    /// Whether it stands at the end of the file.
    pub(super) at_end: bool,
    pub(super) lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Whether the patch says that no newline follows it.
    pub(super) ends_file: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Keep,
    Remove,
    Insert,
}

impl Hunk {
    /// Takes a line of a patch with its sign. False when it is none.
    pub(super) fn push(&mut self, line: &str) -> bool {
        let (kind, text) = match line.split_at_checked(1) {
            Some((" ", text)) => (Kind::Keep, text),
            Some(("-", text)) => (Kind::Remove, text),
            Some(("+", text)) => (Kind::Insert, text),
            // Editors and models strip the space of an empty line.
            None => (Kind::Keep, ""),
            Some(("\r", "")) => (Kind::Keep, "\r"),
            Some(("\\", _)) => {
                if let Some(last) = self.lines.last_mut() {
                    last.ends_file = true;
                }
                return true;
            }
            Some(_) => return false,
        };
        self.lines.push(Line {
            kind,
            text: text.to_owned(),
            ends_file: false,
        });
        true
    }

    /// The lines that must be there.
    pub(super) fn old(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.kind != Kind::Insert)
    }

    /// Whether it only adds.
    pub(super) fn only_inserts(&self) -> bool {
        self.lines.iter().all(|line| line.kind == Kind::Insert)
    }

    /// What it adds, as a text of its own.
    pub(super) fn inserted(&self) -> String {
        let new = self.lines.iter().filter(|line| line.kind == Kind::Insert);
        new.map(|line| match line.ends_file {
            true => line.text.clone(),
            false => format!("{}\n", line.text),
        })
        .collect()
    }

    /// Empty lines between this hunk and whatever follows are no part of it.
    pub(super) fn trim_end(&mut self) {
        let is_blank = |line: &Line| line.kind == Kind::Keep && line.text.trim().is_empty();
        while self.lines.last().is_some_and(is_blank) {
            self.lines.pop();
        }
    }
}
