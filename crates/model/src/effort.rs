//! How hard a model is asked to think, and in which words each provider is told.

use codewhale_protocol::runtime::Effort;
use serde::Serialize;
use serde_json::{Value, json};

use crate::catalogue::Dialect;

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
    /// The efforts that are told apart in a dialect, the least first and `auto` last. A model that is
    /// told nothing has none.
    pub(crate) fn efforts(self, dialect: Dialect) -> &'static [Effort] {
        use Effort::{Auto, High, Low, Max, Medium, Off};
        match (self, dialect) {
            (Self::DeepSeek, Dialect::Chat | Dialect::Responses) => &[Off, Low, High, Max, Auto],
            (Self::DeepSeek, Dialect::Messages) => &[Off, Low, Medium, High, Max, Auto],
            (Self::Effort, Dialect::Chat | Dialect::Responses) => &[Low, Medium, High, Auto],
            (Self::Budget, Dialect::Messages) => &[Low, Medium, High, Max, Auto],
            (Self::Switch, Dialect::Chat | Dialect::Messages)
            | (Self::Template(_) | Self::Flag | Self::EffortNone, Dialect::Chat) => &[Off, Auto],
            (Self::Unspoken, Dialect::Chat | Dialect::Messages | Dialect::Responses)
            | (Self::Effort, Dialect::Messages)
            | (Self::Budget, Dialect::Chat | Dialect::Responses)
            | (Self::Switch, Dialect::Responses)
            | (
                Self::Template(_) | Self::Flag | Self::EffortNone,
                Dialect::Messages | Dialect::Responses,
            ) => &[],
        }
    }

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
            (Self::DeepSeek | Self::Budget, effort) => budget(effort).map(enabled),
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

/// How many tokens a thought may have, where it is counted so; nothing where it is not asked for.
/// Each leaves room for the answer within the usual length.
fn budget(effort: Effort) -> Option<u32> {
    match effort {
        Effort::Off | Effort::Auto => None,
        Effort::Low => Some(4_096),
        Effort::Medium => Some(10_240),
        Effort::High => Some(16_384),
        Effort::Max => Some(24_576),
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
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalogue;

    const ALL: [Effort; 6] = Effort::ALL;

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

    /// How an effort is told, as text that can be compared.
    fn told(thinking: Thinking, dialect: Dialect, effort: Effort) -> String {
        let value = match dialect {
            Dialect::Chat => json!(thinking.chat(effort)),
            Dialect::Messages => json!(thinking.messages(effort)),
            Dialect::Responses => json!(thinking.responses(effort)),
        };
        value.to_string()
    }

    #[test]
    fn the_efforts_of_a_model_are_all_that_can_be_told_apart() {
        let ways = [
            Thinking::Unspoken,
            Thinking::DeepSeek,
            Thinking::Effort,
            Thinking::Switch,
            Thinking::Template("thinking"),
            Thinking::Flag,
            Thinking::EffortNone,
            Thinking::Budget,
        ];
        for thinking in ways {
            for dialect in [Dialect::Chat, Dialect::Messages, Dialect::Responses] {
                let efforts = thinking.efforts(dialect);
                let told = |effort| told(thinking, dialect, effort);
                let all: BTreeSet<String> = ALL.into_iter().map(told).collect();
                let offered = efforts.iter().copied().filter(|it| *it != Effort::Auto);
                let levels: Vec<String> = offered.map(told).collect();
                let mut apart: BTreeSet<String> = levels.iter().cloned().collect();
                assert_eq!(apart.len(), levels.len(), "{thinking:?} {dialect:?}");
                apart.insert(told(Effort::Auto));
                assert_eq!(apart, all, "{thinking:?} {dialect:?}");
                assert_eq!(efforts.is_empty(), all.len() == 1);
                assert!(efforts.last().is_none_or(|last| *last == Effort::Auto));
            }
        }
    }
}
