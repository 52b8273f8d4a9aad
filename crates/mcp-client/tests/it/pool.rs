//! Servers of many workspaces.

use std::path::PathBuf;
use std::sync::Arc;

use codewhale_mcp_client::{Ground, Origin, Pool, Settings};
use codewhale_sandbox::Walls;
use serde_json::json;

use crate::lab::environment;

fn pool() -> Pool {
    let text = json!({"servers": {"a": {"command": "a", "disabled": true}}}).to_string();
    let (settings, _) = Settings::read(&text, Origin::User, &|_| None).unwrap();
    let ground = Ground {
        workspace: "/".into(),
        environment: environment(),
        pipes: std::env::temp_dir(),
        is_shut: Arc::new(|_| false),
        vault: None,
    };
    Pool::start(settings, ground)
}

/// Servers that are off are listed like others, and are no processes.
fn off(name: &str, command: &str) -> String {
    json!({"servers": {name: {"command": command, "disabled": true}}}).to_string()
}

#[tokio::test]
async fn the_servers_of_a_workspace_count_over_the_users_and_there_alone() {
    let pool = pool();
    let (one, two) = (PathBuf::from("/one"), PathBuf::from("/two"));
    let enter = |workspace, seal: &str, text: &str| {
        let (servers, warnings) = pool.enter(workspace, seal, text, Walls::Open).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        let health = servers.health().into_iter();
        let shown = health.map(|it| format!("{} {}", it.server, it.command.unwrap()));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(enter(&one, "1", &off("a", "x")), ["a x"]);
    assert_eq!(enter(&two, "1", &off("b", "y")), ["a a", "b y"]);
    // The same content is the same servers, another content is others.
    assert_eq!(enter(&one, "1", &off("a", "not looked at")), ["a x"]);
    assert_eq!(enter(&one, "2", &off("a", "z")), ["a z"]);
    pool.leave(&one).await;
    assert!(pool.running(&one).is_none() && pool.running(&two).is_some());
    assert_eq!(pool.everyones().health().len(), 1);
}

#[tokio::test]
async fn a_file_of_a_workspace_reads_the_environment_of_children_and_no_other() {
    let pool = pool();
    let server = json!({"servers": {"s": {"command": "${SECRET_OF_THE_USER}"}}}).to_string();
    let (servers, warnings) = pool
        .enter(&PathBuf::from("/w"), "1", &server, Walls::Open)
        .unwrap();
    assert_eq!(servers.health().len(), 1);
    assert!(
        warnings[0].contains("SECRET_OF_THE_USER is not set"),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn the_workspace_that_nobody_came_back_to_makes_room() {
    let pool = pool();
    let workspace = |number: usize| PathBuf::from(format!("/{number}"));
    for number in 0..20 {
        let text = off("a", "x");
        let entered = pool.enter(&workspace(number), "1", &text, Walls::Open);
        entered.unwrap();
        pool.enter(&workspace(0), "1", &text, Walls::Open).unwrap();
    }
    let running = (0..20).filter(|it| pool.running(&workspace(*it)).is_some());
    let running: Vec<_> = running.collect();
    assert_eq!(running.len(), 8);
    assert!(running.contains(&0) && running.contains(&19), "{running:?}");
}
