//! `codewhale auth`: the keys of providers. A key is read, kept and used, and never printed.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Subcommand;
use codewhale_config::{Config, Environment, KeyFile, KnownProvider, Origin};
use codewhale_protocol::Secret;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::args::Global;
use crate::compose;

#[derive(Subcommand)]
pub(crate) enum Auth {
    /// Keep the key of a provider; asks for it unless it comes from standard input.
    Set {
        /// The provider.
        #[arg(long, value_name = "ID")]
        provider: String,
        /// The key. Others may see it in the list of processes; better leave it out.
        #[arg(long, value_name = "KEY", conflicts_with = "api_key_stdin")]
        api_key: Option<String>,
        /// Read the key from standard input.
        #[arg(long)]
        api_key_stdin: bool,
    },
    /// Tell of each provider where its key comes from.
    List,
    /// Tell of one provider where its key comes from.
    Get {
        /// The provider.
        #[arg(long, value_name = "ID")]
        provider: String,
    },
    /// Forget the key that was kept for a provider.
    Clear {
        /// The provider.
        #[arg(long, value_name = "ID")]
        provider: String,
    },
}

/// Where the key of a provider could come from, and where it does.
struct Row {
    id: String,
    config: bool,
    store: bool,
    env: bool,
    source: &'static str,
}

pub(crate) fn run(global: &Global, command: Auth) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &global.plain_flags(), &known)?;
    let keys = KeyFile::of(&config.home.value);
    match command {
        Auth::Set {
            provider,
            api_key,
            api_key_stdin,
        } => {
            let id = canonical(&provider, &config, &known)?;
            let key = read_key(&id, api_key, api_key_stdin)?;
            keys.set(&id, &key)?;
            println!("saved API key for {id} to {}", keys.path().display());
        }
        Auth::Clear { provider } => {
            let id = canonical(&provider, &config, &known)?;
            match keys.clear(&id)? {
                true => println!("removed the API key of {id}"),
                false => println!("no API key of {id} was kept"),
            }
        }
        Auth::Get { provider } => {
            let id = canonical(&provider, &config, &known)?;
            let rows = rows(&config, &environment, &keys, &known)?;
            let source = rows.iter().find(|row| row.id == id).map(|row| row.source);
            println!("{id}: {}", source.unwrap_or("missing"));
        }
        Auth::List => {
            println!(
                "{:<20} {:<7} {:<6} {:<4} source",
                "provider", "config", "store", "env"
            );
            for row in rows(&config, &environment, &keys, &known)? {
                let [config, store, env] =
                    [row.config, row.store, row.env].map(|it| if it { "yes" } else { "no" });
                println!(
                    "{:<20} {config:<7} {store:<6} {env:<4} {}",
                    row.id, row.source
                );
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The one spelling of a provider that exists.
fn canonical(name: &str, config: &Config, known: &[KnownProvider]) -> anyhow::Result<String> {
    let plain = |name: &str| name.trim().replace('_', "-").to_ascii_lowercase();
    let name = plain(name);
    let known = known
        .iter()
        .find(|it| plain(it.id) == name || it.aliases.iter().any(|alias| plain(alias) == name));
    let configured = config.providers.iter().find(|it| plain(&it.id) == name);
    match (configured, known) {
        (Some(provider), _) => Ok(provider.id.clone()),
        (None, Some(provider)) => Ok(provider.id.to_owned()),
        (None, None) => bail!(
            "there is no provider {name:?}; `codewhale auth list` shows those that are known, and \
             [providers.{name}] in the configuration makes one"
        ),
    }
}

fn rows(
    config: &Config,
    environment: &Environment,
    keys: &KeyFile,
    known: &[KnownProvider],
) -> anyhow::Result<Vec<Row>> {
    let kept = keys.read()?;
    let row = |id: &str, variables: &[&str]| {
        let key = config
            .providers
            .iter()
            .find(|it| it.id == id)
            .and_then(|it| it.key.as_ref());
        let origin = key.map(|key| &key.origin);
        Row {
            id: id.to_owned(),
            config: matches!(origin, Some(Origin::File(_) | Origin::Profile(_))),
            store: kept.contains_key(id),
            env: variables.iter().any(|name| environment.get(name).is_some()),
            source: origin.map_or("missing", source),
        }
    };
    let mut rows: Vec<Row> = known
        .iter()
        .map(|it| row(it.id, it.key_variables))
        .collect();
    let own = config
        .providers
        .iter()
        .filter(|it| known.iter().all(|known| known.id != it.id));
    rows.extend(own.map(|it| row(&it.id, &[])));
    Ok(rows)
}

fn source(origin: &Origin) -> &'static str {
    match origin {
        Origin::File(_) | Origin::Profile(_) | Origin::Default => "config",
        Origin::Keys(_) => "store",
        Origin::Env(_) => "env",
        Origin::Flag(_) => "option",
    }
}

fn read_key(provider: &str, given: Option<String>, from_stdin: bool) -> anyhow::Result<Secret> {
    let text = match given {
        Some(key) => key,
        None if from_stdin || !io::stdin().is_terminal() => read_line()?,
        None => {
            eprint!("API key of {provider} (it is not shown): ");
            io::stderr().flush()?;
            let key = without_echo(read_line)?;
            eprintln!();
            key
        }
    };
    let key = text.trim();
    if key.is_empty() || key.contains(char::is_whitespace) {
        bail!("that is no key: it is empty or has blanks in it; nothing was saved");
    }
    Ok(Secret::new(key))
}

fn read_line() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin()
        .lock()
        .read_line(&mut line)
        .context("the key could not be read")?;
    Ok(line)
}

/// Does something while the terminal does not show what is typed.
fn without_echo<T>(read: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let stdin = io::stdin();
    let before = tcgetattr(&stdin)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &silent)?;
    let read = read();
    tcsetattr(&stdin, OptionalActions::Flush, &before)?;
    read
}
