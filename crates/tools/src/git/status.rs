//! `git_status`: what changed since the last commit.

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Scope};
use crate::typed::Typed;
use crate::{Context, Output, Prepared};

/// Shows the branch and the changed files of the git repository, one per line in git's short
/// format: the first letter is the state in the index, the second that in the directory, `??` is
/// a file that git does not know. Submodules are left out.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only changes at this path. Default: the workspace.
    path: Option<String>,
}

pub(crate) struct GitStatus;

impl Typed for GitStatus {
    const NAME: &'static str = "git_status";
    const ALIASES: &'static [&'static str] = &[];
    const ACT: Act = Act::Read;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, context: &Context) -> Result<Prepared, Output> {
        let arguments = ["status", "--short", "--branch", "--ignore-submodules=all"];
        let call = Call {
            tool: Self::NAME,
            arguments: arguments.map(Into::into).into(),
            scope: Scope::Path(input.path),
            empty: "nothing changed",
        };
        super::prepare(call, context).await
    }
}
