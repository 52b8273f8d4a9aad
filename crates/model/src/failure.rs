//! What went wrong at a provider, told so that the engine can act on the kind and a person on the
//! words. The one place that turns statuses, error objects and broken connections into [`Error`]s.

mod complaint;

use std::io;
use std::time::Duration;

use codewhale_protocol::Secret;
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::http::BuildError;
use crate::limits;
use crate::{Error, ErrorKind};

pub(crate) use complaint::Complaint;

/// Shorter keys are words like `none`, for servers that want something but check nothing. Masking
/// them would only spoil the text.
const KEY_BYTES_MIN: usize = 8;

/// Who is spoken to. Every error of a route is made here, so that each names the provider and none
/// shows its key.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The provider as it is configured.
    pub(crate) provider: String,
    /// Its host, for messages.
    pub(crate) host: String,
    /// What must not be shown.
    pub(crate) key: Option<Secret>,
    /// Where the key comes from, as a sentence for people.
    pub(crate) key_hint: String,
}

impl Origin {
    /// An error of this provider; `message` continues its name, and holds no words of the provider
    /// that were not masked.
    pub(crate) fn error(&self, kind: ErrorKind, message: impl AsRef<str>) -> Error {
        Error::new(kind, format!("{} {}", self.provider, message.as_ref()))
    }

    /// An answer with a status other than success.
    pub(crate) fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Error {
        let complaint = Complaint {
            status: Some(status.as_u16()),
            ..Complaint::read(body)
        };
        let kind = kind_of_refusal(status, headers, &complaint);
        self.error(
            kind,
            self.sentence(kind, &complaint, &format!(" (HTTP {})", status.as_u16())),
        )
    }

    /// An error object where a piece of the answer was due.
    pub(crate) fn complained(&self, complaint: &Complaint) -> Error {
        let kind = kind_of_complaint(complaint);
        self.error(kind, self.sentence(kind, complaint, ""))
    }

    /// Bytes that do not read as the dialect.
    pub(crate) fn garbled(&self, what: &str, bytes: &[u8]) -> Error {
        let excerpt = clip(
            &self.mask(&String::from_utf8_lossy(bytes)),
            limits::EXCERPT_CHARS_MAX,
        );
        self.error(ErrorKind::Garbled, format!("sent {what}: {excerpt}"))
    }

    /// A request that got no answer at all.
    pub(crate) fn unreachable(&self, cause: reqwest::Error) -> Error {
        let cause = cause.without_url();
        let host = &self.host;
        if has_certificate_problem(&cause) {
            let message = format!("shows a certificate at {host} that this machine does not trust");
            return self.error(ErrorKind::Unusable, message).caused_by(cause);
        }
        let message = if cause.is_connect() {
            format!("cannot be reached at {host}; check the network and base_url")
        } else {
            format!("broke the connection at {host} before it answered")
        };
        self.error(ErrorKind::Transient, message).caused_by(cause)
    }

    /// A client that could not be built.
    pub(crate) fn unbuilt(&self, cause: BuildError) -> Error {
        let message = "cannot be reached: no HTTPS client; install the system's CA certificates";
        self.error(ErrorKind::Unusable, message).caused_by(cause)
    }

    fn sentence(&self, kind: ErrorKind, complaint: &Complaint, status: &str) -> String {
        let text = clip(&self.mask(&complaint.text), limits::ERROR_TEXT_CHARS_MAX);
        let said = if text.is_empty() {
            String::new()
        } else {
            format!(": {text}")
        };
        match kind {
            ErrorKind::Auth if self.key.is_none() => {
                format!("wants a key{status}{said}. {}", self.key_hint)
            }
            ErrorKind::Auth => format!("refused the key{status}{said}. {}", self.key_hint),
            ErrorKind::RateLimited { .. } => format!("asks to slow down{status}{said}"),
            ErrorKind::Transient => format!("failed{status}{said}"),
            ErrorKind::Exhausted => {
                format!(
                    "has no quota or balance left for this key{status}{said}. Top up, or choose another provider"
                )
            }
            ErrorKind::Unusable if matches!(complaint.status, Some(300..400)) => {
                format!(
                    "answered with a redirect{status}, which is not followed: set base_url to the final address"
                )
            }
            ErrorKind::Unusable => {
                format!(
                    "does not know the address or the model{status}{said}. Check base_url and model"
                )
            }
            ErrorKind::Rejected => format!("refused the request{status}{said}"),
            ErrorKind::ContextOverflow => format!(
                "cannot take a conversation this long{status}{said}. Compact it, or choose a model with a larger window"
            ),
            ErrorKind::Stalled | ErrorKind::Garbled => {
                format!("answered in an unknown way{status}{said}")
            }
        }
    }

    /// The provider's words without the key, which some repeat in full.
    fn mask(&self, text: &str) -> String {
        match &self.key {
            Some(key) if key.expose().len() >= KEY_BYTES_MIN => text.replace(key.expose(), "[key]"),
            _ => text.to_owned(),
        }
    }
}

fn kind_of_refusal(status: StatusCode, headers: &HeaderMap, complaint: &Complaint) -> ErrorKind {
    let wait = retry_after(headers);
    match kind_of_status(status.as_u16()) {
        ErrorKind::RateLimited { .. } | ErrorKind::Rejected if complaint.is_about_money() => {
            ErrorKind::Exhausted
        }
        ErrorKind::Rejected if complaint.is_about_length() => ErrorKind::ContextOverflow,
        ErrorKind::Rejected if complaint.is_about_the_model() => ErrorKind::Unusable,
        ErrorKind::RateLimited { .. } => ErrorKind::RateLimited { retry_after: wait },
        // Overloaded, and it says for how long.
        ErrorKind::Transient if wait.is_some() => ErrorKind::RateLimited { retry_after: wait },
        kind => kind,
    }
}

fn kind_of_status(status: u16) -> ErrorKind {
    match status {
        300..=399 | 404 => ErrorKind::Unusable,
        401 | 403 => ErrorKind::Auth,
        402 => ErrorKind::Exhausted,
        429 => ErrorKind::RateLimited { retry_after: None },
        408 | 409 | 425 => ErrorKind::Transient,
        501 | 505 => ErrorKind::Rejected,
        500..=599 => ErrorKind::Transient,
        _ => ErrorKind::Rejected,
    }
}

fn kind_of_complaint(complaint: &Complaint) -> ErrorKind {
    if complaint.is_about_money() {
        return ErrorKind::Exhausted;
    }
    if complaint.is_about_length() {
        return ErrorKind::ContextOverflow;
    }
    if complaint.is_about_the_model() {
        return ErrorKind::Unusable;
    }
    if let Some(status) = complaint.status {
        return kind_of_status(status);
    }
    const WORDS: [(&str, ErrorKind); 11] = [
        ("rate_limit", ErrorKind::RateLimited { retry_after: None }),
        (
            "too_many_requests",
            ErrorKind::RateLimited { retry_after: None },
        ),
        ("authentication", ErrorKind::Auth),
        ("permission", ErrorKind::Auth),
        ("api_key", ErrorKind::Auth),
        ("unauthorized", ErrorKind::Auth),
        ("invalid", ErrorKind::Rejected),
        ("bad_request", ErrorKind::Rejected),
        ("badrequest", ErrorKind::Rejected),
        ("not_found", ErrorKind::Unusable),
        ("content_filter", ErrorKind::Rejected),
    ];
    let known = WORDS.iter().find(|(word, _)| complaint.tags.contains(word));
    known.map_or(ErrorKind::Transient, |(_, kind)| *kind)
}

/// The wait a provider asks for: milliseconds, seconds, or a date, which is read against the date
/// of the answer itself, so that no clock of ours is needed.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(wait) = header("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(wait));
    }
    let text = header(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let sent = httpdate::parse_http_date(header(DATE.as_str())?).ok()?;
    Some(until.duration_since(sent).unwrap_or_default())
}

fn has_certificate_problem(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        let tls = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let tls = tls.or_else(|| error.downcast_ref::<rustls::Error>());
        if matches!(tls, Some(rustls::Error::InvalidCertificate(_))) {
            return true;
        }
        cause = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

/// One line of at most so many characters.
pub(crate) fn clip(text: &str, chars_max: usize) -> String {
    let mut line = String::new();
    for word in text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
    {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // A char has at most 4 bytes, so this line is long enough to be cut exactly.
        if line.len() > chars_max * 4 {
            break;
        }
    }
    if let Some((cut, _)) = line.char_indices().nth(chars_max) {
        line.truncate(cut);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests;
