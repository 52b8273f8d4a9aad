//! A call that is ready to run, and what it said about itself.

use std::fmt;

use codewhale_policy::Demand;
use codewhale_protocol::runtime::Attached;
use codewhale_protocol::service::BoxFuture;
use serde::Serialize;
use serde_json::Value;

use crate::Context;
use crate::digest::sha256_hex;

/// A call with its input read and its effect known. Running it does what [`Preview`] shows: both
/// are made from the same values.
pub struct Prepared {
    /// What it asks permission for.
    pub demand: Demand,
    /// What a person sees before saying yes.
    pub preview: Preview,
    /// SHA-256 over exactly what will run.
    pub digest: String,
    job: Job,
}

/// What a call would do, in words and values a person can decide by.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Preview {
    /// A sentence.
    pub description: String,
    /// The exact command, for a shell call.
    pub command: Option<String>,
    /// Where it would run.
    pub cwd: Option<String>,
    /// The file it would read or change.
    pub path: Option<String>,
    /// The change to that file.
    pub diff: Option<String>,
}

type Job = Box<dyn FnOnce(Context) -> BoxFuture<'static, Output> + Send>;

impl Prepared {
    /// `effect` is everything that decides what happens: the digest is taken over it, and `job`
    /// gets it back and must act on nothing else.
    pub fn new<E, F>(
        demand: Demand,
        tool: &str,
        effect: E,
        preview: Preview,
        job: impl FnOnce(E, Context) -> F + Send + 'static,
    ) -> Self
    where
        E: Serialize + Send + 'static,
        F: Future<Output = Output> + Send + 'static,
    {
        let text = serde_json::to_vec(&(tool, &effect)).expect("effects are plain data");
        let digest = sha256_hex(&text);
        Self {
            demand,
            preview,
            digest,
            job: Box::new(move |context| Box::pin(job(effect, context))),
        }
    }

    /// Does it. Ends soon after the context is cancelled.
    pub async fn run(self, context: Context) -> Output {
        (self.job)(context).await
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("demand", &self.demand)
            .field("preview", &self.preview)
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

/// What came of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// What the model reads; bounded.
    pub text: String,
    /// Whether the call did what it was asked.
    pub success: bool,
    /// What is stored and shown in place of `text`, when the text is for the model alone: what a
    /// person answered may reach the model and must not reach the log.
    pub shown: Option<String>,
    /// Facts for clients: exit code, bytes, whether something was cut.
    pub metadata: Option<Value>,
    /// What is to be seen or heard of it. The text numbers it.
    pub attached: Vec<Attached>,
}

impl Output {
    /// The call did what it was asked.
    pub fn success(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            success: true,
            shown: None,
            metadata: None,
            attached: Vec::new(),
        }
    }

    /// The call failed; the text says why and what to do next.
    pub fn failure(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            success: false,
            shown: None,
            metadata: None,
            attached: Vec::new(),
        }
    }

    /// The same with a text for the model alone; `shown` is stored and shown in its place.
    pub fn shown_as(self, shown: impl Into<String>) -> Self {
        Self {
            shown: Some(shown.into()),
            ..self
        }
    }

    /// What may be stored and shown.
    pub fn for_the_log(&self) -> &str {
        self.shown.as_deref().unwrap_or(&self.text)
    }

    /// The same with something to be seen or heard.
    pub fn with_attached(self, attached: Vec<Attached>) -> Self {
        Self { attached, ..self }
    }

    /// The same with facts for clients.
    pub fn with_metadata(self, metadata: Value) -> Self {
        Self {
            metadata: Some(metadata),
            ..self
        }
    }
}
