//! The connections to providers: two clients, each built when it is first needed.
//!
//! Building a client for the open network reads the system's certificates, which takes some
//! milliseconds and fails on a machine that has none. Neither may happen at start, nor to someone
//! who only talks to a model on this machine. So loopback gets a client of its own, which knows no
//! certificates and no proxy.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::{Client, ClientBuilder, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::limits;

const USER_AGENT: &str = concat!("codewhale/", env!("CARGO_PKG_VERSION"));

/// Where a host is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// On this machine, without TLS.
    Loopback,
    /// Anywhere else.
    Network,
}

/// The clients of one set of routes.
#[derive(Debug)]
pub(crate) struct Http {
    connect: Duration,
    loopback: OnceLock<Client>,
    network: OnceLock<Client>,
}

/// A client could not be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    #[error("could not set up TLS with the system's certificates")]
    Tls(#[source] rustls::Error),
    #[error("could not build the HTTP client")]
    Client(#[source] reqwest::Error),
}

impl Http {
    pub(crate) fn new(connect: Duration) -> Self {
        Self {
            connect,
            loopback: OnceLock::new(),
            network: OnceLock::new(),
        }
    }

    /// The client for hosts of this reach, built now if it was not before.
    pub(crate) fn client(&self, reach: Reach) -> Result<&Client, BuildError> {
        let place = match reach {
            Reach::Loopback => &self.loopback,
            Reach::Network => &self.network,
        };
        if let Some(client) = place.get() {
            return Ok(client);
        }
        let builder = match reach {
            Reach::Loopback => self.builder(tls_without_roots()?).no_proxy(),
            Reach::Network => self.builder(tls_of_the_system()?),
        };
        let client = builder.build().map_err(BuildError::Client)?;
        Ok(place.get_or_init(|| client))
    }

    fn builder(&self, tls: ClientConfig) -> ClientBuilder {
        Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(USER_AGENT)
            .http1_only()
            .tcp_nodelay(true)
            .connect_timeout(self.connect)
            .pool_idle_timeout(limits::POOL_IDLE)
            .pool_max_idle_per_host(limits::POOL_IDLE_MAX)
            .referer(false)
            // A redirect would carry the key and the conversation to a host nobody configured.
            .redirect(redirect::Policy::none())
    }
}

fn tls_of_the_system() -> Result<ClientConfig, BuildError> {
    let config = tls_builder()?
        .with_platform_verifier()
        .map_err(BuildError::Tls)?;
    Ok(config.with_no_client_auth())
}

fn tls_without_roots() -> Result<ClientConfig, BuildError> {
    Ok(tls_builder()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

fn tls_builder() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, BuildError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(BuildError::Tls)
}
