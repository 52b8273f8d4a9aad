//! How hard a model is asked to think, and in which words each provider is told.

use serde::Serialize;
use serde_json::{Value, json};

/// How hard a model is asked to think.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
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
    /// The effort that a word of the configuration means.
    pub fn read(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "off" | "none" => Some(Self::Off),
            "low" | "minimal" => Some(Self::Low),
            "medium" => Some(Self::Medium),
            "high" => Some(Self::High),
            "max" | "xhigh" | "ultra" | "ultracode" => Some(Self::Max),
            "auto" => Some(Self::Auto),
            _ => None,
        }
    }

    /// The word that is shown.
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

    /// How many tokens a thought may have, where it is counted so; nothing where it is not asked
    /// for. Each leaves room for the answer within the usual length.
    fn budget(self) -> Option<u32> {
        match self {
            Self::Off | Self::Auto => None,
            Self::Low => Some(4_096),
            Self::Medium => Some(10_240),
            Self::High => Some(16_384),
            Self::Max => Some(24_576),
        }
    }
}

/// The words in which a provider is told how hard to think.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Thinking {
    /// None that are known: nothing is sent.
    #[default]
    Unspoken,
    /// `thinking` turns it off, `reasoning_effort` is low, high or max.
    DeepSeek,
    /// `reasoning_effort` is low, medium or high.
    Effort,
    /// `thinking` turns it off, and that is all.
    Switch,
    /// A member of `chat_template_kwargs` turns it off.
    Template(&'static str),
    /// `think` turns it off.
    Flag,
    /// `reasoning_effort` turns it off.
    EffortNone,
    /// `thinking` has a budget of tokens.
    Budget,
}

/// What a request in the chat dialect says about thinking.
#[derive(Serialize, Default, PartialEq, Debug)]
pub(crate) struct ChatWish {
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_template_kwargs: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<bool>,
}

impl Thinking {
    /// For the chat dialect.
    pub(crate) fn chat(self, effort: Effort) -> ChatWish {
        let off = effort == Effort::Off;
        let mut wish = ChatWish::default();
        match self {
            Self::Unspoken | Self::Budget => {}
            Self::DeepSeek if off => wish.thinking = Some(disabled()),
            Self::DeepSeek => wish.reasoning_effort = Some(deepseek(effort)),
            Self::Effort => wish.reasoning_effort = openai(effort),
            Self::Switch => wish.thinking = off.then(disabled),
            Self::Template(member) => {
                wish.chat_template_kwargs = off.then(|| json!({ member: false }));
            }
            Self::Flag => wish.think = off.then_some(false),
            Self::EffortNone => wish.reasoning_effort = off.then_some("none"),
        }
        wish
    }

    /// For the Responses dialect: the member `effort` of `reasoning`.
    pub(crate) fn responses(self, effort: Effort) -> Option<&'static str> {
        match self {
            Self::DeepSeek => Some(deepseek(effort)),
            Self::Effort => openai(effort),
            Self::Unspoken
            | Self::Switch
            | Self::Template(_)
            | Self::Flag
            | Self::EffortNone
            | Self::Budget => None,
        }
    }

    /// For the Messages dialect: the member `thinking`.
    pub(crate) fn messages(self, effort: Effort) -> Option<Value> {
        let enabled = |tokens| json!({ "type": "enabled", "budget_tokens": tokens });
        match (self, effort) {
            (Self::DeepSeek | Self::Switch, Effort::Off) => Some(disabled()),
            (Self::DeepSeek | Self::Budget, effort) => effort.budget().map(enabled),
            (
                Self::Unspoken
                | Self::Effort
                | Self::Switch
                | Self::Template(_)
                | Self::Flag
                | Self::EffortNone,
                _,
            ) => None,
        }
    }
}

fn disabled() -> Value {
    json!({ "type": "disabled" })
}

fn deepseek(effort: Effort) -> &'static str {
    match effort {
        Effort::Off => "none",
        Effort::Low => "low",
        Effort::Medium | Effort::High | Effort::Auto => "high",
        Effort::Max => "max",
    }
}

fn openai(effort: Effort) -> Option<&'static str> {
    match effort {
        Effort::Off | Effort::Auto => None,
        Effort::Low => Some("low"),
        Effort::Medium => Some("medium"),
        Effort::High | Effort::Max => Some("high"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    const ALL: [Effort; 6] = [
        Effort::Off,
        Effort::Low,
        Effort::Medium,
        Effort::High,
        Effort::Max,
        Effort::Auto,
    ];

    #[track_caller]
    fn check(provider: &str, expect: [Value; 6]) {
        let thinking = catalogue::find(provider).unwrap().thinking;
        let told = ALL.map(|effort| serde_json::to_value(thinking.chat(effort)).unwrap());
        assert_eq!(told, expect, "{provider}");
    }

    #[test]
    fn deepseek_is_told_in_its_own_words() {
        let effort = |word: &str| json!({ "reasoning_effort": word });
        let off = json!({ "thinking": { "type": "disabled" } });
        let (low, high, max) = (effort("low"), effort("high"), effort("max"));
        check(
            "deepseek",
            [off, low, high.clone(), high.clone(), max, high],
        );
        let thinking = catalogue::find("deepseek").unwrap().thinking;
        assert_eq!(
            ALL.map(|effort| thinking.responses(effort).unwrap()),
            ["none", "low", "high", "high", "max", "high"]
        );
        let thinking = catalogue::find("deepseek-anthropic").unwrap().thinking;
        let off = json!({ "type": "disabled" });
        assert_eq!(thinking.messages(Effort::Off), Some(off));
        assert_eq!(thinking.messages(Effort::Auto), None);
        let max = json!({ "type": "enabled", "budget_tokens": 24_576 });
        assert_eq!(thinking.messages(Effort::Max), Some(max));
    }

    #[test]
    fn thinking_is_turned_off_in_the_words_of_each_provider() {
        let only_off = |off: Value| {
            let nothing = || json!({});
            [off, nothing(), nothing(), nothing(), nothing(), nothing()]
        };
        for provider in [
            "openrouter",
            "orcarouter",
            "xiaomi-mimo",
            "novita",
            "siliconflow",
            "siliconflow-CN",
            "sglang",
            "volcengine",
            "deepinfra",
            "together",
            "atlascloud",
            "zai",
            "moonshot",
        ] {
            check(
                provider,
                only_off(json!({ "thinking": { "type": "disabled" } })),
            );
        }
        let template = |member: &str| json!({ "chat_template_kwargs": { member: false } });
        check("vllm", only_off(template("enable_thinking")));
        check("nvidia-nim", only_off(template("thinking")));
        check("ollama", only_off(json!({ "think": false })));
        check(
            "ollama-cloud",
            only_off(json!({ "reasoning_effort": "none" })),
        );
        for provider in ["telecomjs", "edenai", "mistral"] {
            check(provider, only_off(json!({})));
        }
    }

    #[test]
    fn openai_is_asked_for_an_effort_it_knows() {
        let effort = |word: &str| json!({ "reasoning_effort": word });
        let (low, medium, high) = (effort("low"), effort("medium"), effort("high"));
        let nothing = || json!({});
        check(
            "openai",
            [nothing(), low, medium, high.clone(), high, nothing()],
        );
    }

    #[test]
    fn words_and_efforts_agree() {
        for effort in ALL {
            assert_eq!(Effort::read(effort.as_str()), Some(effort));
        }
        assert_eq!(Effort::read(" XHigh "), Some(Effort::Max));
        assert_eq!(Effort::read("ultracode"), Some(Effort::Max));
        assert_eq!(Effort::read("lots"), None);
    }
}
