//! `codewhale models`: which model answers, who stands in for it, which providers could be used, and
//! which servers on this machine have models.

use std::fmt::Write as _;
use std::process::ExitCode;

use codewhale_config::{Config, Environment};
use codewhale_model::local::{self, LocalServer, Ports};
use codewhale_model::{Route, RouteError, Routes};
use serde_json::{Value, json};

use crate::args::Global;
use crate::compose;

/// What to list.
#[derive(clap::Args)]
pub(crate) struct Models {
    /// Print JSON, for programs.
    #[arg(long)]
    json: bool,
    /// Port where Ollama listens on this machine.
    #[arg(long, default_value_t = Ports::default().ollama, value_name = "PORT")]
    ollama_port: u16,
    /// Port where LM Studio listens on this machine.
    #[arg(long, default_value_t = Ports::default().lm_studio, value_name = "PORT")]
    lm_studio_port: u16,
    /// Port where llama.cpp listens on this machine.
    #[arg(long, default_value_t = Ports::default().llama_cpp, value_name = "PORT")]
    llama_cpp_port: u16,
}

/// Everything there is to tell.
struct Listing {
    route: Result<Route, RouteError>,
    fallbacks: Vec<Result<Route, RouteError>>,
    providers: Vec<Listed>,
    local: Vec<LocalServer>,
}

/// A configured provider.
struct Listed {
    id: String,
    route: Result<Route, RouteError>,
    has_key: bool,
    is_default: bool,
}

pub(crate) fn run(global: &Global, command: &Models) -> anyhow::Result<ExitCode> {
    let environment = Environment::of_process();
    let known = compose::known_providers();
    let config = Config::load(&environment, &global.plain_flags(), &known)?;
    let ports = Ports {
        ollama: command.ollama_port,
        lm_studio: command.lm_studio_port,
        llama_cpp: command.llama_cpp_port,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = runtime.block_on(local::detect(ports));
    let listing = Listing::new(&config, &compose::routes(&config), local);
    match command.json {
        true => println!("{:#}", listing.json()),
        false => print!("{}", listing.text()),
    }
    Ok(ExitCode::SUCCESS)
}

impl Listing {
    fn new(config: &Config, routes: &Routes, local: Vec<LocalServer>) -> Self {
        let route = routes.resolve(None, None);
        let default = config.default_provider.as_ref().map(|it| it.value.as_str());
        let listed = |provider: &codewhale_config::ProviderSettings| Listed {
            id: provider.id.clone(),
            route: routes.resolve(Some(&provider.id), None),
            has_key: provider.key.is_some(),
            is_default: default == Some(provider.id.as_str()),
        };
        Self {
            fallbacks: route
                .as_ref()
                .map(|route| routes.fallbacks(route))
                .unwrap_or_default(),
            providers: config.providers.iter().map(listed).collect(),
            route,
            local,
        }
    }

    fn text(&self) -> String {
        let mut text = format!("route: {}\n", in_words(&self.route));
        for fallback in &self.fallbacks {
            line(&mut text, &format!("then: {}", in_words(fallback)));
        }
        for provider in &self.providers {
            let mark = if provider.is_default { '*' } else { ' ' };
            let key = if provider.has_key { "key" } else { "no key" };
            let (id, route) = (&provider.id, in_words(&provider.route));
            line(&mut text, &format!("{mark} {id} ({key}): {route}"));
        }
        for server in &self.local {
            let (name, base) = (server.kind.name(), &server.base_url);
            let models = match server.models.as_slice() {
                [] => "no models".to_owned(),
                models => models.join(", "),
            };
            line(&mut text, &format!("local: {name} at {base}: {models}"));
        }
        if self.local.is_empty() {
            line(&mut text, "local: no server was found");
        }
        text
    }

    fn json(&self) -> Value {
        let provider = |provider: &Listed| {
            let mut told = as_json(&provider.route);
            told["id"] = json!(provider.id);
            told["has_key"] = json!(provider.has_key);
            told["is_default"] = json!(provider.is_default);
            told
        };
        let server = |server: &LocalServer| {
            json!({
                "name": server.kind.name(),
                "base_url": server.base_url,
                "models": server.models,
            })
        };
        json!({
            "route": as_json(&self.route),
            "fallbacks": self.fallbacks.iter().map(as_json).collect::<Vec<_>>(),
            "providers": self.providers.iter().map(provider).collect::<Vec<_>>(),
            "local": self.local.iter().map(server).collect::<Vec<_>>(),
        })
    }
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("text takes text");
}

fn in_words(route: &Result<Route, RouteError>) -> String {
    match route {
        Ok(route) => route.label(),
        Err(problem) => format!("cannot be used: {problem}"),
    }
}

fn as_json(route: &Result<Route, RouteError>) -> Value {
    match route {
        Ok(route) => json!({
            "provider": route.provider,
            "provider_id": route.provider_id,
            "model": route.model,
            "context_window": route.context_window,
        }),
        Err(problem) => json!({ "problem": problem.to_string() }),
    }
}
