//! The port on this machine that a person's browser comes back to.

use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::LoginError;
use crate::limits::{CALLBACK_BYTES_MAX, CALLBACK_READ_TIMEOUT};

/// Waits for one answer.
pub(super) struct Callback {
    listener: TcpListener,
    /// Where the browser is sent.
    pub(super) address: Url,
}

/// What the guard says through the browser.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Said {
    pub(super) outcome: Result<String, String>,
    /// Who says it, where they do.
    pub(super) issuer: Option<String>,
}

impl Callback {
    /// Listens on a port of this machine, or any. `address` leads there, where it is not the port.
    pub(super) async fn listen(
        port: Option<u16>,
        address: Option<&str>,
    ) -> Result<Self, LoginError> {
        let port = port.unwrap_or(0);
        let failed = |source| LoginError::Listen { port, source };
        let listener = TcpListener::bind(("127.0.0.1", port)).await;
        let listener = listener.map_err(failed)?;
        let own = listener.local_addr().map_err(failed)?;
        let own = format!("http://{own}/callback");
        let address = Url::parse(address.unwrap_or(&own)).map_err(|_| LoginError::Nonsense {
            url: "mcp_oauth_callback_url".to_owned(),
            why: "it is no address".to_owned(),
        })?;
        Ok(Self { listener, address })
    }

    /// Waits for the answer to this very login. What else comes by is turned away: any page may
    /// send a browser here.
    pub(super) async fn wait(&self, state: &str, at_most: Duration) -> Result<Said, LoginError> {
        let coming = async {
            loop {
                let Ok((mut stream, _)) = self.listener.accept().await else {
                    continue;
                };
                let read = timeout(CALLBACK_READ_TIMEOUT, target(&mut stream)).await;
                let Ok(Some(target)) = read else {
                    continue;
                };
                let said = self.understood(&target, state);
                let page = match &said {
                    Ok(said) if said.outcome.is_ok() => {
                        ("200 OK", "Logged in. You can close this page.")
                    }
                    Ok(_) => ("200 OK", "Not logged in. You can close this page."),
                    Err(status) => (*status, "This is no answer to a login that is waited for."),
                };
                let _ = timeout(CALLBACK_READ_TIMEOUT, answer(stream, page)).await;
                if let Ok(said) = said {
                    return said;
                }
            }
        };
        let said = timeout(at_most, coming).await;
        said.map_err(|_| LoginError::TooLate { waited: at_most })
    }

    fn understood(&self, target: &str, state: &str) -> Result<Said, &'static str> {
        let url = self.address.join(target).map_err(|_| "400 Bad Request")?;
        if url.path() != self.address.path() {
            return Err("404 Not Found");
        }
        let member = |name: &str| {
            let mut pairs = url.query_pairs();
            let found = pairs.find(|(key, _)| key == name);
            found.map(|(_, value)| value.into_owned())
        };
        if member("state").as_deref() != Some(state) {
            return Err("400 Bad Request");
        }
        let outcome = match (member("code"), member("error")) {
            (Some(code), None) => Ok(code),
            (_, Some(error)) => Err(match member("error_description") {
                Some(more) => format!("{error}: {more}"),
                None => error,
            }),
            (None, None) => return Err("400 Bad Request"),
        };
        Ok(Said {
            outcome,
            issuer: member("iss"),
        })
    }
}

/// What a request asks for: the first line is all that matters.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        if bytes.len() > CALLBACK_BYTES_MAX || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let mut words = text.lines().next()?.split(' ');
    let is_get = words.next() == Some("GET");
    let target = words
        .next()
        .filter(|it| it.starts_with('/') && !it.starts_with("//"));
    target.filter(|_| is_get).map(str::to_owned)
}

async fn answer(mut stream: TcpStream, (status, words): (&str, &str)) {
    let page =
        format!("<!doctype html><meta charset=utf-8><title>CodeWhale</title><p>{words}</p>\n");
    let length = page.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{page}"
    );
    // A browser that is gone needs no page.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_answer_to_this_login_counts() {
        let callback = Callback::listen(None, Some("https://proxy.example.org/back")).await;
        let callback = callback.unwrap();
        let understood = |target: &str| callback.understood(target, "right");
        for (target, status) in [
            ("/other?code=c&state=right", "404 Not Found"),
            ("/back?code=c&state=wrong", "400 Bad Request"),
            ("/back?code=c", "400 Bad Request"),
            ("/back?state=right", "400 Bad Request"),
        ] {
            assert_eq!(understood(target), Err(status), "{target}");
        }
        let said = understood("/back?code=c%20d&state=right&iss=https%3A%2F%2Fi").unwrap();
        assert_eq!(said.outcome, Ok("c d".to_owned()));
        assert_eq!(said.issuer.as_deref(), Some("https://i"));
        let said = understood("/back?error=access_denied&state=right").unwrap();
        assert_eq!(said.outcome, Err("access_denied".to_owned()));
    }
}
