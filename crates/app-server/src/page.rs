//! The pages. At `/` a small one that lists threads, sends prompts, shows what happens and answers
//! approvals; at `/docs` one that draws the OpenAPI document. They hold no secret and fetch nothing
//! from elsewhere; what they show comes through the API, with the token.

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderName, HeaderValue, header};

use crate::routes::Door;

const PAGE: &str = include_str!("../../../web/index.html");
const SCRIPT: &str = include_str!("../../../web/codewhale.js");
const STYLE: &str = include_str!("../../../web/codewhale.css");

const DOCS_PAGE: &str = include_str!("../../../web/docs.html");
const DOCS_SCRIPT: &str = include_str!("../../../web/docs.js");
const DOCS_STYLE: &str = include_str!("../../../web/docs.css");

/// The description of the API, for people. Wherever there is an API there is this.
pub(crate) fn docs() -> Router<Door> {
    Router::new()
        .route(
            "/docs",
            get(|| async { asset("text/html; charset=utf-8", DOCS_PAGE) }),
        )
        .route(
            "/docs/docs.js",
            get(|| async { asset("text/javascript", DOCS_SCRIPT) }),
        )
        .route(
            "/docs/docs.css",
            get(|| async { asset("text/css", DOCS_STYLE) }),
        )
}

/// The page of `codewhale web`.
pub(crate) fn routes() -> Router<Door> {
    Router::new()
        .route(
            "/",
            get(|| async { asset("text/html; charset=utf-8", PAGE) }),
        )
        .route(
            "/assets/codewhale.js",
            get(|| async { asset("text/javascript", SCRIPT) }),
        )
        .route(
            "/assets/codewhale.css",
            get(|| async { asset("text/css", STYLE) }),
        )
}

fn asset(content_type: &'static str, text: &'static str) -> Response {
    let headers: [(HeaderName, HeaderValue); 6] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                 base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ),
        ),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (
            header::REFERRER_POLICY,
            HeaderValue::from_static("no-referrer"),
        ),
        (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    ];
    (headers, text).into_response()
}
