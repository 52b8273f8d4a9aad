//! Who works on a turn: the agent that talks and the one that shortens the conversation, each with
//! the model that really answers, and what each of them has used.

use std::sync::Arc;

use codewhale_engine::Purpose;
use codewhale_model::Route;
use codewhale_model::catalogue::prices::{Asked, PriceBook};
use codewhale_protocol::Caller;
use codewhale_protocol::runtime::{ItemKind, ThreadId, Timestamp, Usage};
use codewhale_store::Stamp;

use crate::runtime::Core;

/// The agents of a turn, as the present model makes them.
pub(crate) struct Agents {
    /// The model that answers.
    pub(crate) route: Route,
    /// Who talks and calls.
    pub(crate) talker: Arc<Stamp>,
    shortener: Arc<Stamp>,
}

impl Agents {
    /// The agents of a thread that work for a caller by way of this model.
    pub(crate) fn new(core: &Core, thread: &ThreadId, caller: &Caller, route: Route) -> Self {
        let stamp = |purpose| core.agent_stamp(thread, &route, caller, purpose);
        Self {
            talker: stamp(Purpose::Answer),
            shortener: stamp(Purpose::Compaction),
            route,
        }
    }

    /// Who does this.
    pub(crate) fn at(&self, purpose: Purpose) -> &Arc<Stamp> {
        match purpose {
            Purpose::Answer => &self.talker,
            Purpose::Compaction => &self.shortener,
        }
    }
}

/// What an item of this kind comes from.
pub(crate) fn purpose_of(kind: ItemKind) -> Purpose {
    match kind {
        ItemKind::ContextCompaction => Purpose::Compaction,
        ItemKind::UserMessage
        | ItemKind::AgentMessage
        | ItemKind::AgentReasoning
        | ItemKind::ToolCall
        | ItemKind::FileChange
        | ItemKind::CommandExecution
        | ItemKind::Status
        | ItemKind::Error => Purpose::Answer,
    }
}

/// What one agent has used in a turn.
pub(crate) struct Spent {
    pub(crate) by: Arc<Stamp>,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) usage: Usage,
    pub(crate) cost_microusd: u64,
    /// Where the prices are from; none when some tokens have no known price.
    pub(crate) priced_by: Option<&'static str>,
}

/// What all agents have used in a turn.
#[derive(Default)]
pub(crate) struct Ledger(Vec<Spent>);

impl Ledger {
    /// Adds what a request used, at the prices of a moment.
    pub(crate) fn add(
        &mut self,
        agents: &Agents,
        (usage, purpose): (Usage, Purpose),
        prices: &PriceBook,
        at: Timestamp,
    ) {
        let route = &agents.route;
        let asked = Asked {
            provider: &route.provider,
            model: &route.model,
            input_tokens: usage.input_tokens,
            hour: hour(at),
        };
        let price = prices.price(&asked, &usage);
        let by = agents.at(purpose);
        let cost_microusd = price.map_or(0, |price| price.micro_dollars);
        let priced_by = price.map(|price| price.source);
        if let Some(known) = self.0.iter_mut().find(|known| known.by.id == by.id) {
            known.usage.add(usage);
            known.cost_microusd += cost_microusd;
            known.priced_by = known.priced_by.and(priced_by);
            return;
        }
        self.0.push(Spent {
            by: Arc::clone(by),
            provider: route.provider.clone(),
            model: route.model.clone(),
            usage,
            cost_microusd,
            priced_by,
        });
    }

    /// What each agent has used.
    pub(crate) fn spent(&self) -> &[Spent] {
        &self.0
    }

    /// What all have used, if any has.
    pub(crate) fn usage(&self) -> Option<Usage> {
        let mut total = None;
        for spent in &self.0 {
            total.get_or_insert_with(Usage::default).add(spent.usage);
        }
        total
    }

    /// What all of it cost, in dollars.
    #[expect(
        clippy::cast_precision_loss,
        reason = "no turn costs so much that a float loses its cents"
    )]
    pub(crate) fn cost_usd(&self) -> f64 {
        let sum: u64 = self.0.iter().map(|spent| spent.cost_microusd).sum();
        sum as f64 / 1e6
    }
}

/// The hour of the day of a moment, UTC.
fn hour(at: Timestamp) -> u8 {
    const HOUR_MS: i64 = 3_600_000;
    let hour = (at.as_ms() / HOUR_MS).rem_euclid(24);
    u8::try_from(hour).expect("a day has 24 hours")
}
