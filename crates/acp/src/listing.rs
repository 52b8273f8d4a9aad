//! Listing sessions, page by page.

use codewhale_protocol::operations::SessionsSummary;
use codewhale_protocol::runtime::{SessionSummary, SessionsListParams};
use serde_json::{Value, json};

use crate::error::RpcError;
use crate::limits::{LISTED_SESSIONS_MAX, PAGE_SESSIONS};
use crate::session::Link;
use crate::wire::ListParams;

/// The sessions of a directory, or all, the last changed first.
pub(crate) async fn list(link: &Link, params: ListParams) -> Result<Value, RpcError> {
    let asked = SessionsListParams {
        limit: Some(LISTED_SESSIONS_MAX),
        workspace: params.cwd,
        ..SessionsListParams::default()
    };
    let sessions = link.client.call::<SessionsSummary>(asked).await?;
    page(&sessions, params.cursor.as_deref())
}

/// The page behind a cursor, which is the last session of the page before and when it had changed: one
/// that has moved to the front meanwhile was shown, and those behind it are where they were.
fn page(sessions: &[SessionSummary], cursor: Option<&str>) -> Result<Value, RpcError> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let (changed, id) = cursor.split_once('|').ok_or_else(unknown_cursor)?;
            let place = |it: &SessionSummary| (it.updated_at.to_string(), it.id.to_string());
            let behind = |it: &SessionSummary| {
                let (at, it) = place(it);
                at.as_str() < changed || (at == changed && it.as_str() < id)
            };
            let same = sessions
                .iter()
                .position(|it| place(it) == (changed.to_owned(), id.to_owned()));
            let next = || sessions.iter().position(behind);
            same.map(|index| index + 1)
                .or_else(next)
                .unwrap_or(sessions.len())
        }
    };
    let rest = &sessions[start..];
    let shown = &rest[..rest.len().min(PAGE_SESSIONS)];
    let mut answer = json!({ "sessions": shown.iter().map(info).collect::<Vec<_>>() });
    if let Some(last) = shown.last().filter(|_| shown.len() < rest.len()) {
        answer["nextCursor"] = json!(format!("{}|{}", last.updated_at, last.id));
    }
    Ok(answer)
}

fn info(session: &SessionSummary) -> Value {
    let mut info = json!({
        "sessionId": session.id,
        "cwd": session.workspace,
        "title": session.title,
        "updatedAt": session.updated_at.to_string(),
    });
    if !session.additional_directories.is_empty() {
        info["additionalDirectories"] = json!(session.additional_directories);
    }
    info
}

fn unknown_cursor() -> RpcError {
    RpcError::invalid_params("the cursor is none that was given out here; list from the start")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(count: i64) -> Vec<SessionSummary> {
        let session = |number: i64| {
            let at = codewhale_protocol::runtime::Timestamp::from_ms(1_000_000 - number);
            serde_json::from_value(json!({
                "id": format!("thr_{number}"), "title": "t", "preview": "p", "model": "m",
                "mode": "agent", "workspace": "/w", "archived": false, "message_count": 1,
                "total_tokens": 1, "updated_at": at, "created_at": at,
                "parent_session_id": null, "is_current": false,
            }))
            .unwrap()
        };
        (0..count).map(session).collect()
    }

    fn shown(answer: &Value) -> Vec<String> {
        let sessions = answer["sessions"].as_array().unwrap();
        let id = |it: &Value| it["sessionId"].as_str().unwrap().to_owned();
        sessions.iter().map(id).collect()
    }

    #[test]
    fn pages_follow_one_another_without_a_gap() {
        let all = sessions(PAGE_SESSIONS as i64 * 2 + 1);
        let (mut seen, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let answer = page(&all, cursor.as_deref()).unwrap();
            seen.extend(shown(&answer));
            cursor = answer["nextCursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        let ids: Vec<_> = all.iter().map(|it| it.id.to_string()).collect();
        assert_eq!(seen, ids);
    }

    #[test]
    fn a_page_goes_on_where_the_last_one_ended_although_its_last_session_is_gone() {
        let mut all = sessions(PAGE_SESSIONS as i64 + 2);
        let first = page(&all, None).unwrap();
        let cursor = first["nextCursor"].as_str().unwrap().to_owned();
        all.remove(PAGE_SESSIONS - 1);
        let second = page(&all, Some(&cursor)).unwrap();
        assert_eq!(shown(&second), ["thr_50", "thr_51"]);
        assert!(page(&all, Some("elsewhere")).is_err());
    }
}
