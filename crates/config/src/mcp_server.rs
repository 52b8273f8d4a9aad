//! How `serve --mcp` behaves: keys of the configuration, else the file that the predecessor had.

use crate::file::{self, Node, Table};
use crate::flags::Given;
use crate::home::Places;
use crate::layers::Layers;
use crate::schema::{self, Key};
use crate::shape::Shape;
use crate::{Error, Origin, Setting};

/// The file of the predecessor, in its home. It is read, never written.
const LEGACY_FILE: &str = "mcp_server.toml";

/// The MCP server that this program is to others.
#[derive(Clone, PartialEq, Debug)]
pub struct McpServer {
    /// The tools that are offered; the usual ones when nobody says.
    pub expose_tools: Option<Setting<Vec<String>>>,
    /// Whether a person is asked before every call that does more than look.
    pub require_approval: Option<Setting<bool>>,
}

pub(crate) fn read(layers: &Layers<'_>, places: &Places) -> Result<McpServer, Error> {
    let own = McpServer {
        expose_tools: layers.find(&schema::MCP_SERVER_TOOLS, Given::NOTHING)?,
        require_approval: layers.find(&schema::MCP_SERVER_APPROVAL, Given::NOTHING)?,
    };
    let Some(home) = &places.legacy_home else {
        return Ok(own);
    };
    let Some(document) = file::read(&home.join(LEGACY_FILE))? else {
        return Ok(own);
    };
    let legacy = Legacy { document };
    Ok(McpServer {
        expose_tools: match own.expose_tools {
            Some(own) => Some(own),
            None => legacy.find("expose_tools", &schema::MCP_SERVER_TOOLS)?,
        },
        require_approval: match own.require_approval {
            Some(own) => Some(own),
            None => legacy.find("require_approval", &schema::MCP_SERVER_APPROVAL)?,
        },
    })
}

/// The file of the predecessor: one table, `server`.
struct Legacy {
    document: file::Document,
}

impl Legacy {
    /// A value that does not read is an error: an open door must not come of a slip.
    fn find<T: Shape>(&self, name: &str, key: &Key<T>) -> Result<Option<Setting<T>>, Error> {
        let table = child(&self.document.root, "server").map(|node| &node.value);
        let Some(file::Value::Table(table)) = table else {
            return Ok(None);
        };
        let Some(node) = child(table, name) else {
            return Ok(None);
        };
        let path = self.document.path.clone();
        let wrong = |_| Error::WrongValue {
            path: path.clone(),
            line: node.line,
            key: format!("server.{name}"),
            expected: key.expected,
        };
        let value = key.read(&node.value).map_err(wrong)?;
        Ok(value.map(|value| Setting::new(value, Origin::File(path))))
    }
}

fn child<'a>(table: &'a Table, name: &str) -> Option<&'a Node> {
    table
        .iter()
        .find(|(key, _)| key == name)
        .map(|(_, node)| node)
}
