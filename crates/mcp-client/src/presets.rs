//! Servers many people use, ready to be turned on.

use serde_json::{Value, json};

/// The presets, all off: nothing runs or is spoken to before the user says so.
pub(crate) fn all() -> Vec<(String, Value)> {
    let npx = |package: &str, more: &[&str]| {
        let words: Vec<&str> = ["-y", package]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        json!({"command": "npx", "args": words, "enabled": false})
    };
    let uvx = |words: &[&str]| json!({"command": "uvx", "args": words, "enabled": false});
    let hosted = |url: &str, token: Option<&str>| match token {
        Some(token) => json!({"url": url, "bearer_token_env_var": token, "enabled": false}),
        None => json!({"url": url, "enabled": false}),
    };
    let presets = [
        (
            "filesystem",
            npx("@modelcontextprotocol/server-filesystem", &["."]),
        ),
        ("git", uvx(&["mcp-server-git", "--repository", "."])),
        (
            "sqlite",
            // The server has not followed the newer library.
            uvx(&[
                "--with",
                "mcp<2",
                "mcp-server-sqlite",
                "--db-path",
                "data.db",
            ]),
        ),
        ("fetch", uvx(&["mcp-server-fetch"])),
        (
            "github",
            hosted("https://api.githubcopilot.com/mcp/", Some("GITHUB_TOKEN")),
        ),
        (
            "linear",
            hosted("https://mcp.linear.app/mcp", Some("LINEAR_API_KEY")),
        ),
        (
            "notion",
            hosted("https://mcp.notion.com/mcp", Some("NOTION_TOKEN")),
        ),
        (
            "sentry",
            hosted("https://mcp.sentry.dev/mcp", Some("SENTRY_AUTH_TOKEN")),
        ),
        (
            "slack",
            hosted("https://mcp.slack.com/mcp", Some("SLACK_TOKEN")),
        ),
    ];
    let presets = presets.into_iter();
    presets
        .map(|(name, entry)| (name.to_owned(), entry))
        .collect()
}
