//! A scripted model: a real HTTP server on loopback that sends exactly the bytes a test asks for.
//!
//! ```text
//! let server = ModelServer::start().await;
//! server.push(Reply::calls("call_1", "list_dir", r#"{"path":"."}"#));
//! server.push(Reply::says("Two files.").usage(10, 3));
//! // … let the program talk to server.base_url() …
//! assert_eq!(server.request_count(), 2);
//! ```
//!
//! It is small on purpose: benchmarks run it on the cores they measure.

mod connection;
mod frames;
mod gate;
mod play;
mod reply;
mod request;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use connection::Connection;
pub use frames::stamps;
pub use gate::Gate;
pub use reply::Reply;
pub use request::Request;

/// No test waits longer for something that is going to happen.
const WAIT: Duration = Duration::from_secs(30);

/// The server. Dropping it stops it and closes all its connections.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

/// What the server has seen so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Connections that were made.
    pub connections: usize,
    /// Requests that came.
    pub requests: usize,
    /// Replies that were played to their end.
    pub answered: usize,
    /// Replies during which the client left.
    pub abandoned: usize,
}

type Answer = dyn Fn(&Request) -> Reply + Send + Sync;

struct Shared {
    queue: Mutex<VecDeque<Reply>>,
    fallback: Mutex<Arc<Answer>>,
    requests: Mutex<Vec<Request>>,
    counts: watch::Sender<Counts>,
}

impl ModelServer {
    /// Starts a server on a free port of this machine.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("loopback has a free port");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            fallback: Mutex::new(Arc::new(script_is_over)),
            requests: Mutex::default(),
            counts: watch::Sender::new(Counts::default()),
        });
        #[expect(
            clippy::disallowed_methods,
            reason = "the server owns its accept loop and ends it when dropped"
        )]
        let accepting = tokio::spawn(accept(listener, shared.clone()));
        Self {
            address,
            shared,
            accepting,
        }
    }

    /// Its address as a provider's `base_url`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Queues a reply: the first request gets the first one.
    pub fn push(&self, reply: Reply) -> &Self {
        lock(&self.shared.queue).push_back(reply);
        self
    }

    /// The reply to requests that the queue has nothing for.
    pub fn default_reply(&self, reply: Reply) -> &Self {
        self.answer_with(move |_| reply.clone())
    }

    /// Makes the reply to requests that the queue has nothing for.
    pub fn answer_with(&self, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> &Self {
        *lock(&self.shared.fallback) = Arc::new(answer);
        self
    }

    /// All requests so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// The newest request.
    pub fn last_request(&self) -> Request {
        lock(&self.shared.requests)
            .last()
            .cloned()
            .expect("a request came")
    }

    /// How many requests came.
    pub fn request_count(&self) -> usize {
        self.counts().requests
    }

    /// What it has seen so far.
    pub fn counts(&self) -> Counts {
        *self.shared.counts.borrow()
    }

    /// Waits until so many requests came.
    pub async fn wait_for_requests(&self, count: usize) {
        self.wait_until(&format!("{count} requests"), |counts| {
            counts.requests >= count
        })
        .await;
    }

    /// Waits until the client has left so many replies before their end.
    pub async fn wait_for_abandoned(&self, count: usize) {
        self.wait_until(&format!("{count} abandoned replies"), |counts| {
            counts.abandoned >= count
        })
        .await;
    }

    async fn wait_until(&self, what: &str, is_reached: impl Fn(&Counts) -> bool) {
        let mut counts = self.shared.counts.subscribe();
        let waited = tokio::time::timeout(WAIT, counts.wait_for(is_reached)).await;
        assert!(
            waited.is_ok(),
            "waited {WAIT:?} for {what}, saw {:?}",
            self.counts()
        );
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    /// Writes the request down and finds the reply to it.
    fn reply_to(&self, request: Request) -> Reply {
        let reply = lock(&self.queue).pop_front().unwrap_or_else(|| {
            let answer = lock(&self.fallback).clone();
            answer(&request)
        });
        lock(&self.requests).push(request);
        self.counts.send_modify(|counts| counts.requests += 1);
        reply
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        self.counts.send_modify(change);
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            Ok((stream, _)) = listener.accept() => {
                shared.count(|counts| counts.connections += 1);
                // Without this the replies of the server are late by up to 40 ms.
                stream.set_nodelay(true).expect("a new connection takes options");
                connections.spawn(Connection::new(stream).serve(shared.clone()));
            }
            Some(ended) = connections.join_next() => {
                if let Err(error) = ended && error.is_panic() {
                    std::panic::resume_unwind(error.into_panic());
                }
            }
        }
    }
}

fn script_is_over(request: &Request) -> Reply {
    let message = format!("the script has no reply for {}", request.path);
    Reply::new()
        .status(400)
        .json(&serde_json::json!({ "error": { "message": message } }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .expect("nobody panics while holding a lock of the server")
}
