//! Which pages may call, and what browsers are told about it. Origins are listed one by one; there
//! is no wildcard.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, header};

/// Origins that development tools use.
const BUILT_IN: [&str; 5] = [
    "http://localhost:3000",
    "http://127.0.0.1:3000",
    "http://localhost:1420",
    "http://127.0.0.1:1420",
    "tauri://localhost",
];

const METHODS: &str = "GET,POST,PATCH,PUT,DELETE,OPTIONS";

const HEADERS: &str = "authorization,content-type,accept,idempotency-key,last-event-id,\
                       x-codewhale-runtime-token,x-deepseek-runtime-token";

const VARY: &str = "origin, access-control-request-method, access-control-request-headers";

/// What is thought of the page behind a request.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum OriginVerdict {
    /// There is none, or it is our own.
    Own,
    /// It is on the list.
    Allowed(String),
    /// It is not.
    Refused,
}

/// The whole list: what is built in and what was added.
pub(crate) fn origins(added: &[String]) -> Vec<String> {
    let mut origins: Vec<String> = BUILT_IN.map(str::to_owned).to_vec();
    for origin in added
        .iter()
        .map(|origin| origin.trim())
        .filter(|origin| !origin.is_empty())
    {
        if HeaderValue::from_str(origin).is_err() || origin == "*" {
            tracing::warn!(%origin, "a CORS origin is not usable and was left out");
        } else if !origins.iter().any(|known| known == origin) {
            origins.push(origin.to_owned());
        }
    }
    origins
}

pub(crate) fn judge(headers: &HeaderMap, own: Option<&str>, listed: &[String]) -> OriginVerdict {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return OriginVerdict::Own;
    };
    match origin.to_str() {
        Ok(origin) if listed.iter().any(|known| known == origin) => {
            OriginVerdict::Allowed(origin.to_owned())
        }
        Ok(origin) if own == Some(origin) => OriginVerdict::Own,
        _ => OriginVerdict::Refused,
    }
}

pub(crate) fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
}

/// Answers the question a browser asks before it sends the request itself.
pub(crate) fn preflight(origin: Option<&str>) -> Response {
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static(METHODS),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(HEADERS),
    );
    match origin {
        Some(origin) => labelled(response, origin),
        None => {
            headers.insert(header::VARY, HeaderValue::from_static(VARY));
            response
        }
    }
}

/// Tells the browser that the page may read the answer.
pub(crate) fn labelled(mut response: Response, origin: &str) -> Response {
    let headers = response.headers_mut();
    if let Ok(origin) = HeaderValue::from_str(origin) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    headers.insert(header::VARY, HeaderValue::from_static(VARY));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_origins_stack_on_the_built_in_ones() {
        let added = [
            "http://localhost:5173",
            " ",
            "http://localhost:3000",
            "*",
            "ba\nd",
        ];
        let origins = origins(&added.map(str::to_owned));
        assert_eq!(origins.len(), BUILT_IN.len() + 1);
        assert_eq!(
            origins.last().map(String::as_str),
            Some("http://localhost:5173")
        );
    }

    #[test]
    fn origins_are_compared_exactly() {
        let listed = origins(&[]);
        let verdict = |origin: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
            judge(&headers, Some("http://127.0.0.1:7878"), &listed)
        };
        assert_eq!(
            verdict("http://localhost:3000"),
            OriginVerdict::Allowed("http://localhost:3000".into())
        );
        assert_eq!(verdict("http://127.0.0.1:7878"), OriginVerdict::Own);
        for origin in [
            "http://localhost:3001",
            "https://localhost:3000",
            "null",
            "http://evil.example",
        ] {
            assert_eq!(verdict(origin), OriginVerdict::Refused, "{origin}");
        }
    }
}
