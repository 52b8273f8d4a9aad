//! An MCP server that wants a login, and the guard it names: both on one loopback port.
//!
//! It checks what the standards have it check (PKCE, states of codes, who may renew), so that a
//! client that forgets something is refused here as elsewhere. All its tokens begin with
//! [`CANARY`], so that a test sees where they went.

mod exchange;
mod guard;
mod resource;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use exchange::Exchange;
pub use exchange::visit;
use guard::Guard;

/// What all tokens, codes and secrets begin with.
pub const CANARY: &str = "canary-of-a-login";

/// The server. Dropping it stops it.
pub struct GuardedServer {
    address: SocketAddr,
    shared: Arc<Mutex<State>>,
    accepting: JoinHandle<()>,
}

/// How it behaves; all of it may change while it runs.
#[derive(Clone, Default)]
pub struct Manners {
    /// For how many seconds its tokens are good, by its own account.
    pub expires_in: Option<i64>,
    /// Whether it renews nothing any more.
    pub refuses_to_renew: bool,
    /// Whether clients must be registered by hand.
    pub knows_its_clients: bool,
    /// Who the server says guards it, if not itself.
    pub names_as_guard: Option<String>,
    /// Who the guard says it is, if not itself.
    pub claims_to_be: Option<String>,
    /// Whether the guard does not protect its codes.
    pub has_no_pkce: bool,
}

struct State {
    base: String,
    manners: Manners,
    guard: Guard,
    seen: Vec<String>,
}

impl GuardedServer {
    /// Starts one on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("loopback has a free port");
        let address = listener.local_addr();
        let address = address.expect("a bound listener has an address");
        let shared = Arc::new(Mutex::new(State {
            base: format!("http://{address}"),
            manners: Manners::default(),
            guard: Guard::default(),
            seen: Vec::new(),
        }));
        let accepting = accept(listener, Arc::clone(&shared));
        Self {
            address,
            shared,
            accepting,
        }
    }

    /// The address of the MCP server.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The guard, as it is called.
    pub fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes its manners.
    pub fn behave(&self, change: impl FnOnce(&mut Manners)) {
        change(&mut self.state().manners);
    }

    /// Takes back every token that opens the server, before its time.
    pub fn revoke(&self) {
        self.state().guard.open.clear();
    }

    /// The requests so far that begin like this: method and path.
    pub fn seen(&self, beginning: &str) -> usize {
        let state = self.state();
        let seen = state.seen.iter();
        seen.filter(|it| it.starts_with(beginning)).count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock().expect("nothing panics while it serves")
    }
}

impl Drop for GuardedServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the task belongs to the server, which ends it"
)]
fn accept(listener: TcpListener, shared: Arc<Mutex<State>>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                return;
            };
            while connections.try_join_next().is_some() {}
            let shared = Arc::clone(&shared);
            connections.spawn(async move {
                let answer = |exchange: &Exchange| {
                    let mut state = shared.lock().expect("nothing panics while it serves");
                    state.answer(exchange)
                };
                exchange::serve(stream, answer).await;
            });
        }
    })
}

impl State {
    fn answer(&mut self, exchange: &Exchange) -> exchange::Answer {
        self.seen
            .push(format!("{} {}", exchange.method, exchange.path));
        match exchange.path.as_str() {
            "/mcp" => self.resource(exchange),
            "/.well-known/oauth-protected-resource/mcp" => self.about_the_resource(),
            "/.well-known/oauth-authorization-server" => self.about_the_guard(),
            "/register" => self.register(exchange),
            "/authorize" => self.authorize(exchange),
            "/token" => self.token(exchange),
            _ => exchange::Answer::status(404),
        }
    }
}
