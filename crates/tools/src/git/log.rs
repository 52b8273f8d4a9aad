//! `git_log`: the commits so far.

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Scope, checked_revision};
use crate::limits::{COMMITS_DEFAULT, COMMITS_MAX};
use crate::typed::Typed;
use crate::{Context, Output, Prepared};

/// Lists commits, newest first, one per line: hash, date, author, subject. Use git_show for the
/// rest of one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only commits that touch this path. Default: the workspace.
    path: Option<String>,
    /// How many commits to list at most, up to 200. Default: 20.
    max_count: Option<usize>,
    /// Start at this commit, branch or tag, or list a range, written `a..b`. Default: HEAD.
    rev: Option<String>,
    /// Only commits whose author matches this.
    author: Option<String>,
    /// Only commits after this date, such as `2026-01-31` or `2 weeks ago`.
    since: Option<String>,
    /// Only commits before this date.
    until: Option<String>,
}

pub(crate) struct GitLog;

impl Typed for GitLog {
    const NAME: &'static str = "git_log";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let count = input
            .max_count
            .unwrap_or(COMMITS_DEFAULT)
            .clamp(1, COMMITS_MAX);
        let mut arguments = vec![
            "log".to_owned(),
            "--no-color".to_owned(),
            "--no-show-signature".to_owned(),
            format!("--max-count={count}"),
            "--date=short".to_owned(),
            "--format=%h %ad %an: %s%d".to_owned(),
        ];
        // Value and option are one argument: no value can become an option of its own.
        let options = [
            ("author", input.author),
            ("since", input.since),
            ("until", input.until),
        ];
        let given = options
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        arguments.extend(given.map(|(name, value)| format!("--{name}={value}")));
        if let Some(revision) = input.rev {
            arguments.push(checked_revision(revision)?);
        }
        let call = Call {
            tool: Self::NAME,
            arguments,
            scope: Scope::Path(input.path),
            empty: "no such commits",
        };
        super::prepare(call, context).await
    }
}
