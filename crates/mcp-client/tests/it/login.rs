//! Logins at a server that wants one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use codewhale_mcp_client::{
    Attempt, LoginError, Origin, Phase, Reach, Remote, Settings, Vault, VaultError, Wanted, logout,
};
use codewhale_protocol::Secret;
use codewhale_testkit::guarded_server::{CANARY, GuardedServer, visit};
use serde_json::{Value, json};

use crate::lab::Lab;

/// A vault in memory, with a clock that stands still.
#[derive(Default)]
struct Safe {
    kept: Mutex<BTreeMap<String, Secret>>,
    hidden: Mutex<Vec<Secret>>,
    now_s: AtomicI64,
}

impl Vault for Safe {
    fn get(&self, name: &str) -> Result<Option<Secret>, VaultError> {
        Ok(self.kept.lock().unwrap().get(name).cloned())
    }

    fn set(&self, name: &str, value: &Secret) -> Result<(), VaultError> {
        let mut kept = self.kept.lock().unwrap();
        kept.insert(name.to_owned(), value.clone());
        Ok(())
    }

    fn clear(&self, name: &str) -> Result<bool, VaultError> {
        Ok(self.kept.lock().unwrap().remove(name).is_some())
    }

    fn now_s(&self) -> i64 {
        self.now_s.load(Ordering::Relaxed)
    }

    fn hide(&self, secrets: Vec<Secret>) {
        self.hidden.lock().unwrap().extend(secrets);
    }
}

impl Safe {
    fn login(&self) -> Value {
        let kept = self.kept.lock().unwrap();
        let login = kept.values().next().unwrap();
        serde_json::from_str(login.expose()).unwrap()
    }

    fn wait(&self, seconds: i64) {
        self.now_s.fetch_add(seconds, Ordering::Relaxed);
    }
}

struct Scene {
    server: GuardedServer,
    vault: Arc<Safe>,
    settings: Settings,
}

impl Scene {
    async fn new() -> Self {
        Self::with(json!({})).await
    }

    /// A server of which `more` is configured.
    async fn with(more: Value) -> Self {
        let server = GuardedServer::start().await;
        let mut entry = json!({"url": server.url(), "connect_timeout": 5});
        entry
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let text = json!({"servers": {"hub": entry}}).to_string();
        let (settings, warnings) = Settings::read(&text, Origin::User, &|_| None).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        Self {
            server,
            vault: Arc::default(),
            settings,
        }
    }

    fn remote(&self) -> &Remote {
        match &self.settings.servers["hub"].reach {
            Reach::Http(remote) => remote,
            Reach::Stdio(_) => panic!("it has an address"),
        }
    }

    async fn begin(&self) -> Result<Attempt, LoginError> {
        let wanted = Wanted {
            server: "hub",
            remote: self.remote(),
            scopes: Vec::new(),
            callback_port: None,
            callback_url: None,
            random: ["s", "v"].map(|it| it.repeat(64)),
            vault: self.vault.clone(),
            is_shut: Arc::new(|_| false),
        };
        Attempt::begin(wanted).await
    }

    async fn log_in(&self) -> Result<(), LoginError> {
        let attempt = self.begin().await?;
        let address = attempt.address().to_owned();
        let (done, (status, _)) = tokio::join!(attempt.finish(), visit(&address));
        assert_eq!(status, 200);
        done
    }

    fn lab(&self) -> Lab {
        Lab::logged_in(self.settings.clone(), self.vault.clone())
    }
}

async fn needs_auth(lab: &Lab) -> String {
    let health = lab.wait("hub", |it| it.phase == Phase::NeedsAuth).await;
    health.error.unwrap()
}

#[tokio::test]
async fn without_a_login_the_server_says_how_and_after_it_its_tools_are_there() {
    let scene = Scene::new().await;
    let lab = scene.lab();
    let error = needs_auth(&lab).await;
    assert!(error.contains("run `codewhale mcp login hub`"), "{error}");

    scene.log_in().await.unwrap();
    lab.servers.reconnect("hub").unwrap();
    lab.ready("hub").await;
    assert_eq!(lab.call("mcp_hub_look", json!({})).await.text, "seen");
    // Nobody sees a token but the file.
    let health = format!("{:?}", lab.health("hub"));
    assert!(!health.contains(CANARY), "{health}");
    let hidden = scene.vault.hidden.lock().unwrap().clone();
    for token in ["access_token", "refresh_token"] {
        let token = scene.vault.login()[token].as_str().unwrap().to_owned();
        assert!(token.starts_with(CANARY) && hidden.contains(&Secret::new(token)));
    }

    let is_out = logout(
        "hub",
        scene.remote(),
        &(scene.vault.clone() as Arc<dyn Vault>),
    )
    .await;
    assert!(is_out.unwrap());
    needs_auth(&scene.lab()).await;
}

#[tokio::test]
async fn the_address_asks_for_what_the_server_wants_and_proves_the_code() {
    let scene = Scene::with(json!({"scopes": ["write"], "oauth": {"client_id": "by-hand"}})).await;
    scene.server.behave(|it| it.knows_its_clients = true);
    let attempt = scene.begin().await.unwrap();
    let address = attempt.address();
    for part in [
        "scope=write",
        "client_id=by-hand",
        "code_challenge_method=S256",
    ] {
        assert!(address.contains(part), "{address}");
    }
    assert!(!address.contains(&"v".repeat(64)), "{address}");
    assert_eq!(scene.server.seen("POST /register"), 0);

    let scene = Scene::new().await;
    let attempt = scene.begin().await.unwrap();
    assert!(
        attempt.address().contains("scope=read"),
        "{}",
        attempt.address()
    );
    assert_eq!(scene.server.seen("POST /register"), 1);
}

#[tokio::test]
async fn an_answer_with_another_state_is_turned_away_and_the_right_one_still_counts() {
    let scene = Scene::new().await;
    let attempt = scene.begin().await.unwrap();
    let address = attempt.address().to_owned();
    let (state, wrong) = ("s".repeat(64), "x".repeat(64));
    let forged = address.replace(&format!("state={state}"), &format!("state={wrong}"));
    let browser = async {
        assert_eq!(visit(&forged).await.0, 400);
        assert_eq!(scene.server.seen("POST /token"), 0);
        visit(&address).await
    };
    let (done, (status, page)) = tokio::join!(attempt.finish(), browser);
    done.unwrap();
    assert_eq!(status, 200, "{page}");
    assert!(!page.contains(CANARY), "{page}");
}

#[tokio::test]
async fn a_token_is_renewed_before_it_ends_and_when_it_is_refused() {
    let scene = Scene::new().await;
    scene.server.behave(|it| it.expires_in = Some(3600));
    scene.log_in().await.unwrap();
    let lab = scene.lab();
    lab.ready("hub").await;
    let token = || scene.vault.login()["access_token"].clone();
    let (first, asked) = (token(), || scene.server.seen("POST /token"));
    assert_eq!(asked(), 1);

    scene.vault.wait(3600 - 31);
    assert_eq!(lab.call("mcp_hub_look", json!({})).await.text, "seen");
    assert_eq!((asked(), token()), (1, first.clone()));
    scene.vault.wait(1);
    assert_eq!(lab.call("mcp_hub_look", json!({})).await.text, "seen");
    assert_eq!(asked(), 2);
    let second = token();
    assert_ne!(second, first);

    scene.server.revoke();
    assert_eq!(lab.call("mcp_hub_look", json!({})).await.text, "seen");
    assert_eq!(asked(), 3);
    assert_ne!(token(), second);
}

#[tokio::test]
async fn who_shares_a_login_takes_the_token_that_another_renewed() {
    let scene = Scene::new().await;
    scene.server.behave(|it| it.expires_in = Some(3600));
    scene.log_in().await.unwrap();
    let (one, other) = (scene.lab(), scene.lab());
    tokio::join!(one.ready("hub"), other.ready("hub"));
    scene.vault.wait(3600);
    for lab in [&one, &other] {
        assert_eq!(lab.call("mcp_hub_look", json!({})).await.text, "seen");
    }
    assert_eq!(scene.server.seen("POST /token"), 2);
}

#[tokio::test]
async fn a_login_that_is_not_renewed_any_more_says_to_log_in_again_without_its_token() {
    let scene = Scene::new().await;
    scene.server.behave(|it| it.expires_in = Some(60));
    scene.log_in().await.unwrap();
    scene.server.behave(|it| it.refuses_to_renew = true);
    scene.vault.wait(120);
    let lab = scene.lab();
    let error = needs_auth(&lab).await;
    assert!(
        error.contains("run `codewhale mcp login hub` again"),
        "{error}"
    );
    assert!(
        error.contains("invalid_grant: [redacted] is over"),
        "{error}"
    );
    assert!(!error.contains(CANARY), "{error}");

    // While it works, the same ends the connection, and tells why.
    scene.server.behave(|it| it.refuses_to_renew = false);
    scene.log_in().await.unwrap();
    lab.servers.reconnect("hub").unwrap();
    lab.ready("hub").await;
    scene.server.behave(|it| it.refuses_to_renew = true);
    scene.vault.wait(120);
    let output = lab.call("mcp_hub_look", json!({})).await;
    assert!(
        !output.success && !output.text.contains(CANARY),
        "{}",
        output.text
    );
    assert!(needs_auth(&lab).await.contains("mcp login hub"));
}

#[tokio::test]
async fn a_guard_that_claims_to_be_another_or_does_not_protect_its_codes_is_not_used() {
    let scene = Scene::new().await;
    scene
        .server
        .behave(|it| it.claims_to_be = Some("https://other.example.org".to_owned()));
    let refused = scene.begin().await.err().unwrap();
    assert!(
        matches!(refused, LoginError::OtherIssuer { .. }),
        "{refused}"
    );
    scene.server.behave(|it| {
        it.claims_to_be = None;
        it.has_no_pkce = true;
    });
    let refused = scene.begin().await.err().unwrap();
    assert!(matches!(refused, LoginError::NoPkce { .. }), "{refused}");
    scene.server.behave(|it| {
        it.has_no_pkce = false;
        it.knows_its_clients = true;
    });
    let refused = scene.begin().await.err().unwrap();
    assert!(
        refused.to_string().contains("set `oauth.client_id`"),
        "{refused}"
    );
    assert_eq!(scene.server.seen("POST /token"), 0);
}

#[tokio::test]
async fn a_server_that_changes_its_guard_does_not_get_the_old_tokens_sent_to_the_new_one() {
    let scene = Scene::new().await;
    scene.server.behave(|it| it.expires_in = Some(60));
    scene.log_in().await.unwrap();
    let other = GuardedServer::start().await;
    let issuer = other.issuer();
    scene.server.behave(|it| it.names_as_guard = Some(issuer));
    scene.vault.wait(120);
    let lab = scene.lab();
    lab.ready("hub").await;
    assert_eq!(scene.server.seen("POST /token"), 2);
    assert_eq!(other.seen(""), 0);
}

#[tokio::test]
async fn a_header_of_ones_own_counts_and_a_login_is_neither_made_nor_sent() {
    let scene = Scene::with(json!({"headers": {"Authorization": "Bearer of-ones-own"}})).await;
    let refused = scene.begin().await.err().unwrap();
    assert!(matches!(refused, LoginError::HasHeader), "{refused}");
    assert_eq!(scene.server.seen(""), 0);
}

#[tokio::test]
async fn a_host_that_the_policy_shuts_takes_no_part_in_a_login() {
    let scene = Scene::new().await;
    let wanted = Wanted {
        server: "hub",
        remote: scene.remote(),
        scopes: Vec::new(),
        callback_port: None,
        callback_url: None,
        random: ["s", "v"].map(|it| it.repeat(64)),
        vault: scene.vault.clone(),
        is_shut: Arc::new(|host| host == "127.0.0.1"),
    };
    let refused = Attempt::begin(wanted).await.err().unwrap();
    assert!(matches!(refused, LoginError::Shut { .. }), "{refused}");
    assert_eq!(scene.server.seen(""), 0);
}
