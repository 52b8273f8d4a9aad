use super::*;

fn user() -> Environment {
    [("HOME", "/u")].into_iter().collect()
}

fn file(text: &str) -> Result<HookFile, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hooks.toml");
    std::fs::write(&path, text).unwrap();
    let told = hooks_of_file(&path, &user()).map_err(|error| error.to_string());
    let shown = directory.path().display().to_string();
    told.map_err(|told| told.replace(&format!("{shown}/"), ""))
}

fn check_error(text: &str, expect: &str) {
    assert_eq!(file(text).unwrap_err(), expect, "{text}");
}

const FULL: &str = r#"
[hooks]
working_dir = "~/hooks"

[[hooks.hooks]]
event = "tool_call_before"
command = "./guard"
name = "guard"
timeout_secs = 5
background = true
continue_on_error = false
[hooks.hooks.condition]
type = "any"
conditions = [
    { type = "tool_name", name = "mcp_*" },
    { type = "all", conditions = [{ type = "mode", mode = "plan" }, { type = "exit_code", code = 1 }] },
    { type = "tool_category", category = "shell" },
]

[[hooks.hooks]]
event = "turn_end"
command = "notify"
"#;

#[test]
fn hooks_say_when_what_and_how() {
    let read = file(FULL).unwrap();
    assert_eq!(read.warnings, []);
    let working_dir = Some(PathBuf::from("/u/hooks"));
    let condition = HookCondition::Any(vec![
        HookCondition::ToolName("mcp_*".into()),
        HookCondition::All(vec![
            HookCondition::Mode("plan".into()),
            HookCondition::ExitCode(1),
        ]),
        HookCondition::ToolCategory("shell".into()),
    ]);
    let guard = HookSettings {
        event: "tool_call_before",
        command: "./guard".into(),
        name: Some("guard".into()),
        timeout: Duration::from_secs(5),
        background: true,
        continue_on_error: false,
        condition,
        working_dir: working_dir.clone(),
    };
    let notify = HookSettings {
        event: "turn_end",
        command: "notify".into(),
        name: None,
        timeout: Duration::from_secs(30),
        background: false,
        continue_on_error: true,
        condition: HookCondition::Always,
        working_dir,
    };
    assert_eq!(read.hooks, [guard, notify]);
}

#[test]
fn a_file_of_hooks_need_not_repeat_their_name() {
    let short = "[[hooks]]\nevent = 'turn_end'\ncommand = 'notify'\n";
    assert_eq!(file(short).unwrap().hooks.len(), 1);
    assert_eq!(file("").unwrap(), HookFile::default());
    let nowhere = hooks_of_file(Path::new("/none/hooks.toml"), &user()).unwrap();
    assert_eq!(nowhere, HookFile::default());
}

#[test]
fn the_common_time_limit_is_everyones_and_hooks_can_be_turned_off() {
    let text = |first: &str| {
        format!("{first}\n[[hooks]]\nevent='turn_end'\ncommand='a'\ntimeout_secs=5\n")
    };
    let read = file(&text("default_timeout_secs = 2")).unwrap();
    assert_eq!(read.hooks[0].timeout, Duration::from_secs(2));
    assert_eq!(file(&text("enabled = false")).unwrap().hooks, []);
    check_error(
        "enabled = false\n[[hooks]]\nevent = 'turn_end'\n",
        "hooks.toml, line 3: `hooks[0].command` must be set: it says what is run; correct or remove it",
    );
}

#[test]
fn what_cannot_be_understood_is_an_error_that_names_its_place() {
    let known = HOOK_EVENTS.join(", ");
    check_error(
        "[[hooks]]\ncommand = 'a'\nevent = 'tool_call_befor'\n",
        &format!(
            "hooks.toml, line 3: `hooks[0].event` must be one of {known}; did you mean `tool_call_before`?"
        ),
    );
    check_error(
        "[[hooks]]\ncommand = 'a'\nevent = 'sk-hidden'\n",
        &format!("hooks.toml, line 3: `hooks[0].event` must be one of {known}"),
    );
    for (member, key, expected) in [
        (
            "timeout_secs = 0",
            "timeout_secs",
            "a number of seconds above 0",
        ),
        (
            "timeout_secs = 'x'",
            "timeout_secs",
            "a number of seconds above 0",
        ),
        ("background = 1", "background", "true or false"),
        ("command = 1", "command", "text in quotes"),
        ("condition = 'always'", "condition", "a table"),
        (
            "condition = { type = 'mode' }",
            "condition.mode",
            "text in quotes",
        ),
        (
            "condition = { type = 'exit_code', code = '1' }",
            "condition.code",
            "a whole number",
        ),
        (
            "condition = { type = 'all' }",
            "condition.conditions",
            "a list of conditions",
        ),
    ] {
        let rest = if key == "command" {
            ""
        } else {
            "command = 'a'\n"
        };
        check_error(
            &format!("[[hooks]]\n{member}\nevent = 'turn_end'\n{rest}"),
            &format!(
                "hooks.toml, line 2: `hooks[0].{key}` must be {expected}; correct or remove it"
            ),
        );
    }
    check_error(
        "hooks = 1",
        "hooks.toml, line 1: `hooks` must be a list of tables; correct or remove it",
    );
}

#[test]
fn keys_that_mean_nothing_are_named_with_what_was_probably_meant() {
    let read = file(
        "enabeld = true\n[[hooks]]\nevent = 'turn_end'\ncommand = 'a'\ntimeout = 3\nwhen = 1\n",
    );
    let warnings = read.unwrap().warnings;
    let found: Vec<(String, Option<String>)> = warnings
        .into_iter()
        .map(|warning| match warning {
            Warning::UnknownKey {
                key, suggestion, ..
            } => (key, suggestion),
            other => panic!("{other:?}"),
        })
        .collect();
    let expect = [
        ("enabeld".to_owned(), Some("enabled".to_owned())),
        ("hooks[0].timeout".to_owned(), None),
        ("hooks[0].when".to_owned(), None),
    ];
    assert_eq!(found, expect);
}
