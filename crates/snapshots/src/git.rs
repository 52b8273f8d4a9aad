//! Runs git on the side repository, and lets nobody else have a say: no configuration of the system,
//! of the user or of the workspace's own repository is read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use codewhale_sandbox::{Command, End, Limits, Stdin, run};
use tokio_util::sync::CancellationToken;

use crate::blocking::blocking;
use crate::{Error, limits};

/// git, pointed at a side repository.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    environment: Vec<(String, String)>,
    work_tree: PathBuf,
    /// Where answers are written before they are read.
    temporary: PathBuf,
}

/// What git answers may be bytes of any kind and length, which a captured output is not: the shell
/// puts them into a file.
const INTO_FILE: &str = r#"exec git "$@" >"$0""#;

impl Git {
    /// `environment` is that of child processes.
    pub(crate) fn new(
        environment: &[(String, String)],
        git_dir: &Path,
        work_tree: &Path,
        temporary: &Path,
    ) -> Result<Self, Error> {
        let mut environment = environment.to_vec();
        environment.retain(|(name, _)| !name.starts_with("GIT_") && name != "LC_ALL");
        let ours = [
            ("GIT_DIR", text(git_dir)?),
            ("GIT_WORK_TREE", text(work_tree)?),
            ("GIT_INDEX_FILE", text(&git_dir.join("index"))?),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
            ("GIT_ATTR_NOSYSTEM", "1".to_owned()),
            ("GIT_NO_REPLACE_OBJECTS", "1".to_owned()),
            ("GIT_LITERAL_PATHSPECS", "1".to_owned()),
            ("GIT_TERMINAL_PROMPT", "0".to_owned()),
            ("GIT_ALLOW_PROTOCOL", "none".to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
        ];
        environment.extend(ours.map(|(name, value)| (name.to_owned(), value)));
        Ok(Self {
            environment,
            work_tree: work_tree.to_owned(),
            temporary: temporary.to_owned(),
        })
    }

    /// The same with another variable.
    pub(crate) fn with(&self, name: &str, value: String) -> Self {
        let mut other = self.clone();
        other.environment.retain(|(known, _)| known != name);
        other.environment.push((name.to_owned(), value));
        other
    }

    /// The same with answers put elsewhere.
    pub(crate) fn answering_in(&self, temporary: &Path) -> Self {
        Self {
            temporary: temporary.to_owned(),
            ..self.clone()
        }
    }

    /// Runs git to its end and gives what it wrote.
    pub(crate) async fn run(
        &self,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        stdin: Vec<u8>,
    ) -> Result<Vec<u8>, Error> {
        let answer = tempfile::NamedTempFile::new_in(&self.temporary)
            .map_err(Error::files("write to", &self.temporary))?;
        let mut all: Vec<OsString> = vec!["-c".into(), INTO_FILE.into(), answer.path().into()];
        all.extend(arguments.into_iter().map(Into::into));
        let task = all.get(3).map(|name| name.to_string_lossy().into_owned());
        let task = task.unwrap_or_default();
        let command = Command {
            arguments: all,
            environment: self.environment.clone(),
            stdin: Stdin::Bytes(stdin),
            limits: Limits {
                wall_time: limits::GIT_TIME,
                output_bytes_max: limits::SAID_BYTES_MAX,
                ..Limits::default()
            },
            ..Command::new("sh", &self.work_tree)
        };
        let outcome = run(command, &CancellationToken::new()).await;
        let outcome = outcome.map_err(Error::Start)?;
        match outcome.end {
            End::Exited(0) => {}
            End::TimedOut => return Err(Error::Slow { task }),
            End::Exited(_) | End::Signaled(_) | End::Cancelled => {
                let said = outcome.output.text.trim().to_owned();
                return Err(Error::Git { task, said });
            }
        }
        blocking(move || {
            let path = answer.path();
            std::fs::read(path).map_err(Error::files("read", path))
        })
        .await
    }

    /// The same, for an answer of one line.
    pub(crate) async fn line(
        &self,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
        stdin: Vec<u8>,
    ) -> Result<String, Error> {
        let answer = self.run(arguments, stdin).await?;
        Ok(String::from_utf8_lossy(&answer).trim().to_owned())
    }
}

/// A path as a variable can hold it.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Error::NotText {
        path: path.to_owned(),
    })
}
