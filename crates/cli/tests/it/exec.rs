//! `codewhale exec`: one piece of work, printed, with an exit code that tells how it went.

mod authority;
mod endings;
mod forms;
mod input;
mod sessions;

use codewhale_testkit::app::{Ended, Home, Program};
use codewhale_testkit::model_server::ModelServer;
use serde_json::Value;

use crate::scene::program;

/// A home with a scripted model, and nobody who serves.
struct Bench {
    model: ModelServer,
    home: Home,
}

impl Bench {
    async fn new() -> Self {
        let model = ModelServer::start().await;
        let home = Home::with_model(&model);
        Self { model, home }
    }

    fn exec<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Program {
        program(&self.home).arguments(["exec"]).arguments(arguments)
    }

    async fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Ended {
        self.exec(arguments).run().await
    }

    /// Runs with lines of JSON as output.
    async fn lines<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> (Ended, Vec<Value>) {
        let format = ["--output-format", "stream-json"];
        let ended = self.exec(format).arguments(arguments).run().await;
        let lines = lines_of(&ended.stdout);
        (ended, lines)
    }

    /// The ids of the threads there are.
    async fn threads(&self) -> Vec<String> {
        let list = program(&self.home).arguments(["thread", "list", "--all", "--json"]);
        let list: Value = serde_json::from_str(&list.run().await.stdout).unwrap();
        let ids = list.as_array().unwrap().iter();
        ids.map(|thread| thread["id"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn lines_of(stdout: &str) -> Vec<Value> {
    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    for line in &lines {
        assert_eq!(line["schema"], "codewhale.exec-stream", "{line}");
        assert_eq!(line["schema_version"], 1, "{line}");
        assert!(line["type"].is_string(), "{line}");
    }
    lines
}

fn types(lines: &[Value]) -> Vec<&str> {
    let mut types: Vec<&str> = lines
        .iter()
        .map(|it| it["type"].as_str().unwrap())
        .collect();
    types.dedup_by(|a, b| a == b && *a == "content");
    types
}

fn of_type<'a>(lines: &'a [Value], name: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == name).collect()
}

fn only<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    let found = of_type(lines, name);
    assert_eq!(found.len(), 1, "{name}: {lines:?}");
    found[0]
}

/// A call that would write a file.
const WRITE: &str = r#"{"path":"a.txt","content":"a"}"#;
