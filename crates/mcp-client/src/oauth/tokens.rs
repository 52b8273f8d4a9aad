//! Asking an issuer for tokens.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use super::LoginError;
use super::login::{ClientId, Login};
use super::web::{Answer, Web, encoded, shown};

/// What proves later that a code is ours (RFC 7636).
pub(super) fn proof_of(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// Asks for tokens with a form, in the name of a client.
pub(super) async fn ask(
    web: &Web,
    endpoint: &str,
    client: &ClientId,
    form: &[(&str, &str)],
) -> Result<Answer, LoginError> {
    let mut form = form.to_vec();
    form.push(("client_id", &client.id));
    match (&client.secret, client.is_basic) {
        (Some(secret), true) => {
            let header = basic(&client.id, secret);
            web.post_form(endpoint, &form, Some(&header)).await
        }
        (Some(secret), false) => {
            form.push(("client_secret", secret));
            web.post_form(endpoint, &form, None).await
        }
        (None, _) => web.post_form(endpoint, &form, None).await,
    }
}

/// A login with the tokens of an answer. One that brings no second token keeps the old one.
pub(super) fn take(answer: &Answer, login: Login, now_s: i64) -> Result<Login, LoginError> {
    let nonsense = |why: &str| LoginError::Nonsense {
        url: shown(&login.token_endpoint),
        why: why.to_owned(),
    };
    let kind = answer.text("token_type").unwrap_or("bearer");
    if !kind.eq_ignore_ascii_case("bearer") {
        return Err(nonsense("its tokens are of a kind that is not known"));
    }
    let token = answer.text("access_token").filter(|it| !it.is_empty());
    let token = token.ok_or_else(|| nonsense("there is no token in its answer"))?;
    if http::HeaderValue::from_str(token).is_err() {
        return Err(nonsense("its token cannot be sent"));
    }
    let lasts_s = answer.body.as_ref().and_then(|body| {
        let member = body.get("expires_in")?;
        // Some write the number as a text.
        member.as_i64().or_else(|| member.as_str()?.parse().ok())
    });
    let refresh = answer.text("refresh_token").map(str::to_owned);
    Ok(Login {
        access_token: token.to_owned(),
        refresh_token: refresh.or_else(|| login.refresh_token.clone()),
        expires_at_s: lasts_s.map(|lasts| now_s.saturating_add(lasts.max(0))),
        ..login
    })
}

/// Name and secret of a client as a header (RFC 6749, 2.3.1).
fn basic(id: &str, secret: &str) -> String {
    let plain = |text: &str| {
        let pair = encoded(&[("", text)]);
        pair.trim_start_matches('=').to_owned()
    };
    let pair = format!("{}:{}", plain(id), plain(secret));
    format!("Basic {}", BASE64_STANDARD.encode(pair))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::oauth::login::tests::login;

    #[test]
    fn the_proof_is_that_of_the_standard() {
        // The example of RFC 7636, appendix B.
        assert_eq!(
            proof_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }

    #[test]
    fn a_client_with_a_secret_says_so_in_a_header_where_that_is_wanted() {
        assert_eq!(basic("us", "a:b"), "Basic dXM6YSUzQWI=");
    }

    #[test]
    fn an_answer_without_a_second_token_keeps_the_old_one() {
        let answer = |body: Value| Answer {
            status: 200,
            headers: HeaderMap::new(),
            body: Some(body),
        };
        let body = json!({"access_token": "access-2", "token_type": "Bearer", "expires_in": "60"});
        let renewed = take(&answer(body), login(None), 1000).unwrap();
        assert_eq!(renewed.access_token, "access-2");
        assert_eq!(renewed.refresh_token.as_deref(), Some("refresh-1"));
        assert_eq!(renewed.expires_at_s, Some(1060));
        for body in [
            json!({"token_type": "Bearer"}),
            json!({"access_token": "", "token_type": "Bearer"}),
            json!({"access_token": "a\nb", "token_type": "Bearer"}),
            json!({"access_token": "a", "token_type": "mac"}),
        ] {
            let refused = take(&answer(body.clone()), login(None), 1000);
            assert!(
                matches!(refused, Err(LoginError::Nonsense { .. })),
                "{body}"
            );
        }
    }
}
