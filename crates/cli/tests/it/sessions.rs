//! Sessions: threads as recordings, over HTTP and on the command line.

use codewhale_protocol::runtime::ThreadId;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use crate::scene::{Scene, program};

/// A scene with a thread in which something was said.
async fn recorded() -> (Scene, ThreadId) {
    let scene = Scene::new().await;
    let thread = say(&scene, "Plan the garden", "Roses first.").await;
    (scene, thread)
}

async fn say(scene: &Scene, prompt: &str, answer: &str) -> ThreadId {
    scene.model.push(Reply::says(answer).usage(70, 30));
    let (thread, mut events) = scene.thread(json!({})).await;
    scene.app.start_turn(&thread, prompt).await;
    events.until("turn.completed").await;
    thread
}

async fn ids(scene: &Scene, query: &str) -> Vec<String> {
    let answer = scene.app.get(&format!("/v1/sessions{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    let list = body["sessions"].as_array().unwrap().iter();
    list.map(|it| it["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_thread_with_a_turn_is_a_session_and_an_empty_one_is_none() {
    let (scene, thread) = recorded().await;
    let empty = scene.app.create_thread(json!({})).await.id;
    let other = say(&scene, "Buy bread", "Done.").await;
    assert_eq!(ids(&scene, "").await, [other.as_str(), thread.as_str()]);
    assert_eq!(ids(&scene, "?search=garden").await, [thread.as_str()]);
    assert_eq!(ids(&scene, "?limit=1").await, [other.as_str()]);
    assert_eq!(
        ids(&scene, "?sort=name").await,
        [other.as_str(), thread.as_str()]
    );
    assert_eq!(ids(&scene, "?search=no-such-words").await, [""; 0]);
    let workspace = scene.home.workspace();
    let here = format!("?workspace={}", workspace.display());
    assert_eq!(ids(&scene, &here).await.len(), 2);
    assert_eq!(ids(&scene, "?workspace=/elsewhere").await, [""; 0]);

    let whole = scene
        .app
        .get(&format!("/v1/sessions/{thread}"))
        .await
        .json();
    let metadata = &whole["metadata"];
    assert_eq!(metadata["id"], json!(thread));
    assert_eq!(metadata["title"], "Plan the garden");
    assert_eq!(metadata["message_count"], 2);
    assert_eq!(metadata["mode"], "agent");
    assert_eq!(metadata["workspace"], json!(workspace));
    assert_eq!(metadata["total_tokens"], 100);
    assert!(metadata.get("archived").is_none());
    assert_eq!(whole["system_prompt"], Value::Null);
    assert_eq!(
        whole["messages"],
        json!([
            { "role": "user", "content": [{ "type": "text", "text": "Plan the garden" }] },
            { "role": "assistant", "content": [{ "type": "text", "text": "Roses first." }] },
        ])
    );

    let nothing = scene
        .app
        .post("/v1/sessions", json!({ "thread_id": empty }))
        .await;
    assert_eq!(nothing.status, 400, "{}", nothing.text());
    let unknown = scene.app.get("/v1/sessions/thr_none").await;
    assert_eq!(unknown.status, 404, "{}", unknown.text());
}

#[tokio::test]
async fn a_glance_shows_the_end_of_a_session() {
    let (scene, thread) = recorded().await;
    let path = format!("/v1/sessions/{thread}?peek=true&entries=1");
    let peek = scene.app.get(&path).await.json();
    assert_eq!(peek["session_id"], json!(thread));
    assert_eq!(peek["omitted_before"], 1);
    assert_eq!(peek["live"], false);
    let entry = json!({
        "kind": "assistant", "text": "Roses first.", "truncated": false, "redacted": false
    });
    assert_eq!(peek["entries"], json!([entry]));
    let lines = scene.app.get("/v1/sessions/summary?limit=50").await.json();
    assert_eq!(lines[0]["id"], json!(thread));
    assert_eq!(lines[0]["title"], "Plan the garden");
    assert_eq!(lines[0]["preview"], "Roses first.");
    assert_eq!(lines[0]["message_count"], 2);
    assert_eq!(lines[0]["is_current"], false);
}

#[tokio::test]
async fn a_session_is_renamed_put_away_and_gone_on_with() {
    let (scene, thread) = recorded().await;
    let path = format!("/v1/sessions/{thread}");
    let changed = scene
        .app
        .patch(&path, json!({ "title": "Garden", "archived": true }))
        .await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    let changed = changed.json();
    assert_eq!(
        changed["changes"],
        json!({ "title": "Garden", "archived": true })
    );
    assert_eq!(changed["session"]["archived"], true);
    assert_eq!(ids(&scene, "").await, [""; 0]);
    assert_eq!(ids(&scene, "?archived_only=true").await, [thread.as_str()]);
    for body in [
        json!({}),
        json!({ "title": " " }),
        json!({ "title": "x".repeat(101) }),
    ] {
        assert_eq!(scene.app.patch(&path, body).await.status, 400);
    }

    let resumed = scene
        .app
        .post(&format!("{path}/resume-thread"), json!({ "mode": "plan" }))
        .await;
    assert_eq!(resumed.status, 201, "{}", resumed.text());
    let resumed = resumed.json();
    assert_eq!(resumed["thread_id"], json!(thread));
    assert_eq!(resumed["message_count"], 2);
    assert_eq!(
        resumed["summary"],
        "Resumed \"Garden\" with 2 messages on scripted."
    );
    let detail = scene.app.snapshot(&thread).await;
    assert_eq!(detail.thread.mode.as_str(), "plan");
    assert!(!detail.thread.archived);

    let saved = scene
        .app
        .post(
            "/v1/sessions",
            json!({ "thread_id": thread, "title": "Kept" }),
        )
        .await;
    assert_eq!(saved.status, 201, "{}", saved.text());
    assert_eq!(saved.json()["title"], "Kept");
    let put = scene.app.request("PUT", "/v1/sessions");
    let exported = scene.app.send(put).await.json();
    assert_eq!(exported["session_id"], json!(thread));
    assert_eq!(exported["session"]["metadata"]["title"], "Kept");
}

#[tokio::test]
async fn a_deleted_session_is_gone_at_every_door_and_its_log_is_whole() {
    let (scene, thread) = recorded().await;
    let other = say(&scene, "Stay", "Yes.").await;
    let (turn, _events) = scene.stalled_turn().await;
    let busy = scene
        .app
        .request("DELETE", &format!("/v1/sessions/{}", turn.thread_id));
    assert_eq!(scene.app.send(busy).await.status, 409);

    let path = format!("/v1/sessions/{thread}");
    let gone = scene.app.send(scene.app.request("DELETE", &path)).await;
    assert_eq!((gone.status, gone.text()), (204, ""));
    let doors = [
        ("GET", path.clone()),
        ("DELETE", path.clone()),
        ("POST", format!("{path}/resume-thread")),
        ("GET", format!("/v1/threads/{thread}")),
        ("GET", format!("/v1/threads/{thread}/events")),
        ("POST", format!("/v1/threads/{thread}/fork")),
    ];
    for (method, door) in &doors {
        let answer = scene.app.send(scene.app.request(method, door)).await;
        assert_eq!(answer.status, 404, "{method} {door}: {}", answer.text());
    }
    let go = scene
        .app
        .ask_for_turn(&thread, json!({ "prompt": "go" }))
        .await;
    assert_eq!(go.status, 404);
    let threads = scene.app.get("/v1/threads?include_archived=true").await;
    assert!(!threads.text().contains(thread.as_str()));
    assert!(
        ids(&scene, "?include_archived=true")
            .await
            .contains(&other.to_string())
    );

    let home = scene.home;
    scene.app.terminate().await;
    let app = program(&home).serve().await;
    assert_eq!(app.get(&path).await.status, 404);
    let file = home.path().join("runtime.db");
    let store = rusqlite::Connection::open(file).unwrap();
    let count: u32 = store
        .query_row(
            "SELECT COUNT(*) FROM event WHERE body LIKE '%' || ?1 || '%'",
            [thread.as_str()],
            |row| row.get(0),
        )
        .unwrap();
    assert!(count > 5, "{count}");
}

#[tokio::test]
async fn requests_about_sessions_that_make_no_sense_are_answered_and_change_nothing() {
    let (scene, thread) = recorded().await;
    let before = scene.app.snapshot(&thread).await;
    let real = format!("/v1/sessions/{thread}");
    let none = json!(null);
    let resume = format!("{real}/resume-thread");
    for (method, target, body, status) in [
        ("GET", "/v1/sessions?limit=0", &none, 200),
        ("GET", "/v1/sessions?limit=99999", &none, 200),
        ("GET", "/v1/sessions?sort=colour", &none, 200),
        ("GET", "/v1/sessions?limit=many", &none, 400),
        ("GET", "/v1/sessions?include_archived=perhaps", &none, 400),
        ("GET", "/v1/sessions/summary?limit=-1", &none, 400),
        ("GET", "/v1/sessions/thr_none", &none, 404),
        ("GET", "/v1/sessions/..%2F..%2Fconfig", &none, 404),
        ("GET", &format!("{real}?peek=true&entries=99"), &none, 200),
        ("GET", &format!("{real}?peek=maybe"), &none, 400),
        ("DELETE", "/v1/sessions/thr_none", &none, 404),
        (
            "PATCH",
            "/v1/sessions/thr_none",
            &json!({ "title": "x" }),
            404,
        ),
        ("PATCH", &real, &json!({ "title": 7 }), 422),
        ("PATCH", &real, &json!({ "archived": "yes" }), 422),
        // Nobody knows a thread without a name.
        ("POST", "/v1/sessions", &json!({}), 422),
        (
            "POST",
            "/v1/sessions",
            &json!({ "thread_id": thread, "title": 7 }),
            422,
        ),
        (
            "POST",
            "/v1/sessions",
            &json!({ "thread_id": "thr_none" }),
            404,
        ),
        (
            "POST",
            "/v1/sessions/thr_none/resume-thread",
            &json!({}),
            404,
        ),
        ("POST", &resume, &json!({ "mode": "flying" }), 400),
        ("POST", &resume, &json!({ "model": 7 }), 422),
        (
            "PUT",
            "/v1/sessions",
            &json!({ "session_id": "thr_none" }),
            404,
        ),
    ] {
        let mut request = scene.app.request(method, target);
        if !body.is_null() {
            request = request.json(body);
        }
        let answer = scene.app.send(request).await;
        assert_eq!(
            answer.status,
            status,
            "{method} {target}: {}",
            answer.text()
        );
    }
    assert_eq!(scene.app.snapshot(&thread).await, before);
}

#[tokio::test]
async fn the_command_line_lists_sessions_and_threads() {
    let (scene, thread) = recorded().await;
    let home = scene.home;
    let list = async |arguments: &[&str]| {
        let ended = program(&home)
            .arguments(arguments.iter().copied())
            .run()
            .await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
        ended.stdout
    };
    let lines = list(&["sessions"]).await;
    assert!(lines.starts_with(thread.as_str()), "{lines}");
    assert!(lines.contains("Plan the garden"), "{lines}");
    let none = list(&["sessions", "-s", "nothing-like-it"]).await;
    assert_eq!(none, "no sessions\n");
    let read: Value = serde_json::from_str(&list(&["sessions", "--json"]).await).unwrap();
    assert_eq!(read["sessions"][0]["id"], json!(thread));
    let line = list(&["thread", "list"]).await;
    let expect = format!(
        "{thread} | Plan the garden | script | {}\n",
        home.workspace().display()
    );
    assert_eq!(line, expect);
    assert_eq!(
        list(&["thread", "archive", thread.as_str()]).await,
        format!("archived {thread}\n")
    );
    assert_eq!(list(&["thread", "list"]).await, "no threads\n");
    assert!(
        list(&["thread", "list", "--all"])
            .await
            .starts_with(thread.as_str())
    );
    let read: Value =
        serde_json::from_str(&list(&["thread", "read", thread.as_str()]).await).unwrap();
    assert_eq!(read["archived"], true);

    let home = codewhale_testkit::app::Home::new();
    let ended = program(&home).arguments(["sessions"]).run().await;
    assert_eq!(ended.stdout, "no sessions\n");
    assert_eq!(home.files(), []);
}
