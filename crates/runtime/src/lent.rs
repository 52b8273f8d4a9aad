//! What clients lend to threads: files of editors, MCP servers that live as long as they do, and who
//! watches calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codewhale_mcp_client::{Origin, Servers, Settings};
use codewhale_protocol::lent::{Buffers, Lender, Lent, Watcher};
use codewhale_protocol::runtime::ThreadId;
use codewhale_protocol::service::BoxFuture;
use codewhale_protocol::{ErrorBody, Secret};

use crate::runtime::{Core, Runtime};
use crate::{Error, limits};

/// Everything that is lent, by thread.
#[derive(Default)]
pub(crate) struct Loans(Mutex<BTreeMap<ThreadId, Loan>>);

/// What one thread has.
#[derive(Clone, Default)]
pub(crate) struct Loan {
    pub(crate) buffers: Option<Arc<dyn Buffers>>,
    pub(crate) servers: Option<Servers>,
    watcher: Option<Arc<dyn Watcher>>,
}

impl Loans {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<ThreadId, Loan>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread has, or the one at the top of its tree.
    pub(crate) fn of(&self, thread: &ThreadId, root: Option<&ThreadId>) -> Loan {
        let loans = self.lock();
        let loan = loans.get(thread).or_else(|| loans.get(root?));
        loan.cloned().unwrap_or_default()
    }

    /// Who watches the calls of a thread.
    pub(crate) fn watcher(&self, thread: &ThreadId) -> Option<Arc<dyn Watcher>> {
        self.lock().get(thread)?.watcher.clone()
    }
}

impl Core {
    async fn lend(&self, thread: &ThreadId, lent: Lent) -> Result<Vec<String>, Error> {
        let stored = self.store.read(|reader| reader.thread(thread))?;
        let stored = stored.ok_or(Error::NotFound { what: "thread" })?;
        let mut loan = Loan {
            buffers: lent.buffers,
            servers: None,
            watcher: lent.watcher,
        };
        let mut problems = Vec::new();
        if let Some(text) = lent.servers {
            // Who names a value gives it; nothing of our environment is put into it.
            let as_written = |name: &str| Some(format!("${{{name}}}"));
            let read = Settings::read(&text.0, Origin::Plugin, &as_written);
            let (settings, warnings) = read.map_err(|error| Error::Invalid(error.to_string()))?;
            problems.extend(warnings);
            self.store
                .redactor()
                .learn(settings.secrets().map(Secret::new));
            let workspace = Path::new(&stored.record.workspace);
            loan.servers = self.start_lent(settings, workspace);
        }
        if let Some(servers) = &loan.servers {
            // One that is slow is told of when it comes, as all are.
            let _ = tokio::time::timeout(limits::LENT_SERVERS, servers.settled()).await;
        }
        let before = self.loans.lock().insert(thread.clone(), loan);
        stop(before).await;
        Ok(problems)
    }

    async fn end_loan(&self, thread: &ThreadId) {
        let loan = self.loans.lock().remove(thread);
        stop(loan).await;
    }
}

async fn stop(loan: Option<Loan>) {
    if let Some(servers) = loan.and_then(|loan| loan.servers) {
        servers.stop().await;
    }
}

impl Lender for Runtime {
    fn lend<'a>(
        &'a self,
        thread: &'a ThreadId,
        lent: Lent,
    ) -> BoxFuture<'a, Result<Vec<String>, ErrorBody>> {
        Box::pin(async move {
            let lent = self.core().lend(thread, lent).await;
            lent.map_err(ErrorBody::from)
        })
    }

    fn take_back<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, ()> {
        Box::pin(self.core().end_loan(thread))
    }
}
