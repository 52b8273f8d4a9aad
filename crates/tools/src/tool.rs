//! The seam between the engine and a tool.

use std::borrow::Cow;
use std::sync::Arc;

use codewhale_policy::Act;
use codewhale_protocol::runtime::ItemKind;
use codewhale_protocol::service::BoxFuture;
use serde_json::Value;

use crate::{Context, Output, Prepared};

/// Something a model can call.
pub trait Tool: Send + Sync {
    /// What it is called.
    fn names(&self) -> Names {
        let Spec { name, aliases, .. } = self.spec();
        Names {
            name: name.clone(),
            aliases,
        }
    }

    /// What the model and the engine need to know about it.
    fn spec(&self) -> &Spec;

    /// Reads the input and says what running it would do. A wrong input is an [`Output`] that
    /// tells the model what to mend.
    fn prepare<'a>(
        &'a self,
        input: Value,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>>;
}

/// What a tool is called.
#[derive(Clone, Debug)]
pub struct Names {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Other names a model may use for it.
    pub aliases: &'static [&'static str],
}

/// A tool as the model and the engine see it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Other names a model may use for it.
    pub aliases: &'static [&'static str],
    /// What it does and when to use it. Every conversation at hand refers to it.
    pub description: Arc<str>,
    /// JSON schema of its input. So it does to this.
    pub input_schema: Arc<Value>,
    /// What it does at the least; decides whether it is offered at all.
    pub act: Act,
    /// How its calls are shown.
    pub kind: ItemKind,
}
