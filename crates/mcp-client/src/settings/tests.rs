use serde_json::json;

use super::*;

fn read(document: Value) -> (Settings, Vec<String>) {
    read_as(document, Origin::User)
}

fn read_as(document: Value, origin: Origin) -> (Settings, Vec<String>) {
    let variable = |name: &str| (name == "TOKEN").then(|| "secret".to_owned());
    Settings::read(&document.to_string(), origin, &variable).unwrap()
}

#[test]
fn the_documented_file_is_read_whole() {
    let (settings, warnings) = read(json!({
        "timeouts": {"connect_timeout": 5, "execute_timeout": 30},
        "servers": {
            "files": {
                "command": "npx", "args": ["-y", "@demo/files"], "env": {"ROOT": "/srv/${TOKEN}"},
                "cwd": "/srv", "enabled": true, "required": true, "enabled_tools": ["read", "rm"],
                "disabled_tools": ["rm"], "execute_timeout": 1.5, "trust": true,
            },
            "hub": {
                "url": "https://hub.example.org/mcp", "headers": {"X-Team": "a", "Accept": "b"},
                "env_headers": {"X-Key": "TOKEN"}, "bearer_token_env_var": "TOKEN",
            },
        },
    }));
    assert_eq!(
        warnings,
        ["MCP server \"hub\": the header \"Accept\" cannot be sent and is left out"]
    );
    let files = &settings.servers["files"];
    let Reach::Stdio(program) = &files.reach else {
        panic!("{files:?}");
    };
    assert_eq!(program.env["ROOT"], "/srv/secret");
    assert_eq!(program.cwd.as_deref(), Some(Path::new("/srv")));
    assert!(files.required && files.enabled && files.trusted);
    assert!(files.tools.admits("read") && !files.tools.admits("rm") && !files.tools.admits("ls"));
    let seconds = [5.0, 1.5, 120.0].map(Duration::from_secs_f64);
    let Timeouts {
        connect,
        execute,
        read,
    } = files.timeouts;
    assert_eq!([connect, execute, read], seconds);
    let Reach::Http(remote) = &settings.servers["hub"].reach else {
        panic!("{settings:?}");
    };
    let headers: Vec<_> = remote.headers.iter().collect();
    let headers: Vec<_> = headers
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(
        headers,
        [
            ("authorization", "Bearer secret"),
            ("x-key", "secret"),
            ("x-team", "a")
        ]
    );
}

#[test]
fn a_bad_server_is_left_out_and_the_others_stay() {
    let (settings, warnings) = read(json!({
        "mcpServers": {
            "both": {"command": "a", "url": "https://b"},
            "good": {"command": "a", "color": "red"},
            "neither": {},
            "odd": {"url": "https://b", "transport": "pigeon"},
            "unset": {"url": "https://b", "headers": {"X": "${NOBODY}"}},
            "wrong": {"command": 7},
        },
        "zeal": true,
    }));
    assert_eq!(settings.servers.keys().collect::<Vec<_>>(), ["good"]);
    assert_eq!(warnings.len(), 7, "{warnings:#?}");
    let all = warnings.join("\n");
    for sentence in [
        "MCP server \"both\" is left out: it has both `command` and `url`; keep one",
        "MCP server \"good\": \"color\" means nothing here",
        "MCP server \"unset\" is left out: the variable NOBODY is not set",
        "mcp.json: \"zeal\" means nothing here",
    ] {
        assert!(all.contains(sentence), "{all}");
    }
}

#[test]
fn a_server_that_is_off_needs_no_variables() {
    let entry = json!({"url": "https://b", "bearer_token_env_var": "NOBODY", "disabled": true});
    let (settings, warnings) = read(json!({"servers": {"off": entry}}));
    assert!(!settings.servers["off"].enabled);
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn a_token_that_is_not_set_leaves_room_for_a_login() {
    let (settings, warnings) = read(json!({"servers": {"hub": {
        "url": "https://b", "bearer_token_env_var": "NOBODY", "scopes": ["read"],
        "oauth": {"client_id": "us"}, "oauth_resource": "https://b/r",
    }}}));
    let Reach::Http(remote) = &settings.servers["hub"].reach else {
        panic!("{settings:?}");
    };
    assert!(remote.headers.is_empty());
    assert_eq!(remote.oauth.client_id.as_deref(), Some("us"));
    assert_eq!(remote.oauth.scopes, ["read"]);
    assert_eq!(remote.oauth.resource.as_deref(), Some("https://b/r"));
    let said = "MCP server \"hub\": the variable NOBODY is not set; what `codewhale mcp login hub` \
                kept counts instead";
    assert_eq!(warnings, [said]);
}

#[test]
fn a_workspace_cannot_say_that_it_is_trusted() {
    let document = json!({"servers": {"x": {"command": "a", "trust": true}}});
    let (settings, warnings) = read_as(document, Origin::Workspace);
    assert!(!settings.servers["x"].trusted);
    assert_eq!(
        warnings,
        ["MCP server \"x\": `trust` counts in the user's own file only"]
    );
}

#[test]
fn servers_of_a_plugin_bear_its_name_run_in_it_and_are_not_believed() {
    let text = json!({"servers": {
        "a": {"command": "./a", "trust": true},
        "b": {"command": "b", "cwd": "sub"},
        "c": {"url": "https://c"},
    }});
    let directory = Path::new("/home/you/.codewhale/plugins/demo");
    let (settings, warnings) = Settings::default()
        .with_plugin(directory, &text.to_string(), &|_| None)
        .unwrap();
    assert_eq!(warnings.len(), 1);
    let names: Vec<_> = settings.servers.keys().collect();
    assert_eq!(
        names,
        ["plugin-4-demo-a", "plugin-4-demo-b", "plugin-4-demo-c"]
    );
    assert!(settings.servers.values().all(|server| !server.trusted));
    for (name, expected) in [("a", ""), ("b", "sub")] {
        let Reach::Stdio(program) = &settings.servers[&format!("plugin-4-demo-{name}")].reach
        else {
            panic!("{name} is a program");
        };
        assert_eq!(program.cwd, Some(directory.join(expected)));
    }
}

#[test]
fn secrets_are_known_by_where_they_stand() {
    let hub =
        json!({"url": "https://h", "headers": {"Authorization": "Bearer abcdefgh", "X": "short"}});
    let own = json!({"command": "a", "env": {"MY_API_KEY": "12345678", "ROOT": "/srv/www/data"}});
    let (settings, _) = read(json!({"servers": {"hub": hub, "own": own}}));
    assert_eq!(
        settings.secrets().collect::<Vec<_>>(),
        ["abcdefgh", "12345678"]
    );
}

#[test]
fn secrets_do_not_show() {
    let entry = json!({"url": "https://b", "bearer_token_env_var": "TOKEN"});
    let process = json!({"command": "a", "env": {"KEY": "${TOKEN}"}});
    let (settings, _) = read(json!({"servers": {"a": entry, "b": process}}));
    assert!(!format!("{settings:?}").contains("secret"));
}

#[test]
fn a_file_that_is_no_settings_is_an_error() {
    for text in ["[]", "{", r#"{"servers": []}"#] {
        let read = Settings::read(text, Origin::User, &|_| None);
        assert!(
            matches!(read, Err(SettingsError::Unreadable { .. })),
            "{text}"
        );
    }
    let (settings, _) = Settings::read("", Origin::User, &|_| None).unwrap();
    assert_eq!(settings, Settings::default());
}

#[test]
fn nonsense_times_are_not_taken() {
    let (settings, warnings) = read(json!({
        "timeouts": {"connect_timeout": -1, "read_timeout": 1e300},
        "servers": {"x": {"command": "a", "execute_timeout": "fast"}},
    }));
    assert_eq!(settings.servers["x"].timeouts, Timeouts::default());
    assert_eq!(warnings.len(), 3, "{warnings:?}");
}
