//! Requests with the token of the login, for as long as there is one.

use std::collections::HashMap;
use std::sync::Arc;

use codewhale_protocol::Secret;
use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use reqwest::Client;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};

use super::Keyring;
use crate::limits::EVENT_BYTES_MAX;

type Headers = HashMap<HeaderName, HeaderValue>;
type Failure = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// A client that knows who its user is.
#[derive(Clone)]
pub(crate) struct Authorized {
    pub(crate) client: Client,
    pub(crate) keyring: Option<Arc<Keyring>>,
}

impl Authorized {
    async fn token(&self) -> Result<Option<Secret>, Failure> {
        match &self.keyring {
            Some(keyring) => keyring.token().await.map_err(|_| no_token()),
            None => Ok(None),
        }
    }

    /// What to try instead, when a token was refused before its time.
    async fn another(&self, refused: Option<&Secret>, why: Failure) -> Result<Secret, Failure> {
        let (Some(keyring), Some(refused)) = (&self.keyring, refused) else {
            return Err(why);
        };
        match keyring.another(refused).await {
            Ok(Some(token)) => Ok(token),
            Ok(None) | Err(_) => Err(why),
        }
    }
}

fn no_token() -> Failure {
    StreamableHttpError::AuthRequired(AuthRequiredError::new("the login has ended".to_owned()))
}

fn is_refused(failure: &Failure) -> bool {
    match failure {
        StreamableHttpError::AuthRequired(_) => true,
        StreamableHttpError::Client(error) => {
            error.status() == Some(reqwest::StatusCode::UNAUTHORIZED)
        }
        _ => false,
    }
}

fn exposed(token: Option<&Secret>) -> Option<String> {
    token.map(|token| token.expose().to_owned())
}

impl StreamableHttpClient for Authorized {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            EVENT_BYTES_MAX,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let post = |token: Option<&Secret>| {
            self.client.post_message_with_max_sse_event_size(
                uri.clone(),
                message.clone(),
                session_id.clone(),
                exposed(token),
                custom_headers.clone(),
                max_sse_event_size,
            )
        };
        let token = self.token().await?;
        match post(token.as_ref()).await {
            Err(why) if is_refused(&why) => {
                let token = self.another(token.as_ref(), why).await?;
                post(Some(&token)).await
            }
            answer => answer,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        let token = exposed(self.token().await?.as_ref());
        let client = &self.client;
        client
            .delete_session(uri, session_id, token, custom_headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<Events, Failure> {
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            EVENT_BYTES_MAX,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<Events, Failure> {
        let token = exposed(self.token().await?.as_ref());
        self.client
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                token,
                custom_headers,
                max_sse_event_size,
            )
            .await
    }
}
