//! Requests that a machine makes up from the document: valid ones, ones with one thing wrong, and
//! rows of them that build on each other's answers. None may end in a fault of the server, be
//! answered outside the document, get in without the token, or be taken where it should be refused.
//!
//! The workspace is a directory of the test's own and the model is the built-in one, which runs
//! nothing; threads that are made have no shell.

use std::path::Path;
use std::time::Duration;

use codewhale_testkit::app::{Document, Home, Program};
use codewhale_testkit::long;

use crate::scene::program;

/// The environment that `cargo xtask setup` makes.
const PYTHON: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../.xtask/python/bin/python"
);

/// The documents as they are committed.
const DOCUMENTS: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../generated/openapi.json"),
    concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../generated/agents.openapi.json"
    ),
];

/// The machine cannot know which texts are paths, schedules and names of modes, so what fits the
/// document may still be refused.
const CHECK_LEFT_OUT: &str = "positive_data_acceptance";

/// Paths that are left alone: a stream of events ends when its reader leaves, and this reader does
/// not.
fn endless() -> impl Iterator<Item = &'static str> {
    let streams = Document::of_this_build().operations();
    let streams = streams.filter(|it| it.method == "GET" && it.is_stream());
    streams.flat_map(|stream| ["--exclude-path", stream.path])
}

#[tokio::test]
async fn no_request_that_a_machine_makes_up_is_answered_outside_the_document() {
    let home = Home::new();
    home.configure("[memory]\nenabled = true");
    let app = program(&home).serve().await;
    let document = format!("http://{}/v1/openapi.json", app.address());
    let token = format!("Authorization: Bearer {}", app.token());
    let examples = long::count(5, 40).to_string();
    // Several times what it takes.
    let time = Duration::from_secs(long::count(150, 1_100) as u64);
    let machine = Program::new(Path::new(PYTHON), &home)
        .arguments(["-m", "schemathesis.cli", "run", &document])
        .arguments(["--header", &token])
        .arguments(["--seed", "20260502", "--max-examples", &examples])
        .arguments(endless())
        .arguments(["--exclude-checks", CHECK_LEFT_OUT])
        .arguments(["--request-timeout", "30", "--no-color", "--warnings", "off"]);
    let ended = machine.run_within(time).await;
    assert_eq!(ended.code, Some(0), "{}\n{}", ended.stdout, ended.stderr);
    let told = app.terminate().await;
    assert!(!told.stderr.contains("panicked"), "{}", told.stderr);
}

#[tokio::test]
async fn a_document_is_what_the_standard_says_a_document_is() {
    let home = Home::new();
    for document in DOCUMENTS {
        let validator = Program::new(Path::new(PYTHON), &home).arguments([
            "-m",
            "openapi_spec_validator",
            "--schema",
            "3.1",
            document,
        ]);
        let ended = validator.run().await;
        assert_eq!(ended.code, Some(0), "{}\n{}", ended.stdout, ended.stderr);
    }
}
