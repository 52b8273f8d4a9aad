//! Reads plain requests. Words are matched in any case; names may stand in quotes or backticks.

use serde_json::{Value, json};

use super::words::{content, directory, first_of, is_blank, is_one_word, path, quoted, strip_any};

/// What a person wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Intent {
    List { path: String },
    Read { path: String },
    Write { path: String, content: String },
    Run { command: String },
}

impl Intent {
    /// The tool that does it.
    pub(super) fn tool(&self) -> &'static str {
        match self {
            Self::List { .. } => "list_dir",
            Self::Read { .. } => "read_file",
            Self::Write { .. } => "write_file",
            Self::Run { .. } => "exec_shell",
        }
    }

    /// The input of that tool.
    pub(super) fn arguments(&self) -> Value {
        match self {
            Self::List { path } | Self::Read { path } => json!({ "path": path }),
            Self::Write { path, content } => json!({ "path": path, "content": content }),
            Self::Run { command } => json!({ "command": command }),
        }
    }

    /// Finds the wish in a message.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = strip_any(text.trim(), POLITE);
        run(text)
            .or_else(|| list(text))
            .or_else(|| create(text))
            .or_else(|| write(text))
            .or_else(|| read(text))
    }
}

const POLITE: &[&str] = &[
    "please",
    "can you",
    "could you",
    "would you",
    "now",
    "then",
    "and",
    "ok,",
    "let's",
];

fn run(text: &str) -> Option<Intent> {
    let rest = first_of(text, &["run", "execute", "exec"])?;
    let rest = strip_any(rest, &["the", "shell", "command", "this", ":"]);
    let command = match quoted(rest) {
        Some((inside, _)) => inside,
        None => rest.trim(),
    };
    (!command.is_empty()).then(|| Intent::Run {
        command: command.to_owned(),
    })
}

fn list(text: &str) -> Option<Intent> {
    const VERBS: &[&str] = &["list", "ls", "show me", "show", "what", "which"];
    const THINGS: &[&str] = &[
        "files",
        "file",
        "directory",
        "directories",
        "folder",
        "folders",
        "contents",
        "content",
    ];
    let (rest, is_listing) = match first_of(text, &["list", "ls"]) {
        Some(rest) => (rest, true),
        None => (first_of(text, VERBS)?, false),
    };
    let rest = strip_any(rest, &["me", "all", "the", "of", "my"]);
    let (rest, names_files) = match first_of(rest, THINGS) {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let rest = strip_any(
        rest,
        &[
            "and",
            "files",
            "folders",
            "directories",
            "are",
            "there",
            "you see",
            "here",
        ],
    );
    let place = first_of(rest, &["in", "inside", "of", "under", "from", "at"]);
    // Contents may be those of a file; only a listing word makes them a directory's.
    let is_certain = is_listing || (names_files && !text.to_ascii_lowercase().contains("content"));
    if !is_certain || (!names_files && place.is_none() && !is_blank(rest) && !is_one_word(rest)) {
        return None;
    }
    Some(Intent::List {
        path: directory(place.unwrap_or(rest)),
    })
}

fn read(text: &str) -> Option<Intent> {
    const VERBS: &[&str] = &[
        "read",
        "show me",
        "show",
        "cat",
        "open",
        "print",
        "display",
        "what is in",
        "what's in",
        "view",
    ];
    let rest = first_of(text, VERBS)?;
    let rest = strip_any(
        rest,
        &["me", "the", "contents of", "content of", "file", "text of"],
    );
    path(rest).map(|(path, _)| Intent::Read { path })
}

/// `create X with …`, `make a file called X containing …`, `create X`.
fn create(text: &str) -> Option<Intent> {
    let rest = first_of(text, &["create", "make", "add"])?;
    let rest = strip_any(
        rest,
        &[
            "a", "an", "the", "new", "text", "empty", "file", "called", "named",
        ],
    );
    let (path, rest) = path(rest)?;
    let rest = strip_any(
        rest,
        &[
            "file",
            "with",
            "containing",
            "that says",
            "saying",
            "the",
            "content",
            "contents",
            "text",
            "of",
            ":",
        ],
    );
    Some(Intent::Write {
        path,
        content: content(rest),
    })
}

/// `write … to X`, `save … as X`, `write X with …`, `write to X: …`.
fn write(text: &str) -> Option<Intent> {
    let rest = first_of(text, &["write", "save", "put"])?;
    if let Some(rest) = first_of(rest, &["to", "into", "in"]) {
        let (path, rest) = path(strip_any(rest, &["the", "file"]))?;
        return Some(Intent::Write {
            path,
            content: content(strip_any(rest, &[":", "the", "text"])),
        });
    }
    if let Some((inside, rest)) = quoted(rest)
        && let Some(rest) = first_of(rest, &["to", "into", "in", "as"])
    {
        let (path, _) = path(strip_any(rest, &["the", "a", "file", "called", "named"]))?;
        return Some(Intent::Write {
            path,
            content: inside.to_owned(),
        });
    }
    let lower = rest.to_ascii_lowercase();
    let to = [" to ", " into ", " in ", " as "]
        .iter()
        .filter_map(|word| Some((lower.rfind(word)?, word.len())))
        .max();
    if let Some((at, length)) = to
        && let Some((path, _)) = path(strip_any(
            &rest[at + length..],
            &["the", "a", "file", "called", "named"],
        ))
    {
        return Some(Intent::Write {
            path,
            content: content(strip_any(&rest[..at], &["the text", "the words"])),
        });
    }
    create(&format!("create {rest}"))
}

#[cfg(test)]
mod tests;
