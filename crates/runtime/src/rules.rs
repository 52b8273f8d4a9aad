//! The rule book: what the user has laid down once for many calls, and the file it stands in.
//!
//! The file is the user's: it is read at the start, and answers that are to be remembered are added
//! at its end. Nothing else in it is ever touched.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::{fs, io};

use codewhale_policy::{Law, Layer, NetworkPolicy, Rule};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt;

/// The law as it is now, and the file that new rules go to.
#[derive(Default)]
pub struct RuleBook {
    law: Mutex<Arc<Law>>,
    file: Option<PathBuf>,
}

/// Why the rules cannot be used. Without them nothing is safe to run, so nothing does.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// The file is there and cannot be read.
    #[error("the rules in {path} cannot be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It does not say what rules say.
    #[error("the rules in {path} make no sense; correct the file, or move it away")]
    Nonsense {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: Box<toml::de::Error>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    #[serde(default)]
    rules: Vec<Rule>,
}

impl RuleBook {
    /// Reads the rules of a file, which need not exist.
    pub fn open(file: PathBuf, network: NetworkPolicy) -> Result<Self, RulesError> {
        let rules = read(&file)?;
        let rules = rules.into_iter().map(|rule| (Layer::User, rule));
        Ok(Self {
            law: Mutex::new(Arc::new(Law::new(rules, network))),
            file: Some(file),
        })
    }

    /// The law as it is now.
    pub fn law(&self) -> Arc<Law> {
        let law = self.law.lock();
        Arc::clone(&law.expect("nothing panics while it holds the law"))
    }

    /// Lays rules down: from now on, and, where there is a file, for good.
    pub(crate) async fn remember(&self, rules: &[Rule]) -> io::Result<()> {
        {
            let mut law = self
                .law
                .lock()
                .expect("nothing panics while it holds the law");
            let with = |law: Law, rule: &Rule| law.with_rule(Layer::User, rule.clone());
            *law = Arc::new(rules.iter().fold(Law::clone(&law), with));
        }
        let Some(file) = self.file.as_ref().filter(|_| !rules.is_empty()) else {
            return Ok(());
        };
        let text = toml::to_string(&RulesFile {
            rules: rules.to_vec(),
        });
        let text = text.map_err(io::Error::other)?;
        let mut file = tokio::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(file)
            .await?;
        file.write_all(format!("\n{text}").as_bytes()).await?;
        file.sync_data().await
    }
}

fn read(path: &Path) -> Result<Vec<Rule>, RulesError> {
    let unreadable = |source| RulesError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let file: RulesFile = toml::from_str(&text).map_err(|source| RulesError::Nonsense {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    Ok(file.rules)
}

#[cfg(test)]
mod tests {
    use codewhale_policy::Action;

    use super::*;

    fn open(path: &Path) -> Result<RuleBook, RulesError> {
        RuleBook::open(path.to_owned(), NetworkPolicy::default())
    }

    #[tokio::test]
    async fn what_is_remembered_counts_at_once_and_at_the_next_start() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("permissions.toml");
        fs::write(
            &path,
            "# mine\n[[rules]]\ntool = \"exec_shell\"\ncommand = \"git push\"\n",
        )
        .unwrap();
        let book = open(&path).unwrap();
        let rule = Rule::prefix("exec_shell", "echo \"a b\"", Action::Allow).within("/w");
        book.remember(std::slice::from_ref(&rule)).await.unwrap();
        assert_eq!(book.law().rules().count(), 2);
        let again = open(&path).unwrap().law();
        assert!(again.rules().any(|(_, it)| *it == rule));
        assert!(fs::read_to_string(&path).unwrap().starts_with("# mine\n"));
    }

    #[test]
    fn rules_that_make_no_sense_are_refused_with_their_place() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("permissions.toml");
        fs::write(
            &path,
            "[[rules]]\ntool = \"exec_shell\"\nactoin = \"deny\"\n",
        )
        .unwrap();
        let Err(RulesError::Nonsense { source, .. }) = open(&path) else {
            panic!("a rule with a typing error was taken");
        };
        let problem = source.to_string();
        assert!(
            problem.contains("line 3") && problem.contains("actoin"),
            "{problem}"
        );
    }
}
