//! What holds for any text at all.

use codewhale_policy::shell::Script;
use codewhale_policy::{Action, Answerer, Verdict};
use codewhale_protocol::runtime::PermissionPosture::{Ask, FullAccess};
use proptest::prelude::*;

use super::bench::{law, verdict};

/// Pieces that shells care about, in any order.
fn shellish() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "git", "push", " ", " ", " ", ";", "&&", "||", "|", "&", "\n", "(", ")", "{", "}", "$(",
        "`", "'", "\"", "\\", "$X", "${", "<<E\n", "E\n", "<(", ">", "#", "if", "then", "fi", "do",
        "case", "in", "esac", "[[", "]]", "((", "))", "eval", "bash -c ", "sudo ", "xargs ", "ls",
        "cat", "-c", "=", "~", "*", "\t", "\r", "é", "\u{a0}", "!", ";;", "$'", "\\x67",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn reading_never_panics(text in any::<String>()) {
        Script::read(&text);
    }

    #[test]
    fn reading_what_looks_like_shell_never_panics_and_a_decision_always_falls(text in shellish()) {
        let decision = verdict(&text, Ask, &law(&[(Action::Deny, "git push")]));
        prop_assert!(!matches!(decision, Verdict::Ask(Answerer::AlwaysYes)));
    }

    #[test]
    fn a_chain_that_holds_a_forbidden_command_never_runs_unseen(
        before in shellish(), after in shellish(),
        separator in prop::sample::select(vec![";", "&&", "||", "\n", "|", "&"]),
    ) {
        let law = law(&[(Action::Deny, "git push")]);
        // Behind a text that does not end where it seems to, it may be no command at all.
        let script = format!("{before}\n git push {separator} {after}");
        if Script::read(&before).is_certain() && !before.ends_with('\\') {
            let seen = verdict(&script, FullAccess, &law);
            prop_assert!(
                matches!(seen, Verdict::Deny | Verdict::Ask(Answerer::Person)),
                "{script:?} {seen:?}"
            );
            prop_assert_ne!(verdict(&script, Ask, &law), Verdict::Allow, "{:?}", script);
        }
    }
}

#[test]
fn letters_that_the_grammar_stumbles_over_are_read_as_letters() {
    for text in [
        "{\u{e012a}{",
        "a {\u{e01e8}}",
        "\u{468}{\u{1d50e}\u{e012a}{\u{dbd}",
    ] {
        Script::read(text);
    }
    let law = law(&[(Action::Deny, "git push")]);
    for text in [
        "echo é; git push",
        "echo 'ü' \"ß\" ñ && git push",
        "git commit -m 'größer — besser' && git push",
        // Two marks of the same length: the text ends at the right one, or nobody is sure.
        "cat <<'É'\nÈ\n'\nÉ\ngit push #'",
    ] {
        let seen = verdict(text, FullAccess, &law);
        assert!(
            matches!(seen, Verdict::Deny | Verdict::Ask(Answerer::Person)),
            "{text:?}"
        );
    }
    let looks = "grep -rn 'größe' src/ä.txt | head -3";
    assert_eq!(verdict(looks, Ask, &law), Verdict::Allow);
    assert_eq!(Script::read(looks).segments[0].words[2].text, "größe");
}

#[test]
fn deep_and_long_texts_are_opaque_and_do_not_overflow() {
    for text in [
        "(".repeat(5_000),
        "$(".repeat(5_000),
        format!("{}ls{}", "(".repeat(400), ")".repeat(400)),
        format!("echo {}ls{}", "$(".repeat(200), ")".repeat(200)),
        "a;".repeat(40_000),
        format!("{} ls", "sudo ".repeat(50)),
        "{".repeat(3_000),
        "if ".repeat(2_000),
    ] {
        assert!(Script::read(&text).is_opaque(), "{}", &text[..20]);
    }
}
