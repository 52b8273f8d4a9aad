//! The client over real HTTP, against a server that answers and breaks as told.
#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod calls;
mod events;
mod in_process;
mod server;

use std::sync::Arc;

use codewhale_client::{Client, HttpService};
use codewhale_protocol::runtime::{PrincipalId, ThreadId};
use codewhale_protocol::{Caller, Scopes, Secret, Service, Surface};

use server::Server;

fn caller() -> Caller {
    Caller {
        principal: PrincipalId::from("prn_1"),
        scopes: Scopes::ALL,
        token_id: None,
        device_id: None,
        surface: Surface::Cli,
        on_behalf_of: None,
    }
}

fn client(service: impl Service) -> Client {
    Client::new(Arc::new(service), caller())
}

/// A client of the server, with a token.
fn client_of(server: &Server) -> Client {
    let token = Secret::new("the-token");
    client(HttpService::new(&server.base_url(), Some(&token)).unwrap())
}

fn thread(id: &str) -> ThreadId {
    ThreadId::from(id)
}
