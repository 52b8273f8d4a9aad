//! A random walk of an agent, a person, undo, retry, restore and crashes at every step of a move of
//! files: after each step files and conversation belong to the same point, and nothing that a
//! person wrote is lost.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::runtime::ThreadId;
use codewhale_runtime::BeforeStep;
use codewhale_testkit::long;
use serde_json::json;
use tokio::sync::Notify;

use crate::model::{Piece, call};
use crate::workspace::{Files, Lab, Process};

/// Steps of one walk.
const STEPS: usize = 16;

/// The files there can be.
const NAMES: [&str; 4] = ["a", "b", "deep/c", "deep/er/d"];

/// One life of a process in a workspace. `None` when it crashed at that step of a move of files:
/// everything it had begun ends there and then.
fn live<T>(lab: &Lab, crash_at: Option<usize>, work: impl AsyncFnOnce(&Process) -> T) -> Option<T> {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let reached = Arc::new(Notify::new());
    let told = Arc::clone(&reached);
    let before_step: BeforeStep = Arc::new(move |step| {
        let told = Arc::clone(&told);
        Box::pin(async move {
            if Some(step) == crash_at {
                told.notify_one();
                pending::<()>().await;
            }
        })
    });
    tokio.block_on(async {
        let process = lab.process(before_step).await;
        tokio::select! {
            biased;
            done = work(&process) => Some(done),
            () = reached.notified() => None,
        }
    })
}

#[test]
fn undo_that_crashes_at_any_step_moves_all_or_nothing() {
    // Before the row, before each of three files, before the last commit; then one that ends well.
    for crash_at in 0..=5 {
        let lab = Lab::new();
        lab.write("changed", "1");
        lab.write("gone", "1");
        let old = lab.files();
        let thread = live(&lab, None, async |process| {
            let thread = process.thread().await;
            let files = [("changed", Some("2")), ("gone", None), ("new", Some("2"))];
            process.turn(&thread, "go", &files).await;
            thread
        });
        let (thread, new) = (thread.unwrap(), lab.files());
        let undone = live(&lab, Some(crash_at), async |process| {
            process.undo(&thread, json!({})).await.unwrap()
        });
        assert_eq!(undone.is_some(), crash_at == 5);
        if (2..5).contains(&crash_at) {
            assert_ne!(lab.files(), new, "step {crash_at} came too early");
        }
        let threads = live(&lab, None, async |process| process.threads().await.len());
        match undone {
            Some(_) => assert_eq!((lab.files(), threads), (old, Some(2))),
            None => assert_eq!((lab.files(), threads), (new, Some(1)), "step {crash_at}"),
        }
    }
}

#[test]
fn what_a_person_changed_after_a_crash_is_left_alone() {
    let lab = Lab::new();
    let thread = live(&lab, None, async |process| {
        let thread = process.thread().await;
        process
            .turn(&thread, "go", &[("a", Some("2")), ("b", Some("2"))])
            .await;
        thread
    });
    let thread = thread.unwrap();
    // Both files are gone and the last commit is missing.
    let crashed = live(&lab, Some(3), async |process| {
        process.undo(&thread, json!({})).await.unwrap()
    });
    assert!(crashed.is_none() && lab.files().is_empty());
    lab.write("b", "by hand");
    live(&lab, None, async |process| process.threads().await.len());
    assert_eq!(lab.read("a").as_deref(), Some("2"));
    assert_eq!(lab.read("b").as_deref(), Some("by hand"));
}

#[test]
fn a_turn_that_was_cut_off_is_undone_only_by_force_because_nobody_knows_who_changed_what() {
    let lab = Lab::new();
    lab.write("mine", "1");
    let thread = live(&lab, None, async |process| {
        let thread = process.thread().await;
        let model = &process.world.model;
        let write = json!({ "path": "a", "text": "half" });
        model.then(vec![call("call_1", "put", &write)]);
        model.then(vec![Piece::Gate(Arc::new(Notify::new()))]);
        process.world.start(&thread, "go").await.unwrap();
        process
            .world
            .until(&thread, |_| lab.read("a").is_some())
            .await;
        thread
    });
    let thread = thread.unwrap();
    lab.write("mine", "2");
    live(&lab, None, async |process| {
        let error = process.undo(&thread, json!({})).await.unwrap_err();
        assert_eq!(error.data, Some(json!({ "files": ["a", "mine"] })));
        let undone = process
            .undo(&thread, json!({ "force": true }))
            .await
            .unwrap();
        assert_eq!((lab.read("a"), lab.read("mine")), (None, Some("1".into())));
        let previous = undone.patch_result.previous.unwrap();
        process.restore(&previous).await.unwrap();
        assert_eq!(lab.read("mine").as_deref(), Some("2"));
    });
}

#[test]
fn files_and_conversation_belong_together_at_every_step_of_a_random_walk() {
    for seed in 0..long::count(2, 60) {
        let mut walk = Walk::new(u64::try_from(seed).unwrap());
        for _ in 0..STEPS {
            walk.step();
        }
        walk.look_back();
    }
}

/// A turn, with the files around it.
#[derive(Clone)]
struct Turn {
    prompt: String,
    before: Files,
    after: Files,
}

/// Someone who walks about and knows what should be where.
struct Walk {
    seed: u64,
    dice: u64,
    lab: Lab,
    thread: ThreadId,
    turns: Vec<Turn>,
    threads: usize,
    said: usize,
    /// Snapshots, with their files and the turns that belong to them.
    snapshots: BTreeMap<String, (Files, Option<Vec<Turn>>)>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let lab = Lab::new();
        let thread = live(&lab, None, async |process| process.thread().await).unwrap();
        Self {
            dice: seed,
            turns: Vec::new(),
            threads: 1,
            said: 0,
            snapshots: BTreeMap::new(),
            seed,
            lab,
            thread,
        }
    }

    /// SplitMix64.
    fn below(&mut self, end: usize) -> usize {
        self.dice = self.dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.dice;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(end).unwrap()).unwrap()
    }

    fn step(&mut self) {
        match self.below(10) {
            0..=3 => self.agent_works(),
            4 | 5 => self.person_works(),
            6 | 7 => self.go_back(Way::Undo),
            8 => self.go_back(Way::Retry),
            _ => self.restore(),
        }
        let thread = self.thread.clone();
        let look = live(&self.lab, None, async |process| {
            (process.asked(&thread).await, process.threads().await.len())
        });
        let prompts: Vec<String> = self.turns.iter().map(|it| it.prompt.clone()).collect();
        assert_eq!(look, Some((prompts, self.threads)), "seed {}", self.seed);
    }

    /// Some files with new content, or without any.
    fn some_files(&mut self) -> Vec<(&'static str, Option<String>)> {
        let count = self.below(3);
        let mut files = Vec::new();
        for _ in 0..count {
            let name = NAMES[self.below(NAMES.len())];
            self.said += 1;
            let text = (self.below(4) > 0).then(|| format!("text {}", self.said));
            files.push((name, text));
        }
        files
    }

    fn prompt(&mut self) -> String {
        self.said += 1;
        format!("prompt {}", self.said)
    }

    fn agent_works(&mut self) {
        let (prompt, files, before) = (self.prompt(), self.some_files(), self.lab.files());
        let thread = self.thread.clone();
        let list = live(&self.lab, None, async |process| {
            let files: Vec<_> = files
                .iter()
                .map(|(name, text)| (*name, text.as_deref()))
                .collect();
            process.turn(&thread, &prompt, &files).await;
            process.list().await
        });
        let after = self.lab.files();
        let (earlier, is_kept) = (self.turns.clone(), !files.is_empty());
        self.turns.push(Turn {
            prompt,
            before: before.clone(),
            after: after.clone(),
        });
        let list = list.unwrap();
        if is_kept {
            let now = Some(self.turns.clone());
            self.snapshots.insert(list[0].id.clone(), (after, now));
            self.snapshots
                .insert(list[1].id.clone(), (before, Some(earlier)));
        }
    }

    fn person_works(&mut self) {
        for (name, text) in self.some_files() {
            match text {
                Some(text) => self.lab.write(name, &text),
                None => drop(std::fs::remove_file(self.lab.root.join(name))),
            }
        }
    }

    /// A step at which to crash, or none.
    fn crash(&mut self) -> Option<usize> {
        let crashes = self.below(3) == 0;
        crashes.then(|| self.below(5))
    }

    fn go_back(&mut self, way: Way) {
        let (depth, force) = (self.below(2), self.below(3) == 0);
        if depth >= self.turns.len() {
            return;
        }
        let place = self.turns.len() - 1 - depth;
        let (contested, wanted) = expected(&self.turns[place..], &self.lab.files());
        let (now, crash_at, thread) = (self.lab.files(), self.crash(), self.thread.clone());
        let params = json!({ "depth": depth, "force": force });
        let done = live(&self.lab, crash_at, async |process| match way {
            Way::Undo => {
                let undone = process.undo(&thread, params).await?;
                Ok((undone.thread.id, undone.patch_result.previous))
            }
            Way::Retry => {
                let retried = process.retry(&thread, params).await?;
                process.world.ended(&retried.thread.id).await;
                Ok((retried.thread.id, retried.patch_result.previous))
            }
        });
        let seed = self.seed;
        match done {
            None => self.look_after_crash(&now),
            Some(Err(error)) => {
                let error: codewhale_protocol::ErrorBody = error;
                assert!(!force && !contested.is_empty(), "seed {seed}: {error}");
                assert_eq!(error.code, ErrorCode::Conflict, "seed {seed}");
                assert_eq!(
                    error.data,
                    Some(json!({ "files": contested })),
                    "seed {seed}"
                );
                assert_eq!(self.lab.files(), now, "seed {seed}");
            }
            Some(Ok((thread, previous))) => {
                assert!(force || contested.is_empty(), "seed {seed}");
                assert_eq!(self.lab.files(), wanted, "seed {seed}");
                let undone = self.turns.split_off(place);
                self.thread = thread;
                self.threads += 1;
                if let Way::Retry = way {
                    self.turns.push(Turn {
                        prompt: undone[0].prompt.clone(),
                        before: wanted.clone(),
                        after: wanted,
                    });
                }
                self.snapshots.extend(previous.map(|id| (id, (now, None))));
            }
        }
    }

    fn restore(&mut self) {
        if self.snapshots.is_empty() {
            return;
        }
        let index = self.below(self.snapshots.len());
        let (id, (files, turns)) = self.snapshots.iter().nth(index).unwrap();
        let (id, files, turns) = (id.clone(), files.clone(), turns.clone());
        let (now, crash_at) = (self.lab.files(), self.crash());
        let done = live(&self.lab, crash_at, async |process| {
            process.restore(&id).await.unwrap()
        });
        let Some(restored) = done else {
            return self.look_after_crash(&now);
        };
        assert_eq!(self.lab.files(), files, "seed {}", self.seed);
        self.snapshots.insert(restored.previous, (now, None));
        assert_eq!(
            restored.thread.is_some(),
            turns.is_some(),
            "seed {}",
            self.seed
        );
        if let (Some(thread), Some(turns)) = (restored.thread, turns) {
            self.thread = thread.id;
            self.turns = turns;
            self.threads += 1;
        }
    }

    /// The next process finds everything as it was.
    fn look_after_crash(&self, before: &Files) {
        live(&self.lab, None, async |_| {});
        assert_eq!(self.lab.files(), *before, "seed {}", self.seed);
    }

    /// Every state that was ever left can be gone back to.
    fn look_back(&mut self) {
        for (id, (files, _)) in &self.snapshots {
            let restored = live(&self.lab, None, async |process| process.restore(id).await);
            restored.unwrap().unwrap();
            assert_eq!(self.lab.files(), *files, "seed {}", self.seed);
        }
    }
}

#[derive(Clone, Copy)]
enum Way {
    Undo,
    Retry,
}

/// Which files stand in the way of undoing these turns, and what would be there behind it.
fn expected(turns: &[Turn], now: &Files) -> (Vec<String>, Files) {
    let (mut contested, mut wanted) = (Vec::new(), now.clone());
    for name in NAMES {
        let changes = |turn: &&Turn| turn.before.get(name) != turn.after.get(name);
        let changing: Vec<&Turn> = turns.iter().filter(changes).collect();
        let (Some(first), Some(last)) = (changing.first(), changing.last()) else {
            continue;
        };
        let target = first.before.get(name);
        if now.get(name) == target {
            continue;
        }
        let differs = |pair: &[&Turn]| pair[0].after.get(name) != pair[1].before.get(name);
        if changing.windows(2).any(differs) || last.after.get(name) != now.get(name) {
            contested.push(name.to_owned());
        }
        match target {
            Some(text) => wanted.insert(name.to_owned(), text.clone()),
            None => wanted.remove(name),
        };
    }
    (contested, wanted)
}
