//! Changing the file: one key, and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use codewhale_config::{Editor, Error, Flags, Origin, Shown, values};

use crate::{KNOWN, User};

const FILE: &str = ".codewhale/config.toml";

impl User {
    fn edit<T>(
        &self,
        change: impl FnOnce(&mut Editor<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let environment = self.environment();
        let mut editor = Editor::open(&environment, &self.flags, KNOWN)?;
        let done = change(&mut editor)?;
        editor.save()?;
        Ok(done)
    }

    fn set(&self, key: &str, value: &str) -> Result<(), Error> {
        self.edit(|editor| editor.set(key, value))
    }

    fn refused(&self, key: &str, value: &str) -> String {
        let before = fs::read(self.path(FILE)).ok();
        let error = self.set(key, value).unwrap_err().to_string();
        assert_eq!(fs::read(self.path(FILE)).ok(), before, "{key} was written");
        error
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path(FILE)).unwrap()
    }

    fn shown(&self, key: &str) -> Result<Shown, Error> {
        Shown::of(key, &self.environment(), &self.flags, KNOWN)
    }
}

#[test]
fn a_change_leaves_comments_and_order_as_they_are() {
    let user = User::with_file(
        "# mine\nmodel = 'a' # the old one\n\n[retry]\n# patience\nmax_retries = 1\n\n[memory]\nenabled = false\n",
    );
    user.set("model", "b").unwrap();
    user.set("retry.max_retries", "7").unwrap();
    user.set("retry.initial_delay", "0.5").unwrap();
    user.set("allow_shell", "yes").unwrap();
    user.set("network.deny", "a.example, b.example").unwrap();
    user.set("network.allow", r#"["c.example"]"#).unwrap();
    user.set("providers.mine.base_url", "https://x.dev/v1")
        .unwrap();
    assert_eq!(
        user.text(),
        "# mine\nmodel = \"b\" # the old one\nallow_shell = true\n\n[retry]\n# patience\nmax_retries = 7\ninitial_delay = 0.5\n\n\
         [memory]\nenabled = false\n\n[network]\ndeny = [\"a.example\", \"b.example\"]\nallow = [\"c.example\"]\n\n\
         [providers.mine]\nbase_url = \"https://x.dev/v1\"\n"
    );
    let config = user.load();
    assert_eq!(config.retry.max_retries.value, 7);
    assert_eq!(
        config.permissions.network_deny.value,
        ["a.example", "b.example"]
    );
    assert!(
        user.edit(|editor| editor.unset("retry.max_retries"))
            .unwrap()
    );
    assert!(
        !user
            .edit(|editor| editor.unset("retry.max_retries"))
            .unwrap()
    );
    assert_eq!(user.load().retry.max_retries.value, 3);
}

#[test]
fn a_file_that_is_made_is_for_the_user_only_and_one_that_was_there_keeps_its_mode() {
    let user = User::new();
    user.set("model", "m").unwrap();
    let mode = |user: &User| {
        let metadata = fs::metadata(user.path(FILE)).unwrap();
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode(&user), 0o600);
    fs::set_permissions(user.path(FILE), fs::Permissions::from_mode(0o640)).unwrap();
    user.set("model", "n").unwrap();
    assert_eq!(mode(&user), 0o640);
}

#[test]
fn what_the_configuration_would_not_load_is_not_written() {
    let user = User::with_file("model = 'a'\n");
    assert_eq!(
        user.refused("modle", "x"),
        "key not found: modle; did you mean `model`?"
    );
    assert_eq!(
        user.refused("retry.max_retries", "many"),
        "`retry.max_retries` must be a whole number up to 100"
    );
    assert_eq!(
        user.refused("retry.max_retries", "101"),
        "`retry.max_retries` must be a whole number up to 100"
    );
    assert_eq!(user.refused("model", " "), "`model` must be text in quotes");
    assert_eq!(
        user.refused("retry", "1"),
        "`retry` is a table; name a key in it, such as `retry.enabled`"
    );
    let unknown = user.refused("provider", "nobody");
    assert!(
        unknown.starts_with("there is no provider `nobody`"),
        "{unknown}"
    );
    let password = user.refused("base_url", "https://me:pw@x.dev");
    assert_eq!(
        password,
        "`base_url` must be an address without a user name or password"
    );
    assert!(user.refused("", "x").starts_with("key not found"));
    assert!(
        user.refused("profiles.x.modle", "x")
            .contains("did you mean `profiles.x.model`?")
    );
}

#[test]
fn secrets_are_refused_with_a_hint_and_never_told_back() {
    let user = User::with_file("");
    let hint = |key: &str| user.refused(key, "sk-hidden");
    assert!(hint("providers.mine.api_key").contains("`codewhale auth set --provider mine`"));
    assert!(hint("profiles.p.providers.mine.api_key").contains("auth set --provider mine"));
    assert!(hint("api_key").contains("`codewhale auth set --provider deepseek`"));
    assert!(hint("runtime_api.auth_token").contains("CODEWHALE_RUNTIME_TOKEN"));
    for key in ["api_key", "runtime_api.auth_token", "http_headers"] {
        assert!(!hint(key).contains("hidden"));
    }
}

#[test]
fn a_file_of_a_workspace_is_never_written() {
    let user = User::new();
    user.write("work/.codewhale/config.toml", "");
    let file = user.path("work/.codewhale/config.toml");
    let user = user.flags(|flags| flags.config = Some(file.clone()));
    let error = user.set("model", "x").unwrap_err().to_string();
    assert!(error.contains("belongs to a workspace"), "{error}");
    assert_eq!(fs::read_to_string(file).unwrap(), "");
}

#[test]
fn the_older_home_is_carried_over_and_stays_as_it_is() {
    let user = User::new();
    user.write(".deepseek/config.toml", "# old\nmodel = 'a'\n");
    user.set("allow_shell", "true").unwrap();
    assert_eq!(user.text(), "# old\nmodel = 'a'\nallow_shell = true\n");
    let old = fs::read_to_string(user.path(".deepseek/config.toml")).unwrap();
    assert_eq!(old, "# old\nmodel = 'a'\n");
}

#[test]
fn two_who_change_it_at_once_do_not_undo_each_other() {
    let user = User::with_file("");
    let environment = user.environment();
    let first = Editor::open(&environment, &user.flags, KNOWN).unwrap();
    let error = user.set("model", "x").unwrap_err().to_string();
    assert!(error.ends_with("try again"), "{error}");
    drop(first);
    user.set("model", "x").unwrap();
}

#[test]
fn a_broken_file_is_told_by_its_line_and_not_replaced() {
    let user = User::with_file("a = 1\nmodel = \"sk-hidden\n");
    let error = user.refused("model", "x");
    assert!(
        error.contains("line 2") && !error.contains("hidden"),
        "{error}"
    );
}

#[test]
fn the_value_that_counts_is_shown_with_its_source() {
    let user = User::with_file(
        "model = 'file'\napi_key = 'sk-hidden'\n[providers.mine]\nbase_url = 'https://x.dev'\n[profiles.p]\nmodel = 'profiled'\n",
    )
    .variable("OPENAI_API_KEY", "sk-hidden-too");
    let told = |key: &str| {
        let shown = user.shown(key).unwrap();
        (shown.text(), shown.origin)
    };
    assert_eq!(told("model"), ("file".to_owned(), user.file()));
    assert_eq!(told("default_text_model").0, "file");
    assert_eq!(
        told("retry.initial_delay"),
        ("1".to_owned(), Origin::Default)
    );
    assert_eq!(told("profiles.p.model").0, "profiled");
    assert_eq!(told("providers.mine.base_url").0, "https://x.dev");
    assert_eq!(told("api_key").0, "set");
    let from = Origin::Env("OPENAI_API_KEY".to_owned());
    assert_eq!(told("providers.openai.api_key"), ("set".to_owned(), from));
    let error = |key: &str| user.shown(key).unwrap_err().to_string();
    assert_eq!(
        error("modle"),
        "key not found: modle; did you mean `model`?"
    );
    assert_eq!(
        error("skills_dir"),
        "key not found: skills_dir is known, but nobody has set it"
    );
    let all = values(&user.environment(), &Flags::default(), KNOWN).unwrap();
    assert!(!format!("{all:?}").contains("hidden"));
    let user = user.variable("CODEWHALE_MODEL", "env");
    assert_eq!(user.shown("model").unwrap().text(), "env");
}
