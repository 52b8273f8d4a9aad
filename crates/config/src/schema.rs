//! The keys of the configuration: one table, a line or two each.
//!
//! To add a key, add a line here and a field to [`Config`](crate::Config). A `*` in a path stands
//! for a name that the user chose. Everything in this table may also stand under
//! `[profiles.<name>]`.

use std::time::Duration;

use codewhale_protocol::Secret;

use crate::file::Value;
use crate::headers::Headers;
use crate::layers::Layers;
use crate::shape::{Mismatch, Shape};
use crate::{Error, Setting};

/// The table of profiles; it holds this whole schema once more per name.
pub(crate) const PROFILES: &str = "profiles";

/// The table of providers.
pub(crate) const PROVIDERS: &str = "providers";

/// The provider that `api_key` and `base_url` outside of any table belong to.
pub(crate) const ROOT_PROVIDER: &str = "deepseek";

/// Chosen as provider, it means: no provider at all, the built-in model serves.
pub const OFFLINE: &str = "offline";

/// The kind of providers that are only configured, where the table does not name one.
pub const CUSTOM_KIND: &str = "openai-compatible";

/// One key with its type.
pub(crate) struct Key<T> {
    /// Where it stands, and older places, the strongest first.
    pub(crate) paths: &'static [&'static str],
    /// Variables that set it, the strongest first.
    pub(crate) variables: &'static [&'static str],
    /// The value when nobody sets it.
    pub(crate) default: Option<T>,
    /// What to write, for people.
    pub(crate) expected: &'static str,
    accepts: fn(&T) -> bool,
}

impl<T: Shape> Key<T> {
    /// Reads a value of the file.
    pub(crate) fn read(&self, value: &Value) -> Result<Option<T>, Mismatch> {
        T::from_value(value).and_then(|value| self.accept(value))
    }

    /// Reads a variable or an option, which is trimmed and not blank.
    pub(crate) fn parse(&self, text: &str) -> Result<Option<T>, Mismatch> {
        T::from_text(text).and_then(|value| self.accept(value))
    }

    fn accept(&self, value: Option<T>) -> Result<Option<T>, Mismatch> {
        match value {
            Some(value) if !(self.accepts)(&value) => Err(Mismatch),
            value => Ok(value),
        }
    }
}

/// What counts for a key: nothing in it for a secret.
pub(crate) type Told = Setting<Option<Value>>;

/// One key without its type, for those who walk the table.
pub(crate) struct Row {
    pub(crate) paths: &'static [&'static str],
    pub(crate) variables: &'static [&'static str],
    pub(crate) expected: &'static str,
    /// Reads a value just to see whether it has the right shape, and which secrets it holds.
    pub(crate) check: fn(&Value) -> Result<Vec<Secret>, Mismatch>,
    /// Reads what a person typed, into what a file would hold; nothing for a secret.
    pub(crate) parse: fn(&str) -> Result<Option<Value>, Mismatch>,
    /// The value that counts, with this name in the place of a `*`; nothing in it for a secret.
    pub(crate) find: fn(&Layers<'_>, &str) -> Result<Option<Told>, Error>,
    /// Whether the values of this key are secrets.
    pub(crate) is_secret: bool,
}

macro_rules! keys {
    ($(
        #[doc = $meaning:literal]
        $name:ident: $type:ty = $path:literal $(| $older:literal)*
            $(, env [$($variable:literal),+])?
            $(, default $default:expr)?
            $(, only $expected:literal $accepts:expr)?;
    )*) => {
        $(
            #[doc = $meaning]
            pub(crate) static $name: Key<$type> = Key {
                paths: &[$path $(, $older)*],
                variables: &[$($($variable),+)?],
                default: first!($(Some($default),)? None),
                expected: first!($($expected,)? <$type as Shape>::EXPECTED),
                accepts: first!($($accepts,)? |_| true),
            };
        )*

        /// Every key, in the order of the table.
        pub(crate) static ROWS: &[Row] = &[$(
            Row {
                paths: &[$path $(, $older)*],
                variables: &[$($($variable),+)?],
                expected: first!($($expected,)? <$type as Shape>::EXPECTED),
                check: |value| Ok($name.read(value)?.map(Shape::into_secrets).unwrap_or_default()),
                parse: |text| Ok($name.parse(text)?.and_then(|value| value.show())),
                find: |layers, named| {
                    let found = layers.find_named(&$name, named)?;
                    Ok(found.map(|setting| setting.map(|value| value.show())))
                },
                is_secret: <$type as Shape>::IS_SECRET,
            },
        )*];
    };
}

macro_rules! first {
    ($first:expr $(, $rest:expr)?) => {
        $first
    };
}

keys! {
    #[doc = "The provider to use when none is asked for."]
    PROVIDER: String = "provider", env ["CODEWHALE_PROVIDER", "DEEPSEEK_PROVIDER"];
    #[doc = "The model of that provider; `auto` leaves the choice to it."]
    MODEL: String = "model" | "default_text_model",
        env ["CODEWHALE_MODEL", "DEEPSEEK_MODEL", "DEEPSEEK_DEFAULT_TEXT_MODEL"];
    #[doc = "The key of the root provider. As an option: of the provider in use."]
    API_KEY: Secret = "api_key";
    #[doc = "The address of the root provider. As an option and as `CODEWHALE_`: of the provider in use."]
    BASE_URL: String = "base_url", env ["CODEWHALE_BASE_URL", "DEEPSEEK_BASE_URL"],
        only "an address without a user name or password" |address| is_free_of_passwords(address);

    #[doc = "Headers that the root provider wants besides the usual ones."]
    HTTP_HEADERS: Headers = "http_headers";
    #[doc = "Who may answer when a provider cannot that names nobody itself."]
    FALLBACKS: Vec<String> = "fallbacks", default Vec::new(),
        only "a list of \"provider\" or \"provider/model\"" |names| are_fallbacks(names);
    #[doc = "How hard models are asked to think; `auto` leaves it to them."]
    REASONING_EFFORT: String = "reasoning_effort",
        only "off, low, medium, high, max, xhigh, ultracode or auto"
        |effort| EFFORTS.contains(&effort.as_str());
    #[doc = "What a model costs, in dollars per million tokens sent."]
    PRICE_INPUT: f64 = "pricing.*.input", only "a price from 0 to 1000000" is_price;
    #[doc = "The same for tokens that the provider had cached."]
    PRICE_CACHED: f64 = "pricing.*.cached", only "a price from 0 to 1000000" is_price;
    #[doc = "The same for tokens received."]
    PRICE_OUTPUT: f64 = "pricing.*.output", only "a price from 0 to 1000000" is_price;

    #[doc = "What a provider is: a known id, or `openai-compatible`."]
    PROVIDER_KIND: String = "providers.*.kind";
    #[doc = "Its key."]
    PROVIDER_API_KEY: Secret = "providers.*.api_key";
    #[doc = "The variable that holds its key."]
    PROVIDER_API_KEY_ENV: String = "providers.*.api_key_env";
    #[doc = "Its address."]
    PROVIDER_BASE_URL: String = "providers.*.base_url",
        only "an address without a user name or password" |address| is_free_of_passwords(address);
    #[doc = "The model to use when none is asked for."]
    PROVIDER_MODEL: String = "providers.*.model";
    #[doc = "How it is spoken to: openai, anthropic or responses; by what is known of it when left out."]
    PROVIDER_WIRE: String = "providers.*.wire",
        only "openai, anthropic or responses" |wire| WIRES.contains(&wire.as_str());
    #[doc = "Headers it wants besides the usual ones."]
    PROVIDER_HTTP_HEADERS: Headers = "providers.*.http_headers";
    #[doc = "Who may answer when it cannot, the first choice first."]
    PROVIDER_FALLBACKS: Vec<String> = "providers.*.fallbacks",
        only "a list of \"provider\" or \"provider/model\"" |names| are_fallbacks(names);
    #[doc = "How many tokens its models take at once."]
    PROVIDER_CONTEXT_WINDOW: u64 = "providers.*.context_window",
        only "a number of tokens above 0" |tokens| *tokens > 0;
    #[doc = "What its models take besides text: image, audio, both or nothing; by their names when left out."]
    PROVIDER_INPUT: Vec<String> = "providers.*.input",
        only "a list of image and audio" |kinds| kinds.iter().all(|kind| INPUTS.contains(&kind.as_str()));
    #[doc = "How many tokens an answer of its models may have."]
    PROVIDER_MAX_OUTPUT_TOKENS: u32 = "providers.*.max_output_tokens",
        only "a number of tokens above 0" |tokens| *tokens > 0;

    #[doc = "Whether threads get a shell when nobody says."]
    ALLOW_SHELL: bool = "allow_shell", env ["CODEWHALE_ALLOW_SHELL", "DEEPSEEK_ALLOW_SHELL"],
        default false;
    #[doc = "The widest walls that commands get: a thread can only have narrower ones."]
    SANDBOX_MODE: String = "sandbox_mode", env ["CODEWHALE_SANDBOX_MODE", "DEEPSEEK_SANDBOX_MODE"],
        only "read-only, workspace-write or danger-full-access"
        |mode| SANDBOX_MODES.contains(&mode.as_str());
    #[doc = "When a person is asked: on-request, untrusted or never."]
    APPROVAL_POLICY: String = "approval_policy",
        env ["CODEWHALE_APPROVAL_POLICY", "DEEPSEEK_APPROVAL_POLICY"],
        only "on-request, untrusted, on-failure or never"
        |policy| APPROVAL_POLICIES.contains(&policy.as_str());
    #[doc = "What becomes of hosts that no list names: allow, prompt or deny."]
    NETWORK_DEFAULT: String = "network.default";
    #[doc = "Hosts that are spoken to without asking."]
    NETWORK_ALLOW: Vec<String> = "network.allow", default Vec::new();
    #[doc = "Hosts that are never spoken to."]
    NETWORK_DENY: Vec<String> = "network.deny", default Vec::new();
    #[doc = "Whether agents remember things for later threads."]
    MEMORY: bool = "memory.enabled", env ["CODEWHALE_MEMORY", "DEEPSEEK_MEMORY"], default false;
    #[doc = "One more directory of skills."]
    SKILLS_DIR: String = "skills_dir", env ["CODEWHALE_SKILLS_DIR", "DEEPSEEK_SKILLS_DIR"];
    #[doc = "The port that answers to logins at MCP servers come back to; any free one when left out."]
    MCP_OAUTH_CALLBACK_PORT: u16 = "mcp_oauth_callback_port",
        only "a port from 1 to 65535" |port| *port > 0;
    #[doc = "The address that leads to this port, where it is not the port itself."]
    MCP_OAUTH_CALLBACK_URL: String = "mcp_oauth_callback_url",
        only "an http:// or https:// address without a user name or password"
        |address| address.starts_with("http") && is_free_of_passwords(address);
    #[doc = "The tools that this program offers as an MCP server; the usual ones when left out."]
    MCP_SERVER_TOOLS: Vec<String> = "mcp_server.expose_tools";
    #[doc = "Whether a person is asked before every call there that does more than look."]
    MCP_SERVER_APPROVAL: bool = "mcp_server.require_approval";
    #[doc = "Whether keys and conversations may travel unencrypted to other machines."]
    ALLOW_INSECURE_HTTP: bool = "allow_insecure_http",
        env ["CODEWHALE_ALLOW_INSECURE_HTTP", "DEEPSEEK_ALLOW_INSECURE_HTTP"], default false;
    #[doc = "What is logged: a level, or directives by module."]
    LOG_LEVEL: String = "log_level",
        env ["CODEWHALE_LOG_LEVEL", "DEEPSEEK_LOG_LEVEL", "RUST_LOG"];

    #[doc = "The token that requests to the Runtime API must carry."]
    AUTH_TOKEN: Secret = "runtime_api.auth_token" | "auth_token",
        env ["CODEWHALE_RUNTIME_TOKEN", "DEEPSEEK_RUNTIME_TOKEN"];
    #[doc = "Web pages that may call the Runtime API, besides the built-in ones."]
    CORS_ORIGINS: Vec<String> = "runtime_api.cors_origins",
        env ["CODEWHALE_CORS_ORIGINS", "DEEPSEEK_CORS_ORIGINS"], default Vec::new();
    #[doc = "Names under which the Runtime API is reached, besides its own addresses."]
    ALLOWED_HOSTS: Vec<String> = "runtime_api.allowed_hosts", default Vec::new();

    #[doc = "Whether failed model calls are tried again."]
    RETRY_ENABLED: bool = "retry.enabled", default true;
    #[doc = "How often."]
    RETRY_MAX: u32 = "retry.max_retries", default 3,
        only "a whole number up to 100" |count| *count <= 100;
    #[doc = "The wait before the first retry."]
    RETRY_INITIAL_DELAY: Duration = "retry.initial_delay", default Duration::from_secs(1);
    #[doc = "The longest wait before a retry."]
    RETRY_MAX_DELAY: Duration = "retry.max_delay", default Duration::from_secs(60);
    #[doc = "By what each wait is longer than the one before."]
    RETRY_BASE: f64 = "retry.exponential_base", default 2.0,
        only "a number from 1 to 100" |base| (1.0..=100.0).contains(base);

    #[doc = "How long a model may be silent in the middle of an answer."]
    STREAM_IDLE: Duration = "stream.idle_timeout_secs",
        env ["CODEWHALE_STREAM_IDLE_TIMEOUT_SECS", "DEEPSEEK_STREAM_IDLE_TIMEOUT_SECS"],
        default Duration::from_secs(900), only "a number of seconds above 0" is_positive;
    #[doc = "How long a provider may take to begin an answer."]
    STREAM_OPEN: Duration = "stream.open_timeout_secs",
        env ["CODEWHALE_STREAM_OPEN_TIMEOUT_SECS", "DEEPSEEK_STREAM_OPEN_TIMEOUT_SECS"],
        default Duration::from_secs(45), only "a number of seconds above 0" is_positive;

    #[doc = "Whether deltas that pile up behind a commit become one event."]
    MERGE_DELTAS: bool = "store.merge_deltas", env ["CODEWHALE_MERGE_DELTAS"], default true;
    #[doc = "How many sub-agents of a thread may be at work at once."]
    SUBAGENTS_MAX: u64 = "subagents.max_concurrent" | "max_subagents",
        env ["CODEWHALE_MAX_SUBAGENTS", "DEEPSEEK_MAX_SUBAGENTS"], default 64,
        only "a whole number from 1 to 128" |count| (1..=128).contains(count);
    #[doc = "How many sub-agents a thread may ever have."]
    SUBAGENTS_ADMITTED: u64 = "subagents.max_admitted", default 1024,
        only "a whole number from 1 to 65536" |count| (1..=65536).contains(count);
    #[doc = "How far sub-agents may be below a thread; 0 for none."]
    SUBAGENTS_DEPTH: u64 = "subagents.max_depth", default 3,
        only "a whole number up to 16" |depth| *depth <= 16;
    #[doc = "How many tokens the sub-agents of a thread may cost together."]
    SUBAGENTS_BUDGET: u64 = "subagents.token_budget",
        only "a number of tokens above 0" |tokens| *tokens > 0;
    #[doc = "Turns towards a goal that follow each other by themselves; 0 for as many as is wise."]
    GOAL_CONTINUATIONS: u64 = "goal.max_continuations", default 0;
    #[doc = "How long each of them waits."]
    GOAL_DELAY: Duration = "goal.continuation_delay_seconds", default Duration::ZERO,
        only "a number of seconds up to 86400" |delay| delay.as_secs() <= 86_400;
    #[doc = "Whether files are kept before agents change them, so that it can be undone."]
    SNAPSHOTS_ENABLED: bool = "snapshots.enabled", default true;
    #[doc = "For how many days."]
    SNAPSHOTS_MAX_AGE_DAYS: u64 = "snapshots.max_age_days", default 7,
        only "a number of days from 1 to 365" |days| (1..=365).contains(days);
    #[doc = "How much a workspace may hold to be kept, in gigabytes."]
    SNAPSHOTS_MAX_WORKSPACE_GB: f64 = "snapshots.max_workspace_gb", default 2.0,
        only "a number above 0, up to 1000" |size| *size > 0.0 && *size <= 1000.0;
    #[doc = "How long a question to a person stays open."]
    APPROVALS_TIMEOUT: Duration = "approvals.timeout_secs", default Duration::from_secs(300),
        only "a number of seconds above 0" is_positive;
}

/// The dialects there are.
const WIRES: &[&str] = &["openai", "anthropic", "responses"];

/// What a model may take besides text.
const INPUTS: [&str; 2] = ["image", "audio"];

/// How hard a model can be asked to think.
const EFFORTS: &[&str] = &[
    "off",
    "low",
    "medium",
    "high",
    "max",
    "xhigh",
    "ultracode",
    "auto",
];

/// The table of prices.
pub(crate) const PRICING: &str = "pricing";

/// The walls there are, the narrowest first.
const SANDBOX_MODES: &[&str] = &["read-only", "workspace-write", "danger-full-access"];

/// When a person can be asked.
const APPROVAL_POLICIES: &[&str] = &["on-request", "untrusted", "on-failure", "never"];

/// A name, or a name and a model behind a slash.
fn are_fallbacks(names: &[String]) -> bool {
    let is_whole = |name: &String| !name.split('/').any(|part| part.trim().is_empty());
    names.iter().all(is_whole)
}

fn is_price(dollars: &f64) -> bool {
    (0.0..=1e6).contains(dollars)
}

fn is_positive(duration: &Duration) -> bool {
    !duration.is_zero()
}

/// An address with a password in it would end up in logs and messages.
fn is_free_of_passwords(address: &str) -> bool {
    let behind_scheme = address.split_once("//").map_or(address, |(_, rest)| rest);
    let authority = behind_scheme.split(['/', '?', '#']).next();
    !authority.unwrap_or_default().contains('@')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_path_and_no_variable_stands_for_two_keys() {
        let mut seen = BTreeSet::new();
        for row in ROWS {
            for name in row.paths.iter().chain(row.variables) {
                assert!(seen.insert(name), "{name} twice");
            }
        }
    }

    #[test]
    fn our_own_variable_is_stronger_than_the_old_one() {
        for row in ROWS {
            let twins = row.variables.get(..2).unwrap_or_default();
            if let [strong, weak] = twins {
                assert_eq!(
                    strong.strip_prefix("CODEWHALE_"),
                    weak.strip_prefix("DEEPSEEK_"),
                    "{strong}"
                );
            }
        }
    }

    #[test]
    fn passwords_in_addresses_are_seen() {
        for good in [
            "https://x.dev/v1",
            "x.dev",
            "http://[::1]:1/@a",
            "https://x.dev?q=a@b",
        ] {
            assert!(is_free_of_passwords(good), "{good}");
        }
        for bad in ["https://me:pw@x.dev", "//me@x.dev/", "me:pw@x.dev"] {
            assert!(!is_free_of_passwords(bad), "{bad}");
        }
    }
}
