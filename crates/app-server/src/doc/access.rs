//! How the token is shown, in the words of the document.

use codewhale_protocol::operations::Method;
use serde_json::{Value, json};

use crate::auth;

/// Every way to show the token.
pub(super) fn schemes() -> Value {
    json!({
        "bearer": { "type": "http", "scheme": "bearer" },
        "header": { "type": "apiKey", "in": "header", "name": auth::TOKEN_HEADERS[0] },
        "legacy_header": {
            "type": "apiKey", "in": "header", "name": auth::TOKEN_HEADERS[1],
            "description": "The same under its older name.",
        },
        "cookie": {
            "type": "apiKey", "in": "cookie", "name": auth::COOKIE,
            "description": "Counts on requests of pages that this server itself has sent.",
        },
        "query": {
            "type": "apiKey", "in": "query", "name": auth::QUERY,
            "description": "For clients that cannot send headers. Counts on GET only.",
        },
    })
}

/// Those that count for a method; one is enough.
pub(super) fn ways(method: Method) -> Value {
    let mut ways = vec!["bearer", "header", "legacy_header", "cookie"];
    match method {
        Method::Get => ways.push("query"),
        Method::Post | Method::Patch | Method::Put | Method::Delete => {}
    }
    ways.into_iter().map(|way| json!({ way: [] })).collect()
}
