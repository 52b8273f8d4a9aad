//! Canaries: the runtime token and the provider's key are put wherever text goes through, and then
//! looked for wherever text comes out.

use codewhale_protocol::runtime::{Seq, ThreadId};
use codewhale_testkit::app::{Answer, App, Home, within};
use codewhale_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::scene::program;

/// The key of the provider. Nothing about its shape tells that it is one.
const KEY: &str = "canary.key.of.the.provider.1234";

/// The token of the Runtime API.
const TOKEN: &str = "canary.token.of.the.runtime.5678";

struct Mine {
    app: App,
    model: ModelServer,
    home: Home,
    /// Every text that came out of the program so far, and where.
    heard: Vec<(String, String)>,
}

impl Mine {
    async fn new() -> Self {
        Self::configured("").await
    }

    /// With more tables in the configuration.
    async fn configured(tables: &str) -> Self {
        let model = ModelServer::start().await;
        let home = Home::new();
        // The key is in the environment, so that no file of the home may hold it.
        home.configure(&format!(
            "provider = \"script\"\nallow_shell = true\n[retry]\nmax_retries = 1\ninitial_delay = 0.01\n\
             [providers.script]\nkind = \"openai-compatible\"\nmodel = \"scripted\"\n\
             base_url = \"{}\"\napi_key_env = \"CANARY\"\n{tables}",
            model.base_url()
        ));
        let app = program(&home)
            .without_token()
            .variable("CANARY", KEY)
            .variable("CODEWHALE_RUNTIME_TOKEN", TOKEN)
            .variable("CODEWHALE_LOG_LEVEL", "trace")
            .serve()
            .await
            .with_token(TOKEN);
        Self {
            app,
            model,
            home,
            heard: Vec::new(),
        }
    }

    fn hear(&mut self, place: &str, answer: &Answer) -> Value {
        let headers = format!("{:?}", answer.headers);
        self.heard.push((format!("headers of {place}"), headers));
        self.heard
            .push((place.to_owned(), answer.text().to_owned()));
        serde_json::from_slice(&answer.body).unwrap_or_default()
    }

    async fn thread(&mut self, body: Value) -> ThreadId {
        let answer = self.app.post("/v1/threads", body).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let thread = self.hear("a created thread", &answer);
        thread["id"].as_str().unwrap().into()
    }

    /// Runs a turn to its end, says yes to everything, and hears all of it.
    async fn turn(&mut self, thread: &ThreadId, prompt: &str) {
        let mut events = self.app.follow(thread, Seq::ZERO).await;
        let latest = self.app.snapshot(thread).await.latest_seq;
        events.until_seq(latest).await;
        let answer = self
            .app
            .ask_for_turn(thread, json!({ "prompt": prompt }))
            .await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        self.hear("a started turn", &answer);
        loop {
            let event = events.next().await;
            let name = event.event.as_str();
            if name == "approval.required" {
                let snapshot = self.app.get(&format!("/v1/threads/{thread}")).await;
                self.hear("a snapshot that waits", &snapshot);
                let approval = event.payload["id"].as_str().unwrap().into();
                let answer = self.app.decide(&approval, "allow").await;
                self.hear("a decision", &answer);
            }
            if name == "turn.completed" {
                break;
            }
        }
        for event in events.into_seen() {
            self.heard
                .push((format!("event {}", event.event), event.data));
        }
        for target in [
            format!("/v1/threads/{thread}"),
            "/v1/threads?include_archived=true".to_owned(),
            "/v1/threads/summary?include_archived=true".to_owned(),
        ] {
            let answer = self.app.get(&target).await;
            assert_eq!(answer.status, 200);
            self.hear(&target, &answer);
        }
    }

    /// Ends the program and looks for the canaries in all that was heard, on the disk, in the log.
    async fn check(mut self) {
        let live = self.home.files();
        let ended = self.app.terminate().await;
        assert_eq!(ended.code, Some(143));
        self.heard
            .push(("standard output".to_owned(), ended.stdout));
        assert!(
            ended.stderr.len() > 100,
            "the log says something at this level"
        );
        self.heard.push(("standard error".to_owned(), ended.stderr));
        for (place, text) in &self.heard {
            for canary in [KEY, TOKEN] {
                assert!(!text.contains(canary), "{place} shows {canary}: {text}");
            }
        }
        let files = live.into_iter().chain(self.home.files());
        let mut bytes_read = 0;
        for (path, bytes) in files {
            bytes_read += bytes.len();
            for canary in [KEY, TOKEN] {
                let mut windows = bytes.windows(canary.len());
                let found = windows.any(|window| window == canary.as_bytes());
                assert!(!found, "{} holds {canary}", path.display());
            }
        }
        assert!(bytes_read > 10_000);
    }
}

/// A text in pieces of one character, the worst that a stream can do.
fn letter_by_letter(reply: Reply, text: &str) -> Reply {
    text.split_inclusive(|_: char| true)
        .fold(reply, Reply::text)
}

#[tokio::test]
async fn what_the_model_says_is_masked_however_it_is_cut() {
    let mut mine = Mine::new().await;
    let text = format!("Your key is {KEY}, your token {TOKEN}; again {KEY}{KEY}.");
    mine.model.push(Reply::says(&text));
    mine.model.push(letter_by_letter(Reply::new(), &text));
    mine.model.push(
        Reply::new()
            .reasoning(&KEY[..9])
            .reasoning(&KEY[9..])
            .text("Done."),
    );
    // An answer that ends in the middle, and one that is stopped there.
    mine.model.push(Reply::says(&KEY[..20]));
    let thread = mine.thread(json!({})).await;
    for _ in 0..4 {
        mine.turn(&thread, "what is my key?").await;
    }
    let masked = mine
        .heard
        .iter()
        .filter(|(_, text)| text.contains("[redacted]"));
    assert!(masked.count() > 3);
    let request = mine.model.last_request();
    let bearer = format!("Bearer {KEY}");
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    mine.check().await;
}

#[tokio::test]
async fn what_tools_read_write_and_print_is_masked() {
    let mut mine = Mine::new().await;
    mine.home
        .write("secret.txt", &format!("key = {KEY}\ntoken = {TOKEN}\n"));
    let write = json!({ "path": "copy.txt", "content": format!("{KEY}\n") });
    let print = json!({ "command": format!("cat secret.txt; echo {TOKEN} >&2; env") });
    mine.model.push(Reply::calls(
        "call_1",
        "read_file",
        r#"{"path":"secret.txt"}"#,
    ));
    mine.model
        .push(Reply::calls("call_2", "write_file", &write.to_string()).split_every(7));
    mine.model
        .push(Reply::calls("call_3", "exec_shell", &print.to_string()));
    mine.model
        .push(Reply::calls(KEY, TOKEN, &format!("\"{KEY}\"")));
    mine.model.push(Reply::calls(
        "call_5",
        "read_file",
        &format!("{{\"path\":\"{KEY}\"}}"),
    ));
    mine.model.push(Reply::says("Done."));
    let thread = mine.thread(json!({})).await;
    mine.turn(&thread, "use the tools").await;
    assert_eq!(mine.model.request_count(), 6);
    mine.check().await;
}

#[tokio::test]
async fn what_a_provider_complains_about_is_masked() {
    let mut mine = Mine::new().await;
    let complaint = json!({ "error": { "message": format!("the key {KEY} is bad") } });
    let thread = mine.thread(json!({})).await;
    for status in [400, 401, 404, 429, 500] {
        mine.model
            .push(Reply::new().status(status).json(&complaint));
        mine.model
            .push(Reply::new().status(status).json(&complaint));
        mine.turn(&thread, "go").await;
    }
    mine.model.push(Reply::new().chunk(&complaint));
    mine.model
        .push(Reply::new().raw(format!("data: {KEY} {TOKEN}\n\n")));
    mine.turn(&thread, "go").await;
    mine.check().await;
}

#[tokio::test]
async fn what_people_put_into_requests_is_masked_in_answers_and_errors() {
    let mut mine = Mine::new().await;
    mine.model.default_reply(Reply::says("Done."));
    let words = format!("{KEY} and {TOKEN}");
    let body = json!({ "title": words, "system_prompt": words, "task_id": words });
    let thread = mine.thread(body).await;
    mine.turn(&thread, &words).await;
    let path = format!("/v1/threads/{thread}");
    let turn = mine.app.snapshot(&thread).await.turns.pop().unwrap();
    for (place, answer) in [
        (
            "a changed thread",
            mine.app
                .patch(&path, json!({ "title": format!("x {words}") }))
                .await,
        ),
        (
            "a copy",
            mine.app
                .send(mine.app.request("POST", &format!("{path}/fork")))
                .await,
        ),
        (
            "an unknown mode",
            mine.app.post("/v1/threads", json!({ "mode": words })).await,
        ),
        (
            "an unknown posture",
            mine.app
                .post("/v1/threads", json!({ "permission_posture": KEY }))
                .await,
        ),
        (
            "an unknown provider",
            mine.app
                .post("/v1/threads", json!({ "model_provider": KEY }))
                .await,
        ),
        (
            "a bad workspace",
            mine.app
                .post("/v1/threads", json!({ "workspace": words }))
                .await,
        ),
        (
            "a missing workspace",
            mine.app
                .post("/v1/threads", json!({ "workspace": format!("/{KEY}") }))
                .await,
        ),
        (
            "a wrong type",
            mine.app.patch(&path, json!({ "archived": words })).await,
        ),
        (
            "an unknown thread",
            mine.app.get(&format!("/v1/threads/{KEY}")).await,
        ),
        (
            "a bad query",
            mine.app.get(&format!("/v1/threads?limit={KEY}")).await,
        ),
        (
            "a bad place",
            mine.app
                .get(&format!("{path}/events?since_seq={KEY}"))
                .await,
        ),
        (
            "a search",
            mine.app
                .get(&format!("/v1/threads/summary?search={KEY}"))
                .await,
        ),
        (
            "an unknown path",
            mine.app.get(&format!("/{KEY}?token={TOKEN}")).await,
        ),
        ("a late addition", mine.app.steer(&turn, &words).await),
        (
            "a word that is no answer",
            mine.app.decide(&KEY.into(), TOKEN).await,
        ),
        (
            "no JSON",
            mine.app
                .send(
                    mine.app
                        .request("POST", "/v1/threads")
                        .header("content-type", "application/json")
                        .body(KEY),
                )
                .await,
        ),
    ] {
        mine.hear(place, &answer);
    }
    let one_shot = mine
        .app
        .post("/v1/stream", json!({ "prompt": words }))
        .await;
    assert_eq!(one_shot.status, 200);
    mine.hear("a one-shot stream", &one_shot);
    mine.check().await;
}

#[tokio::test]
async fn a_confined_command_finds_no_secret_in_its_environment_or_in_other_processes() {
    let mut mine = Mine::new().await;
    let look =
        "{ env; cat /proc/*/environ; cat /proc/*/cmdline; cat ~/config.toml; } > seen.txt 2>&1";
    let call = json!({ "command": look });
    mine.model
        .push(Reply::calls("call_1", "exec_shell", &call.to_string()));
    mine.model.push(Reply::says("Done."));
    let thread = mine.thread(json!({})).await;
    mine.turn(&thread, "look around").await;
    let seen = mine.home.read("seen.txt").unwrap();
    assert!(seen.contains("PATH="), "{seen}");
    assert!(!seen.contains(KEY) && !seen.contains(TOKEN), "{seen}");
    mine.check().await;
}

#[tokio::test]
async fn hooks_are_told_no_secret_and_what_they_say_of_one_is_masked() {
    let dump = r#"env >> "$CODEWHALE_WORKSPACE/heard"; cat >> "$CODEWHALE_WORKSPACE/heard""#;
    let events = [
        "session_start",
        "message_submit",
        "tool_call_before",
        "tool_call_after",
        "shell_env",
        "on_error",
        "turn_end",
    ];
    let hooks = events
        .map(|event| format!("[[hooks.hooks]]\nevent = \"{event}\"\ncommand = '''{dump}'''\n"));
    let tells = "[[hooks.hooks]]\nevent = \"tool_call_before\"\n\
                 command = 'cat \"$CODEWHALE_WORKSPACE/secret.txt\" >&2; exit 2'\n\
                 condition = { type = \"tool_name\", name = \"list_dir\" }\n";
    let mut mine = Mine::configured(&format!("{}{tells}", hooks.concat())).await;
    mine.home
        .write("secret.txt", &format!("key = {KEY}\ntoken = {TOKEN}\n"));
    let read = r#"{"path":"secret.txt"}"#;
    let print = json!({ "command": format!("echo {KEY}; env") });
    mine.model.push(Reply::calls("call_1", "read_file", read));
    mine.model
        .push(Reply::calls("call_2", "exec_shell", &print.to_string()));
    mine.model.push(Reply::calls("call_3", "list_dir", "{}"));
    mine.model.push(Reply::says("Done."));
    mine.model
        .push(Reply::new().status(400).body(format!("no: {KEY}")));
    let thread = mine.thread(json!({})).await;
    mine.turn(&thread, &format!("use {KEY} and {TOKEN}")).await;
    mine.turn(&thread, "fail").await;
    let is_all = |heard: &str| heard.matches("\"event\":\"turn_end\"").count() == 2;
    let heard = async {
        loop {
            match mine.home.read("heard") {
                Some(heard) if is_all(&heard) => return heard,
                _ => tokio::task::yield_now().await,
            }
        }
    };
    let heard = within("hooks to hear of both ends", heard).await;
    assert!(heard.contains("CODEWHALE_MESSAGE=use [redacted] and [redacted]"));
    assert!(heard.contains("DEEPSEEK_TOOL_RESULT="));
    assert!(heard.contains("CODEWHALE_ERROR="));
    for canary in [KEY, TOKEN, "CANARY="] {
        assert!(!heard.contains(canary), "hooks heard {canary}: {heard}");
    }
    mine.check().await;
}
