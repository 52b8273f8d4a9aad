//! Sessions: every run is one, other programs see it, and it can go on.

use codewhale_testkit::model_server::Reply;
use serde_json::json;

use super::{Bench, only};
use crate::scene::program;

#[tokio::test]
async fn a_session_goes_on_in_another_process_and_a_server_sees_it_all() {
    let bench = Bench::new().await;
    let app = program(&bench.home).serve().await;
    bench.model.push(Reply::says("Blue."));
    let (_, lines) = bench.lines(["my colour?"]).await;
    let thread = lines[0]["thread_id"].as_str().unwrap().to_owned();
    bench.model.push(Reply::says("Still blue."));
    let resume = only(&lines, "metadata")["meta"]["resume_command"].clone();
    let resume: Vec<&str> = resume.as_str().unwrap().split(' ').skip(2).collect();
    let ended = bench.exec(resume).arguments(["and now?"]).run().await;
    assert_eq!(ended.stdout, "Still blue.\n", "{}", ended.stderr);
    assert!(ended.stderr.contains(&format!("resumed session: {thread}")));
    let request = bench.model.last_request();
    assert!(request.said().join("\n").contains("my colour?"));
    let snapshot = app.snapshot(&thread.as_str().into()).await;
    assert_eq!(snapshot.turns.len(), 2);
    assert_eq!(
        serde_json::to_value(&snapshot.thread.origin).unwrap(),
        json!({ "surface": "cli" })
    );
    assert!(
        snapshot
            .turns
            .iter()
            .all(|turn| turn.status.as_str() == "completed")
    );
}

#[tokio::test]
async fn the_beginning_of_an_id_and_the_newest_are_enough() {
    let bench = Bench::new().await;
    bench.model.default_reply(Reply::says("Yes."));
    for _ in 0..2 {
        assert_eq!(bench.run(["go"]).await.code, Some(0));
    }
    let threads = bench.threads().await;
    let newest = threads[0].clone();
    let unlike = threads[0].bytes().zip(threads[1].bytes());
    let common = unlike.take_while(|(a, b)| a == b).count();
    let enough = &newest["thr_".len()..=common];
    let ended = bench.run(["--session-id", enough, "on"]).await;
    assert!(ended.stderr.contains(&newest), "{}", ended.stderr);
    let ended = bench.run(["--resume", "thr_", "on"]).await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("2 sessions begin with"),
        "{}",
        ended.stderr
    );
    let ended = bench.run(["--continue", "on"]).await;
    assert!(ended.stderr.contains(&newest), "{}", ended.stderr);
    let elsewhere = bench.exec(["--continue", "-C", "..", "on"]).run().await;
    assert_eq!(elsewhere.code, Some(1), "{}", elsewhere.stderr);
    assert_eq!(bench.threads().await.len(), 2);
}

#[tokio::test]
async fn a_session_goes_on_after_its_process_was_killed() {
    let bench = Bench::new().await;
    bench.model.push(Reply::says("Hello").stall());
    let started = bench.exec(["go"]).begin();
    started.until_said("Hello").await;
    started.kill().await;
    bench.model.push(Reply::says("Again."));
    let ended = bench.run(["--continue", "on"]).await;
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), "Again.\n"),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn a_session_that_another_process_works_on_is_left_alone() {
    let bench = Bench::new().await;
    bench.model.push(Reply::says("Hello").stall());
    let started = bench.exec(["go"]).begin();
    started.until_said("Hello").await;
    let ended = bench.run(["--continue", "on"]).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    let words = "the thread already has an active turn";
    assert!(ended.stderr.contains(words), "{}", ended.stderr);
}

#[tokio::test]
async fn the_route_of_a_session_stays_unless_another_is_named() {
    let bench = Bench::new().await;
    bench.home.configure(&codewhale_testkit::app::config_for(
        &bench.model,
        &format!(
            "[providers.other]\nkind = \"openai-compatible\"\nbase_url = \"{}\"\napi_key = \"k\"\nmodel = \"theirs\"\n",
            bench.model.base_url()
        ),
    ));
    bench.model.default_reply(Reply::says("Yes."));
    bench.run(["--model", "special", "go"]).await;
    for (arguments, model) in [
        (&["--continue", "on"][..], "special"),
        (&["--continue", "--model", "third", "on"], "third"),
        (&["--continue", "on"], "special"),
        (&["--continue", "--provider", "other", "on"], "theirs"),
    ] {
        let ended = bench.run(arguments.iter().copied()).await;
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let asked = bench.model.last_request().body["model"].clone();
        assert_eq!(asked, model, "{arguments:?}");
    }
}

#[tokio::test]
async fn options_stand_before_or_behind_the_command() {
    let bench = Bench::new().await;
    bench.model.default_reply(Reply::says("Yes."));
    let before = program(&bench.home).arguments(["--model", "one", "exec", "go"]);
    assert_eq!(before.run().await.code, Some(0));
    assert_eq!(bench.model.last_request().body["model"], "one");
    let both = program(&bench.home).arguments(["--model", "one", "exec", "--model", "two", "go"]);
    assert_eq!(both.run().await.code, Some(0));
    assert_eq!(bench.model.last_request().body["model"], "two");
}

#[tokio::test]
async fn a_directory_beside_the_workspace_is_worked_in_when_it_is_added() {
    let bench = Bench::new().await;
    let beside = tempfile::tempdir().unwrap();
    let file = beside.path().join("a.txt");
    let write = json!({ "path": file, "content": "a" }).to_string();
    let attempt = || {
        bench
            .model
            .push(Reply::calls("call_1", "write_file", &write));
        bench.model.push(Reply::says("Done."));
    };
    attempt();
    bench.run(["--auto", "write it"]).await;
    assert!(!file.exists());
    attempt();
    let added = beside.path().to_str().unwrap();
    let ended = bench
        .run(["--continue", "--add-dir", added, "--auto", "again"])
        .await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "a");
    let ended = bench.run(["--add-dir", "/nowhere/at/all", "hi"]).await;
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("cannot work in /nowhere"),
        "{}",
        ended.stderr
    );
}
