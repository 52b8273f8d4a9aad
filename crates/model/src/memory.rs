//! What a provider wants back that a conversation does not hold: its thoughts as it signed or
//! encrypted them.
//!
//! A signed thought is only good for the tool calls it led to, at the provider and the model that
//! thought it, word for word. So it is kept here, by the client of that provider, and not with the
//! conversation, which is masked, stored, and may go on elsewhere. A thought that is forgotten is
//! left out of the request; nothing else is lost.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::limits;

/// The thoughts of one provider.
#[derive(Default, Debug)]
pub(crate) struct Memory(Mutex<Kept>);

#[derive(Default, Debug)]
struct Kept {
    /// By model and the first call they led to.
    thoughts: BTreeMap<(String, String), Thought>,
    /// Oldest first.
    order: VecDeque<(String, String)>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Thought {
    /// What was shown of it.
    text: String,
    blocks: Arc<[Value]>,
    bytes: usize,
}

impl Memory {
    /// Keeps the blocks that led to a call, with the text that was shown of them. The oldest are
    /// forgotten when there are too many.
    pub(crate) fn keep(&self, model: &str, call: &str, text: &str, blocks: Vec<Value>) {
        let sizes = blocks.iter().map(|block| block.to_string().len());
        let bytes = text.len() + sizes.sum::<usize>();
        if bytes > limits::THOUGHT_BYTES_MAX {
            return;
        }
        let key = (model.to_owned(), call.to_owned());
        let thought = Thought {
            text: text.to_owned(),
            blocks: blocks.into(),
            bytes,
        };
        let mut kept = self.lock();
        kept.bytes += bytes;
        match kept.thoughts.insert(key.clone(), thought) {
            Some(before) => kept.bytes -= before.bytes,
            None => kept.order.push_back(key),
        }
        while kept.bytes > limits::MEMORY_BYTES_MAX {
            let Some(oldest) = kept.order.pop_front() else {
                break;
            };
            if let Some(gone) = kept.thoughts.remove(&oldest) {
                kept.bytes -= gone.bytes;
            }
        }
    }

    /// The blocks that led to a call, if the text shown of them is the one asked for: ids of calls
    /// are not unique everywhere.
    pub(crate) fn recall(&self, model: &str, call: &str, text: &str) -> Option<Arc<[Value]>> {
        let key = (model.to_owned(), call.to_owned());
        let kept = self.lock();
        let thought = kept.thoughts.get(&key)?;
        (thought.text == text).then(|| thought.blocks.clone())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0
            .lock()
            .expect("nobody panics while holding the memory")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_thought_goes_back_to_its_own_call_only() {
        let memory = Memory::default();
        memory.keep("m", "a", "Hm.", vec![json!({"signature": "s"})]);
        let recall = |model, call, text| memory.recall(model, call, text).is_some();
        assert!(recall("m", "a", "Hm."));
        assert!(!recall("other", "a", "Hm."));
        assert!(!recall("m", "b", "Hm."));
        assert!(!recall("m", "a", "Other."));
    }

    #[test]
    fn the_oldest_thoughts_are_forgotten_first() {
        let memory = Memory::default();
        let large = json!("x".repeat(limits::THOUGHT_BYTES_MAX / 2));
        let count = 2 * limits::MEMORY_BYTES_MAX / limits::THOUGHT_BYTES_MAX + 2;
        for call in 0..count {
            memory.keep("m", &call.to_string(), "", vec![large.clone()]);
        }
        assert!(memory.recall("m", "0", "").is_none());
        assert!(memory.recall("m", &(count - 1).to_string(), "").is_some());
        assert!(memory.lock().bytes <= limits::MEMORY_BYTES_MAX);
        memory.keep("m", "vast", "", vec![large.clone(), large.clone(), large]);
        assert!(memory.recall("m", "vast", "").is_none());
    }
}
