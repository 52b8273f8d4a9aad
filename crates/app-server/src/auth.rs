//! Who may come in: the runtime token, in each way a client can show it.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use codewhale_protocol::{ErrorCode, Secret, Surface};
use http::{HeaderMap, Method, StatusCode, header};
use percent_encoding::percent_decode_str;
use subtle::ConstantTimeEq;

use crate::error::Failure;
use crate::hosts::own_origin;
use crate::routes::Door;

/// Who may come in.
#[derive(Clone, Debug)]
pub enum Access {
    /// Whoever shows this token.
    Token(Secret),
    /// Everyone. Only on a loopback address.
    Open,
}

/// The cookie the page sets, because an `EventSource` cannot send headers.
pub(crate) const COOKIE: &str = "codewhale_runtime_token";

/// Headers that carry the bare token.
pub(crate) const TOKEN_HEADERS: [&str; 2] =
    ["x-codewhale-runtime-token", "x-deepseek-runtime-token"];

/// The parameter of an address that carries it, for clients that cannot send headers.
pub(crate) const QUERY: &str = "token";

/// Lets a request through that shows the token, and says who it is from.
pub(crate) async fn authenticate(
    State(door): State<Door>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(surface) = admit(&door.access, &request) else {
        return Failure::new(
            StatusCode::UNAUTHORIZED,
            ErrorCode::Unauthenticated,
            "a runtime token is required; send it as `Authorization: Bearer TOKEN`",
        )
        .into_response();
    };
    let mut caller = door.caller.clone();
    caller.surface = surface;
    request.extensions_mut().insert(caller);
    next.run(request).await
}

fn admit(access: &Access, request: &Request) -> Option<Surface> {
    let Access::Token(token) = access else {
        return Some(Surface::Http);
    };
    let is_token = |text: &str| -> bool { text.as_bytes().ct_eq(token.expose().as_bytes()).into() };
    let headers = request.headers();
    if header_tokens(headers).any(is_token) {
        return Some(Surface::Http);
    }
    if request.method() == Method::GET
        && query_token(request.uri().query()).is_some_and(|text| is_token(&text))
    {
        return Some(Surface::Http);
    }
    let cookie = cookie_token(headers).is_some_and(|text| is_token(&text));
    (cookie && is_same_site(request)).then_some(Surface::Web)
}

fn header_tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text("authorization").and_then(|value| value.strip_prefix("Bearer "));
    bearer
        .into_iter()
        .chain(TOKEN_HEADERS.into_iter().filter_map(text))
}

fn query_token(query: Option<&str>) -> Option<String> {
    let pairs = query?.split('&').filter_map(|pair| pair.split_once('='));
    let token = pairs
        .filter(|(name, _)| *name == QUERY)
        .map(|(_, value)| value)
        .next()?;
    decoded(token)
}

fn cookie_token(headers: &HeaderMap) -> Option<String> {
    let cookies = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let pairs = cookies
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let token = pairs
        .filter(|(name, _)| *name == COOKIE)
        .map(|(_, value)| value)
        .next()?;
    decoded(token)
}

fn decoded(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    percent_decode_str(&text)
        .decode_utf8()
        .ok()
        .map(|text| text.into_owned())
}

/// A browser sends cookies by itself, so a cookie counts only on requests of our own page.
fn is_same_site(request: &Request) -> bool {
    let text = |name: &str| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    let same_site = text("sec-fetch-site").is_none_or(|site| site == "same-origin");
    let same_origin = match text("origin") {
        Some(origin) => own_origin(request).is_some_and(|own| own == origin),
        None => matches!(
            *request.method(),
            Method::GET | Method::HEAD | Method::OPTIONS
        ),
    };
    same_site && same_origin
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    const TOKEN: &str = "cwrt_ab c";

    fn request(method: &str, uri: &str, headers: &[(&str, &str)]) -> Request {
        let mut builder = http::Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        builder.body(Body::empty()).unwrap()
    }

    #[track_caller]
    fn check(method: &str, uri: &str, headers: &[(&str, &str)], expect: Option<Surface>) {
        let access = Access::Token(Secret::new(TOKEN));
        let got = admit(&access, &request(method, uri, headers));
        assert_eq!(got, expect, "{method} {uri} {headers:?}");
    }

    #[test]
    fn each_way_of_showing_the_token_is_understood() {
        let http = Some(Surface::Http);
        check(
            "POST",
            "/v1/threads",
            &[("authorization", "Bearer cwrt_ab c")],
            http,
        );
        check(
            "POST",
            "/v1/threads",
            &[("x-codewhale-runtime-token", TOKEN)],
            http,
        );
        check(
            "POST",
            "/v1/threads",
            &[("x-deepseek-runtime-token", TOKEN)],
            http,
        );
        check("GET", "/v1/threads?limit=1&token=cwrt_ab%20c", &[], http);
        let cookie = ("cookie", "a=b; codewhale_runtime_token=cwrt_ab%20c");
        check("GET", "/v1/threads", &[cookie], Some(Surface::Web));
        check(
            "GET",
            "/v1/threads",
            &[cookie, ("sec-fetch-site", "same-origin")],
            Some(Surface::Web),
        );
    }

    #[test]
    fn nothing_else_is() {
        check("GET", "/v1/threads", &[], None);
        check(
            "GET",
            "/v1/threads",
            &[("authorization", "Bearer wrong")],
            None,
        );
        check(
            "GET",
            "/v1/threads",
            &[("authorization", "bearer cwrt_ab c")],
            None,
        );
        check(
            "GET",
            "/v1/threads",
            &[("authorization", "cwrt_ab c")],
            None,
        );
        check("POST", "/v1/threads?token=cwrt_ab%20c", &[], None);
        check("GET", "/v1/threads?token=", &[], None);
        check("GET", "/v1/threads?xtoken=cwrt_ab%20c", &[], None);
    }

    #[test]
    fn a_cookie_alone_does_not_count_on_requests_of_other_pages() {
        let cookie = ("cookie", "codewhale_runtime_token=cwrt_ab%20c");
        let own = [
            cookie,
            ("host", "127.0.0.1:7878"),
            ("origin", "http://127.0.0.1:7878"),
        ];
        check("POST", "/v1/threads", &own, Some(Surface::Web));
        check("POST", "/v1/threads", &[cookie], None);
        let foreign = [
            cookie,
            ("host", "127.0.0.1:7878"),
            ("origin", "http://127.0.0.1:3000"),
        ];
        check("POST", "/v1/threads", &foreign, None);
        check("GET", "/v1/threads", &foreign, None);
        check(
            "GET",
            "/v1/threads",
            &[cookie, ("sec-fetch-site", "cross-site")],
            None,
        );
    }
}
