//! A typed client over any `Service`, and the `Service` that speaks HTTP.
//!
//! [`Client`] is what surfaces hold: it asks for operations by type and follows a thread as decoded
//! events. What serves it may be the runtime in this process or an [`HttpService`] over a network;
//! the surface cannot tell. The HTTP half is a loop over the operation table: no route is written
//! by hand here.
//!
//! Must not know: the runtime. Start reading at [`Client`].

mod address;
mod answer;
mod client;
mod connection;
mod envelopes;
mod error;
mod events;
pub mod form;
mod http_service;
pub mod limits;
mod request;

pub use client::Client;
pub use envelopes::Envelopes;
pub use error::Error;
pub use http_service::HttpService;
