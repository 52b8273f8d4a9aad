//! Compaction: a conversation that fills the model's window gives way to a summary of itself.
//!
//! The model writes the summary; the latest request is repeated word for word behind it. What
//! replaces the conversation is one message, and exactly that is kept, so that a conversation told
//! by its items is the same. A summary that makes no room ends the turn with that cause: nothing is
//! shortened over and over.

use codewhale_model::{Chunk, ChunkStream, Error, ErrorKind, Message, ToolSpec, without_meta};
use codewhale_protocol::runtime::{AttachmentId, Usage};
use futures_util::StreamExt;

use crate::{Prefix, limits};

/// What the model is asked for.
pub(crate) const INSTRUCTION: &str = "The conversation is about to be replaced by a summary, \
because it fills your window. Write that summary now, for yourself: what the user wants and has \
decided, what was done and found, which files matter and why, what failed, what is still to do. \
Keep names, paths, commands and numbers exact. Call no tool. Write only the summary.";

/// How full the model's window is.
pub(crate) struct Gauge {
    window: u64,
    /// Tokens of the last request and its answer, and how many messages they were.
    counted: Option<(u64, usize)>,
}

impl Gauge {
    pub(crate) fn new(window: Option<u64>) -> Self {
        Self {
            window: window.unwrap_or(limits::WINDOW_ASSUMED),
            counted: None,
        }
    }

    /// Takes what the provider counted; the answer is already part of the conversation.
    pub(crate) fn tell(&mut self, usage: Option<Usage>, messages: usize) {
        let counted = usage.filter(|usage| usage.input_tokens > 0);
        let total = counted.map(|usage| usage.input_tokens + usage.output_tokens);
        self.counted = total.map(|total| (total, messages));
    }

    /// Whether what would be sent takes more of the window than it may.
    pub(crate) fn is_crowded(&self, prefix: &Prefix, messages: &[Message]) -> bool {
        let tokens = match self.counted {
            Some((tokens, counted)) if counted <= messages.len() => {
                tokens + tokens_of(bytes_of(&messages[counted..]))
            }
            Some(_) | None => tokens_of(fixed_bytes(prefix) + bytes_of(messages)),
        };
        tokens * 100 > self.window * limits::COMPACT_PERCENT
    }

    /// Forgets what was counted: the conversation is another one.
    pub(crate) fn forget(&mut self) {
        self.counted = None;
    }

    /// The bytes that a request for a summary may have.
    pub(crate) fn bytes_max(&self) -> usize {
        let tokens = self.window * limits::SUMMARY_REQUEST_PERCENT / 100;
        usize::try_from(tokens)
            .unwrap_or(usize::MAX)
            .saturating_mul(BYTES_PER_TOKEN)
    }
}

/// About four bytes of text are a token, in any model's count.
const BYTES_PER_TOKEN: usize = 4;

fn tokens_of(bytes: usize) -> u64 {
    (bytes / BYTES_PER_TOKEN) as u64
}

/// The bytes that go with every request.
fn fixed_bytes(prefix: &Prefix) -> usize {
    let tool = |tool: &ToolSpec| tool.description.len() + tool.input_schema.to_string().len();
    prefix.system.len() + prefix.tools.iter().map(tool).sum::<usize>()
}

pub(crate) fn bytes_of(messages: &[Message]) -> usize {
    let length = |message: &Message| match message {
        Message::User { text, attachments } => {
            text.len() + attachments.len() * limits::ATTACHMENT_TOKENS * BYTES_PER_TOKEN
        }
        Message::Assistant {
            reasoning,
            text,
            calls,
        } => {
            let calls = calls
                .iter()
                .map(|call| call.name.len() + call.arguments.len());
            reasoning.len() + text.len() + calls.sum::<usize>()
        }
        Message::Tool {
            output,
            attachments,
            ..
        } => output.len() + attachments.len() * limits::ATTACHMENT_TOKENS * BYTES_PER_TOKEN,
    };
    messages.iter().map(length).sum()
}

/// The conversation with a request for its summary. If it does not fit, all attachments are left
/// out; then results of calls lose what is behind their start, the oldest first, until it fits; then
/// all other texts; then the oldest messages are left out, up to one of the user, as every dialect
/// wants to begin with.
pub(crate) fn to_summarize(conversation: &[Message], bytes_max: usize) -> Vec<Message> {
    let mut messages = conversation.to_vec();
    let mut over = bytes_of(&messages).saturating_sub(bytes_max);
    if over > 0 {
        // The words that were found for them are left.
        messages.iter_mut().for_each(|message| {
            if let Message::User { attachments, .. } | Message::Tool { attachments, .. } = message {
                attachments.clear();
            }
        });
        over = bytes_of(&messages).saturating_sub(bytes_max);
    }
    let results = messages.iter_mut().filter_map(|message| match message {
        Message::Tool { output, .. } => Some(output),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    cut(results, &mut over);
    let words = messages.iter_mut().flat_map(|message| match message {
        Message::Tool { .. } => [None, None],
        Message::User { text, .. } => [Some(text), None],
        Message::Assistant {
            reasoning, text, ..
        } => [Some(reasoning), Some(text)],
    });
    cut(words.flatten(), &mut over);
    let is_left_out = |message: &&Message| {
        let is_left_out = over > 0 || !matches!(message, Message::User { .. });
        over = over.saturating_sub(bytes_of(std::slice::from_ref(message)));
        is_left_out
    };
    let left_out = messages.iter().take_while(is_left_out).count();
    messages.drain(..left_out);
    messages.push(Message::user(INSTRUCTION));
    messages
}

/// Cuts texts one after the other until nothing is over.
fn cut<'a>(texts: impl Iterator<Item = &'a mut String>, over: &mut usize) {
    for text in texts {
        if *over == 0 {
            return;
        }
        if text.len() > limits::TEXT_BYTES_LEFT {
            let before = text.len();
            text.truncate(text.floor_char_boundary(limits::TEXT_BYTES_LEFT));
            text.push_str(" [… left out]");
            *over = over.saturating_sub(before.saturating_sub(text.len()));
        }
    }
}

/// Why a conversation is shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Occasion {
    /// It fills the window, in the middle of work.
    Crowded,
    /// Someone asked for it, between two pieces of work.
    Asked,
}

impl Occasion {
    /// What is said when the summary makes no room.
    pub(crate) fn in_vain(self) -> &'static str {
        match self {
            Self::Crowded => {
                "the conversation fills the model's window, and its summary makes no room; start a new \
                 thread, or choose a model with a larger window"
            }
            Self::Asked => {
                "the summary is no shorter than the conversation, which was left as it is"
            }
        }
    }
}

/// What takes the place of the conversation: a text, and what was attached to the latest request.
pub(crate) fn replacement(
    summary: &str,
    conversation: &[Message],
    occasion: Occasion,
) -> (String, Vec<AttachmentId>) {
    let summary = summary.trim();
    if occasion == Occasion::Asked {
        let text = format!(
            "This is a summary of our conversation so far, which it replaces:\n\n{summary}"
        );
        return (text, Vec::new());
    }
    let last = conversation.iter().rev().find_map(|message| match message {
        Message::User { text, attachments } => Some((without_meta(text), attachments.clone())),
        Message::Assistant { .. } | Message::Tool { .. } => None,
    });
    let (last, attachments) = last.unwrap_or_default();
    let end = last.floor_char_boundary(limits::REQUEST_BYTES_KEPT);
    let text = format!(
        "This is a summary of our conversation so far, which it replaces:\n\n{summary}\n\nMy latest \
         request, word for word:\n\n{}\n\nGo on with it where you were.",
        &last[..end]
    );
    (text, attachments)
}

/// The text of an answer that is shown to nobody, and what it cost.
pub(crate) async fn read(mut stream: ChunkStream) -> Result<(String, Option<Usage>), Error> {
    let (mut text, mut usage) = (String::new(), None);
    while let Some(chunk) = stream.next().await {
        match chunk? {
            Chunk::Text(piece) => text.push_str(&piece),
            Chunk::Usage(told) => usage = Some(told),
            Chunk::Reasoning(_) | Chunk::Call(_) | Chunk::Finished(_) => {}
        }
    }
    match text.trim().is_empty() {
        true => Err(Error::new(
            ErrorKind::Garbled,
            "the model gave no summary of the conversation",
        )),
        false => Ok((text, usage)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: impl Into<String>) -> Message {
        Message::user(text)
    }

    fn prefix(length: usize) -> Prefix {
        Prefix {
            system: "x".repeat(length).into(),
            tools: Vec::new(),
        }
    }

    fn result(length: usize) -> Message {
        Message::Tool {
            call_id: "c".into(),
            output: "x".repeat(length),
            success: true,
            attachments: Vec::new(),
        }
    }

    #[test]
    fn the_window_is_judged_by_what_the_provider_counted_and_what_came_since() {
        let mut gauge = Gauge::new(Some(1_000));
        let messages = [user("x".repeat(3_300))];
        assert!(gauge.is_crowded(&prefix(0), &messages));
        assert!(!gauge.is_crowded(&prefix(0), &[user("x".repeat(3_100))]));
        gauge.tell(
            Some(Usage {
                input_tokens: 700,
                output_tokens: 50,
                ..Usage::default()
            }),
            1,
        );
        assert!(!gauge.is_crowded(&prefix(100_000), &messages));
        let more = [messages[0].clone(), user("x".repeat(210))];
        assert!(gauge.is_crowded(&prefix(0), &more));
        gauge.forget();
        assert!(!gauge.is_crowded(&prefix(0), &[user("short")]));
    }

    #[test]
    fn results_lose_their_end_the_oldest_first_until_the_request_fits() {
        let conversation = [user("go"), result(10_000), result(10_000)];
        let messages = to_summarize(&conversation, 12_000);
        let lengths: Vec<usize> = messages
            .iter()
            .map(|it| bytes_of(std::slice::from_ref(it)))
            .collect();
        assert!(lengths[1] < 1_100, "{lengths:?}");
        assert_eq!((lengths[0], lengths[2]), (2, 10_000));
        assert_eq!(messages.last(), Some(&user(INSTRUCTION)));
    }

    #[test]
    fn words_are_cut_behind_results_and_the_oldest_messages_left_out_behind_those() {
        let long = || user("x".repeat(5_000));
        let conversation = [long(), result(5_000), long(), user("last")];
        let lengths = |bytes_max| -> Vec<usize> {
            let messages = to_summarize(&conversation, bytes_max);
            let lengths = messages.iter().map(std::slice::from_ref).map(bytes_of);
            lengths.take(messages.len() - 1).collect()
        };
        assert_eq!(lengths(15_004), [5_000, 5_000, 5_000, 4]);
        assert_eq!(lengths(12_000), [5_000, 1_015, 5_000, 4]);
        assert_eq!(lengths(8_000), [1_015, 1_015, 5_000, 4]);
        assert_eq!(lengths(4_000), [1_015, 1_015, 1_015, 4]);
        assert_eq!(lengths(3_000), [1_015, 4]);
        assert_eq!(lengths(4), [4]);
        assert_eq!(lengths(0), [] as [usize; 0]);
    }

    #[test]
    fn what_is_attached_makes_room_before_any_word() {
        let picture = Message::User {
            text: "Look".to_owned(),
            attachments: vec![AttachmentId::from("att_1")],
        };
        let conversation = [picture.clone(), result(1_500)];
        let fits = to_summarize(&conversation, 8_000);
        assert_eq!(fits[..2], conversation);
        let tight = to_summarize(&conversation, 6_000);
        assert_eq!(tight[..2], [user("Look"), result(1_500)]);
    }

    #[test]
    fn the_latest_request_stands_behind_the_summary_word_for_word() {
        let conversation = [user("first"), user("mend the test in a.rs"), result(3)];
        let (text, _) = replacement(" It is broken. ", &conversation, Occasion::Crowded);
        assert!(text.contains("\n\nIt is broken.\n\n") && text.contains("mend the test in a.rs"));
        assert!(!text.contains("first"));
    }
}
