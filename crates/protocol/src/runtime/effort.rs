//! How hard a model is asked to think.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnknownSpelling;

/// How hard a model is asked to think.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Not at all.
    Off,
    /// A little.
    Low,
    /// Somewhat.
    Medium,
    /// Much.
    High,
    /// As much as it can.
    Max,
    /// As its provider thinks best.
    #[default]
    Auto,
}

impl Effort {
    /// All of them, the least first.
    pub const ALL: [Effort; 6] = [
        Effort::Off,
        Effort::Low,
        Effort::Medium,
        Effort::High,
        Effort::Max,
        Effort::Auto,
    ];

    /// The words, for messages.
    const ACCEPTED: &'static str = "off, low, medium, high, max, auto";

    /// Reads a word in any of its spellings.
    pub fn parse(word: &str) -> Result<Self, UnknownSpelling> {
        match word.trim().to_ascii_lowercase().as_str() {
            "off" | "none" => Ok(Self::Off),
            "low" | "minimal" => Ok(Self::Low),
            "medium" => Ok(Self::Medium),
            "high" => Ok(Self::High),
            "max" | "xhigh" | "ultra" | "ultracode" => Ok(Self::Max),
            "auto" => Ok(Self::Auto),
            _ => Err(UnknownSpelling::new(
                "reasoning effort",
                word,
                Self::ACCEPTED,
            )),
        }
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Max => "max",
            Self::Auto => "auto",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_efforts_agree() {
        for effort in Effort::ALL {
            assert_eq!(Effort::parse(effort.as_str()), Ok(effort));
            assert_eq!(serde_json::to_value(effort).unwrap(), effort.as_str());
        }
        let words: Vec<&str> = Effort::ALL.iter().map(|it| it.as_str()).collect();
        assert_eq!(words.join(", "), Effort::ACCEPTED);
        assert_eq!(Effort::parse(" XHigh "), Ok(Effort::Max));
        assert_eq!(Effort::parse("ultracode"), Ok(Effort::Max));
    }

    #[test]
    fn an_unknown_word_is_told_those_there_are() {
        let error = Effort::parse("lots").unwrap_err().to_string();
        let expected =
            "unknown reasoning effort \"lots\": use one of off, low, medium, high, max, auto";
        assert_eq!(error, expected);
    }
}
