//! Ids and names of calls as every provider takes them back, whoever gave them out.
//!
//! A thread may go on at another provider than the one that made the calls. Some make ids with dots
//! and colons, some count from zero in each answer; others refuse both, and with them the whole
//! conversation.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::limits;

/// The ids of one request, in the order of its messages. The same messages always get the same
/// ids, so a longer conversation begins with the bytes of the shorter one.
#[derive(Default, Debug)]
pub(crate) struct CallIds<'a> {
    seen: BTreeSet<Cow<'a, str>>,
    /// Calls of the newest answer that wait for their result: the id they came with, and ours.
    open: Vec<(&'a str, Cow<'a, str>)>,
    calls: usize,
}

impl<'a> CallIds<'a> {
    /// An answer begins: what it calls is all that results can belong to.
    pub(crate) fn answer(&mut self) {
        self.open.clear();
    }

    /// The id of the next call.
    pub(crate) fn call(&mut self, id: &'a str) -> Cow<'a, str> {
        self.calls += 1;
        let mut own = Cow::Borrowed(id);
        if !is_taken_everywhere(id, limits::CALL_ID_BYTES_MAX) || self.seen.contains(id) {
            own = Cow::Owned(format!("call_{}", self.calls));
        }
        while self.seen.contains(&own) {
            own = Cow::Owned(format!("{own}_"));
        }
        self.seen.insert(own.clone());
        self.open.push((id, own.clone()));
        own
    }

    /// The id under which the result of a call goes back.
    pub(crate) fn result(&mut self, id: &'a str) -> Cow<'a, str> {
        let place = self.open.iter().position(|(theirs, _)| *theirs == id);
        place.map_or(Cow::Borrowed(id), |place| self.open.remove(place).1)
    }
}

/// A tool's name; a model that made one up must not spoil the conversation.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    if is_taken_everywhere(name, limits::CALL_ID_BYTES_MAX) {
        return Cow::Borrowed(name);
    }
    let letters = name.chars().map(|c| if is_plain(c) { c } else { '_' });
    let letters: String = letters.take(limits::CALL_ID_BYTES_MAX).collect();
    Cow::Owned(if letters.is_empty() {
        "_".to_owned()
    } else {
        letters
    })
}

fn is_taken_everywhere(id: &str, bytes_max: usize) -> bool {
    !id.is_empty() && id.len() <= bytes_max && id.chars().all(is_plain)
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_unless_a_provider_would_refuse_them() {
        let mut ids = CallIds::default();
        ids.answer();
        assert_eq!(ids.call("toolu_1"), "toolu_1");
        assert_eq!(ids.call("functions.read:0"), "call_2");
        assert_eq!(ids.result("functions.read:0"), "call_2");
        assert_eq!(ids.result("toolu_1"), "toolu_1");
        ids.answer();
        assert_eq!(ids.call("toolu_1"), "call_3", "an id is used once");
        assert_eq!(ids.call("call_3"), "call_4");
        assert_eq!(ids.call(""), "call_5");
        assert_eq!(ids.result(""), "call_5");
        assert_eq!(ids.result("call_3"), "call_4");
        assert_eq!(ids.result("toolu_1"), "call_3");
    }

    #[test]
    fn names_are_made_plain() {
        let long = "x".repeat(limits::CALL_ID_BYTES_MAX + 1);
        let cases = [
            ("read_file", "read_file"),
            ("read file!", "read_file_"),
            ("", "_"),
            (&long, &long[1..]),
        ];
        for (theirs, expect) in cases {
            assert_eq!(name(theirs), expect);
        }
    }
}
