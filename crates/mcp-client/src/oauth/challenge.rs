//! What a server that wants a login says in its refusal (RFC 6750, RFC 9728).

/// The members of a `WWW-Authenticate` header that matter here.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Challenge {
    /// Where it says who guards it.
    pub(super) metadata: Option<String>,
    /// What to ask for, by its own account.
    pub(super) scopes: Vec<String>,
}

impl Challenge {
    /// Reads a header; nothing when it wants something else than a bearer token.
    pub(super) fn read(header: &str) -> Option<Self> {
        let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header.trim(), ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let mut challenge = Self::default();
        for (name, value) in members(rest) {
            match name.to_ascii_lowercase().as_str() {
                "resource_metadata" => challenge.metadata = Some(value),
                "scope" => {
                    challenge.scopes = value.split_whitespace().map(str::to_owned).collect();
                }
                _ => {}
            }
        }
        Some(challenge)
    }
}

/// `name=value` and `name="value"`, with commas between them.
fn members(text: &str) -> Vec<(String, String)> {
    let mut members = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted_text(quoted),
            None => {
                let end = after.find(',').unwrap_or(after.len());
                (after[..end].trim().to_owned(), &after[end..])
            }
        };
        members.push((name.trim().to_owned(), value));
        rest = after.trim_start_matches([' ', ',']);
    }
    members
}

/// A text up to its closing quote, and what follows.
fn quoted_text(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, next)| next)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, metadata: Option<&str>, scopes: &[&str]) {
        let challenge = Challenge::read(header).unwrap();
        assert_eq!(challenge.metadata.as_deref(), metadata, "{header}");
        assert_eq!(challenge.scopes, scopes, "{header}");
    }

    #[test]
    fn what_matters_is_found_wherever_it_stands() {
        check("Bearer", None, &[]);
        check(
            r#"bearer realm="a, b=c", resource_metadata="https://x/y", scope="read write""#,
            Some("https://x/y"),
            &["read", "write"],
        );
        check(
            r#"Bearer resource_metadata=https://x/y,error="invalid_token""#,
            Some("https://x/y"),
            &[],
        );
        check(r#"Bearer realm="a \" b", scope=read"#, None, &["read"]);
        check(
            r#"Bearer resource_metadata="never closed"#,
            Some("never closed"),
            &[],
        );
        assert_eq!(Challenge::read("Basic realm=\"x\""), None);
    }
}
