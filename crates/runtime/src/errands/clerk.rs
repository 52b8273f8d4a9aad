//! The clerk: does what other processes ask of this one, while turns run here.

use std::collections::BTreeSet;
use std::sync::Arc;

use codewhale_protocol::runtime::ErrandId;
use codewhale_protocol::service::BoxFuture;
use codewhale_store::Durability;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::{Answer, Errand};
use crate::runtime::Core;
use crate::serve::{dispatch, told};
use crate::tasks::guarded;
use crate::{Error, limits};

/// The errands that are being done.
#[derive(Default)]
struct Clerk {
    taken: BTreeSet<ErrandId>,
    at_work: FuturesUnordered<BoxFuture<'static, ErrandId>>,
}

impl Core {
    /// Looks for errands for as long as turns run here, until the runtime stops. Whoever waits for
    /// one that is under way then is told by this process's end.
    pub(crate) async fn attend(self: Arc<Self>) {
        let mut clerk = Clerk::default();
        let attending = async {
            loop {
                self.activity.some().await;
                let mut news = self.store.errand_news();
                loop {
                    // Looked at first: what was left before the last turn had ended is found.
                    let is_quiet = self.activity.is_none();
                    clerk.take(&self);
                    if is_quiet && clerk.taken.is_empty() {
                        break;
                    }
                    tokio::select! {
                        biased;
                        () = self.activity.none(), if !is_quiet => {}
                        () = news.next() => {}
                        () = clerk.settle_one() => {}
                        // Where nothing watches the store, the clerk does.
                        () = tokio::time::sleep(limits::ERRAND_LOOK) => {}
                    }
                }
            }
        };
        tokio::select! {
            biased;
            () = self.tasks.stop().cancelled() => {}
            () = attending => {}
        }
    }

    async fn run_errand(self: Arc<Self>, id: ErrandId, errand: Errand) -> ErrandId {
        let answer = match errand.call() {
            None => Answer::NotHere,
            Some((caller, call)) => {
                let done = guarded(dispatch(&self, &caller, call)).await;
                match done {
                    Ok(reply) => Answer::Done {
                        json: serde_json::from_str(reply.get()).expect("an answer is JSON"),
                        made: reply.made,
                    },
                    Err(Error::OwnedElsewhere { .. } | Error::Closing) => Answer::NotHere,
                    Err(error) => Answer::Failed(told(&self, error)),
                }
            }
        };
        let mut batch = self.store.batch(Durability::Fast);
        batch.answer_errand(&id, &answer);
        if let Err(error) = self.store.commit(batch).await {
            tracing::warn!(%error, "could not answer another process");
        }
        id
    }
}

impl Clerk {
    /// Takes up what waits and is not under way.
    fn take(&mut self, core: &Arc<Core>) {
        let (me, most) = (core.store.owner(), limits::ERRANDS_AT_ONCE);
        let waiting = core.store.read(|reader| reader.errands::<Errand>(me, most));
        match waiting {
            Ok(waiting) => {
                for (id, errand) in waiting {
                    if self.taken.insert(id.clone()) {
                        let work = Arc::clone(core).run_errand(id, errand);
                        self.at_work.push(Box::pin(work));
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "could not look what other processes ask"),
        }
    }

    /// Waits for the next errand to be done; for ever when none is under way.
    async fn settle_one(&mut self) {
        match self.at_work.next().await {
            Some(id) => {
                self.taken.remove(&id);
            }
            None => std::future::pending().await,
        }
    }
}
