//! What a turn asks of its owner.

use std::sync::Arc;

use codewhale_model::{Route, ToolCall};
use codewhale_policy::{Amendments, Answerer, Authority, Law, Rule};
use codewhale_protocol::runtime::{AttachmentId, ItemId, ItemKind, Usage};
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Output, Preview};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::TextKind;

/// The owner of a turn: shows what happens, keeps it, and speaks for the person.
pub trait Host: Send + Sync {
    /// Begins an item and shows it.
    fn open(&self, opening: Opening) -> ItemId;

    /// Adds text to an item: what the model says, or what a call prints. Gives something to wait for
    /// when the owner cannot keep up.
    fn text<'a>(&'a self, item: &'a ItemId, text: &'a str) -> Option<BoxFuture<'a, ()>>;

    /// Ends an item.
    fn close(&self, item: ItemId, closing: Closing);

    /// Takes a fact that is no item of the conversation.
    fn note(&self, note: Note);

    /// Takes that another model answers from now on.
    fn switch(&self, route: &Route);

    /// Writes down that the call of an item is about to reach outside, and exactly what will run.
    /// Waits until that, and everything before it, survives a crash.
    fn intend<'a>(
        &'a self,
        item: &'a ItemId,
        digest: &'a str,
    ) -> BoxFuture<'a, Result<(), Unsettled>>;

    /// Takes that the call of an item runs now, and what stops it alone.
    fn running(&self, item: &ItemId, stop: &CancellationToken);

    /// Takes that it runs no more, so that nothing can stop it.
    fn ran(&self, item: &ItemId);

    /// Asks whether a call may run, and waits for the answer.
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer>;

    /// What the turn may do right now; it can change while the turn runs.
    fn authority(&self) -> Authority;

    /// The rules the user has laid down, as they are right now.
    fn law(&self) -> Arc<Law>;

    /// Why the turn may cost nothing more, once that is so.
    fn spent(&self) -> Option<String>;

    /// Why no more calls are run, once that is so.
    fn calls_spent(&self) -> Option<String>;

    /// What was added to the turn since the last look.
    fn take_input(&self) -> Vec<String>;

    /// Lets nothing more be added, once what is on its way has arrived. False when something has,
    /// which must then be taken.
    fn close_input(&self) -> BoxFuture<'_, bool>;
}

/// How an item begins.
#[derive(Clone, PartialEq, Debug)]
pub enum Opening {
    /// Text of the model.
    Text {
        /// Said or thought.
        kind: TextKind,
        /// The how-manieth call of the model it belongs to.
        step: u32,
    },
    /// The conversation is shortened.
    Compaction {
        /// Whether nobody asked for it.
        auto: bool,
        /// The how-manieth call of the model it comes before.
        step: u32,
    },
    /// A call of a tool.
    Tool {
        /// What the model wrote.
        call: ToolCall,
        /// The arguments, as far as they read.
        input: Value,
        /// How it is shown.
        kind: ItemKind,
        /// The how-manieth call of the model it belongs to.
        step: u32,
    },
}

/// A conversation that gave way to a summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compacted {
    /// The one message that replaces it.
    pub text: String,
    /// What is attached to it.
    pub attachments: Vec<AttachmentId>,
    /// How many messages there were.
    pub messages_before: usize,
    /// How many there are.
    pub messages_after: usize,
}

/// How an item ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Closing {
    /// The text is whole.
    Complete,
    /// The text broke off and will be said again; why.
    Abandoned(String),
    /// What came of a call.
    Tool(Output),
    /// What replaces the conversation.
    Compacted(Compacted),
}

/// A fact about the turn.
#[derive(Clone, PartialEq, Debug)]
pub enum Note {
    /// A line for the person.
    Status(String),
    /// A request goes to the provider now.
    Dispatched,
    /// What a request used, and for what.
    Usage(Usage, Purpose),
}

/// What a model is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Purpose {
    /// To answer.
    Answer,
    /// To shorten the conversation.
    Compaction,
}

/// What a person, or the posture in their place, is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The tool.
    pub tool_name: String,
    /// The model's id of the call.
    pub call_id: String,
    /// What would happen.
    pub preview: Preview,
    /// SHA-256 over exactly what would run.
    pub digest: String,
    /// Why it is asked.
    pub reason: String,
    /// The rule that demands it.
    pub matched_rule: String,
    /// Whether it wants wider walls than its thread has.
    pub wider_walls: bool,
    /// What could be laid down along with a yes.
    pub amendments: Amendments,
    /// The rule that makes a yes to this very call last, if one can.
    pub remembering: Option<Rule>,
    /// Who answers.
    pub answerer: Answerer,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It runs.
    Yes,
    /// It does not, for this reason; the model reads it.
    No(String),
    /// The turn is over.
    Stop,
}

/// What happened could not be kept; the turn must not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsettled;
