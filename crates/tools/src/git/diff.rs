//! `git_diff`: the changes that are not committed.

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, PLAIN_DIFF, Scope, checked_revision};
use crate::limits::GIT_CONTEXT_LINES_MAX;
use crate::typed::Typed;
use crate::{Context, Output, Prepared};

/// Shows changes as a unified diff: those not staged yet, the staged ones, or those since a
/// revision. New files that git does not know are not part of it: see git_status.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only changes at this path. Default: the workspace.
    path: Option<String>,
    /// Show what is staged for the next commit instead. Default: false.
    cached: Option<bool>,
    /// Compare with this commit, branch or tag, or compare two of them, written `a..b`.
    rev: Option<String>,
    /// How many lines to show around each change, up to 100. Default: 3.
    unified: Option<usize>,
    /// Show only how many lines changed in which file. Default: false.
    stat: Option<bool>,
}

pub(crate) struct GitDiff;

impl Typed for GitDiff {
    const NAME: &'static str = "git_diff";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let mut arguments = vec!["diff".to_owned()];
        arguments.extend(PLAIN_DIFF.map(Into::into));
        let unified = input.unified.unwrap_or(3).min(GIT_CONTEXT_LINES_MAX);
        arguments.push(match input.stat {
            Some(true) => "--stat=160".to_owned(),
            Some(false) | None => format!("--unified={unified}"),
        });
        if input.cached == Some(true) {
            arguments.push("--cached".into());
        }
        if let Some(revision) = input.rev {
            arguments.push(checked_revision(revision)?);
        }
        let call = Call {
            tool: Self::NAME,
            arguments,
            scope: Scope::Path(input.path),
            empty: "no difference",
        };
        super::prepare(call, context).await
    }
}
