use super::*;

const RULES: &str = r#"
    [graph]
    targets = []
    [licenses]
    allow = ["MIT"]
    exceptions = [{ crate = "odd", allow = ["MPL-2.0"] }]
    unused-allowed-license = "allow"
    private = { ignore = true }
    [bans]
    multiple-versions = "deny"
    skip = [{ crate = "old@1.0.0", reason = "a friend holds it" }]
    [sources]
    unknown-registry = "deny"
    unknown-git = "deny"
    allow-registry = ["https://registry.example/index"]
"#;

fn rules() -> Rules {
    toml::from_str(RULES).unwrap()
}

fn package(name: &str, version: &str, licence: &str) -> Shipped {
    Shipped {
        name: name.to_owned(),
        version: version.to_owned(),
        licence: licence.to_owned(),
    }
}

#[test]
fn packages_come_from_allowed_registries_only() {
    let locked = toml::from_str(
        r#"
        package = [
            { name = "ours" },
            { name = "good", source = "registry+https://registry.example/index" },
            { name = "near", source = "registry+https://registry.example/index2" },
            { name = "git", source = "git+https://git.example/x#1" },
        ]"#,
    );
    assert_eq!(
        sources(&locked.unwrap(), &rules()),
        [
            "near: comes from registry+https://registry.example/index2",
            "git: comes from git+https://git.example/x#1",
        ]
    );
}

#[test]
fn licences_are_allowed_to_all_or_to_one() {
    let packages = [
        package("good", "1.0.0", "GPL-3.0 OR MIT"),
        package("odd", "1.0.0", "MPL-2.0"),
        package("bad", "1.0.0", "MPL-2.0"),
        package("mute", "1.0.0", ""),
    ];
    assert_eq!(
        licences(&packages, &rules()),
        [
            "bad@1.0.0: MPL-2.0 is not allowed",
            "mute@1.0.0: a name is missing in the licence ``",
        ]
    );
}

#[test]
fn a_second_version_needs_a_reason_and_a_reason_needs_a_second_version() {
    let with = |versions: &[(&str, &str)]| -> Vec<String> {
        let packages: Vec<Shipped> = versions
            .iter()
            .map(|(name, version)| package(name, version, "MIT"))
            .collect();
        duplicates(&packages, &rules())
    };
    assert!(with(&[("old", "1.0.0"), ("old", "2.0.0"), ("new", "1.0.0")]).is_empty());
    assert_eq!(
        with(&[("old", "1.0.0"), ("two", "1.0.0"), ("two", "2.0.0")]),
        ["two: in versions 1.0.0, 2.0.0"]
    );
    assert_eq!(with(&[("old", "2.0.0")]), ["old@1.0.0: skipped, and gone"]);
}

#[test]
fn a_rule_that_we_do_not_know_or_a_laxer_one_is_an_error() {
    let check = |from: &str, to: &str| {
        assert!(RULES.contains(from));
        assert!(
            toml::from_str::<Rules>(&RULES.replace(from, to)).is_err(),
            "{to}"
        );
    };
    check("[bans]", "[bans]\nwildcards = \"deny\"");
    check("unknown-git = \"deny\"", "unknown-git = \"warn\"");
    check(
        "[sources]",
        "[sources]\nallow-git = [\"https://git.example/x\"]",
    );
    check("reason = \"a friend holds it\"", "depth = 1");
}

#[test]
fn the_rules_of_the_workspace_can_be_read() {
    let rules: Rules = read("deny.toml").unwrap();
    assert!(rules.allows_licence("any", "MIT"));
}
