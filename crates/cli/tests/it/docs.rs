//! The examples of the documents, run as a reader would run them: in bash, with curl, in order.

use codewhale_testkit::app::{App, Home, Program};

use crate::scene::program;

/// How a block begins that is an example to run.
const FENCE: &str = "```bash test";

/// How one begins that stands in the configuration of the program that serves.
const SETTINGS: &str = "```toml test";

/// Where bash tells what it does and what went wrong. A file, because a reader of events that was
/// left behind would keep a pipe open.
const TRACE: &str = "trace.txt";

#[tokio::test]
async fn the_examples_of_the_readme_work() {
    run(include_str!("../../../../README.md"), 1).await;
}

#[tokio::test]
async fn the_examples_of_the_api_guide_work() {
    run(include_str!("../../../../docs/RUNTIME_API.md"), 21).await;
}

#[tokio::test]
async fn the_examples_of_the_page_on_hooks_work() {
    run(include_str!("../../../../docs/hooks.md"), 1).await;
}

#[tokio::test]
async fn the_examples_of_the_page_on_the_mcp_server_work() {
    run(include_str!("../../../../docs/mcp-server.md"), 1).await;
}

async fn run(document: &str, blocks: usize) {
    let home = Home::new();
    home.configure(&examples(document, SETTINGS).concat());
    let app = program(&home).serve().await;
    let examples = examples(document, FENCE);
    assert_eq!(examples.len(), blocks, "examples to run");
    let script = format!("exec 2>{TRACE}\nset -eux\n{}", examples.join("\n"));
    let ended = bash(&home, &app, &script).run().await;
    let trace = home.read(TRACE).unwrap_or_default();
    assert_eq!(ended.code, Some(0), "{}\n{trace}", ended.stdout);
}

fn bash(home: &Home, app: &App, script: &str) -> Program {
    Program::new("/bin/bash", home)
        .arguments(["-c", script])
        .variable("BASE", format!("http://{}", app.address()))
        .variable("TOKEN", app.token())
}

fn examples<'a>(document: &'a str, fence: &str) -> Vec<&'a str> {
    let behind_fences = document.split(fence).skip(1);
    behind_fences
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect()
}
