//! What the offline model says.

use super::intent::Intent;
use crate::ToolCall;

/// What is quoted of a result, in characters: it is shown in full beside the answer anyway.
const QUOTE_CHARS_MAX: usize = 1_500;

const NOTICE: &str = "This is the built-in offline model: it knows a few plain requests and no more. \
    For a real model set DEEPSEEK_API_KEY (or the key of another provider), \
    or add `[providers.<name>]` with `api_key` to ~/.codewhale/config.toml, and start again.";

const UNDERSTOOD: &str = "I understand:\n\
    - list the files in src\n\
    - read README.md\n\
    - create notes.txt with hello\n\
    - run `ls -l`";

/// A text, and perhaps a call behind it.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) call: Option<ToolCall>,
}

impl Answer {
    pub(super) fn call(intent: &Intent, call: ToolCall) -> Self {
        let doing = match intent {
            Intent::List { path } => format!("listing `{path}`"),
            Intent::Read { path } => format!("reading `{path}`"),
            Intent::Write { path, .. } => format!("writing `{path}`"),
            Intent::Run { command } => format!("running `{command}`"),
        };
        Self {
            text: format!("Offline model: {doing}.\n"),
            call: Some(call),
        }
    }

    pub(super) fn result(tool: &str, output: &str, success: bool) -> Self {
        let output = output.trim_end();
        let verdict = match (success, output.is_empty()) {
            (true, true) => format!("`{tool}` is done and had nothing to say."),
            (true, false) => format!("`{tool}` is done:\n\n{}", quote(output)),
            (false, true) => format!("`{tool}` did not do it and gave no reason."),
            (false, false) => format!("`{tool}` did not do it:\n\n{}", quote(output)),
        };
        Self::text(&verdict)
    }

    pub(super) fn not_offered(intent: &Intent) -> Self {
        let remedy = match intent {
            Intent::Run { .. } => {
                "Shell commands are off for this thread: create one with `allow_shell: true`, or set `allow_shell = true` in ~/.codewhale/config.toml."
            }
            Intent::Write { .. } => "This thread may only read: create one that may write.",
            Intent::List { .. } | Intent::Read { .. } => "This thread was created without it.",
        };
        Self::text(&format!(
            "That needs the tool `{}`, which is not offered here. {remedy}",
            intent.tool()
        ))
    }

    pub(super) fn not_understood() -> Self {
        Self::text(&format!("I did not understand that. {UNDERSTOOD}"))
    }

    fn text(text: &str) -> Self {
        Self {
            text: format!("{text}\n\n{NOTICE}"),
            call: None,
        }
    }
}

/// The output as a quoted block, cut if it is long.
fn quote(output: &str) -> String {
    let cut = output.char_indices().nth(QUOTE_CHARS_MAX);
    let shown = cut.map_or(output, |(end, _)| &output[..end]);
    // A fence longer than any in the output cannot be closed by it.
    let fence = "`".repeat(longest_fence(shown).max(2) + 1);
    let rest = output.len() - shown.len();
    let more = if rest == 0 {
        String::new()
    } else {
        format!("\n({rest} more bytes are not repeated here)")
    };
    format!("{fence}\n{shown}\n{fence}{more}")
}

fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
