//! Tools that do what the model tells them to: nothing for a while, fail, break, or not listen.

use std::sync::Arc;
use std::time::Duration;

use codewhale_policy::{Demand, Execution};
use codewhale_protocol::ext::{UserInputOption, UserInputQuestion};
use codewhale_protocol::runtime::ItemKind;
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Context, Output, Prepared, Preview, Registry, Spec, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::dice::Dice;
use super::journal::{Journal, SECRET, break_down};

/// The names of the tools, for the model to choose from, and how often it does.
pub(crate) const NAMES: [(usize, &str); 6] = [
    (8, CLIENTS),
    (30, "change"),
    (33, "run"),
    (15, "look"),
    (5, "peek"),
    (9, "ask"),
];

/// A tool that clients run, where they say so.
pub(crate) const CLIENTS: &str = "beep";

/// Tools of the product itself: what they do stays in the world.
const CREW: [&str; 4] = ["agent", "create_goal", "get_goal", "update_goal"];

/// What a call of any of them takes.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Input {
    /// Names this call among all calls of the world; zero is the usual one.
    pub(crate) number: u64,
    /// How the call goes.
    pub(crate) way: Way,
    /// How long it takes.
    pub(crate) ms: u64,
}

impl Input {
    /// What is called again and again.
    pub(crate) fn usual() -> Self {
        Self {
            number: 0,
            way: Way::Works,
            ms: 0,
        }
    }

    /// What the dice say.
    pub(crate) fn drawn(dice: &mut Dice) -> Self {
        // Now and then the very same call again, as answers for the session are about.
        if dice.percent(25) {
            return Self::usual();
        }
        let ways = [
            (50, Way::Works),
            (15, Way::Leaks),
            (15, Way::Fails),
            (3, Way::Breaks),
            (2, Way::BreaksEarly),
            (15, Way::Deaf),
        ];
        let ms = [(40, (0, 0)), (40, (1, 900)), (20, (1_000, 14_000))];
        let (from, to) = *dice.weighted(&ms);
        Self {
            number: 1 + (dice.draw() >> 16),
            way: *dice.weighted(&ways),
            ms: u64::try_from(dice.ms(from, to).as_millis()).expect("it is seconds"),
        }
    }
}

/// How a call goes.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Way {
    Works,
    /// Works, and shows a secret.
    Leaks,
    Fails,
    /// Breaks while it runs.
    Breaks,
    /// Breaks before anyone could be asked about it.
    BreaksEarly,
    /// Does not stop when it is told to.
    Deaf,
}

/// The tools of a simulated process.
pub(crate) fn registry(journal: &Arc<Journal>) -> Registry {
    let tool = |(name, demand, kind): (&'static str, Demand, ItemKind)| {
        Arc::new(Fake {
            spec: Spec {
                name: name.into(),
                aliases: &[],
                description: format!("{name}s").into(),
                input_schema: json!({ "type": "object" }).into(),
                act: Demand::act(&demand),
                kind,
            },
            demand,
            journal: Arc::clone(journal),
        }) as Arc<dyn Tool>
    };
    let facts = [
        ("ask", Demand::Inward, ItemKind::ToolCall),
        (
            "look",
            Demand::read("/file".into(), true),
            ItemKind::ToolCall,
        ),
        (
            "peek",
            Demand::read("/file".into(), false),
            ItemKind::ToolCall,
        ),
        (
            "change",
            Demand::write("/file".into(), true),
            ItemKind::FileChange,
        ),
        (
            "run",
            Demand::Execute(Execution::within("command", "/")),
            ItemKind::CommandExecution,
        ),
    ];
    let real = Registry::builtin();
    let crew = CREW.iter().filter_map(|name| real.get(name).cloned());
    Registry::new(facts.map(tool).into_iter().chain(crew))
}

struct Fake {
    spec: Spec,
    demand: Demand,
    journal: Arc<Journal>,
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
            let input: Input = serde_json::from_value(input)
                .map_err(|error| Output::failure(format!("The input does not fit: {error}.")))?;
            tokio::task::yield_now().await;
            if input.way == Way::BreaksEarly {
                break_down();
            }
            let preview = Preview {
                description: format!("call {} with {SECRET}", input.number),
                ..Preview::default()
            };
            let journal = Arc::clone(&self.journal);
            let asks = self.spec.name == "ask";
            let job = move |input: Input, context| async move {
                match asks {
                    true => ask(context).await,
                    false => work(input, context, journal).await,
                }
            };
            let demand = self.demand.clone();
            Ok(Prepared::new(demand, &self.spec.name, input, preview, job))
        })
    }
}

/// Asks the person, and tells the model alone what the answer was.
async fn ask(context: Context) -> Output {
    let option = |label: &str| UserInputOption {
        label: label.into(),
        description: "one of two".into(),
    };
    let questions = vec![UserInputQuestion {
        header: "Which".into(),
        id: "which".into(),
        question: "Left or right?".into(),
        options: vec![option("left"), option("right")],
        allow_free_text: false,
        multi_select: false,
    }];
    tokio::select! {
        biased;
        () = context.cancel.cancelled() => Output::failure("stopped"),
        answers = context.person.ask(questions) => match answers {
            Ok(answers) => Output::success(answers[0].value.clone()).shown_as("answered"),
            Err(unanswered) => Output::failure(unanswered.to_string()),
        },
    }
}

async fn work(input: Input, context: Context, journal: Arc<Journal>) -> Output {
    *journal.notes().ran.entry(input.number).or_default() += 1;
    context
        .live
        .say(format!("call {} begins, ", input.number))
        .await;
    context.live.say(format!("with {SECRET}\n")).await;
    let done = tokio::time::sleep(Duration::from_millis(input.ms));
    if input.way == Way::Deaf {
        done.await;
        return Output::success("done, whatever you said");
    }
    tokio::select! {
        biased;
        () = context.cancel.cancelled() => return Output::failure("stopped"),
        () = done => {}
    }
    match input.way {
        Way::Works => Output::success(format!("call {} is done", input.number)),
        Way::Leaks => Output::success(format!("the key is {SECRET}")),
        Way::Fails => Output::failure("it did not work"),
        Way::Breaks | Way::BreaksEarly => break_down(),
        Way::Deaf => unreachable!("it has ended above"),
    }
}
