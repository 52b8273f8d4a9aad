//! Approvals: policy, question and answer.

use codewhale_protocol::{
    ApprovalDecisionRequest, AskForApproval, ExecApprovalRequestEvent, NetworkApprovalContext,
    NetworkPolicyAmendment, NetworkPolicyRuleAction, ReviewDecision,
};

use crate::{check, check_alone, check_members, check_words, read, spellings};

#[test]
fn a_policy_is_a_word_except_for_reject_which_is_an_object() {
    let reject = AskForApproval::Reject {
        sandbox_approval: true,
        rules: false,
        mcp_elicitations: true,
    };
    let forms = [
        (AskForApproval::UnlessTrusted, r#""unless_trusted""#),
        (AskForApproval::OnFailure, r#""on_failure""#),
        (AskForApproval::OnRequest, r#""on_request""#),
        (
            reject,
            r#"{"reject":{"sandbox_approval":true,"rules":false,"mcp_elicitations":true}}"#,
        ),
        (AskForApproval::Never, r#""never""#),
    ];
    for (policy, json) in &forms {
        check_alone(policy, json);
    }
    assert_eq!(
        spellings::<AskForApproval>("\"from_the_future\""),
        [
            "unless_trusted",
            "on_failure",
            "on_request",
            "reject",
            "never"
        ]
    );
    let partly = r#"{"reject":{"sandbox_approval":true,"rules":false}}"#;
    assert!(
        serde_json::from_str::<AskForApproval>(partly).is_err(),
        "all three are required"
    );
    assert!(
        serde_json::from_str::<AskForApproval>("\"reject\"").is_err(),
        "no bare reject"
    );
}

#[test]
fn a_network_rule_is_a_host_and_a_word() {
    check_words(&[
        (NetworkPolicyRuleAction::Allow, "allow"),
        (NetworkPolicyRuleAction::Deny, "deny"),
    ]);
    let json = r#"{"host":"files.test","action":"deny"}"#;
    check(
        NetworkPolicyAmendment {
            host: "files.test".into(),
            action: NetworkPolicyRuleAction::Deny,
        },
        json,
    );
    check_members::<NetworkPolicyAmendment>(json, "host action");
}

#[test]
fn a_decision_is_an_object_with_a_type() {
    let amendment = r#"{"type":"network_policy_amendment","host":"files.test","action":"allow"}"#;
    let forms = [
        (ReviewDecision::Approved, r#"{"type":"approved"}"#),
        (
            ReviewDecision::ApprovedExecpolicyAmendment,
            r#"{"type":"approved_execpolicy_amendment"}"#,
        ),
        (
            ReviewDecision::ApprovedForSession,
            r#"{"type":"approved_for_session"}"#,
        ),
        (
            ReviewDecision::NetworkPolicyAmendment {
                host: "files.test".into(),
                action: NetworkPolicyRuleAction::Allow,
            },
            amendment,
        ),
        (ReviewDecision::Denied, r#"{"type":"denied"}"#),
        (ReviewDecision::Abort, r#"{"type":"abort"}"#),
    ];
    for (decision, json) in forms {
        check(decision, json);
    }
    assert_eq!(
        spellings::<ReviewDecision>(r#"{"type":"from_the_future"}"#),
        [
            "approved",
            "approved_execpolicy_amendment",
            "approved_for_session",
            "network_policy_amendment",
            "denied",
            "abort",
        ]
    );
    check_members::<ReviewDecision>(amendment, "type host action");
    assert!(
        serde_json::from_str::<ReviewDecision>("\"approved\"").is_err(),
        "no bare word"
    );
}

pub(crate) fn question() -> ExecApprovalRequestEvent {
    ExecApprovalRequestEvent {
        call_id: "call-1".into(),
        approval_id: "approval-1".into(),
        turn_id: "t-1".into(),
        command: "make release".into(),
        cwd: "/src/tide".into(),
        reason: "No rule covers it.".into(),
        matched_rule: None,
        network_approval_context: None,
        proposed_execpolicy_amendment: vec![],
        proposed_network_policy_amendments: vec![],
        additional_permissions: vec![],
        available_decisions: vec![],
    }
}

pub(crate) const QUESTION: &str = concat!(
    r#"{"call_id":"call-1","approval_id":"approval-1","turn_id":"t-1","#,
    r#""command":"make release","cwd":"/src/tide","reason":"No rule covers it.","#,
    r#""proposed_execpolicy_amendment":[],"proposed_network_policy_amendments":[],"#,
    r#""additional_permissions":[],"available_decisions":[]}"#
);

#[test]
fn an_empty_question_keeps_its_lists_and_leaves_out_rule_and_network() {
    check(question(), QUESTION);
}

#[test]
fn a_full_question_keeps_the_order_of_its_members() {
    let json = concat!(
        r#"{"call_id":"call-1","approval_id":"approval-1","turn_id":"t-1","#,
        r#""command":"make release","cwd":"/src/tide","reason":"No rule covers it.","#,
        r#""matched_rule":"command=make","#,
        r#""network_approval_context":{"host":"files.test","protocol":"https"},"#,
        r#""proposed_execpolicy_amendment":["make"],"#,
        r#""proposed_network_policy_amendments":[{"host":"files.test","action":"allow"}],"#,
        r#""additional_permissions":["network"],"#,
        r#""available_decisions":[{"type":"approved"},{"type":"abort"}]}"#
    );
    check(
        ExecApprovalRequestEvent {
            matched_rule: Some("command=make".into()),
            network_approval_context: Some(NetworkApprovalContext {
                host: "files.test".into(),
                protocol: "https".into(),
            }),
            proposed_execpolicy_amendment: vec!["make".into()],
            proposed_network_policy_amendments: vec![NetworkPolicyAmendment {
                host: "files.test".into(),
                action: NetworkPolicyRuleAction::Allow,
            }],
            additional_permissions: vec!["network".into()],
            available_decisions: vec![ReviewDecision::Approved, ReviewDecision::Abort],
            ..question()
        },
        json,
    );
    check_members::<ExecApprovalRequestEvent>(
        json,
        concat!(
            "call_id approval_id turn_id command cwd reason proposed_execpolicy_amendment= ",
            "proposed_network_policy_amendments= additional_permissions= available_decisions= ",
            "matched_rule? network_approval_context?"
        ),
    );
    check_members::<NetworkApprovalContext>(
        r#"{"host":"files.test","protocol":"https"}"#,
        "host protocol",
    );
}

#[test]
fn an_answer_always_says_whether_to_remember() {
    check(
        ApprovalDecisionRequest {
            decision: "deny".into(),
            remember: true,
        },
        r#"{"decision":"deny","remember":true}"#,
    );
    let short: ApprovalDecisionRequest = read(r#"{"decision":"allow"}"#);
    check(short, r#"{"decision":"allow","remember":false}"#);
    check_members::<ApprovalDecisionRequest>(
        r#"{"decision":"allow","remember":false}"#,
        "decision remember=",
    );
}
