//! What stands in a file where some text was expected.

use crate::limits::{NEAR_LINE_BYTES_MAX, NEAR_LINES_COMPARED_MAX, NEAR_LINES_MAX};

/// Below this likeness two lines have nothing to do with each other.
const LIKENESS_MIN: f64 = 0.5;

/// A sentence with the lines of the file that come nearest to `wanted`, which is not in it.
pub(crate) fn near(bytes: &[u8], wanted: &str) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().take(NEAR_LINES_COMPARED_MAX).collect();
    let wanted: Vec<&str> = wanted.lines().collect();
    let Some(start) = nearest(&lines, &wanted) else {
        return "Nothing in it comes near; read the file again".to_owned();
    };
    let end = lines
        .len()
        .min(start + wanted.len().clamp(1, NEAR_LINES_MAX));
    let there = &lines[start..end];
    let same = there.iter().zip(&wanted);
    let only_spaces =
        there.len() == wanted.len() && same.clone().all(|(a, b)| a.trim() == b.trim());
    let why = match only_spaces {
        true => "It differs from these lines only in whitespace",
        false => "The nearest lines are",
    };
    let numbered = there.iter().enumerate();
    let numbered: Vec<String> = numbered
        .map(|(index, line)| format!("{}: {}", start + index + 1, cut(line)))
        .collect();
    format!("{why}:\n{}", numbered.join("\n"))
}

/// Where the nearest lines start: the longest wanted line finds its like.
fn nearest(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let longest = |(_, line): &(usize, &&str)| line.trim().len();
    let (index, line) = wanted.iter().enumerate().max_by_key(longest)?;
    let line = cut(line.trim());
    if line.is_empty() {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    for (number, candidate) in lines.iter().enumerate() {
        let candidate = cut(candidate.trim());
        let likeness = match candidate == line {
            true => 1.0,
            false => strsim::sorensen_dice(candidate, line),
        };
        if likeness >= LIKENESS_MIN && best.is_none_or(|(_, best)| likeness > best) {
            best = Some((number, likeness));
        }
    }
    best.map(|(number, _)| number.saturating_sub(index))
}

fn cut(line: &str) -> &str {
    &line[..line.floor_char_boundary(NEAR_LINE_BYTES_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_lines_are_shown_with_their_numbers() {
        let file = b"fn one() {}\n\nfn two(x: u32) {\n    x + 1\n}\n";
        assert_eq!(
            near(file, "fn two(x: u64) {\n    x + 1\n"),
            "The nearest lines are:\n3: fn two(x: u32) {\n4:     x + 1"
        );
        assert_eq!(
            near(file, "fn two(x: u32) {\n\tx + 1"),
            "It differs from these lines only in whitespace:\n3: fn two(x: u32) {\n4:     x + 1"
        );
    }

    #[test]
    fn nothing_near_is_said_too() {
        for wanted in ["zzzzzzzzzz", "", "\n\n"] {
            assert_eq!(
                near(b"fn one() {}\n", wanted),
                "Nothing in it comes near; read the file again"
            );
        }
        assert!(near(b"", "x").starts_with("Nothing"));
    }

    #[test]
    fn long_lines_and_many_lines_are_cut() {
        let file = "€".repeat(5_000) + "\n";
        let shown = near(file.repeat(50).as_bytes(), &"€".repeat(4_000).repeat(2));
        assert!(shown.len() < 300, "{}", shown.len());
        let wanted = "one two three four\n".repeat(100);
        let shown = near("one two three five\n".repeat(100).as_bytes(), &wanted);
        assert_eq!(shown.lines().count(), 1 + NEAR_LINES_MAX);
    }
}
