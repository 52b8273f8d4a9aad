//! What a server offers. A wrong entry is left out, or put aside with a reason; the others stay.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::Peer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::limits::{DESCRIPTION_BYTES_MAX, ITEMS_MAX, LIST_BYTES_MAX, PAGES_MAX};
use crate::request::{ask, quoted};
use crate::settings::Filter;
use crate::{Error, names, schema};

/// All that a server offers.
#[derive(Default, Debug)]
pub(crate) struct Catalogue {
    pub(crate) tools: Vec<Listed>,
    pub(crate) quarantined: Vec<Quarantined>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) prompts: Vec<Prompt>,
}

/// A tool that can be used.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Listed {
    /// What the server calls it.
    pub(crate) name: String,
    /// What the model calls it.
    pub(crate) shown: String,
    /// What the server says it does.
    pub(crate) description: Option<String>,
    pub(crate) schema: Value,
    /// What the server says about itself; the user decides whether that counts.
    pub(crate) says_it_only_reads: bool,
}

/// A tool that was put aside.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Quarantined {
    /// Whose it is.
    pub server: String,
    /// What the server calls it.
    pub tool: String,
    /// Why.
    pub why: String,
}

/// Something that can be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its format.
    #[serde(rename = "mimeType", skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// Addresses of things that can be read, with gaps to fill in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResourceTemplate {
    /// The address with its gaps.
    #[serde(rename = "uriTemplate")]
    pub uri_template: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A text the server has ready.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it needs to know.
    #[serde(default)]
    pub arguments: Vec<PromptArgument>,
}

/// What a prompt needs to know.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be given.
    #[serde(default)]
    pub required: bool,
}

impl Catalogue {
    /// Asks a server for all it has. The tools must come; the rest may fail.
    pub(crate) async fn read(
        server: &str,
        peer: &Peer<RoleClient>,
        filter: &Filter,
        at_most: Duration,
    ) -> Result<Self, Error> {
        let info = peer.peer_info();
        let capabilities = info
            .map(|info| json!(info.capabilities))
            .unwrap_or_default();
        let says_nothing = ["tools", "resources", "prompts"]
            .iter()
            .all(|kind| capabilities[kind].is_null());
        let has = |kind: &str| says_nothing || !capabilities[kind].is_null();
        let mut catalogue = Self::default();
        if has("tools") {
            let tools = match list(peer, "tools/list", "tools", at_most).await {
                Err(Error::Refused { .. }) if says_nothing => Vec::new(),
                tools => tools?,
            };
            catalogue.sort_out(server, tools, filter);
        }
        let share = at_most / 3;
        if has("resources") {
            let found = list(peer, "resources/list", "resources", share).await;
            catalogue.resources = understood(found);
            let method = "resources/templates/list";
            let found = list(peer, method, "resourceTemplates", share).await;
            catalogue.templates = understood(found);
        }
        if has("prompts") {
            let found = list(peer, "prompts/list", "prompts", share).await;
            catalogue.prompts = understood(found);
        }
        Ok(catalogue)
    }

    /// Parts the tools that can be used from the others.
    fn sort_out(&mut self, server: &str, tools: Vec<Value>, filter: &Filter) {
        let mut by_name: BTreeMap<String, Vec<Listed>> = BTreeMap::new();
        for tool in tools {
            let name = tool["name"].as_str().unwrap_or_default().to_owned();
            if !name.is_empty() && !filter.admits(&name) {
                continue;
            }
            match listed(server, &name, tool) {
                Ok(tool) => by_name.entry(tool.shown.clone()).or_default().push(tool),
                Err(why) => self.put_aside(server, &name, why),
            }
        }
        for (shown, mut tools) in by_name {
            match tools.len() {
                1 => self.tools.append(&mut tools),
                // Which one would run?
                _ => tools.iter().for_each(|tool| {
                    let why = format!("it shares the name {shown:?} with another tool");
                    self.put_aside(server, &tool.name, why);
                }),
            }
        }
    }

    fn put_aside(&mut self, server: &str, tool: &str, why: String) {
        self.quarantined.push(Quarantined {
            server: server.to_owned(),
            tool: quoted(tool),
            why,
        });
    }

    /// Whether an address was offered, as it stands or by a template.
    pub(crate) fn offers(&self, uri: &str) -> bool {
        let literal = self.resources.iter().any(|resource| resource.uri == uri);
        let fits = |template: &ResourceTemplate| fits(&template.uri_template, uri);
        literal || self.templates.iter().any(fits)
    }
}

fn listed(server: &str, name: &str, mut tool: Value) -> Result<Listed, String> {
    if name.is_empty() {
        return Err("it has no name".to_owned());
    }
    let description = match &tool["description"] {
        Value::String(description) => {
            let end = description.floor_char_boundary(DESCRIPTION_BYTES_MAX);
            Some(description[..end].to_owned())
        }
        Value::Null => None,
        _ => return Err("its description is not a text".to_owned()),
    };
    let schema = tool.get_mut("inputSchema").map(Value::take);
    Ok(Listed {
        name: name.to_owned(),
        shown: names::shown(server, name),
        description,
        schema: schema::usable(schema)?,
        says_it_only_reads: tool["annotations"]["readOnlyHint"] == true,
    })
}

/// Reads all pages of a list.
async fn list(
    peer: &Peer<RoleClient>,
    method: &str,
    key: &str,
    at_most: Duration,
) -> Result<Vec<Value>, Error> {
    let (mut items, mut bytes, mut params) = (Vec::new(), 0, json!({}));
    let never = CancellationToken::new();
    for _ in 0..PAGES_MAX {
        let mut page = ask(peer, method, params, at_most, &never).await?;
        let Some(Value::Array(some)) = page.get_mut(key).map(Value::take) else {
            return Err(Error::Nonsense {
                why: format!("{method} has no list `{key}`"),
            });
        };
        for item in some {
            bytes += item.to_string().len();
            if items.len() == ITEMS_MAX || bytes > LIST_BYTES_MAX {
                return Ok(items);
            }
            items.push(item);
        }
        match page["nextCursor"].as_str() {
            Some(cursor) if !cursor.is_empty() => params = json!({"cursor": cursor}),
            _ => break,
        }
    }
    Ok(items)
}

/// The entries that can be read; there may be none.
fn understood<T: for<'de> Deserialize<'de>>(items: Result<Vec<Value>, Error>) -> Vec<T> {
    let items = items.unwrap_or_default().into_iter();
    items
        .filter_map(|item| serde_json::from_value(item).ok())
        .collect()
}

/// Whether an address fits a template: what stands outside the gaps is there, in order.
fn fits(template: &str, uri: &str) -> bool {
    let mut rest = uri;
    let mut parts = template.split('{');
    let first = parts.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    for part in parts {
        let Some((_, fixed)) = part.split_once('}') else {
            return false;
        };
        match fixed.is_empty() {
            true => rest = "",
            false => match rest.find(fixed) {
                Some(start) => rest = &rest[start + fixed.len()..],
                None => return false,
            },
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_lies_is_put_aside_and_the_others_stay() {
        let tools = vec![
            json!({"name": "good", "inputSchema": {"type": "object"}}),
            json!({"name": "liar", "inputSchema": "object"}),
            json!({"name": "a.b", "inputSchema": {"type": "object"}}),
            json!({"name": "a/b", "inputSchema": {"type": "object"}}),
            json!({"name": "hidden", "inputSchema": {"type": "object"}}),
            json!({"name": 7}),
            json!("nonsense"),
        ];
        let filter = Filter {
            disabled: vec!["hidden".to_owned()],
            ..Filter::default()
        };
        let mut catalogue = Catalogue::default();
        catalogue.sort_out("s", tools, &filter);
        let shown: Vec<_> = catalogue.tools.iter().map(|tool| &*tool.shown).collect();
        assert_eq!(shown, ["mcp_s_good"]);
        let aside = catalogue.quarantined.iter();
        let aside: Vec<_> = aside.map(|it| (&*it.tool, &*it.why)).collect();
        assert_eq!(
            aside,
            [
                ("liar", "its input schema is not an object"),
                ("", "it has no name"),
                ("", "it has no name"),
                ("a.b", "it shares the name \"mcp_s_a_b\" with another tool"),
                ("a/b", "it shares the name \"mcp_s_a_b\" with another tool"),
            ]
        );
    }

    #[test]
    fn an_address_fits_a_template_when_its_fixed_parts_do() {
        for (template, uri, expected) in [
            ("demo://text/{id}", "demo://text/7", true),
            ("demo://text/{id}", "demo://blob/7", false),
            ("db://{table}/rows/{id}", "db://users/rows/3", true),
            ("db://{table}/rows/{id}", "db://users/cells/3", false),
            ("db://{table}/all", "db://users/all", true),
            ("db://{table}/all", "db://users/all/more", false),
        ] {
            assert_eq!(fits(template, uri), expected, "{template} {uri}");
        }
    }
}
