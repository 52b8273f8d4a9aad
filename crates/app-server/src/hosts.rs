//! Which names a request may call us by. A page of another site that has its name point at a local
//! address reaches the port, but it cannot choose another `Host`.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use codewhale_protocol::ErrorCode;
use http::{HeaderMap, StatusCode, header};

use crate::connection::LocalAddress;
use crate::cors::{self, OriginVerdict};
use crate::error::Failure;
use crate::routes::Door;

/// Lets a request through that is meant for us and does not come from a page we do not know.
pub(crate) async fn check(State(door): State<Door>, request: Request, next: Next) -> Response {
    let local = request
        .extensions()
        .get::<LocalAddress>()
        .map(|address| address.0.ip());
    let named = host(request.headers())
        .is_some_and(|host| is_ours(host, local, &door.host, &door.allowed_hosts));
    if !named {
        return Failure::new(
            StatusCode::FORBIDDEN,
            ErrorCode::Forbidden,
            "this server is not known by that Host; add it to allowed_hosts in [runtime_api]",
        )
        .into_response();
    }
    let own = own_origin(&request);
    match cors::judge(request.headers(), own.as_deref(), &door.origins) {
        OriginVerdict::Refused if !cors::is_preflight(&request) => Failure::new(
            StatusCode::FORBIDDEN,
            ErrorCode::Forbidden,
            "requests from that Origin are not allowed; add it with --cors-origin",
        )
        .into_response(),
        OriginVerdict::Refused => cors::preflight(None),
        OriginVerdict::Allowed(origin) if cors::is_preflight(&request) => {
            cors::preflight(Some(&origin))
        }
        OriginVerdict::Allowed(origin) => cors::labelled(next.run(request).await, &origin),
        OriginVerdict::Own if cors::is_preflight(&request) => cors::preflight(None),
        OriginVerdict::Own => next.run(request).await,
    }
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// The origin a page of ours has, as far as the request tells.
pub(crate) fn own_origin(request: &Request) -> Option<String> {
    Some(format!(
        "http://{}",
        host(request.headers())?.to_ascii_lowercase()
    ))
}

fn is_ours(host: &str, local: Option<IpAddr>, bound: &str, allowed: &[String]) -> bool {
    let name = without_port(host).to_ascii_lowercase();
    let name = name.trim_end_matches('.');
    if name == "localhost" || name.eq_ignore_ascii_case(bound) && bound != "0.0.0.0" {
        return true;
    }
    if allowed.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return true;
    }
    let address = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    // An address is ours when the connection arrived on it.
    address.is_ok_and(|address| address.is_loopback() || Some(address) == local)
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_server_are_ours() {
        let lan: IpAddr = "192.168.1.5".parse().unwrap();
        let ours = |host: &str| is_ours(host, Some(lan), "0.0.0.0", &["whale.local".into()]);
        for host in [
            "localhost",
            "localhost:7878",
            "LOCALHOST:1",
            "127.0.0.1:7878",
            "127.0.0.2",
            "[::1]:7878",
            "192.168.1.5:7878",
            "whale.local:7878",
            "localhost.",
        ] {
            assert!(ours(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "example.org:7878",
            "192.168.1.6",
            "0.0.0.0:7878",
            "localhost.example.org",
            "127.0.0.1.example.org",
            "[::2]:7878",
        ] {
            assert!(!ours(host), "{host}");
        }
    }

    #[test]
    fn the_name_that_was_bound_is_ours() {
        assert!(is_ours("box:7878", None, "box", &[]));
        assert!(!is_ours("0.0.0.0", None, "0.0.0.0", &[]));
    }
}
