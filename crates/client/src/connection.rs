//! The connection to a server. Loopback needs no certificates and no proxy, so that a machine
//! without either still reaches itself.

use std::sync::Arc;

use reqwest::{Client, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::address::Reach;
use crate::{Error, limits};

const USER_AGENT: &str = concat!("codewhale/", env!("CARGO_PKG_VERSION"));

pub(crate) fn client(reach: Reach) -> Result<Client, Error> {
    let builder = Client::builder()
        .tls_backend_preconfigured(tls(reach)?)
        .user_agent(USER_AGENT)
        .http1_only()
        .tcp_nodelay(true)
        .connect_timeout(limits::CONNECT)
        .pool_idle_timeout(limits::POOL_IDLE)
        .referer(false)
        // A redirect would carry the token to a host nobody named.
        .redirect(redirect::Policy::none());
    let builder = match reach {
        Reach::Loopback => builder.no_proxy(),
        Reach::Network => builder,
    };
    builder.build().map_err(Error::Client)
}

fn tls(reach: Reach) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::Tls)?;
    let builder = match reach {
        Reach::Loopback => builder.with_root_certificates(RootCertStore::empty()),
        Reach::Network => builder.with_platform_verifier().map_err(Error::Tls)?,
    };
    Ok(builder.with_no_client_auth())
}
