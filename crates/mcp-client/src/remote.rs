//! A server behind an address.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use reqwest::{Client, redirect};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::Error;
use crate::limits::EVENT_BYTES_MAX;
use crate::oauth::{Authorized, Keyring};
use crate::settings::Remote;

/// The way to a server over its one address.
pub(crate) fn streamable(
    remote: &Remote,
    connect: Duration,
    keyring: Option<Arc<Keyring>>,
) -> Result<StreamableHttpClientTransport<Authorized>, Error> {
    let config = StreamableHttpClientTransportConfig::with_uri(remote.url.as_str())
        .custom_headers(headers(remote))
        .max_sse_event_size(EVENT_BYTES_MAX)
        .reinit_on_expired_session(true);
    let client = Authorized {
        client: client(&remote.url, connect)?,
        keyring,
    };
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// The headers of every request; what cannot be sent was left out when the settings were read.
pub(crate) fn headers(remote: &Remote) -> HashMap<HeaderName, HeaderValue> {
    let headers = remote.headers.iter().filter_map(|(name, value)| {
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value))
    });
    headers.collect()
}

/// A client without a way around: no redirects, which would carry keys to a host nobody named,
/// and no proxy to our own machine.
pub(crate) fn client(url: &str, connect: Duration) -> Result<Client, Error> {
    let is_near = is_near(url);
    let tls = tls(is_near).map_err(|error| Error::Http {
        why: error.to_string(),
    })?;
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("codewhale/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .referer(false)
        .redirect(redirect::Policy::none());
    let builder = if is_near { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| Error::Http {
        why: crate::error::chain(&error),
    })
}

/// Whether an address is on this machine.
pub(crate) fn is_near(url: &str) -> bool {
    let host = reqwest::Url::parse(url).ok();
    let host = host.as_ref().and_then(|url| url.host_str());
    matches!(host, Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// Reading the system's certificates takes a while; our own machine needs none.
fn tls(is_near: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = match is_near {
        true => builder.with_root_certificates(RootCertStore::empty()),
        false => builder.with_platform_verifier()?,
    };
    Ok(builder.with_no_client_auth())
}
