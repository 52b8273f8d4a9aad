//! `codewhale model`: which models are known, what a wish for one leads to, and which is the default.

use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;
use codewhale_config::{Config, Editor, Environment, KnownProvider, Origin, Setting};
use codewhale_model::catalogue::{self, PROVIDERS};

use crate::args::Global;
use crate::compose;

#[derive(Subcommand)]
pub(crate) enum Model {
    /// List the models that are known by name, and those that are configured.
    List {
        /// Only those of this provider.
        #[arg(long, value_name = "ID")]
        provider: Option<String>,
    },
    /// Tell what a wish for a model leads to.
    Resolve {
        /// The model; the default when left out.
        model: Option<String>,
    },
    /// Make a model the default.
    Set {
        /// The model, in the provider's spelling.
        model: String,
    },
}

pub(crate) fn run(global: &Global, command: Model) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &global.plain_flags(), &known)?;
    match command {
        Model::List { provider } => list(&config, provider.as_deref())?,
        Model::Resolve { model } => resolve(&config, model.as_deref())?,
        Model::Set { model } => set(global, (&environment, &known), &config, &model)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// One line per model and provider, in the order of the catalogue, then what the user configured.
fn list(config: &Config, only: Option<&str>) -> anyhow::Result<()> {
    let row = only.and_then(catalogue::find);
    let is_configured = |id: &str| config.providers.iter().any(|it| it.id == id);
    if let Some(only) = only
        && row.is_none()
        && !is_configured(only)
    {
        bail!("there is no provider {only:?}; `codewhale model list` shows all");
    }
    let is_wanted =
        |id: &str| only.is_none_or(|only| only == id || row.is_some_and(|row| row.id == id));
    let mut lines: Vec<(&str, &str)> = Vec::new();
    for provider in PROVIDERS {
        let windows = provider.windows.iter().map(|window| window.model);
        let models = std::iter::once(provider.default_model).chain(windows);
        lines.extend(models.map(|model| (model, provider.id)));
    }
    for provider in &config.providers {
        let model = provider.model.as_ref().map(|model| model.value.as_str());
        lines.extend(model.map(|model| (model, provider.id.as_str())));
    }
    let mut told: Vec<(&str, &str)> = Vec::new();
    for line in lines {
        let (model, provider) = line;
        if !model.is_empty() && is_wanted(provider) && !told.contains(&line) {
            println!("{model} ({provider})");
            told.push(line);
        }
    }
    Ok(())
}

fn resolve(config: &Config, asked: Option<&str>) -> anyhow::Result<()> {
    let route = compose::routes(config).resolve(None, asked)?;
    println!("requested: {}", asked.unwrap_or("(default)"));
    println!("resolved: {}", route.model);
    let provider = route.provider_id.as_deref().unwrap_or(&route.provider);
    println!("provider: {provider}");
    // A wish leads to what it names or to an error, never to something else.
    println!("used_fallback: false");
    println!(
        "provider_source: {}",
        source(config.default_provider.as_ref())
    );
    let model = match asked {
        Some(_) => "argument".to_owned(),
        None => source(model_setting(config)),
    };
    println!("model_source: {model}");
    Ok(())
}

fn source(setting: Option<&Setting<String>>) -> String {
    setting.map_or_else(|| "built in".to_owned(), |it| it.origin.to_string())
}

/// The model that the default provider is configured with.
fn model_setting(config: &Config) -> Option<&Setting<String>> {
    let default = config.default_provider.as_ref()?;
    let own = config.providers.iter().find(|it| it.id == default.value);
    own.and_then(|own| own.model.as_ref())
        .or(config.model.as_ref())
}

fn set(
    global: &Global,
    (environment, known): (&Environment, &[KnownProvider]),
    config: &Config,
    model: &str,
) -> anyhow::Result<()> {
    if model.trim().is_empty() {
        bail!("the model has no name; `codewhale model list` shows some");
    }
    let route = compose::routes(config).resolve(None, Some(model));
    let canonical = route.map_or_else(|_| model.trim().to_owned(), |route| route.model);
    let flags = global.plain_flags();
    let mut editor = Editor::open(environment, &flags, known)?;
    editor.set(&key(config), &canonical)?;
    editor.save()?;
    println!("Default model set to '{canonical}'");
    let now = Config::load(environment, &flags, known)?;
    if let Some(setting) = model_setting(&now).filter(|it| it.value != canonical) {
        let (origin, value) = (&setting.origin, &setting.value);
        eprintln!("warning: {origin} says {value:?}, and that counts");
    }
    Ok(())
}

/// Where the default stands now: in the table of its provider, or for whichever provider is chosen.
fn key(config: &Config) -> String {
    let default = config.default_provider.as_ref();
    let own = default.and_then(|default| {
        let provider = config.providers.iter().find(|it| it.id == default.value)?;
        let model = provider.model.as_ref()?;
        let is_general = config
            .model
            .as_ref()
            .is_some_and(|it| it.origin == model.origin);
        let in_file = matches!(model.origin, Origin::File(_));
        (in_file && !is_general).then_some(&provider.id)
    });
    own.map_or_else(|| "model".to_owned(), |id| format!("providers.{id}.model"))
}
