//! `codewhale model`: what is known, what a wish leads to, and the default.

use codewhale_testkit::app::{Ended, Home};

use crate::scene::program;

async fn model(home: &Home, arguments: &[&str]) -> Ended {
    let program = program(home).arguments(["model"]);
    program.arguments(arguments.iter().copied()).run().await
}

#[tokio::test]
async fn models_are_listed_by_provider() {
    let home = Home::new();
    home.configure("[providers.mine]\nkind = \"openai-compatible\"\nbase_url = \"http://localhost:1/v1\"\nmodel = \"own\"\n");
    let all = model(&home, &["list"]).await;
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    assert!(all.stdout.contains("deepseek-v4-pro (deepseek)\n"));
    assert!(all.stdout.contains("own (mine)\n"));
    let some = model(&home, &["list", "--provider", "mine"]).await;
    assert_eq!(some.stdout, "own (mine)\n");
    let none = model(&home, &["list", "--provider", "nobody"]).await;
    assert_eq!((none.code, none.stdout.as_str()), (Some(1), ""));
    assert!(none.stderr.contains("nobody"), "{}", none.stderr);
}

#[tokio::test]
async fn a_default_that_was_set_is_what_a_wish_leads_to() {
    let home = Home::new();
    home.configure("provider = \"mine\"\n[providers.mine]\nkind = \"openai-compatible\"\nbase_url = \"http://localhost:1/v1\"\nmodel = \"own\"\n");
    let before = model(&home, &["resolve"]).await;
    assert!(
        before.stdout.contains("resolved: own\n"),
        "{}{}",
        before.stdout,
        before.stderr
    );
    assert!(
        before
            .stdout
            .contains("provider: mine\nused_fallback: false\n")
    );
    let set = model(&home, &["set", "other"]).await;
    assert_eq!(
        set.stdout, "Default model set to 'other'\n",
        "{}",
        set.stderr
    );
    assert_eq!(set.stderr, "");
    let after = model(&home, &["resolve"]).await;
    assert!(
        after
            .stdout
            .contains("requested: (default)\nresolved: other\n")
    );
    let named = model(&home, &["resolve", "third"]).await;
    assert!(named.stdout.contains("requested: third\nresolved: third\n"));
    assert!(named.stdout.contains("model_source: argument\n"));
    let blank = model(&home, &["set", " "]).await;
    assert_eq!(blank.code, Some(1));
}
