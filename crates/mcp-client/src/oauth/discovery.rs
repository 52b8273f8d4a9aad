//! Finding out who guards a server, and how to ask them (RFC 9728, RFC 8414).

use reqwest::Url;
use serde_json::json;

use super::LoginError;
use super::challenge::Challenge;
use super::web::{Answer, Web, shown};

/// Who guards a server.
pub(super) struct Guard {
    pub(super) issuer: String,
    /// The server, as its guard calls it.
    pub(super) resource: String,
    /// What may be asked for.
    pub(super) scopes: Vec<String>,
}

/// How the guard is asked.
pub(super) struct Endpoints {
    pub(super) issuer: String,
    pub(super) authorization: String,
    pub(super) token: String,
    pub(super) registration: Option<String>,
    /// Whether each answer names who gives it.
    pub(super) names_itself: bool,
}

/// Finds who guards the server at an address.
pub(super) async fn guard(web: &Web, server: &str) -> Result<Guard, LoginError> {
    let address = web.check(server)?;
    let challenge = challenge(web, server).await?;
    let mut places = Vec::from_iter(challenge.metadata.clone());
    if places.is_empty() {
        places = well_known(&address, "oauth-protected-resource");
    }
    for place in places {
        let answer = web.get(&place).await?;
        if answer.status != 200 {
            continue;
        }
        return read_guard(&place, &answer, &address, challenge.scopes);
    }
    // Before there were such documents, a server was its own guard.
    Ok(Guard {
        issuer: address.origin().ascii_serialization(),
        resource: bare(&address),
        scopes: challenge.scopes,
    })
}

/// Knocks without a key, to hear what is wanted.
async fn challenge(web: &Web, server: &str) -> Result<Challenge, LoginError> {
    let knock = json!({"jsonrpc": "2.0", "id": "login", "method": "ping"});
    let answer = web.post_json(server, &knock).await?;
    let challenge = answer.challenges().find_map(Challenge::read);
    Ok(challenge.unwrap_or_default())
}

fn read_guard(
    place: &str,
    answer: &Answer,
    server: &Url,
    asked_for: Vec<String>,
) -> Result<Guard, LoginError> {
    let nonsense = |why: &str| LoginError::Nonsense {
        url: shown(place),
        why: why.to_owned(),
    };
    let resource = answer.text("resource");
    let resource = resource.ok_or_else(|| nonsense("it does not say what it is about"))?;
    if !covers(resource, server) {
        return Err(nonsense("it is about another server"));
    }
    let guards = answer.texts("authorization_servers").unwrap_or_default();
    let issuer = guards.into_iter().next();
    let scopes = match asked_for.is_empty() {
        true => answer.texts("scopes_supported").unwrap_or_default(),
        false => asked_for,
    };
    Ok(Guard {
        issuer: issuer.ok_or_else(|| nonsense("it names nobody to log in at"))?,
        resource: resource.to_owned(),
        scopes,
    })
}

/// Whether a document about a resource is about the server, or all of its host.
fn covers(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else {
        return false;
    };
    let of = resource.path().trim_end_matches('/');
    let rest = server.path().strip_prefix(of);
    resource.origin() == server.origin()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Finds how a guard is asked. One that answers in the name of another is not believed.
pub(super) async fn endpoints(web: &Web, issuer: &str) -> Result<Endpoints, LoginError> {
    let address = web.check(issuer)?;
    let mut places = well_known(&address, "oauth-authorization-server");
    places.truncate(1);
    places.extend(
        well_known(&address, "openid-configuration")
            .into_iter()
            .next(),
    );
    let path = address.path().trim_end_matches('/');
    if !path.is_empty() {
        let origin = address.origin().ascii_serialization();
        places.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    for place in places {
        let answer = web.get(&place).await?;
        if answer.status == 200 {
            return read_endpoints(web, &place, &answer, issuer);
        }
    }
    Err(LoginError::NoWay)
}

fn read_endpoints(
    web: &Web,
    place: &str,
    answer: &Answer,
    issuer: &str,
) -> Result<Endpoints, LoginError> {
    let nonsense = |why: &str| LoginError::Nonsense {
        url: shown(place),
        why: why.to_owned(),
    };
    let found = answer.text("issuer");
    let found = found.ok_or_else(|| nonsense("it does not say whose endpoints these are"))?;
    if found.trim_end_matches('/') != issuer.trim_end_matches('/') {
        return Err(LoginError::OtherIssuer {
            expected: shown(issuer),
            found: shown(found),
        });
    }
    let methods = answer.texts("code_challenge_methods_supported");
    if !methods.is_some_and(|methods| methods.iter().any(|it| it == "S256")) {
        return Err(LoginError::NoPkce {
            issuer: shown(issuer),
        });
    }
    let endpoint = |member: &str| -> Result<Option<String>, LoginError> {
        let url = answer.text(member).map(|url| web.check(url).map(|_| url));
        Ok(url.transpose()?.map(str::to_owned))
    };
    let needed = || nonsense("it names no endpoints for a login");
    let names_itself = answer.body.as_ref().and_then(|body| {
        let member = body.get("authorization_response_iss_parameter_supported");
        member?.as_bool()
    });
    Ok(Endpoints {
        issuer: found.to_owned(),
        authorization: endpoint("authorization_endpoint")?.ok_or_else(needed)?,
        token: endpoint("token_endpoint")?.ok_or_else(needed)?,
        registration: endpoint("registration_endpoint")?,
        names_itself: names_itself.unwrap_or(false),
    })
}

/// Where a document about an address lies: for its path, then for its host.
fn well_known(address: &Url, document: &str) -> Vec<String> {
    let origin = address.origin().ascii_serialization();
    let path = address.path().trim_end_matches('/');
    let root = format!("{origin}/.well-known/{document}");
    match path.is_empty() {
        true => vec![root],
        false => vec![format!("{root}{path}"), root],
    }
}

/// An address without what is no part of its place.
fn bare(address: &Url) -> String {
    let mut bare = address.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.as_str().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_counts_for_its_own_server_and_what_is_below() {
        let server = Url::parse("https://hub.example.org/team/mcp").unwrap();
        for (resource, expected) in [
            ("https://hub.example.org/team/mcp", true),
            ("https://hub.example.org/team/mcp/", true),
            ("https://hub.example.org/team", true),
            ("https://hub.example.org", true),
            ("https://hub.example.org/tea", false),
            ("https://hub.example.org/team/mcp/other", false),
            ("https://hub.example.org.evil.example/team/mcp", false),
            ("http://hub.example.org/team/mcp", false),
            ("nonsense", false),
        ] {
            assert_eq!(covers(resource, &server), expected, "{resource}");
        }
    }

    #[test]
    fn documents_lie_before_the_path() {
        let places = |url: &str| well_known(&Url::parse(url).unwrap(), "x");
        assert_eq!(places("https://a.b/"), ["https://a.b/.well-known/x"]);
        assert_eq!(
            places("https://a.b/c/d/"),
            ["https://a.b/.well-known/x/c/d", "https://a.b/.well-known/x"]
        );
    }
}
