//! What secrets look like when nobody told us the value.

/// A text that starts with a known word and goes on like a key.
pub(super) struct Shape {
    /// How it starts. This part stays visible: it tells what was masked.
    pub(super) prefix: &'static str,
    /// Whether a letter, digit or underscore in front means that it is something else.
    pub(super) at_word_start: bool,
    /// Which bytes belong to the secret part.
    pub(super) body: fn(u8) -> bool,
    /// Fewer such bytes are not a secret.
    pub(super) body_bytes_min: usize,
    /// Whether a digit must be among them; keeps hyphenated words apart from keys.
    pub(super) needs_digit: bool,
    /// What has to follow, if anything must.
    pub(super) then: Option<u8>,
}

/// An undecided candidate longer than this is let go.
pub(super) const CANDIDATE_BYTES_MAX: usize = 256;

const fn key(prefix: &'static str, body_bytes_min: usize) -> Shape {
    Shape {
        prefix,
        at_word_start: true,
        body: is_key_byte,
        body_bytes_min,
        needs_digit: true,
        then: None,
    }
}

const fn query(prefix: &'static str) -> Shape {
    Shape {
        prefix,
        at_word_start: false,
        body: is_query_byte,
        body_bytes_min: 6,
        needs_digit: false,
        then: None,
    }
}

pub(super) const SHAPES: &[Shape] = &[
    key("sk-", 16),
    key("cwrt_", 16),
    key("cwapp_", 16),
    key("ghp_", 20),
    key("gho_", 20),
    key("ghs_", 20),
    key("ghu_", 20),
    key("github_pat_", 20),
    key("glpat-", 16),
    key("xoxb-", 16),
    key("xoxp-", 16),
    key("AKIA", 16),
    key("AIza", 24),
    key("hf_", 20),
    key("npm_", 24),
    key("gsk_", 20),
    key("xai-", 20),
    key("Bearer ", 16),
    key("bearer ", 16),
    query("?token="),
    query("&token="),
    query("?access_token="),
    query("&access_token="),
    query("?api_key="),
    query("&api_key="),
    query("?key="),
    query("&key="),
    // The user part of an address: `https://name:password@host`.
    Shape {
        prefix: "://",
        at_word_start: false,
        body: is_user_part_byte,
        body_bytes_min: 1,
        needs_digit: false,
        then: Some(b'@'),
    },
];

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
}

fn is_query_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'%' | b'+')
}

fn is_user_part_byte(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(byte, b'/' | b'@' | b'?' | b'#' | b'"' | b'\\' | b'<' | b'>')
}
