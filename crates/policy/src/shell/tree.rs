//! The first reading: the grammar's tree, walked for commands.

use std::ops::Range;

use tree_sitter::Node;

use super::grammar::{is_known, parse};
use super::second::Places;
use super::{Assignment, Clarity, Direction, Input, Redirect, Segment, Word};
use crate::limits::TREE_DEPTH_MAX;

/// What the grammar sees in a text.
pub(super) struct Found {
    pub(super) segments: Vec<Segment>,
    /// The words of each segment in the text, sorted.
    pub(super) places: Vec<Places>,
    pub(super) clarity: Clarity,
    pub(super) forks: bool,
}

/// Reads a text.
pub(super) fn read(text: &str) -> Found {
    let mut walk = Walk {
        text,
        found: Found {
            segments: Vec::new(),
            places: Vec::new(),
            clarity: Clarity::Certain,
            forks: false,
        },
    };
    match parse(text) {
        Some(tree) => walk.visit(tree.root_node(), Input::Inherited, 0),
        None => walk.opaque(),
    }
    let mut found = walk.found;
    found.places.retain(|places| !places.is_empty());
    found.places.sort_by_key(|places| places[0].start);
    found
}

struct Walk<'a> {
    text: &'a str,
    found: Found,
}

impl<'a> Walk<'a> {
    fn opaque(&mut self) {
        self.found.clarity = Clarity::Opaque;
    }

    fn visit(&mut self, node: Node<'_>, input: Input, depth: usize) {
        if depth > TREE_DEPTH_MAX || node.is_error() || node.is_missing() {
            self.opaque();
        }
        if depth > TREE_DEPTH_MAX || node.kind() == "comment" {
            return;
        }
        let depth = depth + 1;
        match node.kind() {
            "command" | "declaration_command" | "unset_command" => self.command(node, input, depth),
            "test_command" => self.test(node, depth),
            "variable_assignment" => self.lone_assignment(node, depth),
            "redirected_statement" => self.redirected(node, input, depth),
            "pipeline" => self.pipeline(node, input, depth),
            "function_definition" => self.function(node, depth),
            "heredoc_redirect" => self.heredoc(node, depth),
            kind => {
                if node.is_named() && !is_known(kind) {
                    self.opaque();
                }
                self.children(node, input, depth);
            }
        }
    }

    fn children(&mut self, node: Node<'_>, input: Input, depth: usize) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.visit(child, input, depth);
        }
    }

    fn command(&mut self, node: Node<'_>, input: Input, depth: usize) {
        let is_declaration = node.kind() != "command";
        let index = self.reserve(input);
        let mut pieces: Places = Vec::new();
        let mut places: Places = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" => {
                    let redirects = self.redirect(child, depth);
                    self.found.segments[index].redirects.extend(redirects);
                }
                "heredoc_redirect" => {
                    self.found.segments[index].input = Input::Text;
                    self.heredoc(child, depth);
                }
                "variable_assignment" if pieces.is_empty() && !is_declaration => {
                    let assignment = self.assignment(child);
                    self.found.segments[index].assignments.push(assignment);
                    places.push(child.byte_range());
                    self.children(child, Input::Inherited, depth);
                }
                _ => {
                    join(&mut pieces, child.byte_range());
                    self.check_piece(child, depth);
                }
            }
        }
        self.found.segments[index].words = pieces.iter().map(|it| self.word(it)).collect();
        places.extend(pieces);
        self.found.places.push(places);
    }

    /// Walks a piece of a word for what it runs, and makes sure that nothing in it went unseen.
    fn check_piece(&mut self, piece: Node<'_>, depth: usize) {
        let before = self.found.segments.len();
        // The children of an assignment belong to a word here: `export A=$(x)`.
        match piece.kind() {
            "variable_assignment" => self.children(piece, Input::Inherited, depth),
            _ => self.visit(piece, Input::Inherited, depth),
        }
        let text = self.slice(piece.byte_range());
        let is_raw = text.starts_with('\'');
        let runs = ["$(", "`", "<(", ">("]
            .iter()
            .any(|sign| text.contains(sign));
        let is_reckoning = text.contains("$((") || text.contains("$[");
        if !is_raw && runs && !is_reckoning && self.found.segments.len() == before {
            self.opaque();
        }
    }

    /// `[ ... ]` and its kin. The words are those that the other reader would see.
    fn test(&mut self, node: Node<'_>, depth: usize) {
        let index = self.reserve(Input::Inherited);
        self.children(node, Input::Inherited, depth);
        let range = node.byte_range();
        let places = super::second::read(self.slice(range.clone()));
        let shift = |it: Range<usize>| it.start + range.start..it.end + range.start;
        let first = places.ok().and_then(|places| places.into_iter().next());
        let places: Places = first.unwrap_or_default().into_iter().map(shift).collect();
        let words = match places.is_empty() {
            true => vec![Word::literal("[["), Word::read(self.slice(range))],
            false => places.iter().map(|it| self.word(it)).collect(),
        };
        self.found.segments[index].words = words;
        self.found.places.push(places);
    }

    fn lone_assignment(&mut self, node: Node<'_>, depth: usize) {
        let index = self.reserve(Input::Inherited);
        let assignment = self.assignment(node);
        self.found.segments[index].assignments.push(assignment);
        let places = vec![node.byte_range()];
        match self.found.places.last_mut() {
            // Several in a row are one command to the shell.
            Some(last) if is_next_of(node) => last.extend(places),
            _ => self.found.places.push(places),
        }
        self.children(node, Input::Inherited, depth);
    }

    fn assignment(&self, node: Node<'_>) -> Assignment {
        let text = self.slice(node.byte_range());
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        Assignment {
            name: name.trim_end_matches('+').to_owned(),
            value: Word::read(value),
        }
    }

    fn redirected(&mut self, node: Node<'_>, input: Input, depth: usize) {
        let from = self.found.segments.len();
        let mut redirects = Vec::new();
        let mut is_fed = false;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "file_redirect" | "herestring_redirect" => {
                    redirects.extend(self.redirect(child, depth));
                }
                "heredoc_redirect" => {
                    is_fed = true;
                    if self.found.segments.len() == from {
                        self.reserve(input);
                    }
                    for segment in &mut self.found.segments[from..] {
                        segment.input = Input::Text;
                    }
                    self.heredoc(child, depth);
                }
                _ => self.visit(child, input, depth),
            }
        }
        if self.found.segments.len() == from {
            self.reserve(input);
        }
        is_fed |= redirects.iter().any(|it| it.direction == Direction::In);
        for segment in &mut self.found.segments[from..] {
            segment.redirects.extend(redirects.iter().cloned());
            if is_fed && segment.input == Input::Inherited {
                segment.input = Input::Text;
            }
        }
    }

    fn redirect(&mut self, node: Node<'_>, depth: usize) -> Option<Redirect> {
        let mut direction = Direction::In;
        let mut pieces: Places = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "file_descriptor" => {}
                "<" | "<<<" => direction = Direction::In,
                "<&" | ">&" | "<&-" | ">&-" => direction = Direction::Duplicate,
                ">" | ">>" | "&>" | "&>>" | ">|" => direction = Direction::Out,
                _ => {
                    join(&mut pieces, child.byte_range());
                    self.check_piece(child, depth);
                }
            }
        }
        let mut words = pieces.iter().map(|it| self.word(it));
        let target = words.next();
        let strays: Vec<Word> = words.collect();
        if !strays.is_empty() {
            self.strays(strays);
        }
        let to = |target: Word| {
            let is_descriptor = target
                .text
                .chars()
                .all(|it| it.is_ascii_digit() || it == '-');
            let direction = match direction {
                Direction::Duplicate if !is_descriptor || !target.is_literal() => Direction::Out,
                direction => direction,
            };
            Redirect { direction, target }
        };
        target.map(to)
    }

    /// Arguments behind a redirection, which the grammar takes for more targets.
    fn strays(&mut self, strays: Vec<Word>) {
        self.opaque();
        if let Some(segment) = self.found.segments.last_mut() {
            segment.words.extend(strays);
        }
    }

    /// A text in the script. What stands behind its mark on the same line hangs below it.
    fn heredoc(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        let mut expands = true;
        for child in node.children(&mut cursor) {
            match child.kind() {
                "heredoc_start" => {
                    let mark = self.slice(child.byte_range());
                    expands = !mark.contains(['\'', '"', '\\']);
                    // Two marks beyond ASCII look the same to the grammar.
                    if !mark.is_ascii() {
                        self.opaque();
                    }
                }
                "heredoc_body" if !expands => {}
                "heredoc_body" => {
                    // The grammar does not see what stands between backticks here.
                    if self.slice(child.byte_range()).contains('`') {
                        self.opaque();
                    }
                    self.check_piece(child, depth);
                }
                "file_redirect" | "herestring_redirect" => {
                    let redirects = self.redirect(child, depth);
                    let index = self.reserve(Input::Inherited);
                    self.found.segments[index].redirects.extend(redirects);
                }
                "pipeline" => self.visit(child, Input::Pipe, depth),
                _ => self.visit(child, Input::Inherited, depth),
            }
        }
    }

    fn pipeline(&mut self, node: Node<'_>, input: Input, depth: usize) {
        let mut cursor = node.walk();
        let mut input = input;
        for child in node.children(&mut cursor) {
            match child.is_named() {
                true => self.visit(child, input, depth),
                false => input = Input::Pipe,
            }
            if child.is_named() && child.kind() != "comment" {
                input = Input::Pipe;
            }
        }
    }

    fn function(&mut self, node: Node<'_>, depth: usize) {
        let from = self.found.segments.len();
        let name = node.child_by_field_name("name");
        let name = name.map_or("", |name| self.slice(name.byte_range()));
        self.children(node, Input::Inherited, depth);
        let calls = self.found.segments[from..].iter();
        let own = calls.filter(|it| it.program().is_some_and(|word| word.text == name));
        if own.count() > 1 {
            self.found.forks = true;
        }
    }

    fn reserve(&mut self, input: Input) -> usize {
        self.found.segments.push(Segment {
            input,
            ..Segment::default()
        });
        self.found.segments.len() - 1
    }

    /// A part of the text, widened to whole characters.
    fn slice(&self, range: Range<usize>) -> &'a str {
        let start = self.text.floor_char_boundary(range.start);
        &self.text[start..self.text.ceil_char_boundary(range.end)]
    }

    fn word(&self, place: &Range<usize>) -> Word {
        Word::read(self.slice(place.clone()))
    }
}

/// Adds a piece to the words: pieces that touch are one word.
fn join(pieces: &mut Places, piece: Range<usize>) {
    match pieces.last_mut() {
        Some(last) if last.end == piece.start => last.end = piece.end,
        _ => pieces.push(piece),
    }
}

fn is_next_of(node: Node<'_>) -> bool {
    node.parent()
        .is_some_and(|it| it.kind() == "variable_assignments")
        && node.prev_named_sibling().is_some()
}
