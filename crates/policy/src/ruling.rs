//! What the rules say about one call, before anyone's settings count.

use std::path::Path;

use crate::law::Entry;
use crate::limits::PROPOSALS_MAX;
use crate::prefix::{self, Hit};
use crate::shell::{Role, Script, Segment, Word};
use crate::{Action, Call, Execution, File, Host, Law, McpCall, arity, network, safe};

/// What the rules say.
#[derive(Clone, Debug)]
pub(crate) enum Ruling<'a> {
    /// A rule forbids it.
    Denied(&'a Entry),
    /// A rule that forbids may speak about it; the text does not tell.
    Suspect(&'a Entry),
    /// A rule wants someone asked.
    Asked(&'a Entry),
    /// A rule allows all of it, alone or with what only looks.
    Allowed(&'a Entry),
    /// It only looks.
    Looks,
    /// No rule speaks, or not about all of it. The commands that nothing covers, for proposals.
    Open(Vec<String>),
}

/// What safe commands are worth here.
#[derive(Clone, Copy)]
pub(crate) struct Trust {
    /// Whether what only looks may run unasked.
    pub(crate) in_looking: bool,
    /// Whether paths outside the workspace may be looked at.
    pub(crate) outside: bool,
}

/// Rules about files.
pub(crate) fn of_files<'a>(call: Call<'_>, files: &[File], law: &'a Law) -> Ruling<'a> {
    let about = |file: &File| {
        let covers = |it: &&Entry| it.rule.covers_file(&file.path, call.workspace);
        best(concerned(call, law).filter(covers))
    };
    let found: Vec<Option<&Entry>> = files.iter().map(about).collect();
    strictest(&found).unwrap_or(Ruling::Open(Vec::new()))
}

/// Rules about a host.
pub(crate) fn of_host<'a>(call: Call<'_>, host: &Host, law: &'a Law) -> Ruling<'a> {
    let covers = |it: &&Entry| {
        let command = it.rule.command.as_deref();
        it.rule.path.is_none() && command.is_none_or(|entry| network::covers(entry, &host.name))
    };
    let found = best(concerned(call, law).filter(covers));
    strictest(&[found]).unwrap_or(Ruling::Open(Vec::new()))
}

/// Rules about a call of a tool of an MCP server. A server that came with a workspace may bear the
/// name of another: what was allowed for that one, everywhere, was not said about this one.
pub(crate) fn of_mcp<'a>(call: Call<'_>, mcp: &McpCall, law: &'a Law) -> Ruling<'a> {
    let covers = |it: &&Entry| {
        let rule = &it.rule;
        let is_meant = rule.workspace.is_some() || !mcp.of_workspace;
        rule.path.is_none()
            && match (it.action(), rule.command.as_deref()) {
                (Action::Allow, None) => is_meant,
                (Action::Allow, Some(input)) => {
                    is_meant && rule.command_exact && input == mcp.input
                }
                (Action::Ask | Action::Deny, None) => true,
                (Action::Ask | Action::Deny, Some(input)) => match rule.command_exact {
                    true => input == mcp.input,
                    false => mcp.input.starts_with(input),
                },
            }
    };
    let found = best(concerned(call, law).filter(covers));
    strictest(&[found]).unwrap_or(Ruling::Open(Vec::new()))
}

/// Rules about a call of a tool that the client runs.
pub(crate) fn of_input<'a>(call: Call<'_>, input: &str, law: &'a Law) -> Ruling<'a> {
    let covers = |it: &&Entry| {
        let rule = &it.rule;
        rule.path.is_none()
            && rule.command.as_deref().is_none_or(|meant| {
                match rule.command_exact || it.action() == Action::Allow {
                    true => meant == input,
                    false => input.starts_with(meant),
                }
            })
    };
    let found = best(concerned(call, law).filter(covers));
    strictest(&[found]).unwrap_or(Ruling::Open(Vec::new()))
}

/// Rules about a script.
pub(crate) fn of_script<'a>(
    call: Call<'_>,
    execution: &Execution,
    script: &Script,
    law: &'a Law,
    trust: Trust,
) -> Ruling<'a> {
    let entries: Vec<&Entry> = concerned(call, law)
        .filter(|it| it.rule.path.is_none())
        .collect();
    let bench = Bench {
        entries,
        script,
        execution,
        workspace: call.workspace,
    };
    if let Some(ruling) = bench.restrictions() {
        return ruling;
    }
    let looks = safe::Judge::new(&execution.cwd, call.workspace, trust.outside).judge(script);
    let trusts_looking = trust.in_looking && script.is_certain();
    let (mut allowed_by, mut is_open, mut open) = (None, false, Vec::new());
    for (segment, looks) in script.segments.iter().zip(looks) {
        if matches!(segment.role, Role::Wrapper | Role::Inside) && is_bare(segment) {
            continue;
        }
        match bench.allowing(segment) {
            Some(entry) => allowed_by = allowed_by.or(Some(entry)),
            None if looks && trusts_looking => {}
            None => {
                is_open = true;
                open.extend(proposal(segment, script));
            }
        }
    }
    if is_open {
        open.sort();
        open.dedup();
        open.truncate(PROPOSALS_MAX);
        return Ruling::Open(open);
    }
    match allowed_by.or_else(|| bench.whole()) {
        Some(entry) => Ruling::Allowed(entry),
        None if trusts_looking => Ruling::Looks,
        None => Ruling::Open(Vec::new()),
    }
}

/// Everything that a script is compared with.
struct Bench<'a, 'b> {
    entries: Vec<&'a Entry>,
    script: &'b Script,
    execution: &'b Execution,
    workspace: &'b Path,
}

impl<'a> Bench<'a, '_> {
    /// What forbids or asks.
    fn restrictions(&self) -> Option<Ruling<'a>> {
        let chosen: Vec<Option<&Entry>> = self
            .script
            .segments
            .iter()
            .map(|it| self.chosen(it))
            .collect();
        let with = |action: Action| {
            chosen
                .iter()
                .flatten()
                .find(|it| it.action() == action)
                .copied()
        };
        if let Some(entry) = with(Action::Deny) {
            return Some(Ruling::Denied(entry));
        }
        let denies = || {
            self.entries
                .iter()
                .filter(|it| it.action() == Action::Deny)
                .copied()
        };
        if self.script.segments.is_empty()
            && let Some(entry) = denies().find(|it| it.words.is_empty())
        {
            return Some(Ruling::Denied(entry));
        }
        if self.script.is_opaque() {
            let raw = raw_words(&self.script.text);
            if let Some(entry) = denies().find(|it| is_in_raw(&it.words, &raw)) {
                return Some(Ruling::Denied(entry));
            }
        }
        let codes: Vec<Vec<String>> = self.codes().map(raw_words).collect();
        let maybe = |entry: &&Entry| {
            let segments = self.script.segments.iter();
            let hits = segments.map(|it| prefix::meets(&entry.words, &it.words));
            self.script.is_opaque()
                || hits.max() == Some(Hit::Maybe)
                || codes.iter().any(|code| is_in_raw(&entry.words, code))
        };
        if self.whole().is_none()
            && let Some(entry) = denies().find(maybe)
        {
            return Some(Ruling::Suspect(entry));
        }
        with(Action::Ask).map(Ruling::Asked)
    }

    /// Program texts in other languages. What they run, only their words hint at.
    fn codes(&self) -> impl Iterator<Item = &str> {
        let codes = self
            .script
            .segments
            .iter()
            .filter_map(|it| it.code.as_ref());
        codes.map(|code| code.text.as_str())
    }

    /// The one rule that speaks about a segment.
    fn chosen(&self, segment: &Segment) -> Option<&'a Entry> {
        best(self.entries.iter().copied().filter(|it| match it.action() {
            Action::Deny | Action::Ask => self.restricts(it, segment),
            Action::Allow => self.allows(it, segment),
        }))
    }

    fn restricts(&self, entry: &Entry, segment: &Segment) -> bool {
        match (entry.words.is_empty(), entry.rule.command_exact) {
            (true, _) => true,
            (false, true) => self.is_whole(entry) || same_words(&entry.words, &segment.words),
            (false, false) => prefix::meets(&entry.words, &segment.words) == Hit::Yes,
        }
    }

    /// The rule that allows a segment.
    fn allowing(&self, segment: &Segment) -> Option<&'a Entry> {
        best(
            self.entries
                .iter()
                .copied()
                .filter(|it| it.action() == Action::Allow && self.allows(it, segment)),
        )
    }

    fn allows(&self, entry: &Entry, segment: &Segment) -> bool {
        if entry.words.is_empty() || self.is_whole(entry) {
            return true;
        }
        if !self.script.is_certain()
            || segment.writes_by_redirect()
            || !safe::has_harmless_settings(segment)
        {
            return false;
        }
        match entry.rule.command_exact {
            true => {
                same_words(&entry.words, &segment.words)
                    && segment.words.iter().all(Word::is_literal)
            }
            false => prefix::allows(&entry.words, &segment.words) && !hides_code(entry, segment),
        }
    }

    /// The rule that allows exactly this text.
    fn whole(&self) -> Option<&'a Entry> {
        let allows = |it: &&Entry| {
            it.action() == Action::Allow && (it.words.is_empty() || self.is_whole(it))
        };
        best(self.entries.iter().copied().filter(allows))
    }

    fn is_whole(&self, entry: &Entry) -> bool {
        let is_here =
            self.execution.cwd.starts_with(self.workspace) || entry.action() != Action::Allow;
        let command = entry.rule.command.as_deref().map(str::trim);
        entry.rule.command_exact && is_here && command == Some(self.script.text.trim())
    }
}

/// Whether a rule that allows a program would let in a program text it says nothing about.
fn hides_code(entry: &Entry, segment: &Segment) -> bool {
    let names_code = entry
        .words
        .iter()
        .any(|word| word.text == "-c" || word.text == "-e");
    segment.code.is_some() && !names_code
}

/// A wrapper without settings or output of its own.
fn is_bare(segment: &Segment) -> bool {
    !segment.writes_by_redirect() && safe::has_harmless_settings(segment)
}

fn same_words(rule: &[Word], command: &[Word]) -> bool {
    rule.len() == command.len()
        && rule
            .iter()
            .zip(command)
            .all(|(rule, word)| rule.text == word.text)
}

/// The prefix that a person could allow so that this command is covered next time.
fn proposal(segment: &Segment, script: &Script) -> Option<String> {
    let is_plain = script.is_certain()
        && segment.code.is_none()
        && !segment.writes_by_redirect()
        && safe::has_harmless_settings(segment);
    let identity = arity::identity(&segment.words).filter(|_| is_plain)?;
    Some(identity.join(" "))
}

fn concerned<'a>(call: Call<'_>, law: &'a Law) -> impl Iterator<Item = &'a Entry> {
    let entries = law.entries().iter();
    entries.filter(move |it| it.rule.concerns(call.tool, call.workspace))
}

fn best<'a>(entries: impl Iterator<Item = &'a Entry>) -> Option<&'a Entry> {
    entries.max_by_key(|it| it.rank())
}

/// The strictest of several findings; allowed only when every one is.
fn strictest<'a>(found: &[Option<&'a Entry>]) -> Option<Ruling<'a>> {
    let with = |action: Action| {
        found
            .iter()
            .flatten()
            .find(|it| it.action() == action)
            .copied()
    };
    if let Some(entry) = with(Action::Deny) {
        return Some(Ruling::Denied(entry));
    }
    if let Some(entry) = with(Action::Ask) {
        return Some(Ruling::Asked(entry));
    }
    let all = found.iter().all(Option::is_some);
    with(Action::Allow).filter(|_| all).map(Ruling::Allowed)
}

/// The words of a text that could not be read, whatever they are to the shell.
fn raw_words(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", "").replace(['\\', '\'', '"'], "");
    let cuts = |it: char| it.is_whitespace() || ";&|()<>{}[]$`,=!:\u{0}".contains(it);
    let words = text.split(cuts).filter(|it| !it.is_empty());
    words
        .map(|it| it.rsplit('/').next().unwrap_or(it).to_owned())
        .collect()
}

/// Whether the words of a rule stand in a row, options aside.
fn is_in_raw(rule: &[Word], raw: &[String]) -> bool {
    let Some((first, rest)) = rule.split_first() else {
        return false;
    };
    let starts = raw
        .iter()
        .enumerate()
        .filter(|(_, word)| **word == first.text);
    let command = |at: usize| -> Vec<Word> { raw[at..].iter().map(Word::literal).collect() };
    let mut starts = starts.map(|(at, _)| command(at));
    rest.is_empty() && starts.next().is_some()
        || starts.any(|it| prefix::meets(rule, &it) == Hit::Yes)
}
