//! `codewhale sessions` and `codewhale thread`: what was done before. They ask the runtime, without a
//! server: several programs can share a home.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::Subcommand;
use codewhale_config::{Config, Environment};
use codewhale_protocol::operations::{
    Operation, SessionsList, ThreadsGet, ThreadsPatch, ThreadsSummary,
};
use codewhale_protocol::runtime::{SessionMetadata, ThreadRecord};
use codewhale_protocol::{Call, Redactor, Service, Surface};
use codewhale_runtime::Runtime;
use serde_json::{Value, json};

use crate::args::Global;
use crate::compose;

/// Which sessions to list.
#[derive(clap::Args)]
pub(crate) struct Sessions {
    /// How many.
    #[arg(short, long, default_value_t = 20, value_name = "N")]
    limit: u64,
    /// Text that must occur in title, id or workspace.
    #[arg(short, long, value_name = "TEXT")]
    search: Option<String>,
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Thread {
    /// List threads, the last changed first.
    List {
        /// Archived ones too.
        #[arg(long)]
        all: bool,
        /// How many.
        #[arg(long, default_value_t = 50, value_name = "N")]
        limit: u64,
        /// Print JSON, for programs.
        #[arg(long)]
        json: bool,
    },
    /// Print what is known of a thread, as JSON.
    Read {
        /// The thread.
        id: String,
    },
    /// Leave a thread out of lists.
    Archive {
        /// The thread.
        id: String,
    },
    /// Show an archived thread in lists again.
    Unarchive {
        /// The thread.
        id: String,
    },
    /// Give a thread a title.
    SetName {
        /// The thread.
        id: String,
        /// The title.
        name: String,
    },
    /// Take the title of a thread away.
    ClearName {
        /// The thread.
        id: String,
    },
}

pub(crate) fn sessions(global: &Global, command: Sessions) -> anyhow::Result<ExitCode> {
    with_runtime(global, async |runtime| {
        let params = json!({ "limit": command.limit, "search": command.search });
        let list = match runtime {
            Some(runtime) => ask::<SessionsList>(runtime, params).await?.sessions,
            None => Vec::new(),
        };
        match (command.json, list.as_slice()) {
            (true, list) => println!("{:#}", json!({ "sessions": list })),
            (false, []) => println!("no sessions"),
            (false, list) => list.iter().for_each(|it| println!("{}", session_line(it))),
        }
        Ok(())
    })
}

fn session_line(it: &SessionMetadata) -> String {
    let when = it.updated_at.to_string();
    let (id, title, count) = (&it.id, &it.title, it.message_count);
    format!(
        "{id}  {when}  {title}  ({count} messages, {})",
        it.workspace
    )
}

pub(crate) fn thread(global: &Global, command: Thread) -> anyhow::Result<ExitCode> {
    with_runtime(global, async |runtime| {
        let runtime = match (runtime, &command) {
            (Some(runtime), _) => runtime,
            (None, Thread::List { json: true, .. }) => {
                println!("[]");
                return Ok(());
            }
            (None, Thread::List { .. }) => {
                println!("no threads");
                return Ok(());
            }
            (None, _) => return Err(anyhow!("there are no threads yet")),
        };
        match command {
            Thread::List { all, limit, json } => list(runtime, all, limit, json).await,
            Thread::Read { id } => {
                let detail = ask::<ThreadsGet>(runtime, json!({ "thread_id": id })).await?;
                println!("{}", serde_json::to_string_pretty(&detail.thread)?);
                Ok(())
            }
            Thread::Archive { id } => {
                patch(runtime, &id, json!({ "archived": true }), "archived").await
            }
            Thread::Unarchive { id } => {
                patch(runtime, &id, json!({ "archived": false }), "unarchived").await
            }
            Thread::SetName { id, name } => {
                patch(runtime, &id, json!({ "title": name }), "renamed").await
            }
            Thread::ClearName { id } => {
                patch(runtime, &id, json!({ "title": "" }), "cleared the name of").await
            }
        }
    })
}

async fn list(runtime: &Runtime, all: bool, limit: u64, as_json: bool) -> anyhow::Result<()> {
    use codewhale_protocol::operations::ThreadsList;
    let params = json!({ "limit": limit, "include_archived": all });
    let threads = ask::<ThreadsList>(runtime, params.clone()).await?;
    if as_json {
        println!("{}", serde_json::to_string_pretty(&threads)?);
        return Ok(());
    }
    if threads.is_empty() {
        println!("no threads");
        return Ok(());
    }
    let titles = ask::<ThreadsSummary>(runtime, params).await?;
    for ThreadRecord {
        id,
        model_provider,
        model_provider_id,
        workspace,
        ..
    } in threads
    {
        let title = titles.iter().find(|it| it.id == id);
        let title = title.map_or("(unnamed)", |it| it.title.as_str());
        let provider = model_provider_id.or(model_provider).unwrap_or_default();
        println!("{id} | {title} | {provider} | {workspace}");
    }
    Ok(())
}

async fn patch(runtime: &Runtime, id: &str, mut change: Value, did: &str) -> anyhow::Result<()> {
    change["thread_id"] = json!(id);
    ask::<ThreadsPatch>(runtime, change).await?;
    println!("{did} {id}");
    Ok(())
}

async fn ask<O: Operation>(runtime: &Runtime, params: Value) -> anyhow::Result<O::Output> {
    let caller = runtime.operator(Surface::Cli);
    let call = Call::new(O::OP, params);
    let answer = runtime.call(&caller, call).await;
    let answer = answer.map_err(|error| anyhow!("{}", error.message))?;
    serde_json::from_str(answer.json.get()).context("the answer does not read")
}

/// Does something with the runtime of the home. Where there is no store yet, none is made.
fn with_runtime(
    global: &Global,
    work: impl AsyncFnOnce(Option<&Runtime>) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &global.plain_flags(), &known)?;
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    if !config.home.value.join("runtime.db").is_file() {
        tokio.block_on(work(None))?;
        return Ok(ExitCode::SUCCESS);
    }
    let workspace = match &global.workspace {
        Some(workspace) => workspace.clone(),
        None => std::env::current_dir().context("the current directory cannot be read")?,
    };
    let redactor = Arc::new(Redactor::new(config.secrets()));
    let store = compose::store(&config, redactor)?;
    tokio.block_on(async {
        // Nothing is started that a list does not need.
        let runtime =
            compose::runtime(store, &config, &environment, &workspace, None, None, 0).await?;
        let done = work(Some(&runtime)).await;
        runtime.shutdown().await?;
        done
    })?;
    Ok(ExitCode::SUCCESS)
}
