//! The rows of the catalogue, in the order they are shown.
//!
//! What is not said stands in [`PLAIN`]. A provider that has no dialect of ours is not listed: it
//! would only promise what it cannot keep.

use super::{Dialect, Provider, Thinking, Window};

/// All known providers.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        id: "deepseek",
        aliases: &["deepseek-cn"],
        name: "DeepSeek",
        env: &["DEEPSEEK_API_KEY"],
        prefix: "DEEPSEEK",
        base_url: "https://api.deepseek.com/beta",
        default_model: "deepseek-v4-pro",
        echo_reasoning: true,
        output_tokens_max: Some(65_536),
        messages_base: Some("https://api.deepseek.com/anthropic"),
        windows: DEEPSEEK_WINDOWS,
        thinking: Thinking::DeepSeek,
        ..PLAIN
    },
    Provider {
        id: "deepseek-anthropic",
        name: "DeepSeek (Messages)",
        env: &["DEEPSEEK_API_KEY"],
        prefix: "DEEPSEEK_ANTHROPIC",
        base_url: "https://api.deepseek.com/anthropic",
        default_model: "deepseek-v4-pro",
        dialect: Dialect::Messages,
        echo_reasoning: true,
        output_tokens_max: Some(65_536),
        windows: DEEPSEEK_WINDOWS,
        thinking: Thinking::DeepSeek,
        ..PLAIN
    },
    Provider {
        id: "nvidia-nim",
        aliases: &["nvidia", "nim"],
        name: "NVIDIA NIM",
        env: &["NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY", "DEEPSEEK_API_KEY"],
        prefix: "NVIDIA_NIM",
        base_url: "https://integrate.api.nvidia.com/v1",
        default_model: "deepseek-ai/deepseek-v4-pro",
        thinking: Thinking::Template("thinking"),
        ..PLAIN
    },
    Provider {
        id: "openai",
        name: "OpenAI",
        env: &["OPENAI_API_KEY"],
        prefix: "OPENAI",
        base_url: "https://api.openai.com/v1",
        default_model: "gpt-5.6",
        seals_reasoning: true,
        thinking: Thinking::Effort,
        ..PLAIN
    },
    Provider {
        id: "atlascloud",
        name: "Atlas Cloud",
        env: &["ATLASCLOUD_API_KEY"],
        prefix: "ATLASCLOUD",
        base_url: "https://api.atlascloud.ai/v1",
        default_model: "deepseek-ai/deepseek-v4-flash",
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "wanjie-ark",
        name: "Wanjie Ark",
        env: &[
            "WANJIE_ARK_API_KEY",
            "WANJIE_API_KEY",
            "WANJIE_MAAS_API_KEY",
        ],
        prefix: "WANJIE_ARK",
        base_url: "https://maas-openapi.wanjiedata.com/api/v1",
        default_model: "deepseek-reasoner",
        echo_reasoning: true,
        ..PLAIN
    },
    Provider {
        id: "volcengine",
        name: "Volcengine Ark",
        env: &[
            "VOLCENGINE_API_KEY",
            "VOLCENGINE_ARK_API_KEY",
            "ARK_API_KEY",
        ],
        prefix: "VOLCENGINE",
        base_url: "https://ark.cn-beijing.volces.com/api/coding/v3",
        default_model: "DeepSeek-V4-Pro",
        echo_reasoning: true,
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "openrouter",
        name: "OpenRouter",
        env: &["OPENROUTER_API_KEY"],
        prefix: "OPENROUTER",
        base_url: "https://openrouter.ai/api/v1",
        default_model: "deepseek/deepseek-v4-pro",
        windows: OPENROUTER_WINDOWS,
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "orcarouter",
        name: "OrcaRouter",
        env: &["ORCAROUTER_API_KEY"],
        prefix: "ORCAROUTER",
        base_url: "https://api.orcarouter.ai/v1",
        default_model: "deepseek/deepseek-v4-pro",
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "xiaomi-mimo",
        aliases: &["mimo"],
        name: "Xiaomi MiMo",
        env: &[
            "XIAOMI_MIMO_TOKEN_PLAN_API_KEY",
            "MIMO_TOKEN_PLAN_API_KEY",
            "XIAOMI_MIMO_API_KEY",
            "XIAOMI_API_KEY",
            "MIMO_API_KEY",
        ],
        prefix: "XIAOMI_MIMO",
        base_url: "https://token-plan-sgp.xiaomimimo.com/v1",
        default_model: "mimo-v2.5-pro",
        echo_reasoning: true,
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "novita",
        name: "Novita",
        env: &["NOVITA_API_KEY"],
        prefix: "NOVITA",
        base_url: "https://api.novita.ai/openai/v1",
        default_model: "deepseek/deepseek-v4-pro",
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "fireworks",
        name: "Fireworks",
        env: &["FIREWORKS_API_KEY"],
        prefix: "FIREWORKS",
        base_url: "https://api.fireworks.ai/inference/v1",
        default_model: "accounts/fireworks/models/deepseek-v4-pro",
        ..PLAIN
    },
    Provider {
        id: "siliconflow",
        name: "SiliconFlow",
        env: &["SILICONFLOW_API_KEY"],
        prefix: "SILICONFLOW",
        base_url: "https://api.siliconflow.com/v1",
        default_model: "deepseek-ai/DeepSeek-V4-Pro",
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "arcee",
        name: "Arcee",
        env: &["ARCEE_API_KEY"],
        prefix: "ARCEE",
        base_url: "https://api.arcee.ai/api/v1",
        default_model: "trinity-large-thinking",
        ..PLAIN
    },
    Provider {
        id: "siliconflow-CN",
        name: "SiliconFlow (China)",
        env: &["SILICONFLOW_API_KEY"],
        prefix: "SILICONFLOW_CN",
        base_url: "https://api.siliconflow.cn/v1",
        default_model: "deepseek-ai/DeepSeek-V4-Pro",
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "moonshot",
        aliases: &["kimi"],
        name: "Moonshot",
        env: &["MOONSHOT_API_KEY", "KIMI_API_KEY"],
        prefix: "MOONSHOT",
        base_url: "https://api.moonshot.ai/v1",
        default_model: "kimi-k2.7-code",
        echo_reasoning: true,
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "sglang",
        name: "SGLang",
        env: &["SGLANG_API_KEY"],
        prefix: "SGLANG",
        base_url: "http://localhost:30000/v1",
        default_model: "deepseek-ai/DeepSeek-V4-Pro",
        key_optional: true,
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "vllm",
        name: "vLLM",
        env: &["VLLM_API_KEY"],
        prefix: "VLLM",
        base_url: "http://localhost:8000/v1",
        default_model: "deepseek-ai/DeepSeek-V4-Pro",
        key_optional: true,
        thinking: Thinking::Template("enable_thinking"),
        ..PLAIN
    },
    Provider {
        id: "ollama",
        name: "Ollama",
        env: &["OLLAMA_API_KEY"],
        prefix: "OLLAMA",
        base_url: "http://localhost:11434/v1",
        default_model: "deepseek-v4-flash",
        key_optional: true,
        thinking: Thinking::Flag,
        ..PLAIN
    },
    Provider {
        id: "ollama-cloud",
        name: "Ollama Cloud",
        env: &["OLLAMA_CLOUD_API_KEY", "OLLAMA_API_KEY"],
        prefix: "OLLAMA_CLOUD",
        base_url: "https://ollama.com/v1",
        default_model: "gpt-oss:120b",
        thinking: Thinking::EffortNone,
        ..PLAIN
    },
    Provider {
        id: "huggingface",
        aliases: &["hf"],
        name: "Hugging Face",
        env: &["HUGGINGFACE_API_KEY", "HF_TOKEN"],
        prefix: "HUGGINGFACE",
        base_url: "https://router.huggingface.co/v1",
        default_model: "deepseek-ai/DeepSeek-V4-Pro",
        ..PLAIN
    },
    Provider {
        id: "together",
        name: "Together",
        env: &["TOGETHER_API_KEY"],
        prefix: "TOGETHER",
        base_url: "https://api.together.xyz/v1",
        default_model: "deepseek-ai/DeepSeek-V4-Pro",
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "qianfan",
        name: "Baidu Qianfan",
        env: &["QIANFAN_API_KEY", "BAIDU_QIANFAN_API_KEY"],
        prefix: "QIANFAN",
        base_url: "https://api.baiduqianfan.ai/v1",
        default_model: "ernie-4.0-turbo-8k",
        ..PLAIN
    },
    Provider {
        id: "openai-codex",
        aliases: &["codex", "chatgpt"],
        name: "ChatGPT",
        env: &["OPENAI_CODEX_ACCESS_TOKEN", "CODEX_ACCESS_TOKEN"],
        prefix: "OPENAI_CODEX",
        base_url: "https://chatgpt.com/backend-api",
        default_model: "gpt-5.6",
        dialect: Dialect::Responses,
        seals_reasoning: true,
        thinking: Thinking::Effort,
        ..PLAIN
    },
    Provider {
        id: "anthropic",
        aliases: &["claude"],
        name: "Anthropic",
        env: &["ANTHROPIC_API_KEY"],
        prefix: "ANTHROPIC",
        base_url: "https://api.anthropic.com",
        default_model: "claude-sonnet-4-6",
        dialect: Dialect::Messages,
        windows: ANTHROPIC_WINDOWS,
        thinking: Thinking::Budget,
        ..PLAIN
    },
    Provider {
        id: "openmodel",
        name: "OpenModel",
        env: &["OPENMODEL_API_KEY"],
        prefix: "OPENMODEL",
        base_url: "https://api.openmodel.ai",
        default_model: "deepseek-v4-flash",
        dialect: Dialect::Messages,
        echo_reasoning: true,
        ..PLAIN
    },
    Provider {
        id: "zai",
        aliases: &["glm", "zhipu"],
        name: "Z.ai",
        env: &[
            "ZAI_API_KEY",
            "Z_AI_API_KEY",
            "ZHIPU_API_KEY",
            "GLM_API_KEY",
        ],
        prefix: "ZAI",
        base_url: "https://api.z.ai/api/coding/paas/v4",
        default_model: "GLM-5.3",
        echo_reasoning: true,
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "stepfun",
        name: "StepFun",
        env: &["STEPFUN_API_KEY", "STEP_API_KEY"],
        prefix: "STEPFUN",
        base_url: "https://api.stepfun.ai/v1",
        default_model: "step-3.7-flash",
        ..PLAIN
    },
    Provider {
        id: "minimax",
        name: "MiniMax",
        env: &["MINIMAX_API_KEY"],
        prefix: "MINIMAX",
        base_url: "https://api.minimax.io/v1",
        default_model: "MiniMax-M3",
        messages_base: Some("https://api.minimax.io/anthropic"),
        ..PLAIN
    },
    Provider {
        id: "deepinfra",
        name: "DeepInfra",
        env: &["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
        prefix: "DEEPINFRA",
        base_url: "https://api.deepinfra.com/v1/openai",
        default_model: "deepseek-ai/DeepSeek-V4-Pro",
        thinking: Thinking::Switch,
        ..PLAIN
    },
    Provider {
        id: "sakana",
        name: "Sakana",
        env: &["FUGU_API_KEY", "SAKANA_API_KEY"],
        prefix: "SAKANA",
        base_url: "https://api.sakana.ai/v1",
        default_model: "fugu",
        ..PLAIN
    },
    Provider {
        id: "longcat",
        name: "LongCat",
        env: &["LONGCAT_API_KEY"],
        prefix: "LONGCAT",
        base_url: "https://api.longcat.chat/openai/v1",
        default_model: "LongCat-2.0",
        ..PLAIN
    },
    Provider {
        id: "opencode-go",
        name: "OpenCode Go",
        env: &["OPENCODE_GO_API_KEY"],
        prefix: "OPENCODE_GO",
        base_url: "https://opencode.ai/zen/go/v1",
        default_model: "deepseek-v4-pro",
        echo_reasoning: true,
        ..PLAIN
    },
    Provider {
        id: "opencode-zen",
        aliases: &["zen", "opencode"],
        name: "OpenCode Zen",
        env: &["OPENCODE_ZEN_API_KEY", "OPENCODE_API_KEY"],
        prefix: "OPENCODE_ZEN",
        base_url: "https://opencode.ai/zen/v1",
        default_model: "gpt-5.6",
        by_model: &[("claude-", Dialect::Messages), ("gpt-", Dialect::Responses)],
        thinking: Thinking::Effort,
        ..PLAIN
    },
    Provider {
        id: "meta",
        name: "Meta",
        env: &["META_MODEL_API_KEY", "MODEL_API_KEY"],
        prefix: "META",
        base_url: "https://api.meta.ai/v1",
        default_model: "muse-spark-1.2",
        ..PLAIN
    },
    Provider {
        id: "xai",
        aliases: &["grok"],
        name: "xAI",
        env: &["XAI_API_KEY"],
        prefix: "XAI",
        base_url: "https://api.x.ai/v1",
        default_model: "grok-4.6",
        ..PLAIN
    },
    Provider {
        id: "mistral",
        name: "Mistral",
        env: &["MISTRAL_API_KEY"],
        prefix: "MISTRAL",
        base_url: "https://api.mistral.ai/v1",
        default_model: "mistral-code-latest",
        ..PLAIN
    },
    Provider {
        id: "telecomjs",
        name: "Telecom JS",
        env: &["TELECOMJS_API_KEY"],
        prefix: "TELECOMJS",
        base_url: "https://aigw.telecomjs.com/v1",
        default_model: "deepseek-v4-pro",
        echo_reasoning: true,
        ..PLAIN
    },
    Provider {
        id: "modelstudio-token-plan",
        aliases: &["modelstudio", "dashscope"],
        name: "Model Studio",
        env: &["MODELSTUDIO_API_KEY", "DASHSCOPE_API_KEY"],
        prefix: "MODELSTUDIO_TOKEN_PLAN",
        base_url: "https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1",
        default_model: "qwen3.8-max",
        ..PLAIN
    },
    Provider {
        id: "google",
        aliases: &["gemini"],
        name: "Google",
        env: &["GOOGLE_API_KEY", "GEMINI_API_KEY"],
        prefix: "GOOGLE",
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai/",
        default_model: "gemini-3.1-pro-preview",
        ..PLAIN
    },
    Provider {
        id: "edenai",
        name: "Eden AI",
        env: &["EDENAI_API_KEY"],
        prefix: "EDENAI",
        base_url: "https://api.edenai.run/v3",
        default_model: "deepseek/deepseek-v4-pro",
        ..PLAIN
    },
];

/// What a row does not say.
const PLAIN: Provider = Provider {
    id: "",
    aliases: &[],
    name: "",
    env: &[],
    prefix: "",
    base_url: "",
    messages_base: None,
    default_model: "",
    dialect: Dialect::Chat,
    by_model: &[],
    echo_reasoning: false,
    thinking: Thinking::Unspoken,
    seals_reasoning: false,
    key_optional: false,
    output_tokens_max: None,
    windows: &[],
};

const fn window(model: &'static str, tokens: u64) -> Window {
    Window { model, tokens }
}

const DEEPSEEK_WINDOWS: &[Window] = &[
    window("deepseek-v4-pro", 1_000_000),
    window("deepseek-v4-flash", 1_000_000),
    window("deepseek-reasoner", 1_000_000),
    window("deepseek-chat", 1_000_000),
];

const OPENROUTER_WINDOWS: &[Window] = &[
    window("deepseek/deepseek-v4-pro", 1_000_000),
    window("deepseek/deepseek-v4-flash", 1_000_000),
];

/// The least that every one of these models takes; a longer one is a setting.
const ANTHROPIC_WINDOWS: &[Window] = &[
    window("claude-sonnet-4-6", 200_000),
    window("claude-haiku-4-5", 200_000),
];
