//! Tools that remember their calls. `look` reads, `note` writes, `run` executes; the input says
//! how the call goes: `{"way": "deaf", "secs": 60, "prints": ["a"]}`.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codewhale_policy::{Demand, Execution};
use codewhale_protocol::runtime::{Attached, ItemKind};
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Context, Output, Prepared, Preview, Registry, Spec, Tool};
use serde_json::{Value, json};

/// Tools of the product itself: what they do stays in the runtime.
const CREW: [&str; 5] = [
    "agent",
    "create_goal",
    "get_goal",
    "request_user_input",
    "update_goal",
];

/// The inputs of all calls that ran.
pub(crate) type Ran = Arc<Mutex<Vec<Value>>>;

pub(crate) fn registry(ran: &Ran) -> Registry {
    let tool = |(name, demand, kind): (&'static str, Demand, ItemKind)| {
        Arc::new(Fake {
            spec: Spec {
                name: name.into(),
                aliases: &[],
                description: name.into(),
                input_schema: json!({ "type": "object" }).into(),
                act: Demand::act(&demand),
                kind,
            },
            demand,
            ran: Arc::clone(ran),
        }) as Arc<dyn Tool>
    };
    let real = Registry::builtin();
    let crew = CREW.iter().filter_map(|name| real.get(name).cloned());
    Registry::new(
        [
            (
                "look",
                Demand::read("/file".into(), true),
                ItemKind::ToolCall,
            ),
            (
                "note",
                Demand::write("/file".into(), true),
                ItemKind::FileChange,
            ),
            (
                "run",
                Demand::Execute(Execution::within("command", "/")),
                ItemKind::CommandExecution,
            ),
        ]
        .map(tool)
        .into_iter()
        .chain(crew),
    )
}

struct Fake {
    spec: Spec,
    demand: Demand,
    ran: Ran,
}

impl Tool for Fake {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn prepare<'a>(
        &'a self,
        input: Value,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        Box::pin(async move {
            if input["way"] == "breaks early" {
                resume_unwind(Box::new("told to break"));
            }
            let ran = Arc::clone(&self.ran);
            let job = move |input, context| work(input, context, ran);
            let (demand, preview) = (self.demand.clone(), Preview::default());
            Ok(Prepared::new(demand, &self.spec.name, input, preview, job))
        })
    }
}

async fn work(input: Value, context: Context, ran: Ran) -> Output {
    ran.lock().unwrap().push(input.clone());
    for piece in input["prints"].as_array().into_iter().flatten() {
        context.live.say(piece.as_str().unwrap()).await;
    }
    let time = Duration::from_secs(input["secs"].as_u64().unwrap_or(0));
    match input["way"].as_str() {
        Some("breaks") => resume_unwind(Box::new("told to break")),
        Some("deaf") => tokio::time::sleep(time).await,
        _ => tokio::select! {
            biased;
            () = context.cancel.cancelled() => {}
            () = tokio::time::sleep(time) => {}
        },
    }
    let picture = (input["way"] == "picture" && context.sees).then_some("iVBORw0KGgoAAAAA");
    let attached = picture.map(|data| Attached::read(data).unwrap());
    Output::success(format!("did {input}")).with_attached(attached.into_iter().collect())
}
