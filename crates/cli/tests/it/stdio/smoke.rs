//! The checks before a release, run as a person would run them.

use codewhale_testkit::app::{Ended, Home, Program};
use codewhale_testkit::model_server::{ModelServer, Reply};

use crate::scene::BINARY;

async fn script(home: &Home, name: &str, arguments: &[&str]) -> Ended {
    let path = format!(
        "{}/../../scripts/release/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    Program::new("/bin/bash", home)
        .arguments([path.as_str()])
        .arguments(arguments.iter().copied())
        .variable("CODEWHALE", BINARY)
        .variable("SMOKE_MODEL_SCRIPT", "scripted")
        .run()
        .await
}

#[tokio::test]
async fn the_smoke_script_finds_the_program_well() {
    let home = Home::new();
    let ended = script(&home, "app-server-smoke.sh", &[]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout, "stdio probe: ok\n");
    assert!(home.files().is_empty(), "it has a home of its own");
}

#[tokio::test]
async fn the_smoke_script_asks_each_provider_that_is_set_up() {
    let model = ModelServer::start().await;
    let home = Home::with_model(&model);
    model.push(Reply::says("CODEWHALE_SMOKE_OK"));
    let ended = script(&home, "app-server-smoke.sh", &["--matrix", "--real"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let said = "stdio probe: ok\nmatrix: script scripted\nreal: script scripted ok\n";
    assert_eq!(ended.stdout, said);
}

#[tokio::test]
async fn the_smoke_script_has_a_test_of_its_own() {
    let ended = script(&Home::new(), "app-server-smoke.test.sh", &[]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}
