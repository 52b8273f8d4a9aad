//! Requests about the program itself. A refusal is an answer here, not an error: `ok` is false, and
//! `data` says why.

use codewhale_protocol::operations::{
    ConfigGet, ConfigReload, ConfigSet, ProvidersList, ProvidersModels, ThreadsGet, UserInputAnswer,
};
use codewhale_protocol::runtime::{ConfigView, ThreadDetail};
use codewhale_protocol::{AppRequest, AppResponse, ErrorBody, ext};
use serde_json::{Value, json};

use super::desk::Desk;
use super::limits::THREADS;
use super::threads;

/// Frames that may come with an answer.
const EVENTS: [&str; 7] = [
    "response_start",
    "response_delta",
    "response_end",
    "tool_call_start",
    "tool_call_result",
    "mcp_startup_update",
    "mcp_startup_complete",
];

pub(super) async fn answer(desk: &Desk, request: ext::AppRequest) -> AppResponse {
    let request = match request {
        ext::AppRequest::Base(request) => request,
        ext::AppRequest::ConfigReload => return reload(desk).await,
        ext::AppRequest::SubmitUserInput(submission) => return submit(desk, submission).await,
    };
    match request {
        AppRequest::Capabilities => fine(json!({
            "routes": ["/thread", "/app", "/prompt", "/tool", "/jobs", "/mcp/startup"],
            "config": ["get", "set", "unset", "list", "reload"],
            "events": EVENTS,
            "transport": "stdio+http",
            "config_path": desk.options.config_path,
        })),
        AppRequest::ConfigGet { key } => match settings(desk).await {
            Ok(ConfigView(values)) => {
                let value = values.get(&key).and_then(as_text);
                fine(json!({ "key": key, "value": value }))
            }
            Err(error) => refused(json!({ "key": key, "value": null }), &error),
        },
        AppRequest::ConfigSet { key, value } => set(desk, key, value).await,
        AppRequest::ConfigUnset { key } => unset(desk, key).await,
        AppRequest::ConfigList => match settings(desk).await {
            Ok(ConfigView(values)) => {
                let set = values
                    .iter()
                    .filter_map(|(key, value)| Some((key, as_text(value)?)));
                let set: serde_json::Map<String, Value> =
                    set.map(|(key, text)| (key.clone(), text.into())).collect();
                fine(json!({ "values": set }))
            }
            Err(error) => refused(json!({}), &error),
        },
        AppRequest::Models => match models(desk).await {
            Ok(models) => fine(json!({ "models": models })),
            Err(error) => refused(json!({}), &error),
        },
        AppRequest::ThreadLoadedList => match threads::threads(desk, THREADS, false).await {
            Ok(threads) => fine(json!({ "threads": threads })),
            Err(fault) => AppResponse {
                ok: false,
                data: json!({ "error": fault.message }),
                events: Vec::new(),
            },
        },
    }
}

fn fine(data: Value) -> AppResponse {
    let events = Vec::new();
    AppResponse {
        ok: true,
        data,
        events,
    }
}

fn refused(mut data: Value, error: &ErrorBody) -> AppResponse {
    data["error"] = error.message.clone().into();
    data["code"] = json!(error.code);
    AppResponse {
        ok: false,
        data,
        events: Vec::new(),
    }
}

async fn settings(desk: &Desk) -> Result<ConfigView, ErrorBody> {
    desk.call::<ConfigGet>(json!({})).await
}

/// A value as a person would type it; nothing for what is not set.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Some(value.to_string())
        }
    }
}

/// Changes a setting for good. The value is told as the settings show it, so a secret is not.
async fn set(desk: &Desk, key: String, value: String) -> AppResponse {
    let params = json!({ "key": key, "value": value, "persist": true });
    match desk.call::<ConfigSet>(params).await {
        Ok(changed) => {
            let now = settings(desk).await.ok();
            let shown = now.and_then(|ConfigView(values)| as_text(values.get(&key)?));
            fine(json!({
                "key": key,
                "value": shown,
                "error": null,
                "message": changed.message,
                "requires_reload": changed.requires_reload,
            }))
        }
        Err(error) => refused(json!({ "key": key, "value": null }), &error),
    }
}

async fn unset(desk: &Desk, key: String) -> AppResponse {
    let params = json!({ "key": key, "value": null, "persist": true });
    match desk.call::<ConfigSet>(params).await {
        Ok(changed) => fine(json!({
            "key": key,
            "error": null,
            "message": changed.message,
            "requires_reload": changed.requires_reload,
        })),
        Err(error) => refused(json!({ "key": key }), &error),
    }
}

async fn reload(desk: &Desk) -> AppResponse {
    match desk.call::<ConfigReload>(json!({})).await {
        Ok(reloaded) => fine(json!({ "reloaded": true, "message": reloaded.message })),
        Err(error) => {
            let message = format!("failed to load config: {}", error.message);
            refused(json!({}), &ErrorBody { message, ..error })
        }
    }
}

/// The models that are known of the providers that are set up.
async fn models(desk: &Desk) -> Result<Vec<Value>, ErrorBody> {
    let providers = desk.call::<ProvidersList>(json!({})).await?;
    let mut all = Vec::new();
    for provider in providers.providers {
        let params = json!({ "provider_id": provider.id });
        let known = desk.call::<ProvidersModels>(params).await?;
        all.extend(known.models.into_iter().map(|model| {
            json!({
                "id": model.id,
                "provider": known.provider,
                "aliases": [],
                "supports_tools": model.supports_tools,
                "supports_reasoning": model.supports_reasoning,
            })
        }));
    }
    Ok(all)
}

/// Answers questions of the agent. The thread that asks is one of those this client waits for.
async fn submit(desk: &Desk, submission: ext::UserInputSubmission) -> AppResponse {
    let request = submission.request_id;
    let about = json!({ "request_id": request });
    let said = |message: &str| {
        let error = ErrorBody::new(codewhale_protocol::ErrorCode::Conflict, message);
        refused(about.clone(), &error)
    };
    if desk.was_answered(&request) {
        return said("request_id already resolved");
    }
    let Some(thread) = asking_thread(desk, &request).await else {
        return said("no question with this request_id waits");
    };
    let params = json!({
        "thread_id": thread,
        "input_id": request,
        "answers": submission.answers,
    });
    match desk.call::<UserInputAnswer>(params).await {
        Ok(_) => {
            desk.note_answered(&request);
            fine(json!({ "request_id": request, "resolved": true }))
        }
        Err(error) => refused(about, &error),
    }
}

async fn asking_thread(desk: &Desk, request: &str) -> Option<String> {
    for thread in desk.live.threads() {
        let params = json!({ "thread_id": thread });
        let detail: Result<ThreadDetail, _> = desk.call::<ThreadsGet>(params).await;
        let waits = |detail: ThreadDetail| {
            let mut pending = detail.pending_user_inputs.iter();
            pending.any(|pending| pending.id.as_str() == request)
        };
        if detail.is_ok_and(waits) {
            return Some(thread);
        }
    }
    None
}
