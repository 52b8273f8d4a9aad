//! A workspace with secrets beside it, and commands that try things from inside the walls.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codewhale_sandbox::{Backend, Command, Confinement, End, Limits, Network, Outcome, Walls, run};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Far more than any of these commands needs; a test that reaches it has failed.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A workspace that is a repository, a directory beside it, and a hidden home.
pub(crate) struct Lab {
    pub(crate) workspace: PathBuf,
    pub(crate) outside: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) backend: Backend,
    pub(crate) network: Network,
    _directory: TempDir,
}

/// What stands in the hidden home.
pub(crate) const SECRET: &str = "sk-hidden-0123456789";

impl Lab {
    pub(crate) fn new() -> Self {
        Self::at(Path::new("/var/tmp"))
    }

    pub(crate) fn at(parent: &Path) -> Self {
        let directory = TempDir::new_in(parent).unwrap();
        let root = directory.path().canonicalize().unwrap();
        let place = |name: &str| {
            let path = root.join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        let (workspace, outside, home) = (place("workspace"), place("outside"), place("home"));
        fs::write(outside.join("file"), "untouched").unwrap();
        fs::write(home.join("secret"), SECRET).unwrap();
        for part in [".git/hooks", ".codewhale"] {
            fs::create_dir_all(workspace.join(part)).unwrap();
        }
        fs::write(workspace.join(".git/config"), "[core]\n").unwrap();
        fs::write(workspace.join(".git/hooks/hook"), "true\n").unwrap();
        fs::write(workspace.join("file"), "mine").unwrap();
        Self {
            workspace,
            outside,
            home,
            backend: Backend::Strongest,
            network: Network::Off,
            _directory: directory,
        }
    }

    pub(crate) fn without_namespaces() -> Self {
        Self {
            backend: Backend::WithoutNamespaces,
            ..Self::new()
        }
    }

    pub(crate) fn with_network(self) -> Self {
        Self {
            network: Network::On,
            ..self
        }
    }

    pub(crate) fn confinement(&self) -> Confinement {
        Confinement {
            hidden: vec![self.home.clone()],
            network: self.network,
            backend: self.backend,
            ..Confinement::workspace(&self.workspace)
        }
    }

    pub(crate) fn command(&self, script: &str) -> Command {
        Command {
            arguments: vec!["-c".into(), script.into()],
            environment: vec![
                ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
                ("OUTSIDE".into(), self.outside.display().to_string()),
                ("SECRETS".into(), self.home.display().to_string()),
                ("HOME".into(), self.workspace.display().to_string()),
            ],
            limits: Limits {
                wall_time: LONG,
                ..Limits::default()
            },
            walls: Walls::Confined(self.confinement()),
            ..Command::new("/bin/bash", &self.workspace)
        }
    }

    /// Runs a script within the walls.
    pub(crate) async fn run(&self, script: &str) -> Outcome {
        run(self.command(script), &CancellationToken::new())
            .await
            .unwrap()
    }

    /// A script that must succeed and say this.
    pub(crate) async fn says(&self, script: &str, text: &str) {
        let outcome = self.run(script).await;
        let said = (outcome.end, outcome.output.text.as_str());
        assert_eq!(said, (End::Exited(0), text), "{script}");
    }

    /// A script that tries something it must not get: it prints `ESCAPED` when it got it.
    pub(crate) async fn refuses(&self, script: &str) {
        let outcome = self.run(script).await;
        let text = &outcome.output.text;
        assert!(!text.contains("ESCAPED"), "{script}\n{text}");
        assert!(!text.contains(SECRET), "{script}\n{text}");
        assert!(!matches!(outcome.end, End::TimedOut), "{script}\n{text}");
        self.check_untouched(script);
    }

    /// Nothing that the walls guard has changed.
    pub(crate) fn check_untouched(&self, script: &str) {
        let read = |path: PathBuf| fs::read_to_string(path).unwrap();
        assert_eq!(read(self.outside.join("file")), "untouched", "{script}");
        assert_eq!(read(self.home.join("secret")), SECRET, "{script}");
        let git = self.workspace.join(".git");
        assert_eq!(read(git.join("config")), "[core]\n", "{script}");
        assert_eq!(read(git.join("hooks/hook")), "true\n", "{script}");
        let count = |path: &Path| fs::read_dir(path).unwrap().count();
        assert_eq!(count(&git.join("hooks")), 1, "{script}");
        assert_eq!(count(&self.workspace.join(".codewhale")), 0, "{script}");
        assert_eq!(count(&self.outside), 1, "{script}");
        assert_eq!(count(&self.home), 1, "{script}");
    }
}
