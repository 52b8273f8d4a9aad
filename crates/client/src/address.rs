//! Where the server is, and how its addresses are written.

use std::net::IpAddr;

use reqwest::Url;

use crate::Error;

/// Where a host is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// On this machine, without TLS.
    Loopback,
    /// Anywhere else.
    Network,
}

/// The address of a server, under which all its routes are.
#[derive(Clone, Debug)]
pub(crate) struct Address(Url);

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let mut url = Url::parse(text.trim()).map_err(|_| Error::NotAnAddress)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(Error::NotAnAddress);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::Credentials);
        }
        url.set_query(None);
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// The address of a route. Parts of the path may hold any characters.
    pub(crate) fn route(&self, path: &[String], query: &[(String, String)]) -> Url {
        let mut url = self.0.clone();
        url.path_segments_mut()
            .expect("http addresses have a path")
            .pop_if_empty()
            .extend(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    pub(crate) fn reach(&self) -> Reach {
        if self.0.scheme() == "http" && self.is_loopback() {
            Reach::Loopback
        } else {
            Reach::Network
        }
    }

    /// Whether requests would travel over a network without encryption.
    pub(crate) fn is_plain_remote(&self) -> bool {
        self.0.scheme() == "http" && !self.is_loopback()
    }

    /// Scheme, host and port, for messages.
    pub(crate) fn shown(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, path: &[&str], query: &[(&str, &str)], expect: &str) {
        let path: Vec<String> = path.iter().map(|&part| part.to_owned()).collect();
        let query: Vec<(String, String)> = query
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let address = Address::parse(base).unwrap();
        assert_eq!(address.route(&path, &query).as_str(), expect);
    }

    #[test]
    fn routes_stand_under_the_base_with_their_parts_encoded() {
        check("http://x.dev", &["v1", "a"], &[], "http://x.dev/v1/a");
        check("http://x.dev/", &["v1"], &[], "http://x.dev/v1");
        check(" https://x.dev/sub/ ", &["v1"], &[], "https://x.dev/sub/v1");
        check("http://x.dev/?a=b#c", &["v1"], &[], "http://x.dev/v1");
        check(
            "http://x.dev",
            &["a/b", "c d?e#f", "ü%20"],
            &[("q", "a b&c=d+e"), ("r", "ü")],
            "http://x.dev/a%2Fb/c%20d%3Fe%23f/%C3%BC%2520?q=a+b%26c%3Dd%2Be&r=%C3%BC",
        );
    }

    #[test]
    fn only_plain_http_to_this_machine_is_loopback() {
        for base in [
            "http://localhost:1",
            "http://127.0.0.1",
            "http://[::1]:7878/a",
        ] {
            let address = Address::parse(base).unwrap();
            assert_eq!(
                (address.reach(), address.is_plain_remote()),
                (Reach::Loopback, false)
            );
        }
        for base in ["http://x.dev", "http://0.0.0.0", "http://127.0.0.1.x.dev"] {
            let address = Address::parse(base).unwrap();
            assert_eq!(
                (address.reach(), address.is_plain_remote()),
                (Reach::Network, true)
            );
        }
        let address = Address::parse("https://localhost").unwrap();
        assert_eq!(
            (address.reach(), address.is_plain_remote()),
            (Reach::Network, false)
        );
    }

    #[test]
    fn an_address_that_cannot_be_used_is_refused() {
        for base in ["", "x.dev", "localhost:7878", "file:///etc/passwd"] {
            assert!(
                matches!(Address::parse(base), Err(Error::NotAnAddress)),
                "{base}"
            );
        }
        assert!(matches!(
            Address::parse("https://me@x.dev"),
            Err(Error::Credentials)
        ));
    }
}
