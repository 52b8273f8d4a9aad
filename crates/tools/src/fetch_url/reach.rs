//! Which addresses may be spoken to.
//!
//! A model chooses the URLs, and what it reads may make it choose badly: an address on this
//! machine or in its network is the way to services that trust their neighbours. So every
//! address is judged after the name was resolved, and the connection goes to exactly the
//! addresses that were judged.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// How far a fetch may reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Addresses of the open internet.
    Public,
    /// The same and this machine; for tests and for development servers.
    Loopback,
}

/// A name that leads to an address which is not to be reached.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} leads to {address}, which is not on the open internet")]
pub(super) struct OutOfReach {
    pub(super) name: String,
    pub(super) address: IpAddr,
}

impl Reach {
    pub(super) fn includes(self, address: IpAddr) -> bool {
        let local = self == Self::Loopback && address.to_canonical().is_loopback();
        local || is_public(address)
    }

    /// Judges an address that stands in the URL itself and is never resolved.
    pub(super) fn check_literal(self, host: &str) -> Result<(), OutOfReach> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) if !self.includes(address) => Err(OutOfReach {
                name: host.to_owned(),
                address,
            }),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// Resolves names and judges what they lead to. One bad address among good ones spoils them all:
/// an honest name has none.
pub(super) struct Resolver(pub(super) Reach);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let name = name.as_str().to_owned();
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            let bad = found
                .iter()
                .map(SocketAddr::ip)
                .find(|ip| !reach.includes(*ip));
            match bad {
                Some(address) => Err(OutOfReach { name, address }.into()),
                None => Ok(Box::new(found.into_iter()) as Addrs),
            }
        })
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Blocks set aside by the registries, with the length of their prefix.
const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let within = |(block, length): &(Ipv4Addr, u32)| {
        let shift = 32 - length;
        address.to_bits() >> shift == block.to_bits() >> shift
    };
    !SPECIAL_V4.iter().any(within)
}

/// Only what is given out as unicast, less what is set aside in it. Addresses that carry one of
/// the old kind are judged by that one.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let [.., c, d] = address.segments();
    let carried = Ipv4Addr::from_bits(u32::from(c) << 16 | u32::from(d));
    if address.to_ipv4_mapped().is_some() || address.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0] {
        return is_public_v4(carried);
    }
    let unicast = a & 0xe000 == 0x2000;
    let protocols = a == 0x2001 && b < 0x0200;
    let documentation = (a == 0x2001 && b == 0x0db8) || (a == 0x3fff && b < 0x1000);
    let relayed = a == 0x2002;
    unicast && !protocols && !documentation && !relayed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(addresses: &[&str], expected: bool) {
        for address in addresses {
            let parsed = address.parse().expect("an address");
            assert_eq!(Reach::Public.includes(parsed), expected, "{address}");
        }
    }

    #[test]
    fn the_open_internet_is_reached() {
        check(
            &[
                "1.1.1.1",
                "8.8.8.8",
                "100.63.255.255",
                "100.128.0.0",
                "172.32.0.1",
            ],
            true,
        );
        check(&["192.0.1.1", "198.20.0.1", "223.255.255.255"], true);
        check(
            &["2606:4700::1111", "2a00:1450::1", "2001:4860::8888"],
            true,
        );
        check(&["::ffff:1.1.1.1", "64:ff9b::1.1.1.1"], true);
    }

    #[test]
    fn everything_else_is_not() {
        check(
            &[
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "100.64.0.1",
                "100.127.255.255",
            ],
            false,
        );
        check(
            &["127.0.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1"],
            false,
        );
        check(
            &[
                "172.31.255.255",
                "192.0.0.1",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.1.1",
            ],
            false,
        );
        check(
            &[
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.1",
            ],
            false,
        );
        check(
            &["224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"],
            false,
        );
        check(
            &[
                "::", "::1", "::2", "::7f00:1", "fe80::1", "fec0::1", "fc00::1", "fd00::1",
            ],
            false,
        );
        check(
            &[
                "ff02::1",
                "2001:db8::1",
                "2001::1",
                "2001:10::1",
                "2002:7f00:1::1",
            ],
            false,
        );
        check(&["3fff::1", "100::1", "5f00::1", "64:ff9b:1::1"], false);
        check(
            &["::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::127.0.0.1"],
            false,
        );
        check(&["64:ff9b::169.254.169.254", "::ffff:0:127.0.0.1"], false);
    }

    #[test]
    fn loopback_is_reached_only_when_it_was_allowed() {
        for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert!(
                Reach::Loopback.includes(address.parse().expect("an address")),
                "{address}"
            );
        }
        for address in ["10.0.0.1", "169.254.169.254", "0.0.0.0", "::", "fe80::1"] {
            assert!(
                !Reach::Loopback.includes(address.parse().expect("an address")),
                "{address}"
            );
        }
    }

    #[test]
    fn addresses_in_urls_are_judged_however_they_are_spelt() {
        for url in [
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.0.0.1/",
            "http://017700000001/",
            "http://[::1]/",
            "http://[::ffff:7f00:1]/",
            "http://[0:0:0:0:0:ffff:169.254.169.254]/",
            "http://①②⑦.0.0.1/",
        ] {
            let url = reqwest::Url::parse(url).expect("a URL");
            let host = url.host_str().expect("a host");
            assert!(Reach::Public.check_literal(host).is_err(), "{url}");
        }
        assert!(Reach::Public.check_literal("example.org").is_ok());
        assert!(Reach::Public.check_literal("[2606:4700::1111]").is_ok());
    }
}
