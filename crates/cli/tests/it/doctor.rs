//! `codewhale doctor`: every field of the contract, no secret, and what to do next.

use std::fs;

use codewhale_testkit::app::{Ended, Home};
use serde_json::{Value, json};

use crate::scene::program;

const SECRET: &str = "sk-doctor-must-not-show-0123456789";

async fn doctor(home: &Home, arguments: &[&str]) -> Ended {
    let words = ["doctor"].into_iter().chain(arguments.iter().copied());
    program(home).arguments(words).run().await
}

async fn report(home: &Home) -> Value {
    let ended = doctor(home, &["--json"]).await;
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&ended.stdout).unwrap()
}

fn put(home: &Home, name: &str, text: &str) {
    let path = home.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[tokio::test]
async fn an_empty_installation_has_every_field_and_stays_empty() {
    let home = Home::new();
    let told = report(&home).await;
    let is = |pointer: &str, kind: fn(&Value) -> bool| {
        let value = told.pointer(pointer);
        assert!(value.is_some_and(kind), "{pointer}: {value:?}");
    };
    for text in [
        "/version",
        "/config_path",
        "/workspace",
        "/api_key/source",
        "/base_url",
        "/default_text_model",
        "/memory/path",
        "/mcp/config_path",
        "/skills/selected",
        "/sandbox/kind",
    ] {
        is(text, Value::is_string);
    }
    for flag in [
        "/config_present",
        "/memory/enabled",
        "/memory/file_present",
        "/mcp/present",
        "/sandbox/available",
    ] {
        is(flag, Value::is_boolean);
    }
    is("/mcp/servers", Value::is_array);
    let skills = "global agents agents_global local opencode claude";
    let skills = skills.split(' ').map(|name| format!("/skills/{name}"));
    let others = ["/tools", "/plugins", "/storage/spillover", "/storage/stash"];
    for place in skills.chain(others.map(str::to_owned)) {
        is(&format!("{place}/present"), |it| *it == json!(false));
        is(&format!("{place}/count"), |it| *it == json!(0));
    }
    assert_eq!(told["api_key"]["source"], "missing");
    assert_eq!(told["default_text_model"], "offline");
    assert_eq!(told["route"]["provider"], "offline");
    assert_eq!(told["config_present"], false);
    assert_eq!(home.files(), []);
}

#[tokio::test]
async fn what_is_there_is_counted_and_no_secret_is_shown() {
    let home = Home::new();
    home.configure(&format!(
        "provider = 'mine'\n[memory]\nenabled = true\n[providers.mine]\nmodel = 'own'\n\
         base_url = 'https://models.example/v1?key={SECRET}'\napi_key = '{SECRET}'\n"
    ));
    put(
        &home,
        "mcp.json",
        &format!(
            r#"{{"mcpServers":{{"git":{{"command":"uvx","args":["--token","{SECRET}"]}},
               "lost":{{}},"near":{{"command":"./server","disabled":true}}}}}}"#
        ),
    );
    let skill = "---\nname: a\ndescription: b\n---\nbody\n";
    put(&home, "skills/a/SKILL.md", skill);
    put(&home, "skills/broken/SKILL.md", "no front matter");
    home.write(".agents/skills/b/SKILL.md", skill);
    put(&home, "tools/one.sh", "");
    put(&home, "tool_outputs/x", "");
    put(&home, "composer_stash.jsonl", "{\"text\":\"later\"}\n");
    let told = report(&home).await;
    assert_eq!(told["api_key"]["source"], "config");
    assert_eq!(told["api_key"]["availability"], "present");
    assert_eq!(told["base_url"], "https://models.example/v1");
    assert_eq!(told["default_text_model"], "own");
    assert_eq!(told["memory"]["enabled"], true);
    let server = |name: &str| {
        let servers = told["mcp"]["servers"].as_array().unwrap();
        let server = servers.iter().find(|it| it["name"] == name).unwrap();
        (server["enabled"].clone(), server["status"].clone())
    };
    assert_eq!(server("git"), (json!(true), json!("ok")));
    assert_eq!(server("lost"), (json!(true), json!("error")));
    assert_eq!(server("near"), (json!(false), json!("warning")));
    assert_eq!(told["skills"]["global"]["count"], 1);
    assert_eq!(told["skills"]["agents"]["count"], 1);
    let agents = home.workspace().join(".agents/skills");
    assert_eq!(told["skills"]["selected"], json!(agents));
    for place in [
        &told["tools"],
        &told["storage"]["spillover"],
        &told["storage"]["stash"],
    ] {
        assert_eq!(
            (&place["present"], &place["count"]),
            (&json!(true), &json!(1))
        );
    }
    let lines = doctor(&home, &[]).await;
    assert_eq!(lines.code, Some(0));
    assert!(
        lines
            .stdout
            .contains("FIX   mcp            lost: it has neither")
    );
    for shown in [told.to_string(), lines.stdout, lines.stderr] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
}

#[tokio::test]
async fn the_key_is_told_by_its_source_in_the_words_of_old() {
    let home = Home::new();
    let ended = program(&home)
        .variable("DEEPSEEK_API_KEY", SECRET)
        .arguments(["doctor", "--json"])
        .run()
        .await;
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told["api_key"]["source"], "env");
    assert_eq!(told["route"]["provider"], "deepseek");
    assert!(!ended.stdout.contains(SECRET));
    home.configure("provider = 'deepseek'\n");
    let told = report(&home).await;
    assert_eq!(told["api_key"]["source"], "missing");
    assert_eq!(told["api_key"]["availability"], "unavailable");
    assert_eq!(told["model_resolution"], "configured_unresolved");
    let lines = doctor(&home, &[]).await;
    let step = "-> `codewhale auth set --provider deepseek` keeps a key";
    assert!(lines.stdout.contains(step), "{}", lines.stdout);
}

#[tokio::test]
async fn a_configuration_that_cannot_be_read_is_an_answer_too() {
    let home = Home::new();
    home.configure("allow_shell = 'maybe'\n");
    let ended = doctor(&home, &["--json"]).await;
    assert_eq!(ended.code, Some(1));
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told["status"], "error");
    assert_eq!(told["error"]["kind"], "config_validation");
    let message = told["error"]["message"].as_str().unwrap();
    assert!(message.contains("line 1: `allow_shell` must be true or false"));
    let ended = doctor(&home, &[]).await;
    assert_eq!(ended.code, Some(0));
    assert!(
        ended.stdout.contains("FIX   configuration"),
        "{}",
        ended.stdout
    );
}
