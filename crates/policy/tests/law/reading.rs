//! What the reader finds in a script: words, roles, redirections, clarity.

use codewhale_policy::shell::{Clarity, Direction, Input, Role, Script};

/// Every command as its words, with a mark for its role.
fn commands(text: &str) -> Vec<String> {
    let script = Script::read(text);
    let show = |segment: &codewhale_policy::shell::Segment| {
        let words: Vec<&str> = segment.words.iter().map(|it| it.text.as_str()).collect();
        let mark = match segment.role {
            Role::Program => "",
            Role::Wrapper => "~",
            Role::Elevated => "^",
            Role::Inside => "_",
        };
        format!("{mark}{}", words.join(" "))
    };
    script.segments.iter().map(show).collect()
}

#[test]
fn every_command_is_found_with_what_it_runs_behind_it() {
    for (text, expected) in [
        ("a 'b c' && d | e", &["a b c", "d", "e"][..]),
        ("sudo -u x a b", &["^sudo -u x a b", "_a b"]),
        (
            "env A=1 timeout 5 a",
            &["~env A=1 timeout 5 a", "~timeout 5 a", "a"],
        ),
        ("bash -lc 'a; b'", &["~bash -lc a; b", "a", "b"]),
        ("ssh h 'a | b'", &["^ssh h a | b", "_a", "_b"]),
        ("find . -exec a {} \\;", &["find . -exec a {} ;", "a  "]),
        ("x | xargs a", &["x", "~xargs a", "a "]),
        ("a $(b)", &["a $(b)", "b"]),
        ("export A=$(b)", &["export A=$(b)", "b"]),
        (
            "git -c alias.x='!a b' x c",
            &["git -c alias.x=!a b x c", "a b c"],
        ),
        ("# nothing", &[]),
    ] {
        assert_eq!(commands(text), expected, "{text}");
    }
}

#[test]
fn redirections_know_their_way() {
    let script = Script::read("a <in >out 2>&1 >>more &>both");
    let ways: Vec<(Direction, &str)> = script.segments[0]
        .redirects
        .iter()
        .map(|it| (it.direction, it.target.text.as_str()))
        .collect();
    use Direction::{Duplicate, In, Out};
    assert_eq!(
        ways,
        [
            (In, "in"),
            (Out, "out"),
            (Duplicate, "1"),
            (Out, "more"),
            (Out, "both")
        ]
    );
    assert!(script.segments[0].writes_by_redirect());
    assert!(!Script::read("a >/dev/null 2>&1").segments[0].writes_by_redirect());
}

#[test]
fn settings_and_inputs_stand_beside_their_command() {
    let script = Script::read("A='x y' B=$C a | b <<E\ntext\nE\n");
    let first = &script.segments[0];
    let names: Vec<&str> = first
        .assignments
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(first.assignments[0].value.text, "x y");
    assert!(!first.assignments[1].value.is_literal());
    assert!(
        script
            .segments
            .iter()
            .any(|it| it.input != Input::Inherited)
    );
}

#[test]
fn clarity_tells_what_was_understood() {
    for (text, clarity) in [
        ("ls -la | wc -l", Clarity::Certain),
        ("(cd a; ls) && echo \"$X\" ${Y}", Clarity::Certain),
        ("if a; then b; fi", Clarity::Likely),
        ("cat <<E\nx\nE", Clarity::Likely),
        ("eval $X", Clarity::Opaque),
        ("$X a", Clarity::Opaque),
        ("a 'b", Clarity::Opaque),
        ("a | sh", Clarity::Opaque),
        ("a\u{0}b", Clarity::Opaque),
        ("ls \"a b\"'c'$X\\ d", Clarity::Certain),
    ] {
        assert_eq!(Script::read(text).clarity, clarity, "{text:?}");
    }
}

#[test]
fn interpreters_are_marked_as_running_code() {
    for text in [
        "python3 -c 'x'",
        "perl -ne 'x'",
        "node --eval=x",
        "ruby -e x",
        "php -r x",
        "awk '{system(\"x\")}'",
        "git -c core.pager=x log",
    ] {
        assert!(Script::read(text).segments[0].code.is_some(), "{text}");
    }
    for text in ["python3 x.py", "node x.js", "awk '{print $1}' a", "git log"] {
        assert!(Script::read(text).segments[0].code.is_none(), "{text}");
    }
}
