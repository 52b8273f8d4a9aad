//! The methods there are. Names, order and aliases of the first ones are a contract with programs that
//! others wrote; what came later is told beside them, never among them.

use codewhale_protocol::operations::Op;
use serde::Serialize;
use serde_json::{Value, json};

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Healthz,
    Capabilities,
    ThreadCapabilities,
    Thread(ThreadMethod),
    /// The same with the kind of request in its parameters.
    ThreadRequest,
    Interrupt,
    Approve,
    Steer,
    Answer,
    App(AppMethod),
    AppRequest,
    PromptCapabilities,
    Prompt,
    Shutdown,
    /// A line of the table of operations.
    Operation(Op),
}

/// What is asked about threads. Each is a kind of [`codewhale_protocol::ThreadRequest`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThreadMethod {
    Create,
    Start,
    Resume,
    Fork,
    List,
    Read,
    SetName,
    GoalSet,
    GoalGet,
    GoalClear,
    Archive,
    Unarchive,
    Message,
}

/// What is asked about the program. Each is a kind of [`codewhale_protocol::AppRequest`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AppMethod {
    Capabilities,
    ConfigGet,
    ConfigSet,
    ConfigUnset,
    ConfigList,
    ConfigReload,
    Models,
    ThreadLoadedList,
}

/// The names that clients count on, in the order they know.
pub(super) const PINNED: [&str; 30] = [
    "healthz",
    "thread/capabilities",
    "thread/request",
    "thread/create",
    "thread/start",
    "thread/resume",
    "thread/fork",
    "thread/list",
    "thread/read",
    "thread/set_name",
    "thread/goal/set",
    "thread/goal/get",
    "thread/goal/clear",
    "thread/archive",
    "thread/unarchive",
    "thread/message",
    "thread/interrupt",
    "app/capabilities",
    "app/request",
    "app/config/get",
    "app/config/set",
    "app/config/unset",
    "app/config/list",
    "app/config/reload",
    "app/models",
    "app/thread_loaded_list",
    "prompt/capabilities",
    "prompt/request",
    "prompt/run",
    "shutdown",
];

/// Names that came later.
pub(super) const LATER: [&str; 3] = ["thread/approve", "thread/steer", "thread/answer"];

impl Method {
    /// Finds a method by its name, in any of its spellings.
    pub(super) fn named(name: &str) -> Option<Method> {
        Some(match name {
            "healthz" | "app/healthz" => Method::Healthz,
            "capabilities" => Method::Capabilities,
            "thread/capabilities" => Method::ThreadCapabilities,
            "thread/request" => Method::ThreadRequest,
            "thread/interrupt" => Method::Interrupt,
            "thread/approve" => Method::Approve,
            "thread/steer" => Method::Steer,
            "thread/answer" => Method::Answer,
            "app/request" => Method::AppRequest,
            "prompt/capabilities" => Method::PromptCapabilities,
            "prompt/request" | "prompt/run" => Method::Prompt,
            "shutdown" => Method::Shutdown,
            name => {
                let thread = ThreadMethod::named(name).map(Method::Thread);
                let app = || AppMethod::named(name).map(Method::App);
                let operation = || Op::from_name(name).map(Method::Operation);
                return thread.or_else(app).or_else(operation);
            }
        })
    }
}

impl ThreadMethod {
    fn named(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("thread/")? {
            "create" => Self::Create,
            "start" => Self::Start,
            "resume" => Self::Resume,
            "fork" => Self::Fork,
            "list" => Self::List,
            "read" => Self::Read,
            "set_name" | "set-name" => Self::SetName,
            "goal/set" | "goal_set" | "goal-set" => Self::GoalSet,
            "goal/get" | "goal_get" | "goal-get" => Self::GoalGet,
            "goal/clear" | "goal_clear" | "goal-clear" => Self::GoalClear,
            "archive" => Self::Archive,
            "unarchive" => Self::Unarchive,
            "message" => Self::Message,
            _ => return None,
        })
    }

    /// The word that a request of this kind has in its `kind`.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Start => "start",
            Self::Resume => "resume",
            Self::Fork => "fork",
            Self::List => "list",
            Self::Read => "read",
            Self::SetName => "set_name",
            Self::GoalSet => "goal_set",
            Self::GoalGet => "goal_get",
            Self::GoalClear => "goal_clear",
            Self::Archive => "archive",
            Self::Unarchive => "unarchive",
            Self::Message => "message",
        }
    }
}

impl AppMethod {
    fn named(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("app/")? {
            "capabilities" => Self::Capabilities,
            "config/get" => Self::ConfigGet,
            "config/set" => Self::ConfigSet,
            "config/unset" => Self::ConfigUnset,
            "config/list" => Self::ConfigList,
            "config/reload" => Self::ConfigReload,
            "models" => Self::Models,
            "thread_loaded_list" | "thread-loaded-list" => Self::ThreadLoadedList,
            _ => return None,
        })
    }

    /// The word that a request of this kind has in its `kind`.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Capabilities => "capabilities",
            Self::ConfigGet => "config_get",
            Self::ConfigSet => "config_set",
            Self::ConfigUnset => "config_unset",
            Self::ConfigList => "config_list",
            Self::ConfigReload => "config_reload",
            Self::Models => "models",
            Self::ThreadLoadedList => "thread_loaded_list",
        }
    }
}

/// Everything this door can do, by name.
#[derive(Serialize)]
pub(super) struct Capabilities {
    transport: &'static str,
    families: [&'static str; 3],
    methods: [&'static str; 30],
    extensions: [&'static str; 3],
    operations: Vec<&'static str>,
}

pub(super) fn capabilities() -> Capabilities {
    Capabilities {
        transport: "stdio",
        families: ["thread/*", "app/*", "prompt/*"],
        methods: PINNED,
        extensions: LATER,
        operations: Op::ALL.iter().map(|op| op.row().name).collect(),
    }
}

/// The methods of threads, from `thread/request` to `thread/interrupt`.
pub(super) fn thread_capabilities() -> Value {
    json!({ "methods": &PINNED[2..17], "extensions": LATER })
}

pub(super) fn prompt_capabilities() -> Value {
    json!({ "methods": ["prompt/request", "prompt/run"] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_name_what_there_is_and_no_name_means_two_things() {
        for name in PINNED.iter().chain(&LATER) {
            assert!(Method::named(name).is_some(), "{name}");
            assert_eq!(Op::from_name(name), None, "{name}");
        }
        for op in Op::ALL {
            let named = Method::named(op.row().name);
            assert_eq!(named, Some(Method::Operation(*op)));
        }
        assert_eq!(Method::named("thread/nonsense"), None);
        assert_eq!(Method::named("Healthz"), None);
    }

    #[test]
    fn capabilities_of_threads_are_the_fifteen_between_request_and_interrupt() {
        let told = thread_capabilities();
        let methods = told["methods"].as_array().unwrap();
        assert_eq!(methods.len(), 15);
        assert_eq!(methods.first().unwrap(), "thread/request");
        assert_eq!(methods.last().unwrap(), "thread/interrupt");
    }
}
