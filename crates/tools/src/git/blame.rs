//! `git_blame`: who wrote which line.

use std::num::NonZeroU64;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Scope, checked_revision};
use crate::limits::{BLAME_LINES_DEFAULT, BLAME_LINES_MAX};
use crate::typed::Typed;
use crate::{Context, Output, Prepared};

/// Shows for each line of a file the commit, author and date that it comes from.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: a path relative to the workspace.
    path: String,
    /// The file as it was in this commit, branch or tag. Default: as it is now.
    rev: Option<String>,
    /// The first line to show, counted from 1. Default: 1.
    start_line: Option<NonZeroU64>,
    /// How many lines to show, up to 1000. Default: 200.
    max_lines: Option<NonZeroU64>,
}

pub(crate) struct GitBlame;

impl Typed for GitBlame {
    const NAME: &'static str = "git_blame";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let start = input.start_line.map_or(1, NonZeroU64::get);
        let count = input.max_lines.map_or(BLAME_LINES_DEFAULT, NonZeroU64::get);
        let count = count.min(BLAME_LINES_MAX);
        let mut arguments = vec![
            "blame".to_owned(),
            "--date=short".to_owned(),
            format!("-L{start},+{count}"),
        ];
        if let Some(revision) = input.rev {
            arguments.push(checked_revision(revision)?);
        }
        let call = Call {
            tool: Self::NAME,
            arguments,
            scope: Scope::Path(Some(input.path)),
            empty: "the file is empty",
        };
        super::prepare(call, context).await
    }
}
