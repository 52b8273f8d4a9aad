//! `codewhale config`: the settings of the user, looked at and changed. Secrets are told as set.

use std::process::ExitCode;

use clap::Subcommand;
use codewhale_config::{Config, Editor, Environment, Origin, Shown, values};
use serde_json::json;

use crate::args::Global;
use crate::compose;

#[derive(Subcommand)]
pub(crate) enum Settings {
    /// Show the value that counts for a key.
    Get {
        /// The key, with its tables: retry.max_retries, providers.mine.base_url.
        key: String,
    },
    /// Give a key a value in the configuration file.
    Set {
        /// The key, with its tables.
        key: String,
        /// The value; a list as a,b or ["a", "b"].
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take the value of a key out of the configuration file.
    Unset {
        /// The key, with its tables.
        key: String,
    },
    /// List what is set, by whomever.
    List {
        /// Defaults too.
        #[arg(long)]
        all: bool,
        /// Print JSON, for programs, with the source of each value.
        #[arg(long)]
        json: bool,
    },
    /// Tell where the configuration file is.
    Path,
}

pub(crate) fn run(global: &Global, command: Settings) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let flags = global.plain_flags();
    match command {
        Settings::Get { key } => {
            println!("{}", Shown::of(&key, &environment, &flags, &known)?.text());
        }
        Settings::Set { key, value } => {
            let mut editor = Editor::open(&environment, &flags, &known)?;
            editor.set(&key, &value)?;
            editor.save()?;
            println!("set {key}");
            overruled(&Shown::of(&key, &environment, &flags, &known)?);
        }
        Settings::Unset { key } => {
            let mut editor = Editor::open(&environment, &flags, &known)?;
            if editor.unset(&key)? {
                editor.save()?;
            }
            println!("unset {key}");
        }
        Settings::List { all, json } => {
            let mut shown = values(&environment, &flags, &known)?;
            shown.retain(|it| all || it.origin != Origin::Default);
            let config = Config::load(&environment, &flags, &known)?;
            match json {
                true => println!("{:#}", as_json(&shown)),
                false => list(&config, &shown),
            }
        }
        Settings::Path => {
            let config = Config::load(&environment, &flags, &known)?;
            println!("{}", config.path().display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A value in the file helps nobody while something stronger says otherwise.
fn overruled(shown: &Shown) {
    match &shown.origin {
        Origin::Default | Origin::File(_) => {}
        Origin::Profile(_) | Origin::Keys(_) | Origin::Env(_) | Origin::Flag(_) => {
            let (key, origin) = (&shown.key, &shown.origin);
            eprintln!("warning: {origin} sets {key} too, and that counts");
        }
    }
}

fn list(config: &Config, shown: &[Shown]) {
    println!("# {}", config.path().display());
    println!("# `codewhale config list --all` shows defaults too; secrets are told as set");
    for it in shown {
        let value = match &it.value {
            Some(value) => value.to_string(),
            None => "set".to_owned(),
        };
        println!("{} = {value}", it.key);
    }
}

fn as_json(shown: &[Shown]) -> serde_json::Value {
    let entry = |it: &Shown| {
        json!({
            "key": it.key,
            "value": it.value,
            "secret": it.value.is_none(),
            "source": it.origin.to_string(),
        })
    };
    shown.iter().map(entry).collect()
}
