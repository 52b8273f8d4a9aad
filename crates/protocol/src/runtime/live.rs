//! What a command prints is told twice: piece by piece while it runs, and by its result, which for
//! long outputs lacks the middle and for all of them says how the command ended.

/// What closes the gap in the result of a long output.
const GAP_END: &str = " bytes left out ...]\n";

/// The part of a call's result that says something new to whoever was told all pieces.
///
/// A result that goes on where the pieces ended gives the rest of it. One that lacks the middle
/// gives what follows the last of its text that was told. A result that has nothing to do with the
/// pieces is all new.
pub fn untold<'a>(told: &str, result: &'a str) -> &'a str {
    if let Some(rest) = result.strip_prefix(told) {
        return rest;
    }
    let Some(gap) = result.rfind(GAP_END) else {
        return result;
    };
    let tail = &result[gap + GAP_END.len()..];
    let mut ends = (0..=tail.len())
        .rev()
        .filter(|end| tail.is_char_boundary(*end));
    let known = ends.find(|end| told.ends_with(&tail[..*end]));
    &tail[known.unwrap_or_default()..]
}

#[cfg(test)]
mod tests {
    use super::untold;

    #[test]
    fn a_result_that_goes_on_gives_its_rest() {
        assert_eq!(untold("", "all\n[exit code 0]"), "all\n[exit code 0]");
        assert_eq!(untold("all\n", "all\n[exit code 0]"), "[exit code 0]");
        assert_eq!(untold("all", "all\n[exit code 1]"), "\n[exit code 1]");
    }

    #[test]
    fn a_result_without_its_middle_gives_what_follows_what_was_told() {
        let result = "1\n\n[... 6 bytes left out ...]\n5\né\n[exit code 0]";
        assert_eq!(untold("1\n2\n3\n4\n5\né\n", result), "[exit code 0]");
        assert_eq!(untold("1\n2\n3\n4\n5\né", result), "\n[exit code 0]");
    }

    #[test]
    fn pieces_that_stopped_early_are_followed_by_the_end_of_the_result() {
        let result = "1\n\n[... 60 bytes left out ...]\n5\n6\n[exit code 0]";
        assert_eq!(untold("1\n2\n[cut]\n", result), "5\n6\n[exit code 0]");
    }

    #[test]
    fn a_result_of_its_own_is_told_whole() {
        let cut_off = "The call was cut off: the turn was stopped.";
        assert_eq!(untold("some output\n", cut_off), cut_off);
    }
}
