//! Changes of the user's `mcp.json`. What stands in it besides stays as it is.

use serde_json::{Map, Value, json};

use crate::settings::{Origin, Timeouts, document, read_entry};
use crate::{SettingsError, presets};

/// The file with the presets added, all of them off; those that are there stay.
pub fn init(text: &str) -> Result<String, SettingsError> {
    change(text, |servers| {
        for (name, entry) in presets::all() {
            servers.entry(name).or_insert(entry);
        }
        Ok(())
    })
}

/// The file with the presets as they are now, all of them off, in place of those that are there.
pub fn init_anew(text: &str) -> Result<String, SettingsError> {
    change(text, |servers| {
        servers.extend(presets::all());
        Ok(())
    })
}

/// The file with one more server.
pub fn add(text: &str, server: &str, entry: Value) -> Result<String, SettingsError> {
    let as_written = |name: &str| Some(name.to_owned());
    let read = read_entry(
        server,
        entry.clone(),
        Origin::User,
        Timeouts::default(),
        &as_written,
    );
    read.map_err(|why| SettingsError::Unusable {
        server: server.to_owned(),
        why,
    })?;
    change(text, |servers| match servers.contains_key(server) {
        true => Err(SettingsError::Exists {
            server: server.to_owned(),
        }),
        false => {
            servers.insert(server.to_owned(), entry);
            Ok(())
        }
    })
}

/// The file with a server turned on.
pub fn enable(text: &str, server: &str) -> Result<String, SettingsError> {
    turn(text, server, true)
}

/// The file with a server turned off.
pub fn disable(text: &str, server: &str) -> Result<String, SettingsError> {
    turn(text, server, false)
}

fn turn(text: &str, server: &str, on: bool) -> Result<String, SettingsError> {
    change(text, |servers| match servers.get_mut(server) {
        Some(Value::Object(entry)) => {
            // The one word for it, whichever was there.
            entry.remove("disabled");
            entry.insert("enabled".to_owned(), Value::from(on));
            Ok(())
        }
        Some(_) | None => Err(SettingsError::Missing {
            server: server.to_owned(),
        }),
    })
}

/// The file without a server.
pub fn remove(text: &str, server: &str) -> Result<String, SettingsError> {
    change(text, |servers| match servers.remove(server) {
        Some(_) => Ok(()),
        None => Err(SettingsError::Missing {
            server: server.to_owned(),
        }),
    })
}

fn change(
    text: &str,
    change: impl FnOnce(&mut Map<String, Value>) -> Result<(), SettingsError>,
) -> Result<String, SettingsError> {
    let mut document = document(text)?;
    let key = match document.contains_key("mcpServers") {
        true => "mcpServers",
        false => "servers",
    };
    let servers = document.entry(key).or_insert_with(|| json!({}));
    let Value::Object(servers) = servers else {
        return Err(SettingsError::Unreadable {
            why: format!("`{key}` is not an object"),
        });
    };
    change(servers)?;
    let text = serde_json::to_string_pretty(&document).expect("a document is plain data");
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    #[test]
    fn the_presets_are_all_off_and_can_be_read() {
        let text = init("").unwrap();
        let (settings, warnings) = Settings::read(&text, Origin::User, &|_| None).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        let names: Vec<_> = settings.servers.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "fetch",
                "filesystem",
                "git",
                "github",
                "linear",
                "notion",
                "sentry",
                "slack",
                "sqlite"
            ]
        );
        assert!(settings.servers.values().all(|server| !server.enabled));
        assert_eq!(init(&text).unwrap(), text);
    }

    #[test]
    fn a_server_is_turned_on_and_off_and_the_rest_of_it_stays() {
        let text = r#"{"servers": {"a": {"command": "x", "disabled": true}}}"#;
        let is_on = |text: &str| {
            let (settings, _) = Settings::read(text, Origin::User, &|_| None).unwrap();
            assert_eq!(settings.servers["a"].program(), Some("x"));
            settings.servers["a"].enabled
        };
        let on = enable(text, "a").unwrap();
        assert!(is_on(&on));
        assert!(!is_on(&disable(&on, "a").unwrap()));
        assert!(enable(text, "b").is_err());
    }

    #[test]
    fn presets_are_written_anew_only_where_that_is_wanted() {
        let text = r#"{"servers": {"git": {"command": "mine"}}}"#;
        assert!(init(text).unwrap().contains("mine"));
        assert!(!init_anew(text).unwrap().contains("mine"));
    }

    #[test]
    fn a_server_is_added_once_and_removed_once() {
        let before = r#"{"mcpServers": {"a": {"command": "a"}}, "note": 1}"#;
        let entry = json!({"command": "b"});
        let with = add(before, "b", entry.clone()).unwrap();
        let read: Value = serde_json::from_str(&with).unwrap();
        assert_eq!(
            read,
            json!({"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}, "note": 1})
        );
        let exists = SettingsError::Exists {
            server: "b".to_owned(),
        };
        assert_eq!(add(&with, "b", entry), Err(exists));
        let without = remove(&with, "b").unwrap();
        let missing = SettingsError::Missing {
            server: "b".to_owned(),
        };
        assert_eq!(remove(&without, "b"), Err(missing));
    }

    #[test]
    fn what_would_not_work_is_not_written() {
        for (entry, why) in [
            (json!({}), "it has neither `command` nor `url`"),
            (
                json!({"url": "ftp://x"}),
                "`url` does not begin with http:// or https://",
            ),
        ] {
            let unusable = SettingsError::Unusable {
                server: "x".to_owned(),
                why: why.to_owned(),
            };
            assert_eq!(add("", "x", entry), Err(unusable));
        }
        assert!(matches!(init("[]"), Err(SettingsError::Unreadable { .. })));
    }
}
