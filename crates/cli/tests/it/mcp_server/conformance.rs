//! The official conformance runner against `/mcp`.

use codewhale_testkit::app::{Home, Program};

use crate::editors::{newer_node, part};
use crate::scene::program;

#[tokio::test]
async fn what_applies_of_the_official_conformance_suite_passes() {
    let home = Home::new();
    // The runner carries no token.
    let serve = ["serve", "--http", "--port", "0", "--insecure"];
    let app = program(&home)
        .without_token()
        .arguments(serve)
        .listen()
        .await;
    let runner = part("npm/node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let url = format!("http://{}/mcp", app.address());
    let baseline = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/mcp_server/conformance.yml"
    );
    let ended = Program::new(newer_node(), &home)
        .arguments([runner.to_str().unwrap(), "server", "--url", &url])
        .arguments(["--expected-failures", baseline])
        .run()
        .await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let passed = [
        "server-initialize",
        "ping",
        "completion-complete",
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    ];
    for scenario in passed {
        let line = format!("\u{2713} {scenario}: ");
        assert!(ended.stdout.contains(&line), "{scenario}: {}", ended.stdout);
    }
}
