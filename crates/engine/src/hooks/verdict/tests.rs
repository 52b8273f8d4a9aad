use serde_json::json;

use super::*;

const TIME: Duration = Duration::from_secs(3);

fn ran(end: End, output: &str, errors: &str) -> Ran {
    let captured = |text: &str| Captured {
        text: text.into(),
        bytes_total: text.len() as u64,
        bytes_left_out: 0,
    };
    Ran {
        end,
        output: captured(output),
        errors: captured(errors),
    }
}

fn check(output: &str, expect: Result<CallVerdict, Fault>) {
    let verdict = ran(End::Exited(0), output, "noise").of_call(TIME);
    assert_eq!(verdict, expect, "{output}");
}

fn decided(decision: Decision) -> Result<CallVerdict, Fault> {
    Ok(CallVerdict {
        decision: Some(decision),
        ..CallVerdict::default()
    })
}

#[test]
fn a_verdict_on_a_call_is_an_object_with_a_decision() {
    check("", Ok(CallVerdict::default()));
    check("all is well\n", Ok(CallVerdict::default()));
    check("{}", Ok(CallVerdict::default()));
    check(r#"{"decision":null}"#, Ok(CallVerdict::default()));
    check(r#" {"decision":"allow"} "#, decided(Decision::Allow));
    let deny = Decision::Deny("no".into());
    check(r#"{"decision":"deny","reason":"no"}"#, decided(deny));
    check(
        r#"{"decision":"ask"}"#,
        decided(Decision::Ask(String::new())),
    );
    check(
        r#"{"updatedInput":{"a":1},"additionalContext":"see","other":[]}"#,
        Ok(CallVerdict {
            decision: None,
            input: Some(json!({ "a": 1 })),
            context: Some("see".into()),
        }),
    );
}

#[test]
fn a_decision_that_nobody_knows_is_a_no() {
    let unknown = || Decision::Deny("its decision is none of allow, deny and ask".into());
    for word in [r#""block""#, r#""Allow""#, "true", "1", "[]"] {
        check(&format!(r#"{{"decision":{word}}}"#), decided(unknown()));
    }
}

#[test]
fn what_does_not_read_is_a_fault_that_shows_nothing_of_it() {
    for output in [
        "{",
        r#"{"decision":"allow""#,
        r#"{"reason":["secret"]}"#,
        r#"{"updatedInput":"rm -rf"}"#,
        r#"{"decision":"allow"} {"decision":"deny"}"#,
    ] {
        let fault = ran(End::Exited(0), output, "").of_call(TIME).unwrap_err();
        assert!(matches!(fault, Fault::Unreadable(_)), "{output}: {fault}");
        assert!(!fault.to_string().contains("secret"), "{fault}");
    }
}

#[test]
fn exit_two_is_a_no_with_the_best_reason_there_is() {
    for (output, errors, reason) in [
        (r#"{"decision":"allow","reason":"policy"}"#, "err", "policy"),
        ("out", "err\n", "err"),
        ("out\n", "", "out"),
        ("", "", "no reason given"),
    ] {
        let ran = ran(End::Exited(2), output, errors);
        let verdict = ran.of_call(TIME).unwrap();
        assert_eq!(verdict.decision, Some(Decision::Deny(reason.into())));
    }
}

#[test]
fn every_other_end_is_a_fault() {
    for (end, fault) in [
        (End::Exited(1), Fault::Failed(1)),
        (End::Signaled(9), Fault::Signaled(9)),
        (End::TimedOut, Fault::TimedOut(TIME)),
        (End::Cancelled, Fault::Cancelled),
    ] {
        let ran = ran(end, r#"{"decision":"allow"}"#, "");
        assert_eq!(ran.of_call(TIME), Err(fault.clone()));
        assert_eq!(ran.of_message(TIME), Err(fault));
    }
    let mut long = ran(End::Exited(0), "{}", "");
    long.output.bytes_left_out = 1;
    assert_eq!(long.of_call(TIME), Err(Fault::TooLong));
}

#[test]
fn a_message_is_kept_replaced_or_blocked() {
    let said = |end, output| ran(end, output, "").of_message(TIME);
    let replaced = MessageVerdict::Replace("b".into());
    assert_eq!(said(End::Exited(0), ""), Ok(MessageVerdict::Keep));
    assert_eq!(said(End::Exited(0), "{}"), Ok(MessageVerdict::Keep));
    assert_eq!(said(End::Exited(0), r#"{"text":"b"}"#), Ok(replaced));
    let blocked = MessageVerdict::Block("why".into());
    assert_eq!(said(End::Exited(2), "why"), Ok(blocked));
    for output in [r#"{"text":" "}"#, r#"{"text":1}"#, "{"] {
        assert!(said(End::Exited(0), output).is_err(), "{output}");
    }
}
