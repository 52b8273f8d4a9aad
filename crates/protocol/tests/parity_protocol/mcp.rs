//! How MCP servers come up.

use codewhale_protocol::{
    McpStartupCompleteEvent, McpStartupFailure, McpStartupStatus, McpStartupUpdateEvent,
};

use crate::{check, check_alone, check_members, spellings};

#[test]
fn a_status_is_a_word_except_for_failed_which_says_why() {
    let forms = [
        (McpStartupStatus::Starting, r#""starting""#),
        (McpStartupStatus::Ready, r#""ready""#),
        (
            McpStartupStatus::Failed {
                error: "no such file".into(),
            },
            r#"{"failed":{"error":"no such file"}}"#,
        ),
        (McpStartupStatus::Cancelled, r#""cancelled""#),
    ];
    for (status, json) in &forms {
        check_alone(status, json);
    }
    assert_eq!(
        spellings::<McpStartupStatus>("\"from_the_future\""),
        ["starting", "ready", "failed", "cancelled"]
    );
    for wrong in [r#""failed""#, r#"{"failed":{}}"#] {
        assert!(
            serde_json::from_str::<McpStartupStatus>(wrong).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn an_update_names_the_server_and_its_status() {
    let json = r#"{"server_name":"notes","status":{"failed":{"error":"gone"}}}"#;
    check(
        McpStartupUpdateEvent {
            server_name: "notes".into(),
            status: McpStartupStatus::Failed {
                error: "gone".into(),
            },
        },
        json,
    );
    check_members::<McpStartupUpdateEvent>(json, "server_name status");
}

#[test]
fn a_summary_has_all_three_lists() {
    let json = concat!(
        r#"{"ready":["notes"],"failed":[{"server_name":"db","error":"refused"}],"#,
        r#""cancelled":["slow"]}"#
    );
    let failure = McpStartupFailure {
        server_name: "db".into(),
        error: "refused".into(),
    };
    check(failure.clone(), r#"{"server_name":"db","error":"refused"}"#);
    check(
        McpStartupCompleteEvent {
            ready: vec!["notes".into()],
            failed: vec![failure],
            cancelled: vec!["slow".into()],
        },
        json,
    );
    check(
        McpStartupCompleteEvent {
            ready: vec![],
            failed: vec![],
            cancelled: vec![],
        },
        r#"{"ready":[],"failed":[],"cancelled":[]}"#,
    );
    check_members::<McpStartupCompleteEvent>(json, "ready failed cancelled");
    check_members::<McpStartupFailure>(
        r#"{"server_name":"db","error":"refused"}"#,
        "server_name error",
    );
}
