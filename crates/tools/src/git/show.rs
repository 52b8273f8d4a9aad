//! `git_show`: one commit, or a file as it was in one.

use std::path::{Component, Path};

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, PLAIN_DIFF, Scope, checked_revision};
use crate::typed::Typed;
use crate::{Context, Output, Prepared};

/// Shows a commit: author, date, message and changes. With `rev` written as `commit:path`, shows
/// the file as it was in that commit instead; the path is relative to the workspace.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The commit, branch or tag, or `commit:path`. Default: HEAD.
    rev: Option<String>,
    /// Only changes at this path. Default: the workspace.
    path: Option<String>,
    /// Whether to show the changes line by line. Default: true.
    patch: Option<bool>,
    /// Whether to show how many lines changed in which file. Default: false.
    stat: Option<bool>,
}

pub(crate) struct GitShow;

impl Typed for GitShow {
    const NAME: &'static str = "git_show";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let revision = checked_revision(input.rev.unwrap_or_else(|| "HEAD".into()))?;
        let mut arguments = vec!["show".to_owned(), "--no-show-signature".to_owned()];
        arguments.extend(PLAIN_DIFF.map(Into::into));
        let scope = match revision.split_once(':') {
            Some((revision, path)) => {
                arguments.push(file_in(revision, path)?);
                Scope::Arguments
            }
            None => {
                arguments.push("--date=iso".into());
                let (patch, stat) = (input.patch.unwrap_or(true), input.stat.unwrap_or(false));
                arguments.extend(parts(patch, stat).iter().map(|part| (*part).to_owned()));
                arguments.push(revision);
                Scope::Path(input.path)
            }
        };
        let call = Call {
            tool: Self::NAME,
            arguments,
            scope,
            empty: "it is empty, or nothing of it is at this path",
        };
        super::prepare(call, context).await
    }
}

fn parts(patch: bool, stat: bool) -> &'static [&'static str] {
    match (patch, stat) {
        (true, true) => &["--stat=160", "--patch"],
        (true, false) => &["--patch"],
        (false, true) => &["--stat=160"],
        (false, false) => &["--no-patch"],
    }
}

/// A file in a commit, by a path that cannot leave the workspace.
fn file_in(revision: &str, path: &str) -> Result<String, Output> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let path = path.strip_prefix("./").unwrap_or(path);
    if revision.is_empty() || path.is_empty() || !Path::new(path).components().all(is_plain) {
        return Err(Output::failure(
            "`rev` with a colon is `commit:path`, with a path relative to the workspace and \
             without `..`",
        ));
    }
    Ok(format!("{revision}:./{path}"))
}
