//! The tools that clients see: public names for ours, and two that start and continue threads.

use std::collections::BTreeSet;
use std::sync::Arc;

use codewhale_client::Client;
use codewhale_protocol::ErrorBody;
use codewhale_protocol::operations::ToolsList;
use codewhale_protocol::runtime::{NoParams, ToolInfo};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::Options;
use crate::agent;

/// Public names beside those the tools have in a turn.
const PUBLIC: &[(&str, &str)] = &[
    ("file_read", "read_file"),
    ("file_write", "write_file"),
    ("file_edit", "edit_file"),
    ("search", "grep_files"),
    ("file_search", "file_search"),
    ("apply_patch", "apply_patch"),
    ("shell", "exec_shell"),
];

/// The tools that are offered when nobody says otherwise. The last two are the older names of those
/// before.
pub const DEFAULT_TOOLS: &[&str] = &[
    "file_read",
    "file_write",
    "file_edit",
    "search",
    "file_search",
    "apply_patch",
    "shell",
    agent::BEGIN,
    agent::REPLY,
    agent::BEGIN_BEFORE,
    agent::REPLY_BEFORE,
];

/// Whether a name of the configuration is one that this door gives out itself; others must be tools of
/// the runtime.
pub fn is_known(name: &str) -> bool {
    DEFAULT_TOOLS.contains(&name) || PUBLIC.iter().any(|(_, own)| *own == name)
}

/// What a client calls.
pub(crate) enum Called {
    /// Starts a thread.
    Begin,
    /// Continues one.
    Reply,
    /// A tool of the runtime.
    Tool(Box<ToolInfo>),
}

/// The tools on offer, in order.
pub(crate) struct Catalogue {
    tools: Vec<ToolInfo>,
    exposed: Vec<String>,
}

impl Catalogue {
    pub(crate) async fn read(client: &Client, options: &Options) -> Result<Self, ErrorBody> {
        let listed = client.call::<ToolsList>(NoParams {}).await?;
        let exposed = match &options.expose_tools {
            Some(names) => names.clone(),
            None => DEFAULT_TOOLS
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
        };
        Ok(Self {
            tools: listed.tools,
            exposed,
        })
    }

    /// What stands behind a name, if it is on offer.
    pub(crate) fn find(&self, name: &str) -> Option<Called> {
        let is_exposed = |it: &String| it == name || also_called(it) == Some(name);
        if !self.exposed.iter().any(is_exposed) {
            return None;
        }
        match name {
            agent::BEGIN | agent::BEGIN_BEFORE => Some(Called::Begin),
            agent::REPLY | agent::REPLY_BEFORE => Some(Called::Reply),
            name => self.tool(name).cloned().map(Box::new).map(Called::Tool),
        }
    }

    fn tool(&self, name: &str) -> Option<&ToolInfo> {
        let own = PUBLIC.iter().find(|(public, _)| *public == name);
        let name = own.map_or(name, |(_, own)| own);
        let is_it =
            |tool: &&ToolInfo| tool.name == name || tool.aliases.iter().any(|it| it == name);
        self.tools.iter().find(is_it)
    }

    /// The tools as clients see them, each once.
    pub(crate) fn shown(&self) -> Vec<Tool> {
        let mut seen = BTreeSet::new();
        let names = self
            .exposed
            .iter()
            .filter(|name| seen.insert(name.as_str()));
        names.filter_map(|name| self.show(name)).collect()
    }

    fn show(&self, name: &str) -> Option<Tool> {
        match self.find(name)? {
            Called::Begin => Some(agent::begin_tool(name)),
            Called::Reply => Some(agent::reply_tool(name)),
            Called::Tool(info) => {
                let hints = ToolAnnotations::new()
                    .read_only(info.read_only)
                    .destructive(!info.read_only);
                let schema = Arc::new(object(info.input_schema));
                Some(Tool::new(name.to_owned(), info.description, schema).with_annotations(hints))
            }
        }
    }
}

/// The other name under which the same thing is offered.
fn also_called(name: &str) -> Option<&'static str> {
    Some(match name {
        agent::BEGIN => agent::BEGIN_BEFORE,
        agent::REPLY => agent::REPLY_BEFORE,
        agent::BEGIN_BEFORE => agent::BEGIN,
        agent::REPLY_BEFORE => agent::REPLY,
        _ => return None,
    })
}

/// A schema as the protocol wants it: that of an object, without formats that only we know.
pub(crate) fn object(mut schema: Value) -> JsonObject {
    drop_own_formats(&mut schema);
    let mut object = match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    object.entry("type").or_insert_with(|| "object".into());
    object
}

/// Leaves out widths of numbers: strict clients complain about formats that JSON schema does not have.
fn drop_own_formats(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(drop_own_formats),
        Value::Object(members) => {
            let is_own = |format: &Value| {
                let name = format.as_str().unwrap_or_default();
                ["uint", "int", "float", "double"]
                    .iter()
                    .any(|it| name.starts_with(it))
            };
            if members.get("format").is_some_and(is_own) {
                members.remove("format");
            }
            members.values_mut().for_each(drop_own_formats);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn catalogue(exposed: &[&str]) -> Catalogue {
        let tool = |name: &str, read_only| ToolInfo {
            name: name.to_owned(),
            aliases: Vec::new(),
            description: format!("does {name}"),
            input_schema: json!({ "properties": {} }),
            read_only,
        };
        Catalogue {
            tools: vec![
                tool("read_file", true),
                tool("list_dir", true),
                tool("exec_shell", false),
            ],
            exposed: exposed.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn only_what_is_exposed_is_shown_and_found() {
        let catalogue = catalogue(&["file_read", "list_dir", "codewhale", "file_read", "nothing"]);
        let shown = catalogue.shown();
        let names: Vec<&str> = shown.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["file_read", "list_dir", "codewhale"]);
        assert!(
            matches!(catalogue.find("file_read"), Some(Called::Tool(tool)) if tool.name == "read_file")
        );
        assert!(matches!(catalogue.find("deepseek"), Some(Called::Begin)));
        for hidden in [
            "shell",
            "exec_shell",
            "read_file",
            "codewhale-reply",
            "nothing",
            "",
        ] {
            assert!(catalogue.find(hidden).is_none(), "{hidden}");
        }
    }

    #[test]
    fn every_schema_is_that_of_an_object() {
        for tool in catalogue(&["shell", "codewhale", "codewhale-reply"]).shown() {
            let schema = tool.input_schema;
            assert_eq!(schema.get("type"), Some(&json!("object")), "{}", tool.name);
            let output = serde_json::to_string(&tool.output_schema).unwrap();
            assert!(!output.contains("uint64"), "{output}");
        }
    }
}
