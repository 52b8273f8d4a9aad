//! The words of a provider about a failure, whatever shape they come in.

use serde_json::Value;

/// What a provider says went wrong.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Complaint {
    /// For people.
    pub(crate) text: String,
    /// Its type and code words, in lower case.
    pub(crate) tags: String,
    /// The HTTP status it would have had, where it names one.
    pub(crate) status: Option<u16>,
}

impl Complaint {
    /// Reads the body of a refusal.
    pub(crate) fn read(body: &[u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(value) => Self::from_value(&value),
            Err(_) => Self {
                text: plain_text(body),
                ..Self::default()
            },
        }
    }

    /// Reads an error object: `{"error":{"message","type","code"}}`, the same without the outer
    /// member, a list of such, or a bare text.
    pub(crate) fn from_value(value: &Value) -> Self {
        match value {
            Value::String(text) => Self {
                text: text.clone(),
                ..Self::default()
            },
            Value::Array(list) if !list.is_empty() => Self::from_value(&list[0]),
            Value::Object(object) => match object.get("error") {
                Some(inner) if !inner.is_null() => {
                    let complaint = Self::from_value(inner);
                    Self {
                        status: complaint.status.or(status_of(value)),
                        ..complaint
                    }
                }
                _ => Self {
                    text: text_of(value),
                    tags: tags_of(value),
                    status: status_of(value),
                },
            },
            other => Self {
                text: other.to_string(),
                ..Self::default()
            },
        }
    }

    /// Whether waiting would not help, because the account is empty.
    pub(crate) fn is_about_money(&self) -> bool {
        const TAGS: [&str; 3] = ["quota", "billing", "insufficient_balance"];
        const WORDS: [&str; 6] = [
            "insufficient balance",
            "credit balance is too low",
            "exceeded your current quota",
            "insufficient_quota",
            "insufficient credits",
            "out of credits",
        ];
        let text = self.text.to_lowercase();
        self.status == Some(402)
            || TAGS.iter().any(|tag| self.tags.contains(tag))
            || WORDS.iter().any(|word| text.contains(word))
    }
}

impl Complaint {
    /// Whether the provider has no such model.
    pub(crate) fn is_about_the_model(&self) -> bool {
        const TAGS: [&str; 3] = ["model_not_found", "model_not_exist", "unknown_model"];
        const WORDS: [&str; 4] = [
            "model not exist",
            "model does not exist",
            "unknown model",
            "no such model",
        ];
        let text = self.text.to_lowercase();
        TAGS.iter().any(|tag| self.tags.contains(tag))
            || WORDS.iter().any(|word| text.contains(word))
    }

    /// Whether a shorter conversation would have been taken.
    pub(crate) fn is_about_length(&self) -> bool {
        const TAGS: [&str; 4] = [
            "context_length",
            "context_window",
            "request_too_large",
            "exceed_context_size",
        ];
        const WORDS: [&str; 6] = [
            "maximum context length",
            "context window",
            "context length",
            "prompt is too long",
            "input is too long",
            "exceeds the available context",
        ];
        let is_refusal = self
            .status
            .is_none_or(|status| (400..500).contains(&status));
        let text = self.text.to_lowercase();
        self.status == Some(413)
            || (is_refusal && TAGS.iter().any(|tag| self.tags.contains(tag)))
            || (is_refusal && WORDS.iter().any(|word| text.contains(word)))
    }
}

fn text_of(value: &Value) -> String {
    let member = |name: &str| value.get(name).and_then(Value::as_str);
    let text = ["message", "detail", "msg"]
        .iter()
        .find_map(|name| member(name));
    // Routers pass on what the provider behind them said.
    let upstream = value
        .get("metadata")
        .and_then(|metadata| metadata.get("raw"))
        .and_then(Value::as_str);
    match (text, upstream) {
        (Some(text), Some(upstream)) => format!("{text}: {upstream}"),
        (Some(text), None) => text.to_owned(),
        (None, _) => value.to_string(),
    }
}

fn tags_of(value: &Value) -> String {
    let tags = ["type", "code", "status"]
        .iter()
        .filter_map(|name| value.get(name)?.as_str());
    tags.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

fn status_of(value: &Value) -> Option<u16> {
    let code = value.get("code").or_else(|| value.get("status"))?;
    let code = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(code)
        .ok()
        .filter(|code| (400..600).contains(code))
}

fn plain_text(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start();
    if text.starts_with('<') {
        "(an HTML page)".to_owned()
    } else {
        text.to_owned()
    }
}
