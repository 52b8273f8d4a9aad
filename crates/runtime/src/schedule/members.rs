//! The members of a rule: pairs of a key and a value, between semicolons.

use super::rule::wrong;
use crate::Error;

/// What a rule says, member by member.
pub(super) struct Members<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Members<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Error> {
        let mut members: Vec<(&str, &str)> = Vec::new();
        for part in text.split(';').map(str::trim).filter(|it| !it.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| wrong(format!("{part} is not of the form KEY=VALUE")))?;
            let (key, value) = (key.trim(), value.trim());
            if members.iter().any(|(known, _)| *known == key) {
                return Err(wrong(format!("{key} stands there twice")));
            }
            members.push((key, value));
        }
        Ok(Self(members))
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        let mut members = self.0.iter();
        members
            .find(|(known, _)| *known == key)
            .map(|(_, value)| *value)
    }

    pub(super) fn require(&self, key: &str) -> Result<&'a str, Error> {
        self.get(key)
            .ok_or_else(|| wrong(format!("{key} is missing")))
    }

    /// Refuses every member but these.
    pub(super) fn allow(&self, keys: &[&str]) -> Result<(), Error> {
        match self.beyond(keys) {
            Some(key) => Err(wrong(format!("{key} has no meaning here"))),
            None => Ok(()),
        }
    }

    /// Whether there is no member but these.
    pub(super) fn are_only(&self, keys: &[&str]) -> bool {
        self.beyond(keys).is_none()
    }

    fn beyond(&self, keys: &[&str]) -> Option<&'a str> {
        let mut members = self.0.iter().map(|(key, _)| *key);
        members.find(|key| *key != "FREQ" && !keys.contains(key))
    }
}
