//! Speaks to a host, follows it as long as it stays the same host, and reads what it says.

use std::error::Error as _;
use std::sync::{Arc, OnceLock};

use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use super::reach::{OutOfReach, Reach, Resolver};
use crate::limits::{FETCH_CONNECT, REDIRECTS_MAX};

const USER_AGENT: &str = concat!("codewhale/", env!("CARGO_PKG_VERSION"));

/// What we would like to read, best first.
const WANTED: &str =
    "text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1";

/// The clients, each built when it is first needed: the one with TLS reads the certificates of
/// the system, which takes a while and fails where there are none.
pub(super) struct Clients {
    reach: Reach,
    plain: OnceLock<Client>,
    secure: OnceLock<Client>,
}

/// What a host answered.
pub(super) struct Page {
    /// Where it came from in the end.
    pub(super) url: Url,
    pub(super) status: StatusCode,
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
    /// Whether there was more.
    pub(super) cut: bool,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0}; addresses of this machine and of private networks are not fetched")]
    OutOfReach(#[from] OutOfReach),
    #[error("it redirects to {to}, which is another host; fetch that if it is what you want")]
    OtherHost { to: Url },
    #[error("it redirects to {to:?}, which cannot be followed")]
    BadRedirect { to: String },
    #[error("it redirects more than {REDIRECTS_MAX} times")]
    TooManyRedirects,
    #[error("it answers in the compressed form {0:?}, which was not asked for")]
    Compressed(String),
    #[error("could not set up TLS with the certificates of the system: {0}")]
    Tls(rustls::Error),
    #[error("could not set up the HTTP client: {0}")]
    Client(reqwest::Error),
    #[error("{}", causes(.0))]
    Http(reqwest::Error),
}

impl From<reqwest::Error> for Error {
    /// Finds our own refusal behind what the client made of it.
    fn from(error: reqwest::Error) -> Self {
        let mut cause = error.source();
        while let Some(inner) = cause {
            if let Some(refusal) = inner.downcast_ref::<OutOfReach>() {
                return Self::OutOfReach(refusal.clone());
            }
            cause = inner.source();
        }
        Self::Http(error.without_url())
    }
}

/// The client says little by itself; what went wrong stands in the causes.
fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

impl Clients {
    pub(super) fn new(reach: Reach) -> Self {
        Self {
            reach,
            plain: OnceLock::new(),
            secure: OnceLock::new(),
        }
    }

    pub(super) async fn fetch(&self, url: Url, bytes_max: usize) -> Result<Page, Error> {
        let mut url = url;
        for _ in 0..=REDIRECTS_MAX {
            let response = self.get(&url).await?;
            let location = response.headers().get(LOCATION);
            match location {
                Some(location) if response.status().is_redirection() => {
                    let to = String::from_utf8_lossy(location.as_bytes()).into_owned();
                    url = next(&url, to)?;
                }
                Some(_) | None => return read(response, url, bytes_max).await,
            }
        }
        Err(Error::TooManyRedirects)
    }

    /// Each request is judged anew: the resolver judges names, this an address in the URL.
    async fn get(&self, url: &Url) -> Result<Response, Error> {
        self.reach
            .check_literal(url.host_str().unwrap_or_default())?;
        let client = match url.scheme() {
            "https" => self.built(&self.secure, tls_of_the_system)?,
            _ => self.built(&self.plain, tls_without_roots)?,
        };
        let request = client.get(url.clone()).header(ACCEPT, WANTED);
        Ok(request.send().await?)
    }

    fn built<'a>(
        &self,
        place: &'a OnceLock<Client>,
        tls: fn() -> Result<ClientConfig, rustls::Error>,
    ) -> Result<&'a Client, Error> {
        if let Some(client) = place.get() {
            return Ok(client);
        }
        let client = Client::builder()
            .tls_backend_preconfigured(tls().map_err(Error::Tls)?)
            .user_agent(USER_AGENT)
            .http1_only()
            .connect_timeout(FETCH_CONNECT)
            // A kept connection would outlive the judgement of its address.
            .pool_max_idle_per_host(0)
            .dns_resolver(Arc::new(Resolver(self.reach)))
            // A proxy would resolve the name by itself.
            .no_proxy()
            .referer(false)
            .redirect(redirect::Policy::none())
            .build()
            .map_err(Error::Client)?;
        Ok(place.get_or_init(|| client))
    }
}

fn tls_of_the_system() -> Result<ClientConfig, rustls::Error> {
    Ok(tls_builder()?
        .with_platform_verifier()?
        .with_no_client_auth())
}

fn tls_without_roots() -> Result<ClientConfig, rustls::Error> {
    let builder = tls_builder()?.with_root_certificates(RootCertStore::empty());
    Ok(builder.with_no_client_auth())
}

fn tls_builder() -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, rustls::Error>
{
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}

/// Where a redirect leads, if that is still what was asked for.
fn next(from: &Url, to: String) -> Result<Url, Error> {
    let Ok(url) = from.join(&to) else {
        return Err(Error::BadRedirect { to });
    };
    if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() {
        return Err(Error::BadRedirect { to });
    }
    let same_port = url.port_or_known_default() == from.port_or_known_default();
    let upgraded = (from.scheme(), url.scheme()) == ("http", "https")
        && from.port().is_none()
        && url.port().is_none();
    let downgraded = (from.scheme(), url.scheme()) == ("https", "http");
    match url.host_str() == from.host_str() && (same_port || upgraded) && !downgraded {
        true => Ok(url),
        false => Err(Error::OtherHost { to: url }),
    }
}

async fn read(response: Response, url: Url, bytes_max: usize) -> Result<Page, Error> {
    let header = |name| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let (content_type, encoding) = (header(CONTENT_TYPE), header(CONTENT_ENCODING));
    if let Some(encoding) = encoding.filter(|encoding| encoding != "identity") {
        return Err(Error::Compressed(encoding));
    }
    let status = response.status();
    let (mut response, mut body, mut cut) = (response, Vec::new(), false);
    while let Some(chunk) = response.chunk().await? {
        let room = bytes_max - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            cut = true;
            break;
        }
    }
    Ok(Page {
        url,
        status,
        content_type,
        body,
        cut,
    })
}
