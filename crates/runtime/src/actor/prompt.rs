//! What stands before the conversation of a thread: instructions and tools as it began with them.
//!
//! Providers reuse what they have read as long as it is the same from the first byte on. So the
//! instructions stay as they were, and what changed meanwhile is told behind the conversation. Tools
//! that are out of reach stay on the list, where the law refuses them; new ones join it when a turn
//! begins, never in the middle of one. All that lasts as long as the conversation at hand: one that
//! is told anew by its items, or has given way to its summary, begins with what there is then.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use codewhale_engine::{Prefix, Standing, tools_update};
use codewhale_model::ToolSpec;

/// What the conversation at hand began with, if there is one.
#[derive(Default)]
pub(super) struct Prompt(Mutex<Option<Frozen>>);

/// What there is when a turn begins.
#[derive(Clone, Copy)]
pub(super) struct Present<'a> {
    pub(super) standing: &'a Standing,
    pub(super) workspace: &'a str,
    /// What the repository brings along and the user trusts, if it does.
    pub(super) seal: Option<&'a str>,
    /// The thread's own instructions.
    pub(super) own: Option<&'a str>,
    /// The tools that may be used.
    pub(super) tools: &'a [ToolSpec],
}

/// What a turn begins with.
#[derive(PartialEq, Debug)]
pub(super) struct Settled {
    pub(super) prefix: Prefix,
    /// The instructions as they would be now.
    pub(super) renewed_system: Arc<str>,
    /// What changed since the model was last told.
    pub(super) updates: Vec<String>,
}

struct Frozen {
    workspace: String,
    seal: Option<String>,
    own: Option<String>,
    prefix: Prefix,
    /// What the model knows by now.
    told: Standing,
    /// The tools on the list that it knows to be out of reach.
    gone: BTreeSet<String>,
}

impl Prompt {
    /// What stands before the conversation of a turn, and what the model has to be told.
    pub(super) fn settle(&self, now: Present<'_>) -> Settled {
        let renewed_system: Arc<str> = now.standing.system_prompt(now.workspace, now.own).into();
        let mut frozen = self.lock();
        let known = frozen.take().filter(|known| known.fits(now));
        let (known, updates) = match known {
            Some(mut known) => {
                let updates = known.catch_up(now);
                (known, updates)
            }
            None => (Frozen::of(now, &renewed_system), Vec::new()),
        };
        let prefix = known.prefix.clone();
        *frozen = Some(known);
        Settled {
            prefix,
            renewed_system,
            updates,
        }
    }

    /// The conversation is another one.
    pub(super) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Frozen>> {
        self.0
            .lock()
            .expect("nothing panics while it holds the instructions")
    }
}

impl Frozen {
    fn of(now: Present<'_>, system: &Arc<str>) -> Self {
        Self {
            workspace: now.workspace.to_owned(),
            seal: now.seal.map(str::to_owned),
            own: now.own.map(str::to_owned),
            prefix: Prefix {
                system: Arc::clone(system),
                tools: now.tools.to_vec(),
            },
            told: now.standing.clone(),
            gone: BTreeSet::new(),
        }
    }

    /// Whether the conversation can go on behind it. Nothing of a repository stays that the user
    /// does not trust any more.
    fn fits(&self, now: Present<'_>) -> bool {
        self.workspace == now.workspace
            && self.seal.as_deref() == now.seal
            && self.own.as_deref() == now.own
    }

    /// Takes in what changed. What the model has to be told of it.
    fn catch_up(&mut self, now: Present<'_>) -> Vec<String> {
        let standing = now.standing.update_since(&self.told);
        self.told = now.standing.clone();
        self.add(now.tools);
        let in_reach = |name: &str| now.tools.iter().any(|tool| tool.name == name);
        let listed = self.prefix.tools.iter().map(|tool| tool.name.as_str());
        let gone: BTreeSet<String> = listed
            .filter(|name| !in_reach(name))
            .map(str::to_owned)
            .collect();
        let names = |from: &BTreeSet<String>, but: &BTreeSet<String>| -> Vec<String> {
            from.difference(but).cloned().collect()
        };
        let (lost, back) = (names(&gone, &self.gone), names(&self.gone, &gone));
        self.gone = gone;
        let lost: Vec<&str> = lost.iter().map(String::as_str).collect();
        let back: Vec<&str> = back.iter().map(String::as_str).collect();
        standing
            .into_iter()
            .chain(tools_update(&lost, &back))
            .collect()
    }

    /// Puts tools that are new, or not what they were, on the list.
    fn add(&mut self, tools: &[ToolSpec]) {
        let listed = &mut self.prefix.tools;
        for tool in tools {
            match listed.binary_search_by(|it| it.name.cmp(&tool.name)) {
                Ok(at) if listed[at] == *tool => {}
                Ok(at) => listed[at] = tool.clone(),
                Err(at) => listed.insert(at, tool.clone()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(instructions: &str) -> Standing {
        Standing {
            instructions: instructions.to_owned(),
            ..Standing::default()
        }
    }

    fn settle(prompt: &Prompt, standing: &Standing, workspace: &str, own: Option<&str>) -> Settled {
        prompt.settle(Present {
            standing,
            workspace,
            seal: None,
            own,
            tools: &[],
        })
    }

    #[test]
    fn instructions_stay_and_what_changed_is_told_once() {
        let prompt = Prompt::default();
        let first = settle(&prompt, &standing("Old."), "/w", None);
        assert!(first.prefix.system.ends_with("Old.") && first.updates.is_empty());
        let again = settle(&prompt, &standing("New."), "/w", None);
        assert_eq!(again.prefix, first.prefix);
        assert!(again.renewed_system.ends_with("New."));
        assert!(again.updates[0].contains("New."));
        let third = settle(&prompt, &standing("New."), "/w", None);
        assert_eq!((third.prefix, third.updates), (first.prefix, Vec::new()));
        prompt.forget();
        let anew = settle(&prompt, &standing("New."), "/w", None);
        assert_eq!(anew.prefix.system, again.renewed_system);
        assert!(anew.updates.is_empty());
    }

    #[test]
    fn another_place_or_another_prompt_of_the_thread_begins_anew() {
        let prompt = Prompt::default();
        let first = settle(&prompt, &standing(""), "/w", None);
        let moved = settle(&prompt, &standing(""), "/v", None);
        assert_ne!(moved.prefix, first.prefix);
        let own = settle(&prompt, &standing(""), "/v", Some("Be kind."));
        assert!(own.prefix.system.contains("Be kind.") && own.updates.is_empty());
    }

    #[test]
    fn nothing_of_a_repository_stays_when_it_is_not_trusted_any_more() {
        let prompt = Prompt::default();
        let settle = |seal, instructions| {
            let settled = prompt.settle(Present {
                standing: &standing(instructions),
                workspace: "/w",
                seal,
                own: None,
                tools: &[],
            });
            settled.prefix.system
        };
        assert!(settle(Some("1"), "Of the repository.").ends_with("Of the repository."));
        assert!(!settle(None, "").contains("Of the repository."));
    }

    fn tools(words: &str) -> Vec<ToolSpec> {
        let tool = |word: &str| {
            let (name, description) = word.split_once('=').unwrap_or((word, ""));
            ToolSpec {
                name: name.to_owned(),
                description: description.into(),
                input_schema: serde_json::Value::Null.into(),
            }
        };
        words.split(' ').map(tool).collect()
    }

    #[test]
    fn tools_join_the_list_and_never_leave_it_and_are_told_of_when_out_of_reach() {
        let (prompt, standing) = (Prompt::default(), Standing::default());
        let check = |now: &str, listed: &str, told: &[&str]| {
            let settled = prompt.settle(Present {
                standing: &standing,
                workspace: "/w",
                seal: None,
                own: None,
                tools: &tools(now),
            });
            assert_eq!(settled.prefix.tools, tools(listed), "{now}");
            let updates = settled.updates.join("");
            assert_eq!(
                updates.lines().count(),
                if told.is_empty() { 0 } else { told.len() + 2 }
            );
            assert!(told.iter().all(|it| updates.contains(it)), "{updates}");
        };
        check("b d", "b d", &[]);
        check("a b c d", "a b c d", &[]);
        check("a", "a b c d", &["refused: b, c, d."]);
        check("a", "a b c d", &[]);
        check("a b=other", "a b=other c d", &["again: b."]);
        check("c d", "a b=other c d", &["refused: a, b.", "again: c, d."]);
        prompt.forget();
        check("c", "c", &[]);
    }
}
