//! The lines that editors and registries of agents start the program by, held against what they ask
//! of an entry and against the program itself.

use std::path::Path;

use serde_json::{Map, Value, json};

/// What an entry of a registry may say.
const MEMBERS: [&str; 11] = [
    "id",
    "name",
    "version",
    "description",
    "repository",
    "website",
    "authors",
    "license",
    "license_url",
    "icon",
    "distribution",
];

/// What it may say of an archive for a platform.
const TARGET_MEMBERS: [&str; 5] = ["archive", "sha256", "cmd", "args", "env"];

/// The platforms that registries know.
const PLATFORMS: [&str; 6] = [
    "darwin-aarch64",
    "darwin-x86_64",
    "linux-aarch64",
    "linux-x86_64",
    "windows-aarch64",
    "windows-x86_64",
];

fn text(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations");
    std::fs::read_to_string(root.join(path)).unwrap()
}

fn read(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

#[track_caller]
fn check_members(object: &Map<String, Value>, known: &[&str]) {
    for name in object.keys() {
        assert!(known.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn the_entry_for_registries_is_one_and_starts_the_door() {
    let entry = read("agent-registry/agent.json");
    check_members(entry.as_object().unwrap(), &MEMBERS);
    let id = entry["id"].as_str().unwrap();
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    assert!(id.starts_with(|it: char| it.is_ascii_lowercase()) && id.chars().all(is_plain));
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(entry["license"], env!("CARGO_PKG_LICENSE"));
    for member in ["name", "description"] {
        assert!(!entry[member].as_str().unwrap().is_empty(), "{member}");
    }
    let distribution = entry["distribution"].as_object().unwrap();
    check_members(distribution, &["binary"]);
    let targets = distribution["binary"].as_object().unwrap();
    assert!(!targets.is_empty());
    check_members(targets, &PLATFORMS);
    for (platform, target) in targets {
        check_members(target.as_object().unwrap(), &TARGET_MEMBERS);
        assert_eq!(target["cmd"], "./codewhale", "{platform}");
        assert_eq!(target["args"], json!(["serve", "--acp"]), "{platform}");
    }
    let icon = text("agent-registry/icon.svg");
    assert!(icon.contains(r#"width="16" height="16""#), "{icon}");
    assert!(icon.contains("currentColor"), "{icon}");
}

#[test]
fn the_lines_for_zed_start_the_door() {
    let settings = read("zed/settings.json");
    let server = &settings["agent_servers"]["CodeWhale"];
    assert_eq!(server["command"], "codewhale");
    assert_eq!(server["args"], json!(["serve", "--acp"]));
}
