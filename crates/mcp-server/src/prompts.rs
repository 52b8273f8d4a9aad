//! Prompts that people pick in their client.

use codewhale_client::Client;
use codewhale_protocol::ErrorBody;
use codewhale_protocol::operations::ThreadsGet;
use codewhale_protocol::runtime::{ThreadId, ThreadParams};
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::error::{invalid, refused};
use crate::resources::thread_text;

/// One prompt: its name, what it is for, its arguments.
struct Row {
    name: &'static str,
    title: &'static str,
    words: &'static str,
    arguments: &'static [Argument],
}

struct Argument {
    name: &'static str,
    words: &'static str,
    is_required: bool,
}

const THREAD: Argument = Argument {
    name: "thread_id",
    words: "The thread.",
    is_required: true,
};

const ROWS: &[Row] = &[
    Row {
        name: "review",
        title: "Review changes",
        words: "Reviews the changes in the workspace.",
        arguments: &[Argument {
            name: "target",
            words: "What to review: a path, a branch or a commit; the uncommitted changes when left out.",
            is_required: false,
        }],
    },
    Row {
        name: "explain_thread",
        title: "Explain a thread",
        words: "Tells what happened in a thread, and how it stands.",
        arguments: &[THREAD],
    },
    Row {
        name: "continue_thread",
        title: "Continue a thread",
        words: "Goes on with the work of a thread.",
        arguments: &[
            THREAD,
            Argument {
                name: "prompt",
                words: "What to do next; the open work when left out.",
                is_required: false,
            },
        ],
    },
];

/// The prompts on offer.
pub(crate) fn list() -> Vec<Prompt> {
    ROWS.iter().map(shown).collect()
}

fn shown(row: &Row) -> Prompt {
    let arguments = row.arguments.iter().map(|argument| {
        PromptArgument::new(argument.name)
            .with_description(argument.words)
            .with_required(argument.is_required)
    });
    Prompt::new(row.name, Some(row.words), Some(arguments.collect())).with_title(row.title)
}

/// A prompt with its arguments filled in.
pub(crate) async fn get(
    client: &Client,
    name: &str,
    given: &JsonObject,
) -> Result<GetPromptResult, ErrorData> {
    let unknown = || {
        invalid(format!(
            "there is no prompt {name:?}; prompts/list names them"
        ))
    };
    let row = ROWS
        .iter()
        .find(|row| row.name == name)
        .ok_or_else(unknown)?;
    for argument in row.arguments.iter().filter(|it| it.is_required) {
        text(given, argument.name).ok_or_else(|| {
            invalid(format!(
                "the prompt {name:?} needs the argument {:?}",
                argument.name
            ))
        })?;
    }
    let messages = match name {
        "review" => vec![said(review(text(given, "target")))],
        "explain_thread" => {
            let thread = text(given, "thread_id").unwrap_or_default();
            let told = told(client, thread).await.map_err(refused)?;
            vec![said(format!(
                "Explain what happened in the thread {thread}: what was asked, what was done, which files \
                 changed, and what is open.\n\n{told}"
            ))]
        }
        "continue_thread" => {
            let thread = text(given, "thread_id").unwrap_or_default();
            told(client, thread).await.map_err(refused)?;
            let next = text(given, "prompt").unwrap_or("Go on with what is open, and report.");
            vec![said(format!(
                "Call the tool codewhale-reply with thread_id {thread:?} and this prompt, then tell me what \
                 came of it:\n\n{next}"
            ))]
        }
        _ => return Err(unknown()),
    };
    Ok(GetPromptResult::new(messages).with_description(row.words))
}

fn review(target: Option<&str>) -> String {
    let what = match target {
        Some(target) => format!("Review {target} in the workspace"),
        None => "Review the uncommitted changes in the workspace".to_owned(),
    };
    format!(
        "{what}. Look for errors in logic, missing checks of input, races, leaked secrets, and tests that \
         cannot fail. Name file and line for each finding, the gravest first, and say what would mend it. \
         Change nothing."
    )
}

/// A thread in words, or that there is none.
async fn told(client: &Client, thread: &str) -> Result<String, ErrorBody> {
    let thread_id = ThreadId::from(thread);
    let detail = client
        .call::<ThreadsGet>(ThreadParams { thread_id })
        .await?;
    Ok(thread_text(&detail))
}

fn text<'a>(given: &'a JsonObject, name: &str) -> Option<&'a str> {
    let text = given.get(name).and_then(Value::as_str)?.trim();
    (!text.is_empty()).then_some(text)
}

fn said(text: String) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}
