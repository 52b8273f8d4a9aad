//! One server of the file, with its placeholders filled in.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Filter, Oauth, Origin, Program, Reach, Remote, Server, Timeouts, Wire};
use crate::expand::expand;
use crate::limits::TIMEOUT_MAX;

type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A server as it is written.
#[derive(Deserialize)]
struct Entry {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    #[serde(alias = "type")]
    transport: Option<String>,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    trust: bool,
    #[serde(default)]
    enabled_tools: Vec<String>,
    #[serde(default)]
    disabled_tools: Vec<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default, alias = "env_http_headers")]
    env_headers: BTreeMap<String, String>,
    bearer_token_env_var: Option<String>,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    oauth: OauthEntry,
    oauth_resource: Option<String>,
    connect_timeout: Option<Value>,
    execute_timeout: Option<Value>,
    read_timeout: Option<Value>,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

/// The login of a server as it is written.
#[derive(Default, Deserialize)]
struct OauthEntry {
    client_id: Option<String>,
}

fn yes() -> bool {
    true
}

/// Reads a server, or says what to mend. Placeholders of a server that is off stay as they are:
/// nobody sets variables for what is not used.
pub(crate) fn read(
    name: &str,
    value: Value,
    origin: Origin,
    timeouts: Timeouts,
    variable: Variables<'_>,
) -> Result<(Server, Vec<String>), String> {
    if name.trim().is_empty() {
        return Err("its name is empty".to_owned());
    }
    let entry: Entry = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let mut warnings = Vec::new();
    let unknown = entry.unknown.keys();
    warnings.extend(
        unknown.map(|member| format!("MCP server {name:?}: {member:?} means nothing here")),
    );
    let own = Map::from_iter(
        [
            ("connect_timeout", entry.connect_timeout.clone()),
            ("execute_timeout", entry.execute_timeout.clone()),
            ("read_timeout", entry.read_timeout.clone()),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?))),
    );
    let timeouts = self::timeouts(Some(Value::Object(own)), timeouts, &mut warnings);
    if entry.trust && origin != Origin::User {
        warnings.push(format!(
            "MCP server {name:?}: `trust` counts in the user's own file only"
        ));
    }
    let enabled = entry.enabled && !entry.disabled;
    let as_written = |name: &str| Some(format!("${{{name}}}"));
    let variable: Variables<'_> = if enabled { variable } else { &as_written };
    let server = Server {
        enabled,
        required: entry.required,
        trusted: entry.trust && origin == Origin::User,
        timeouts,
        tools: Filter {
            enabled: entry.enabled_tools.clone(),
            disabled: entry.disabled_tools.clone(),
        },
        origin,
        reach: reach(name, entry, variable, &mut warnings)?,
    };
    Ok((server, warnings))
}

fn reach(
    name: &str,
    entry: Entry,
    variable: Variables<'_>,
    warnings: &mut Vec<String>,
) -> Result<Reach, String> {
    match (entry.command.is_some(), entry.url.is_some()) {
        (true, true) => Err("it has both `command` and `url`; keep one".to_owned()),
        (false, false) => Err("it has neither `command` nor `url`".to_owned()),
        (true, false) => program(entry, variable).map(Reach::Stdio),
        (false, true) => remote(name, entry, variable, warnings).map(Reach::Http),
    }
}

fn program(entry: Entry, variable: Variables<'_>) -> Result<Program, String> {
    let expand = |text: &str| expand(text, variable);
    let command = expand(&entry.command.unwrap_or_default())?;
    let args: Result<Vec<_>, _> = entry.args.iter().map(|word| expand(word)).collect();
    let args = args?;
    let env = entry.env.iter();
    let env: Result<BTreeMap<_, _>, String> = env
        .map(|(name, value)| Ok((name.clone(), expand(value)?)))
        .collect();
    let env = env?;
    let words = [&command].into_iter().chain(&args).chain(env.values());
    if command.trim().is_empty() {
        Err("`command` is empty".to_owned())
    } else if words.into_iter().any(|word| word.contains('\0')) {
        Err("a word of it contains a NUL character".to_owned())
    } else if env
        .keys()
        .any(|name| name.is_empty() || name.contains(['=', '\0']))
    {
        Err("`env` has a name that no environment can hold".to_owned())
    } else {
        let cwd = entry.cwd.map(|cwd| expand(&cwd.to_string_lossy()));
        Ok(Program {
            command,
            args,
            env,
            cwd: cwd.transpose()?.map(PathBuf::from),
        })
    }
}

fn remote(
    name: &str,
    entry: Entry,
    variable: Variables<'_>,
    warnings: &mut Vec<String>,
) -> Result<Remote, String> {
    let url = expand(&entry.url.unwrap_or_default(), variable)?;
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err("`url` does not begin with http:// or https://".to_owned());
    }
    let wire = match entry.transport.as_deref() {
        None | Some("http" | "streamable-http" | "streamable_http") => Wire::Streamable,
        Some("sse") => Wire::Sse,
        Some(other) => return Err(format!("`transport` is {other:?}; only \"sse\" is known")),
    };
    let mut headers = BTreeMap::new();
    for (header, value) in &entry.headers {
        keep(
            &mut headers,
            header,
            expand(value, variable)?,
            warnings,
            name,
        );
    }
    for (header, from) in &entry.env_headers {
        let value = variable(from).ok_or_else(|| not_set(from))?;
        keep(&mut headers, header, value, warnings, name);
    }
    // Nobody is sent a placeholder for a token.
    let is_on = entry.enabled && !entry.disabled;
    if let Some(from) = entry.bearer_token_env_var.as_ref().filter(|_| is_on) {
        match variable(from) {
            // Whoever wrote a header of their own meant it.
            Some(_) if headers.contains_key("authorization") => {}
            Some(token) => {
                let value = format!("Bearer {token}");
                keep(&mut headers, "authorization", value, warnings, name);
            }
            None => warnings.push(format!(
                "MCP server {name:?}: {}; what `codewhale mcp login {name}` kept counts instead",
                not_set(from)
            )),
        }
    }
    let oauth = Oauth {
        client_id: entry.oauth.client_id,
        scopes: entry.scopes,
        resource: entry.oauth_resource,
    };
    Ok(Remote {
        url,
        headers,
        wire,
        oauth,
    })
}

fn not_set(name: &str) -> String {
    format!("the variable {name} is not set")
}

/// Header names are kept in lower case, so that one is not sent twice.
fn keep(
    headers: &mut BTreeMap<String, String>,
    header: &str,
    value: String,
    warnings: &mut Vec<String>,
    server: &str,
) {
    let lower = header.trim().to_ascii_lowercase();
    let is_ours = [
        "accept",
        "content-type",
        "mcp-session-id",
        "mcp-protocol-version",
    ];
    let is_sendable = !lower.is_empty()
        && !is_ours.contains(&lower.as_str())
        && http::HeaderName::from_bytes(lower.as_bytes()).is_ok()
        && http::HeaderValue::from_str(&value).is_ok();
    match is_sendable {
        true => drop(headers.insert(lower, value)),
        false => warnings.push(format!(
            "MCP server {server:?}: the header {header:?} cannot be sent and is left out"
        )),
    }
}

/// Timeouts in seconds over others.
pub(super) fn timeouts(
    value: Option<Value>,
    others: Timeouts,
    warnings: &mut Vec<String>,
) -> Timeouts {
    let mut given = match value {
        Some(Value::Object(given)) => given,
        None | Some(Value::Null) => return others,
        Some(_) => {
            warnings.push("mcp.json: `timeouts` is not an object".to_owned());
            return others;
        }
    };
    let mut take = |key: &str, other: Duration| {
        let Some(value) = given.remove(key) else {
            return other;
        };
        let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
        match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            Some(timeout) => timeout.min(TIMEOUT_MAX),
            None => {
                warnings.push(format!(
                    "mcp.json: `{key}` is {value}, not a number of seconds above 0"
                ));
                other
            }
        }
    };
    Timeouts {
        connect: take("connect_timeout", others.connect),
        execute: take("execute_timeout", others.execute),
        read: take("read_timeout", others.read),
    }
}
