//! The standing instructions of a thread as its conversation began with them.
//!
//! Providers reuse what they have read as long as it is the same from the first byte on. So the
//! instructions stay as they were, and what changed meanwhile is told behind the conversation. Both
//! last as long as the conversation at hand: one that is told anew by its items, or has given way to
//! its summary, begins with the instructions as they are then.

use std::sync::{Mutex, MutexGuard};

use codewhale_engine::Standing;

/// The instructions of the conversation at hand, if there is one.
#[derive(Default)]
pub(super) struct Prompt(Mutex<Option<Frozen>>);

struct Frozen {
    workspace: String,
    own: Option<String>,
    system: String,
    /// What the model knows by now.
    told: Standing,
}

impl Prompt {
    /// The instructions for a turn, and what changed since the model was last told.
    pub(super) fn settle(
        &self,
        now: &Standing,
        workspace: &str,
        own: Option<&str>,
    ) -> (String, Option<String>) {
        let mut frozen = self.lock();
        if let Some(known) = frozen.as_mut()
            && known.workspace == workspace
            && known.own.as_deref() == own
        {
            let update = now.update_since(&known.told);
            known.told = now.clone();
            return (known.system.clone(), update);
        }
        let system = now.system_prompt(workspace, own);
        *frozen = Some(Frozen {
            workspace: workspace.to_owned(),
            own: own.map(str::to_owned),
            system: system.clone(),
            told: now.clone(),
        });
        (system, None)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(instructions: &str) -> Standing {
        Standing {
            instructions: instructions.to_owned(),
            ..Standing::default()
        }
    }

    #[test]
    fn instructions_stay_and_what_changed_is_told_once() {
        let prompt = Prompt::default();
        let (first, update) = prompt.settle(&standing("Old."), "/w", None);
        assert!(first.ends_with("Old.") && update.is_none());
        let (again, update) = prompt.settle(&standing("New."), "/w", None);
        assert_eq!(again, first);
        assert!(update.unwrap().contains("New."));
        assert_eq!(
            prompt.settle(&standing("New."), "/w", None),
            (first.clone(), None)
        );
        prompt.forget();
        let (anew, update) = prompt.settle(&standing("New."), "/w", None);
        assert!(anew.ends_with("New.") && update.is_none());
    }

    #[test]
    fn another_place_or_another_prompt_of_the_thread_begins_anew() {
        let prompt = Prompt::default();
        let (first, _) = prompt.settle(&standing(""), "/w", None);
        assert_ne!(prompt.settle(&standing(""), "/v", None).0, first);
        let (own, update) = prompt.settle(&standing(""), "/v", Some("Be kind."));
        assert!(own.contains("Be kind.") && update.is_none());
    }
}
