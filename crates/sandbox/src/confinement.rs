//! What a command can reach: which files it may change or see, and whether it has a network.
//!
//! Reading is broad: compilers, interpreters and their libraries lie all over a system. Writing is
//! narrow. How a confinement is put up depends on the system, see [`crate::probe`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Loopback;

/// What stands between a command and the rest of the machine.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum Walls {
    /// Nothing: the command can do what the user can.
    #[default]
    Open,
    /// Only what the confinement leaves.
    Confined(Confinement),
}

impl Walls {
    /// The same walls with the network open.
    #[must_use]
    pub fn with_network(self) -> Self {
        match self {
            Self::Open => Self::Open,
            Self::Confined(confinement) => Self::Confined(Confinement {
                network: Network::On,
                ..confinement
            }),
        }
    }
}

impl Walls {
    /// The same walls as they must stand now: what has to be guarded in a writable place may have
    /// come about since they were drawn up.
    #[must_use]
    pub fn renewed(self) -> Self {
        self.map(|mut confinement| {
            let guarded = confinement.writable.iter().flat_map(|root| guarded(root));
            let guarded: Vec<PathBuf> = guarded.collect();
            for path in guarded {
                if !confinement.protected.contains(&path) {
                    confinement.protected.push(path);
                }
            }
            confinement
        })
    }

    /// The same walls with something to be seen, though not changed, wherever it lies.
    #[must_use]
    pub fn showing(self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.map(|mut confinement| {
            confinement.writable.push(path.clone());
            confinement.protected.push(path);
            confinement
        })
    }

    fn map(self, change: impl FnOnce(Confinement) -> Confinement) -> Self {
        match self {
            Self::Open => Self::Open,
            Self::Confined(confinement) => Self::Confined(change(confinement)),
        }
    }
}

/// What is left to a confined command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confinement {
    /// Directories and files it may change, with all that lies below. They must exist.
    pub writable: Vec<PathBuf>,
    /// What it may only read although it lies in a writable place. What is missing is guarded
    /// by an empty directory, as far as its parent exists.
    pub protected: Vec<PathBuf>,
    /// What it may not even read: the runtime's own home, secrets.
    pub hidden: Vec<PathBuf>,
    /// Its temporary files.
    pub temporary: Temporary,
    /// Whether it can speak to others.
    pub network: Network,
    /// A network it shares with other commands while it can speak to nobody else. Takes namespaces;
    /// without them it means nothing.
    pub loopback: Option<Arc<Loopback>>,
    /// By which means.
    pub backend: Backend,
}

/// Where a confined command puts temporary files. The system's own `/tmp` is closed to it: other
/// programs keep sockets there that would do its bidding.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum Temporary {
    /// An empty `/tmp` that goes with the command. Takes namespaces; without them there is none.
    #[default]
    Fresh,
    /// This directory, so that one command finds what another left. It shows as `/tmp` where there
    /// are namespaces, and is named by `TMPDIR` elsewhere.
    At(PathBuf),
}

/// Whether a confined command can speak to others.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Network {
    /// To nobody outside. Where there are namespaces it has a loopback of its own, so that a test
    /// can talk to the server it started; elsewhere it gets no sockets at all.
    #[default]
    Off,
    /// As the user can.
    On,
}

/// By which means a confinement is put up.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Backend {
    /// The strongest that works.
    #[default]
    Strongest,
    /// Without namespaces although they would work, where a file system is lost in them.
    WithoutNamespaces,
}

impl Confinement {
    /// Nothing may be changed and nobody spoken to.
    pub fn read_only() -> Self {
        Self {
            writable: Vec::new(),
            protected: Vec::new(),
            hidden: Vec::new(),
            temporary: Temporary::Fresh,
            network: Network::Off,
            loopback: None,
            backend: Backend::Strongest,
        }
    }

    /// The workspace may be changed, but not what makes others run commands: the settings and hooks
    /// of its repository, and our own settings.
    pub fn workspace(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            protected: guarded(&root),
            writable: vec![root],
            ..Self::read_only()
        }
    }
}

/// What makes others run commands, in a place that may be changed.
fn guarded(root: &Path) -> Vec<PathBuf> {
    let mut guarded = vec![root.join(".codewhale")];
    guarded.extend(guarded_in(&root.join(".git")));
    guarded
}

/// A work tree beside its repository has a file that leads there; that file decides whose hooks run.
fn guarded_in(git: &Path) -> Vec<PathBuf> {
    if git.is_dir() {
        vec![git.join("hooks"), git.join("config")]
    } else if git.is_file() {
        vec![git.to_owned()]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_workspace_guards_what_makes_others_run_commands() {
        let directory = TempDir::new().unwrap();
        let root = directory.path();
        let names = |confinement: Confinement| -> Vec<_> {
            let protected = confinement.protected.iter();
            let names = protected.map(|path| path.strip_prefix(root).unwrap().to_owned());
            names.collect()
        };
        let plain = names(Confinement::workspace(root));
        assert_eq!(plain, [Path::new(".codewhale")]);

        fs::create_dir(root.join(".git")).unwrap();
        let repository = names(Confinement::workspace(root));
        assert_eq!(
            repository,
            [".codewhale", ".git/hooks", ".git/config"].map(PathBuf::from)
        );

        fs::remove_dir(root.join(".git")).unwrap();
        fs::write(root.join(".git"), "gitdir: elsewhere").unwrap();
        let work_tree = names(Confinement::workspace(root));
        assert_eq!(work_tree, [".codewhale", ".git"].map(PathBuf::from));
    }

    #[test]
    fn opening_the_network_opens_nothing_else() {
        let confinement = Confinement::workspace("/w");
        let wider = Walls::Confined(confinement.clone()).with_network();
        let expected = Confinement {
            network: Network::On,
            ..confinement
        };
        assert_eq!(wider, Walls::Confined(expected));
        assert_eq!(Walls::Open.with_network(), Walls::Open);
    }
}
