//! Commands that a prompt may begin with. Only those that are served are offered; anything else that
//! begins with a slash is said to the agent.

use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::{
    GoalsClear, GoalsGet, GoalsSet, ThreadsCompact, ThreadsRetry, ThreadsUndo,
};
use codewhale_protocol::runtime::{
    GoalsSetParams, PatchResult, ThreadParams, ThreadRecord, ThreadsCompactParams,
    ThreadsRetryParams, ThreadsUndoParams, TurnId,
};

use crate::error::RpcError;
use crate::session::Session;
use crate::wire::{Command, CommandInput, Update};

/// What a command has led to.
pub(crate) enum Done {
    /// A turn runs.
    Turn(TurnId),
    /// A turn runs that shortens the conversation, and nothing else.
    Shortening(TurnId),
    /// Everything there is to say was said.
    Said,
    /// It was none.
    NoCommand,
}

/// The commands there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Name {
    Compact,
    Goal,
    Undo,
    Retry,
}

const COMMANDS: &[(Name, &str, &str, Option<&str>)] = &[
    (
        Name::Compact,
        "compact",
        "Shorten the conversation to a summary",
        None,
    ),
    (
        Name::Goal,
        "goal",
        "Show the goal of this session, or give it one that the agent works towards by itself",
        Some("what should be true in the end, or: clear"),
    ),
    (
        Name::Undo,
        "undo",
        "Take the last prompt back, with the changes of files it led to",
        None,
    ),
    (
        Name::Retry,
        "retry",
        "Undo the last prompt and ask again",
        Some("what to ask instead"),
    ),
];

/// The commands as they are offered.
pub(crate) fn offered() -> Update {
    let command = |(_, name, description, hint): &(
        Name,
        &'static str,
        &'static str,
        Option<&'static str>,
    )| Command {
        name,
        description,
        input: hint.map(|hint| CommandInput { hint }),
    };
    Update::AvailableCommandsUpdate {
        available_commands: COMMANDS.iter().map(command).collect(),
    }
}

/// Does what a prompt commands, if it does.
pub(crate) async fn run(session: &Session, parts: &[String]) -> Result<Done, RpcError> {
    let [text] = parts else {
        return Ok(Done::NoCommand);
    };
    let Some((name, rest)) = read(text) else {
        return Ok(Done::NoCommand);
    };
    match name {
        Name::Compact => compact(session, rest).await,
        Name::Goal => goal(session, rest).await,
        Name::Undo => undo(session).await,
        Name::Retry => retry(session, rest).await,
    }
}

fn read(text: &str) -> Option<(Name, &str)> {
    let text = text.trim().strip_prefix('/')?;
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let mut commands = COMMANDS.iter();
    let (name, ..) = commands.find(|(_, name, ..)| *name == word)?;
    Some((*name, rest.trim()))
}

async fn compact(session: &Session, reason: &str) -> Result<Done, RpcError> {
    let params = ThreadsCompactParams {
        thread_id: session.thread(),
        reason: some(reason),
    };
    let started = session.link.client.call::<ThreadsCompact>(params).await?;
    Ok(Done::Shortening(started.turn.id))
}

async fn goal(session: &Session, rest: &str) -> Result<Done, RpcError> {
    let client = &session.link.client;
    let thread_id = session.thread();
    let said = match rest {
        "" => match client.call::<GoalsGet>(ThreadParams { thread_id }).await {
            Ok(goal) => format!("The goal is: {}", goal.objective),
            Err(error) if error.code == ErrorCode::NotFound => {
                "There is no goal. Give one with `/goal <what should be true in the end>`."
                    .to_owned()
            }
            Err(error) => return Err(error.into()),
        },
        "clear" => {
            client
                .call::<GoalsClear>(ThreadParams { thread_id })
                .await?;
            "There is no goal any more.".to_owned()
        }
        objective => {
            let params = GoalsSetParams {
                thread_id,
                objective: objective.to_owned(),
                token_budget: None,
            };
            let set = client.call::<GoalsSet>(params).await?;
            format!(
                "The goal is: {}. The agent goes on by itself until it is reached; `/goal clear` ends that.",
                set.goal.objective
            )
        }
    };
    session.say("command", said).await;
    Ok(Done::Said)
}

async fn undo(session: &Session) -> Result<Done, RpcError> {
    let params = ThreadsUndoParams {
        thread_id: session.thread(),
        depth: 0,
        force: false,
    };
    let undone = session.link.client.call::<ThreadsUndo>(params).await?;
    let files = files(&undone.patch_result);
    let said = format!(
        "Taken back. {files} This session goes on without it, and is kept as {}; {} stays as it was.",
        undone.thread.id, session.id
    );
    move_to(session, undone.thread).await?;
    session.say("command", said).await;
    Ok(Done::Said)
}

async fn retry(session: &Session, prompt: &str) -> Result<Done, RpcError> {
    let params = ThreadsRetryParams {
        thread_id: session.thread(),
        depth: 0,
        prompt: some(prompt),
        force: false,
        dynamic_tools: None,
    };
    let retried = session.link.client.call::<ThreadsRetry>(params).await?;
    let files = files(&retried.patch_result);
    let said = format!(
        "Taken back, and asked again. {files} This session is kept as {} from here on; {} stays as it was.\n\n",
        retried.thread.id, session.id
    );
    session.say("command", said).await;
    move_to(session, retried.thread).await?;
    Ok(Done::Turn(retried.turn.id))
}

/// The session goes on in a copy, with what the editor lends.
async fn move_to(session: &Session, thread: ThreadRecord) -> Result<(), RpcError> {
    session.take_back().await;
    session.move_to(thread);
    session.lend().await
}

fn files(result: &PatchResult) -> String {
    let summary = result.summary.clone();
    summary.unwrap_or_else(|| match result.files_restored {
        true => format!("{} files went back.", result.files.len()),
        false => "No files went back.".to_owned(),
    })
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_known_word_behind_a_slash() {
        assert_eq!(read("/compact"), Some((Name::Compact, "")));
        assert_eq!(
            read(" /goal  all tests pass "),
            Some((Name::Goal, "all tests pass"))
        );
        assert_eq!(read("/compactor"), None);
        assert_eq!(read("/etc/hosts is broken"), None);
        assert_eq!(read("undo"), None);
    }
}
