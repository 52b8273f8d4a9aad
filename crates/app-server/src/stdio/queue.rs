//! Who waits for whom. Requests are answered one at a time in the order they came, except that a turn
//! holds up only what is about its own thread, and what cannot wait does not.
//!
//! ```text
//! read ──► line ──► answered, one at a time
//!           ├─────► lane of a thread whose turn runs: answered behind it, in order
//!           └─────► beside all of them: a turn of nobody's thread, and what cannot wait
//! ```

use std::collections::{HashMap, VecDeque};

/// How a request stands to others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The thread it is about.
    pub(super) thread: Option<String>,
    pub(super) pace: Pace,
}

impl Place {
    /// Behind everything that came before, about no thread.
    pub(super) const IN_LINE: Place = Place {
        thread: None,
        pace: Pace::Quick,
    };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    /// Answered soon.
    Quick,
    /// Answered when a turn has ended.
    Turn,
    /// Answered while a turn runs.
    Urgent,
}

/// Where a request is being answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    Line,
    Lane(String),
    Beside,
}

/// What waits.
pub(super) struct Queue<T> {
    line: VecDeque<(Place, T)>,
    is_line_busy: bool,
    /// By thread, those where something is being answered.
    lanes: HashMap<String, VecDeque<T>>,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        Self {
            line: VecDeque::new(),
            is_line_busy: false,
            lanes: HashMap::new(),
        }
    }

    pub(super) fn push(&mut self, place: Place, request: T) {
        self.line.push_back((place, request));
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.line.len() + self.lanes.values().map(VecDeque::len).sum::<usize>()
    }

    /// Whether something about this thread has not been looked at yet.
    pub(super) fn is_in_line(&self, thread: &str) -> bool {
        let mut threads = self.line.iter().map(|(place, _)| &place.thread);
        threads.any(|it| it.as_deref() == Some(thread))
    }

    /// The next request that can be answered now, and where.
    pub(super) fn next(&mut self) -> Option<(Spot, T)> {
        while !self.is_line_busy {
            let (place, request) = self.line.pop_front()?;
            match (place.pace, place.thread) {
                (Pace::Urgent, _) | (Pace::Turn, None) => return Some((Spot::Beside, request)),
                (Pace::Turn | Pace::Quick, Some(thread)) if self.lanes.contains_key(&thread) => {
                    self.lanes.entry(thread).or_default().push_back(request);
                }
                (Pace::Turn, Some(thread)) => {
                    self.lanes.insert(thread.clone(), VecDeque::new());
                    return Some((Spot::Lane(thread), request));
                }
                (Pace::Quick, _) => {
                    self.is_line_busy = true;
                    return Some((Spot::Line, request));
                }
            }
        }
        None
    }

    /// A request was answered; what waited behind it is next.
    pub(super) fn done(&mut self, spot: &Spot) -> Option<T> {
        match spot {
            Spot::Beside => None,
            Spot::Line => {
                self.is_line_busy = false;
                None
            }
            Spot::Lane(thread) => {
                let next = self.lanes.get_mut(thread)?.pop_front();
                if next.is_none() {
                    self.lanes.remove(thread);
                }
                next
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(thread: &str, pace: Pace) -> Place {
        let thread = Some(thread.to_owned()).filter(|thread| !thread.is_empty());
        Place { thread, pace }
    }

    fn lane(thread: &str) -> Spot {
        Spot::Lane(thread.to_owned())
    }

    #[test]
    fn a_turn_holds_up_its_own_thread_and_no_other() {
        let mut queue = Queue::new();
        for (number, thread, pace) in [
            (1, "a", Pace::Turn),
            (2, "a", Pace::Quick),
            (3, "b", Pace::Turn),
            (4, "a", Pace::Turn),
            (5, "", Pace::Quick),
        ] {
            queue.push(place(thread, pace), number);
        }
        assert_eq!(queue.next(), Some((lane("a"), 1)));
        assert_eq!(queue.next(), Some((lane("b"), 3)));
        assert_eq!(queue.next(), Some((Spot::Line, 5)));
        assert_eq!(queue.next(), None);
        assert_eq!(queue.len(), 2);
        assert_eq!(queue.done(&lane("a")), Some(2));
        assert_eq!(queue.done(&lane("a")), Some(4));
        assert_eq!(queue.done(&lane("a")), None);
        queue.push(place("a", Pace::Quick), 6);
        assert_eq!(queue.next(), None, "5 is being answered");
        assert_eq!(queue.done(&Spot::Line), None);
        assert_eq!(queue.next(), Some((Spot::Line, 6)));
    }

    #[test]
    fn what_cannot_wait_stays_behind_what_it_is_about_and_waits_for_no_turn() {
        let mut queue = Queue::new();
        queue.push(place("", Pace::Quick), 1);
        assert_eq!(queue.next(), Some((Spot::Line, 1)));
        queue.push(place("a", Pace::Turn), 2);
        assert!(queue.is_in_line("a"));
        queue.push(place("a", Pace::Urgent), 3);
        assert_eq!(queue.next(), None);
        queue.done(&Spot::Line);
        assert_eq!(queue.next(), Some((lane("a"), 2)));
        assert_eq!(queue.next(), Some((Spot::Beside, 3)));
        assert!(!queue.is_in_line("a"));
    }
}
