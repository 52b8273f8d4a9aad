//! Hooks around the calls of a turn: real commands, in the real shell.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codewhale_engine::{
    Answer, Condition, Hook, HookEvent, HookSource, Hooks, Moment, Stage, Stopped, TurnEnd,
};
use codewhale_policy::{Answerer, Authority};
use codewhale_protocol::runtime::{Mode, Permission, PermissionPosture};
use codewhale_protocol::service::BoxFuture;
use codewhale_protocol::{Redactor, Secret};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::world::{World, says, wants};

/// Longer than any of these hooks takes; a test that reaches it has failed.
const LONG: Duration = Duration::from_secs(60);

const SECRET: &str = "canary.key.of.the.provider";

/// A directory where hooks run, and those that are left to someone.
struct Place {
    directory: TempDir,
    kept: Arc<Mutex<Vec<BoxFuture<'static, Option<String>>>>>,
}

impl Place {
    fn new() -> Self {
        Self {
            directory: TempDir::new().unwrap(),
            kept: Arc::default(),
        }
    }

    fn hooks(&self, hooks: impl IntoIterator<Item = Hook>) -> Hooks {
        let kept = Arc::clone(&self.kept);
        let stage = Stage {
            session_id: "thr_1".into(),
            workspace: self.directory.path().to_owned(),
            model: "m".into(),
            total_tokens: Some(7),
            session_cost: None,
            environment: Arc::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
            walls: None,
            redactor: Arc::new(Redactor::new(&[Secret::new(SECRET)])),
            keeper: Arc::new(move |work| {
                kept.lock().unwrap().push(work);
                true
            }),
        };
        Hooks::new(hooks, stage)
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.directory.path().join(name)).unwrap_or_default()
    }
}

fn hook(event: HookEvent, command: &str) -> Hook {
    Hook {
        event,
        command: command.into(),
        name: Some("guard".into()),
        timeout: LONG,
        background: false,
        continue_on_error: true,
        condition: Condition::Always,
        source: HookSource::User,
        working_dir: None,
    }
}

fn before(command: &str) -> Hook {
    hook(HookEvent::ToolCallBefore, command)
}

fn strict(command: &str) -> Hook {
    Hook {
        continue_on_error: false,
        ..before(command)
    }
}

/// A turn that calls a tool once, with these hooks around.
async fn turn(place: &Place, hooks: impl IntoIterator<Item = Hook>, tool: &str) -> World {
    let world = World::new();
    world.hooks(place.hooks(hooks));
    world.model(wants(&[("a", tool, r#"{"text":"one"}"#)]));
    world.model(says("done"));
    world.answer(Answer::Yes);
    assert_eq!(world.run("go").await.end, TurnEnd::Completed);
    world
}

#[tokio::test]
async fn a_hook_stops_a_call_and_the_model_reads_why() {
    for command in [
        r#"echo '{"decision":"deny","reason":"not on my watch"}'"#,
        "echo not on my watch >&2; exit 2",
    ] {
        let world = turn(&Place::new(), [before(command)], "note").await;
        assert!(world.tool_log().is_empty(), "{command}");
        let told = &world.results()[0];
        assert!(
            told.starts_with("The hook \"guard\" stopped the call: not on my watch."),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_hook_makes_a_person_be_asked_where_nobody_would_be() {
    let full = Permission {
        mode: Mode::Agent,
        posture: PermissionPosture::FullAccess,
    };
    for (answer, ran) in [
        (Answer::Yes, vec!["one"]),
        (Answer::No("no".into()), vec![]),
    ] {
        let (place, world) = (Place::new(), World::new());
        world.authority(Authority::plain(full).with_shell());
        let ask = before(r#"echo '{"decision":"ask","reason":"look twice"}'"#);
        world.hooks(place.hooks([ask]));
        world.model(wants(&[("a", "note", r#"{"text":"one"}"#)]));
        world.answer(answer);
        world.run("go").await;
        let question = &world.questions()[0];
        assert_eq!(question.answerer, Answerer::Person);
        assert_eq!(question.matched_rule, "hook:ask");
        assert!(
            question.reason.ends_with("asked: look twice"),
            "{question:?}"
        );
        assert_eq!(question.remembering, None);
        assert_eq!(world.tool_log(), ran);
    }
}

#[tokio::test]
async fn the_yes_of_a_hook_does_not_answer_for_a_person() {
    let place = Place::new();
    let world = turn(&place, [before(r#"echo '{"decision":"allow"}'"#)], "write").await;
    assert_eq!(world.questions().len(), 1);
    assert_eq!(
        world.questions()[0].matched_rule,
        "builtin:ask-before-write"
    );
}

#[tokio::test]
async fn what_a_hook_makes_of_the_input_is_what_is_asked_about_and_run() {
    let place = Place::new();
    let digest = |world: &World| world.questions()[0].digest.clone();
    let plain = turn(&place, [], "write").await;
    let change = before(r#"echo '{"updatedInput":{"text":"two"}}'"#);
    let see = before(r#"printf %s "$CODEWHALE_TOOL_ARGS" > seen; echo '{"decision":"allow"}'"#);
    let world = turn(&place, [change, see], "write").await;
    assert_eq!(world.tool_log(), ["two"]);
    assert_ne!(digest(&plain), digest(&world));
    assert_eq!(place.file("seen"), r#"{"text":"two"}"#);
    let told = &world.results()[0];
    assert!(told.contains("changed the input of this call"), "{told}");
    assert_eq!(world.statuses().len(), 1, "{:?}", world.statuses());
}

#[tokio::test]
async fn what_a_hook_adds_stands_beside_the_result() {
    let add = before(r#"echo '{"additionalContext":"the file is generated"}'"#);
    let world = turn(&Place::new(), [add], "note").await;
    assert_eq!(
        world.results()[0],
        "noted one\n\n[The hook \"guard\" says: the file is generated]"
    );
}

#[tokio::test]
async fn a_hook_that_fails_is_told_and_a_strict_one_stops_the_call() {
    let huge = "head -c 400000 /dev/zero | tr '\\0' x";
    for (command, what) in [
        ("exit 3", "failed with exit code 3"),
        ("kill -KILL $$", "was ended by signal 9"),
        (
            "echo '{\"decision\":'",
            "wrote something that does not read",
        ),
        (huge, "wrote more than 256 KiB"),
    ] {
        let place = Place::new();
        let world = turn(&place, [before(command)], "note").await;
        assert_eq!(world.tool_log(), ["one"], "{command}");
        let lines = world.statuses();
        assert!(lines[0].contains(what), "{command}: {lines:?}");

        let world = turn(&place, [strict(command)], "note").await;
        assert!(world.tool_log().is_empty(), "{command}");
        let told = &world.results()[0];
        assert!(told.contains(what), "{command}: {told}");
    }
}

#[tokio::test]
async fn a_strict_hook_that_says_nothing_or_hangs_stops_the_call() {
    let hangs = Hook {
        timeout: Duration::from_millis(200),
        ..strict("sleep 600")
    };
    for (hook, what) in [
        (strict("true"), "gave no verdict"),
        (strict("echo fine"), "gave no verdict"),
        (hangs, "took longer than 0.2 s"),
    ] {
        let world = turn(&Place::new(), [hook], "note").await;
        assert!(world.tool_log().is_empty());
        assert!(world.results()[0].contains(what), "{:?}", world.results());
    }
}

#[tokio::test]
async fn a_decision_in_words_nobody_knows_stops_the_call() {
    let world = turn(
        &Place::new(),
        [before(r#"echo '{"decision":"block"}'"#)],
        "note",
    )
    .await;
    assert!(world.tool_log().is_empty());
}

#[tokio::test]
async fn hooks_are_asked_only_where_their_condition_holds_and_the_mode_admits_the_call() {
    let no = || before("exit 2");
    let elsewhere = Hook {
        condition: Condition::tool_name("exec_*").unwrap(),
        ..no()
    };
    let place = Place::new();
    assert_eq!(turn(&place, [elsewhere], "note").await.tool_log(), ["one"]);
    let here = Hook {
        condition: Condition::tool_category("read").unwrap(),
        ..no()
    };
    assert!(turn(&place, [here], "note").await.tool_log().is_empty());

    let plan = Permission {
        mode: Mode::Plan,
        posture: PermissionPosture::Ask,
    };
    let world = World::new();
    world.authority(Authority::plain(plan));
    world.hooks(place.hooks([before("touch ran")]));
    world.model(wants(&[("a", "write", r#"{"text":"one"}"#)]));
    world.run("go").await;
    assert!(world.results()[0].starts_with("Not allowed"));
    assert!(!place.directory.path().join("ran").exists());
}

#[tokio::test]
async fn a_hook_of_a_repository_does_not_run_without_walls() {
    let place = Place::new();
    let theirs = |hook: Hook| Hook {
        source: HookSource::Repository,
        ..hook
    };
    let world = turn(&place, [theirs(before("touch ran"))], "note").await;
    assert_eq!(world.tool_log(), ["one"]);
    assert!(world.statuses()[0].contains("cannot hold it in walls"));
    let world = turn(&place, [theirs(strict("touch ran"))], "note").await;
    assert!(world.tool_log().is_empty());
    assert!(!place.directory.path().join("ran").exists());
}

#[tokio::test]
async fn hooks_are_told_what_came_of_a_call_and_no_secret() {
    let place = Place::new();
    let world = World::new();
    let after = hook(
        HookEvent::ToolCallAfter,
        "env | grep -v ^PWD= | sort > told",
    );
    world.hooks(place.hooks([after]));
    let input = format!(r#"{{"text":"{SECRET}"}}"#);
    world.model(wants(&[("call_7", "note", &input)]));
    world.run("go").await;
    let told = place.file("told");
    for line in [
        "CODEWHALE_MODE=agent",
        "CODEWHALE_MODEL=m",
        "CODEWHALE_SESSION_ID=thr_1",
        "CODEWHALE_TOOL_ARGS={\"text\":\"[redacted]\"}",
        "CODEWHALE_TOOL_CALL_ID=call_7",
        "CODEWHALE_TOOL_NAME=note",
        "CODEWHALE_TOOL_RESULT=noted [redacted]",
        "CODEWHALE_TOOL_SUCCESS=true",
        "CODEWHALE_TOTAL_TOKENS=7",
        "DEEPSEEK_TOOL_NAME=note",
        "PATH=/usr/bin:/bin",
    ] {
        assert!(told.lines().any(|it| it == line), "{line} in {told}");
    }
    assert!(!told.contains(SECRET), "{told}");
    let foreign = told
        .lines()
        .filter(|it| !it.starts_with("CODEWHALE_") && !it.starts_with("DEEPSEEK_"));
    let foreign: Vec<&str> = foreign.collect();
    assert!(
        foreign.iter().all(|it| ["PATH=", "OLDPWD=", "_=", "SHLVL="]
            .iter()
            .any(|name| it.starts_with(name))),
        "{foreign:?}"
    );
}

#[tokio::test]
async fn a_turn_that_is_stopped_does_not_wait_for_its_hooks() {
    let (place, world) = (Place::new(), World::new());
    world.hooks(place.hooks([before("echo yes > started; sleep 600")]));
    world.model(wants(&[("a", "note", r#"{"text":"one"}"#)]));
    let stop = async {
        while place.file("started").is_empty() {
            tokio::task::yield_now().await;
        }
        world.stop();
    };
    let (outcome, ()) = tokio::join!(world.run("go"), stop);
    assert_eq!(outcome.end, TurnEnd::Interrupted);
    assert!(world.tool_log().is_empty());
}

#[tokio::test]
async fn nobody_waits_for_a_hook_in_the_background_and_its_keeper_hears_how_it_ended() {
    let place = Place::new();
    let left = Hook {
        background: true,
        ..hook(HookEvent::ToolCallAfter, "echo late > said; exit 1")
    };
    let world = turn(&place, [left], "note").await;
    assert_eq!(world.tool_log(), ["one"]);
    assert_eq!(place.file("said"), "");
    let work = place.kept.lock().unwrap().pop().unwrap();
    let line = work.await.unwrap();
    assert_eq!(
        line,
        "The tool_call_after hook \"guard\" failed with exit code 1."
    );
    assert_eq!(place.file("said"), "late\n");
}

#[tokio::test]
async fn where_it_has_a_say_a_hook_is_waited_for() {
    let guard = Hook {
        background: true,
        ..before("exit 2")
    };
    let world = turn(&Place::new(), [guard], "note").await;
    assert!(world.tool_log().is_empty());
}

#[tokio::test]
async fn a_message_passes_the_hooks_one_after_the_other() {
    let place = Place::new();
    let cancel = CancellationToken::new();
    let says = |command: &str| hook(HookEvent::MessageSubmit, command);
    let first = says(r#"cat > read; echo '{"text":"two"}'"#);
    let second = says(r#"echo "{\"text\":\"$DEEPSEEK_MESSAGE three\"}""#);
    let hooks = place.hooks([first, second]);
    let (text, lines) = hooks
        .submit(Mode::Agent, "one".into(), &cancel)
        .await
        .unwrap();
    assert_eq!((text.as_str(), lines.len()), ("two three", 0));
    let read: serde_json::Value = serde_json::from_str(&place.file("read")).unwrap();
    assert_eq!(read["text"], "one");
    assert_eq!(read["event"], "message_submit");
    assert_eq!(read["session_id"], "thr_1");

    let hooks = place.hooks([says("echo no keys, please >&2; exit 2")]);
    let stopped = hooks.submit(Mode::Agent, "one".into(), &cancel).await;
    let refused = Stopped::Refused {
        hook: "guard".into(),
        reason: "no keys, please".into(),
    };
    assert_eq!(stopped, Err(refused));
}

#[tokio::test]
async fn a_moment_without_a_say_runs_all_its_hooks_and_tells_which_failed() {
    let place = Place::new();
    let spawn = |command: &str| hook(HookEvent::SubagentSpawn, command);
    let hooks = place.hooks([spawn("exit 2"), spawn("cat > told")]);
    assert!(hooks.listens(HookEvent::SubagentSpawn) && !hooks.listens(HookEvent::TurnEnd));
    let payload = serde_json::json!({ "agent_id": "a1" });
    let moment = Moment::subagent_spawn(Mode::Agent, payload);
    let lines = hooks.fire(&moment, &CancellationToken::new()).await;
    assert_eq!(
        lines,
        ["The subagent_spawn hook \"guard\" failed with exit code 2."]
    );
    assert!(place.file("told").contains(r#""agent_id":"a1""#));
}
