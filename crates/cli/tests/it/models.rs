//! `codewhale models`: what would answer, and what is found on this machine.

use codewhale_testkit::app::Home;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::scene::program;

/// A server on a port of its own, which ends with the test.
struct Server {
    port: u16,
    _tasks: JoinSet<()>,
}

/// One that gives every request this answer, or none at all.
async fn server(answer: Option<&'static str>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let Some(body) = answer else {
                held.push(stream);
                continue;
            };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(body.as_bytes()).await;
        }
    });
    Server {
        port,
        _tasks: tasks,
    }
}

async fn models(home: &Home, ports: [u16; 3], json: bool) -> String {
    let [ollama, studio, llama] = ports.map(|port| port.to_string());
    let mut arguments = vec![
        "models",
        "--ollama-port",
        &ollama,
        "--lm-studio-port",
        &studio,
        "--llama-cpp-port",
        &llama,
    ];
    if json {
        arguments.push("--json");
    }
    let ended = program(home).arguments(arguments).run().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.stdout
}

#[tokio::test]
async fn local_servers_are_found_and_one_that_is_silent_is_not_waited_for() {
    let ollama = server(Some(r#"{"models":[{"name":"qwen3:8b"},{"name":"b"}]}"#)).await;
    let silent = server(None).await;
    let other = server(Some("<html>Hello</html>")).await;
    let home = Home::new();
    let told = models(&home, [ollama.port, silent.port, other.port], false).await;
    let expect = format!(
        "route: offline/offline\nlocal: Ollama at http://127.0.0.1:{}/v1: qwen3:8b, b\n",
        ollama.port
    );
    assert_eq!(told, expect);
}

#[tokio::test]
async fn the_route_its_fallbacks_and_the_providers_are_listed_without_any_key() {
    let silent = server(None).await;
    let home = Home::new();
    home.configure(
        "provider = 'mine'\nfallbacks = ['openai', 'deepseek/deepseek-v4-flash']\n[providers.mine]\nbase_url = 'http://localhost:1'\nmodel = 'own'\ncontext_window = 9\n[providers.deepseek]\napi_key = 'sk-very-secret-key'\n",
    );
    let told = models(&home, [silent.port; 3], false).await;
    let missing = "cannot be used: provider `openai` has no key: set OPENAI_API_KEY";
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "route: mine/own");
    assert!(lines[1].starts_with(&format!("then: {missing}")), "{told}");
    assert_eq!(
        lines[2..],
        [
            "then: deepseek/deepseek-v4-flash",
            "* mine (no key): mine/own",
            "  deepseek (key): deepseek/deepseek-v4-pro",
            "local: no server was found",
        ]
    );
    let told = models(&home, [silent.port; 3], true).await;
    assert!(!told.contains("secret"), "{told}");
    let told: Value = serde_json::from_str(&told).unwrap();
    let route = json!({
        "provider": "custom", "provider_id": "mine", "model": "own", "context_window": 9
    });
    assert_eq!(told["route"], route);
    assert_eq!(told["providers"][1]["has_key"], true);
    assert_eq!(told["providers"][1]["is_default"], false);
    assert_eq!(told["fallbacks"][1]["model"], "deepseek-v4-flash");
    assert_eq!(told["local"], json!([]));
}
