//! The report for people: a line for each thing that matters, and what to do about it.

use std::fmt;

use codewhale_mcp_client::Verdict;
use codewhale_model::local::LocalServer;

use super::facts::Facts;

/// A line of the report.
pub(super) struct Check {
    state: State,
    what: &'static str,
    found: String,
    next: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fine,
    Note,
    Problem,
}

impl Check {
    pub(super) fn problem(what: &'static str, found: String) -> Self {
        Self::new(State::Problem, what, found)
    }

    fn new(state: State, what: &'static str, found: String) -> Self {
        Self {
            state,
            what,
            found,
            next: None,
        }
    }

    fn next(mut self, step: impl Into<String>) -> Self {
        self.next = Some(step.into());
        self
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.state {
            State::Fine => "ok",
            State::Note => "note",
            State::Problem => "FIX",
        };
        writeln!(f, "{mark:<5} {:<14} {}", self.what, self.found)?;
        match &self.next {
            Some(step) => writeln!(f, "{:<20} -> {step}", ""),
            None => Ok(()),
        }
    }
}

/// Every line, what the rest stands on first.
pub(super) fn all(facts: &Facts, local: &[LocalServer]) -> Vec<Check> {
    let mut checks = vec![home(facts), configuration(facts)];
    let warnings = facts.warnings.iter().cloned();
    checks.extend(warnings.map(|it| Check::new(State::Note, "configuration", it)));
    checks.push(model(facts, local));
    checks.push(walls(facts));
    checks.extend(servers(facts));
    checks.push(memory(facts));
    checks.push(skills(facts));
    checks
}

fn home(facts: &Facts) -> Check {
    let home = facts.home.display();
    match facts.home_writable {
        true => Check::new(State::Fine, "home", home.to_string()),
        false => Check::problem("home", format!("{home} cannot be written"))
            .next("correct its permissions, or set CODEWHALE_HOME to another directory"),
    }
}

fn configuration(facts: &Facts) -> Check {
    let path = facts.config_path.display();
    match facts.config_present {
        true => Check::new(State::Fine, "configuration", path.to_string()),
        false => Check::new(
            State::Note,
            "configuration",
            format!("{path} does not exist"),
        )
        .next("nothing to do: `codewhale config set KEY VALUE` makes it"),
    }
}

fn model(facts: &Facts, local: &[LocalServer]) -> Check {
    let route = &facts.route;
    if let Some(problem) = &route.problem {
        let step = format!(
            "`codewhale auth set --provider {}` keeps a key",
            route.provider
        );
        let check = Check::problem("model", problem.clone());
        return match route.key.availability {
            "unavailable" => check.next(step),
            _ => check,
        };
    }
    if route.is_offline {
        let found = "none is configured: the built-in offline model answers";
        let step = match local.first() {
            Some(server) => format!(
                "{} runs at {}: `codewhale config set providers.local.base_url {}`",
                server.kind.name(),
                server.base_url,
                server.base_url
            ),
            None => "`codewhale auth set --provider deepseek` keeps a key".to_owned(),
        };
        return Check::new(State::Note, "model", found.to_owned()).next(step);
    }
    let key = match route.key.source {
        "missing" => "no key needed".to_owned(),
        source => format!("key from {source}"),
    };
    let found = format!(
        "{}/{} at {} ({key})",
        route.provider, route.model, route.base_url
    );
    Check::new(State::Fine, "model", found)
}

fn walls(facts: &Facts) -> Check {
    match facts.sandbox {
        Some(kind) => {
            let found = format!("{kind}, at most {}", facts.sandbox_mode);
            Check::new(State::Fine, "walls", found)
        }
        None => {
            let why = facts.sandbox_missing.join("; ");
            let found = format!("commands cannot be confined here: {why}");
            Check::new(State::Note, "walls", found).next("every command asks before it runs")
        }
    }
}

fn servers(facts: &Facts) -> Vec<Check> {
    let servers = match &facts.mcp.servers {
        Ok(servers) => servers,
        Err(error) => return vec![Check::problem("mcp", error.to_string())],
    };
    let check = |server: &codewhale_mcp_client::Inspected| {
        let found = format!("{}: {}", server.name, server.verdict.detail());
        let state = match server.verdict {
            Verdict::Fine(_) => State::Fine,
            Verdict::Doubtful(_) => State::Note,
            Verdict::Broken(_) => State::Problem,
        };
        let check = Check::new(state, "mcp", found);
        match server.verdict {
            Verdict::Fine(_) => {
                check.next(format!("`codewhale mcp test {}` tries it", server.name))
            }
            Verdict::Doubtful(_) | Verdict::Broken(_) => {
                check.next(format!("correct {}", facts.mcp.file.display()))
            }
        }
    };
    let used = servers.iter().filter(|server| server.enabled);
    used.map(check).collect()
}

fn memory(facts: &Facts) -> Check {
    let path = facts.memory_file.display();
    match facts.memory_enabled {
        true => Check::new(State::Fine, "memory", path.to_string()),
        false => Check::new(State::Fine, "memory", "off".to_owned())
            .next("`codewhale config set memory.enabled true` turns it on"),
    }
}

fn skills(facts: &Facts) -> Check {
    let skills = &facts.skills;
    let places = [
        Some(&skills.global),
        skills.agents_global.as_ref(),
        Some(&skills.agents),
        Some(&skills.local),
        Some(&skills.opencode),
        Some(&skills.claude),
    ];
    let count: usize = places.iter().flatten().map(|place| place.count).sum();
    let found = format!("{count} in {}", skills.selected.display());
    let found = match count {
        0 => "none".to_owned(),
        _ => found,
    };
    Check::new(State::Fine, "skills", found)
}
