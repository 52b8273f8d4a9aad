//! Entries of the user's servers that run this very program as an MCP server.

use std::path::Path;

use codewhale_mcp_client::{Reach, Server, Settings};

/// Whether such entries count.
#[derive(Clone, Copy)]
pub(crate) enum Itself {
    /// They are servers like others.
    Kept,
    /// They are left out: where this program is such a server, each would start the next, without end.
    LeftOut,
}

impl Itself {
    pub(super) fn of(self, mut servers: Settings) -> Settings {
        match self {
            Self::Kept => {}
            Self::LeftOut => servers.servers.retain(|_, server| !runs_itself(server)),
        }
        servers
    }
}

fn runs_itself(server: &Server) -> bool {
    let Reach::Stdio(program) = &server.reach else {
        return false;
    };
    let serves = |word: &String| word == "--mcp" || word == "mcp-server";
    program.args.iter().any(serves) && is_own(Path::new(&program.command))
}

/// Whether a program is this one: by its name, or by the file behind it.
fn is_own(program: &Path) -> bool {
    let own = std::env::current_exe().and_then(|own| own.canonicalize());
    let is_same_file = || matches!((own, program.canonicalize()), (Ok(own), Ok(it)) if own == it);
    program.file_stem().is_some_and(|name| name == "codewhale") || is_same_file()
}
