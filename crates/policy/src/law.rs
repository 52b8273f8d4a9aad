//! What the user has laid down, apart from the settings of a thread.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::shell::{Script, Word};
use crate::{Action, Layer, NetworkPolicy, Rule};

/// Rules, networks and what else the user has decided once for many calls.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Law {
    entries: Arc<Vec<Entry>>,
    network: NetworkPolicy,
    writable: Option<Arc<[PathBuf]>>,
}

/// A rule, ready to be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) layer: Layer,
    pub(crate) rule: Rule,
    /// The words of its command.
    pub(crate) words: Vec<Word>,
}

impl Law {
    /// A law of these rules. Their order means nothing.
    pub fn new(rules: impl IntoIterator<Item = (Layer, Rule)>, network: NetworkPolicy) -> Self {
        let entries = rules
            .into_iter()
            .map(|(layer, rule)| Entry::new(layer, rule));
        Self {
            entries: Arc::new(entries.collect()),
            network,
            writable: None,
        }
    }

    /// The same law with one rule more. A rule that stands already is not repeated.
    #[must_use]
    pub fn with_rule(mut self, layer: Layer, rule: Rule) -> Self {
        let is_there = |it: &Entry| it.layer == layer && it.rule == rule;
        if !self.entries.iter().any(is_there) {
            Arc::make_mut(&mut self.entries).push(Entry::new(layer, rule));
        }
        self
    }

    /// The same law with another network policy.
    #[must_use]
    pub fn with_network(mut self, network: NetworkPolicy) -> Self {
        self.network = network;
        self
    }

    /// The same law where files change in these places only.
    #[must_use]
    pub fn with_writable(mut self, places: Arc<[PathBuf]>) -> Self {
        self.writable = Some(places);
        self
    }

    /// Whether files change in some places only.
    pub(crate) fn binds_writing(&self) -> bool {
        self.writable.is_some()
    }

    /// Whether a file may change, as far as its place is concerned.
    pub(crate) fn is_writable(&self, path: &Path) -> bool {
        let places = self.writable.as_deref();
        places.is_none_or(|places| places.iter().any(|place| path.starts_with(place)))
    }

    /// What it says about hosts.
    pub fn network(&self) -> &NetworkPolicy {
        &self.network
    }

    /// Its rules, as they were given.
    pub fn rules(&self) -> impl Iterator<Item = (Layer, &Rule)> {
        self.entries.iter().map(|it| (it.layer, &it.rule))
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

impl Entry {
    fn new(layer: Layer, rule: Rule) -> Self {
        let words = rule.command.as_deref().map(command_words);
        Self {
            layer,
            rule,
            words: words.unwrap_or_default(),
        }
    }

    pub(crate) fn action(&self) -> Action {
        self.rule.action
    }

    /// What wins where several rules speak.
    pub(crate) fn rank(&self) -> (Layer, Action, usize) {
        (self.layer, self.action(), self.rule.specificity())
    }
}

/// The words of a rule's command, unquoted like those it is compared with.
fn command_words(command: &str) -> Vec<Word> {
    let script = Script::read(command);
    match script.segments.as_slice() {
        [segment, ..] if segment.assignments.is_empty() && !segment.words.is_empty() => {
            segment.words.clone()
        }
        _ => command.split_whitespace().map(Word::literal).collect(),
    }
}
