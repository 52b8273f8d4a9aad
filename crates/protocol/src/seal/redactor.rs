//! What a process knows of secrets. It learns more while it runs: tokens are renewed.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use super::Secret;
use super::scan::{Around, Needles, Scan, replace};

/// Secrets learnt while the process runs that are remembered: more than all logins have at a time.
/// The oldest goes first; it was replaced long ago.
const LEARNT_MAX: usize = 128;

/// Knows the secrets of this process and the shapes of others.
pub struct Redactor {
    known: RwLock<Known>,
}

struct Known {
    needles: Arc<Needles>,
    from_the_start: Vec<Secret>,
    learnt: Vec<Secret>,
}

impl Redactor {
    /// Masks these values, as they are and as they look inside JSON, and everything of a known
    /// shape.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let from_the_start: Vec<_> = secrets.into_iter().cloned().collect();
        Self {
            known: RwLock::new(Known {
                needles: Arc::new(Needles::new(&from_the_start)),
                from_the_start,
                learnt: Vec::new(),
            }),
        }
    }

    /// Masks these too from now on.
    pub fn learn(&self, secrets: impl IntoIterator<Item = Secret>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.learnt.len();
        for secret in secrets {
            if !known.from_the_start.contains(&secret) && !known.learnt.contains(&secret) {
                known.learnt.push(secret);
            }
        }
        if known.learnt.len() == before {
            return;
        }
        let surplus = known.learnt.len().saturating_sub(LEARNT_MAX);
        known.learnt.drain(..surplus);
        let needles = Needles::new(known.from_the_start.iter().chain(&known.learnt));
        known.needles = Arc::new(needles);
    }

    /// The text with every secret replaced.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let around = Around {
            word_before: false,
            more_follows: false,
            json: false,
        };
        replace(text, &self.scan(text, around).spans)
    }

    pub(super) fn mask_json(&self, json: String) -> String {
        let around = Around {
            word_before: false,
            more_follows: false,
            json: true,
        };
        match replace(&json, &self.scan(&json, around).spans) {
            Cow::Borrowed(_) => json,
            Cow::Owned(masked) => masked,
        }
    }

    pub(super) fn scan(&self, text: &str, around: Around) -> Scan {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let needles = known.needles.clone();
        drop(known);
        needles.scan(text, around)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_learnt_later_is_masked_from_then_on() {
        let redactor = Redactor::new(&[Secret::new("first-secret")]);
        let text = "first-secret second-secret";
        assert_eq!(redactor.mask(text), "[redacted] second-secret");
        redactor.learn([Secret::new("second-secret")]);
        assert_eq!(redactor.mask(text), "[redacted] [redacted]");
    }

    #[test]
    fn the_oldest_that_was_learnt_goes_and_what_was_there_from_the_start_stays() {
        let redactor = Redactor::new(&[Secret::new("first-secret")]);
        redactor.learn((0..=LEARNT_MAX).map(|number| Secret::new(format!("learnt-{number:04}"))));
        assert_eq!(redactor.mask("first-secret"), "[redacted]");
        assert_eq!(redactor.mask("learnt-0000"), "learnt-0000");
        assert_eq!(redactor.mask("learnt-0001"), "[redacted]");
    }
}
