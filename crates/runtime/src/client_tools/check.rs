//! What a client may declare.

use std::collections::BTreeSet;

use codewhale_protocol::runtime::DynamicTool;
use codewhale_tools::Registry;

use crate::{Error, limits};

/// How the names of tools of MCP servers begin.
const OF_SERVERS: &str = "mcp_";

/// Whether these tools can be offered beside those there are.
pub(crate) fn check(tools: &[DynamicTool], known: &Registry) -> Result<(), Error> {
    let count_max = limits::CLIENT_TOOLS_MAX;
    if tools.len() > count_max {
        return refused(format!("a turn has at most {count_max} dynamic_tools"));
    }
    let mut names = BTreeSet::new();
    let mut bytes = 0;
    for tool in tools {
        let name = tool.shown_name();
        check_one(tool, &name)?;
        if known.get(&name).is_some() || name.starts_with(OF_SERVERS) {
            return refused(format!(
                "the dynamic tool {name:?} has the name of another tool; give it a namespace"
            ));
        }
        if !names.insert(name.clone()) {
            return refused(format!("two dynamic tools are called {name:?}"));
        }
        bytes += size(tool);
    }
    let bytes_max = limits::CLIENT_TOOLS_BYTES_MAX;
    match bytes > bytes_max {
        true => refused(format!(
            "the dynamic_tools of a turn have at most {bytes_max} bytes together"
        )),
        false => Ok(()),
    }
}

fn check_one(tool: &DynamicTool, name: &str) -> Result<(), Error> {
    let parts = tool.namespace.iter().chain([&tool.name]);
    let mut parts = parts.map(String::as_str);
    let length_max = limits::CLIENT_TOOL_NAME_BYTES_MAX;
    if !parts.all(is_plain) || name.len() > length_max {
        return refused(format!(
            "the dynamic tool {name:?} needs another name: letters, digits, `_` and `-`, at most {length_max} with its namespace"
        ));
    }
    let length_max = limits::CLIENT_TOOL_DESCRIPTION_BYTES_MAX;
    if tool.description.trim().is_empty() || tool.description.len() > length_max {
        return refused(format!(
            "the dynamic tool {name:?} needs a description of 1 to {length_max} bytes"
        ));
    }
    let kind = tool.input_schema.get("type");
    if kind.is_some_and(|kind| kind != "object") {
        return refused(format!(
            "the input_schema of the dynamic tool {name:?} must be of the type object"
        ));
    }
    let size_max = limits::CLIENT_TOOL_BYTES_MAX;
    match size(tool) > size_max {
        true => refused(format!(
            "the dynamic tool {name:?} is longer than {size_max} bytes; shorten its input_schema"
        )),
        false => Ok(()),
    }
}

fn is_plain(word: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    !word.is_empty() && word.chars().all(is_plain)
}

fn size(tool: &DynamicTool) -> usize {
    serde_json::to_string(tool).map_or(usize::MAX, |text| text.len())
}

fn refused(message: String) -> Result<(), Error> {
    Err(Error::Invalid(message))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn told(tools: Value) -> String {
        let tools: Vec<DynamicTool> = serde_json::from_value(tools).expect("these are tools");
        match check(&tools, &Registry::builtin()) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    fn tool(change: Value) -> Value {
        let mut tool = json!({ "name": "look", "description": "Looks.", "input_schema": {} });
        for (key, value) in change.as_object().into_iter().flatten() {
            tool[key] = value.clone();
        }
        tool
    }

    #[test]
    fn what_can_be_offered_is_let_through() {
        let others = json!({ "namespace": "ide", "input_schema": { "type": "object" } });
        assert_eq!(told(json!([tool(json!({})), tool(others)])), "");
        // A namespace makes the name of a built-in tool another one.
        let built_in = json!({ "namespace": "ide", "name": "read_file" });
        assert_eq!(told(json!([tool(built_in)])), "");
    }

    #[test]
    fn what_cannot_is_told_with_the_reason() {
        for (change, said) in [
            (json!({ "name": "" }), "needs another name"),
            (json!({ "name": "a b" }), "needs another name"),
            (json!({ "name": "x".repeat(65) }), "needs another name"),
            (json!({ "namespace": "" }), "needs another name"),
            (json!({ "description": " " }), "needs a description"),
            (
                json!({ "input_schema": { "type": "string" } }),
                "type object",
            ),
            (
                json!({ "input_schema": { "x": "y".repeat(70_000) } }),
                "shorten",
            ),
            (json!({ "name": "read_file" }), "name of another tool"),
            (json!({ "name": "mcp_a_b" }), "name of another tool"),
        ] {
            let told = told(json!([tool(change)]));
            assert!(told.contains(said), "{told}");
        }
        let twice = told(json!([tool(json!({})), tool(json!({}))]));
        assert!(twice.contains("two dynamic tools"), "{twice}");
        let many = (0..65).map(|it| tool(json!({ "name": format!("t{it}") })));
        let many = told(many.collect());
        assert!(many.contains("at most 64"), "{many}");
    }
}
