//! Streams of events: their frames, their order, their ends.

use codewhale_testkit::app::Body;
use codewhale_testkit::model_server::Reply;
use serde_json::{Value, json};

use super::Client;

/// Frames as a simple client reads them: lines, and an empty line behind each frame.
#[derive(Default)]
pub(super) struct Frames {
    text: String,
    pub(super) events: Vec<Value>,
}

impl Frames {
    /// Reads some more, and sees that it has the form of the contract.
    pub(super) async fn read(&mut self, body: &mut Body) {
        let piece = body.next().await;
        let piece = piece.expect("the stream goes on").unwrap();
        self.text.push_str(std::str::from_utf8(&piece).unwrap());
        assert!(!self.text.contains('\r'));
        while let Some((frame, rest)) = self.text.split_once("\n\n") {
            let lines: Vec<&str> = frame.lines().collect();
            match lines[..] {
                [comment] => assert_eq!(comment, ": keepalive"),
                [.., event, data] => {
                    let name = event.strip_prefix("event: ").unwrap();
                    let data = data.strip_prefix("data: ").unwrap();
                    let mut data: Value = serde_json::from_str(data).unwrap();
                    if data.get("event").is_none() {
                        data["event"] = json!(name);
                    }
                    assert_eq!(data["event"], name);
                    self.events.push(data);
                }
                [] => panic!("an empty frame"),
            }
            self.text = rest.to_owned();
        }
    }
}

#[tokio::test]
async fn point_06_a_stream_goes_on_behind_any_place_without_gap_or_repeat() {
    let client = Client::new().await;
    let thread = client.talked().await;
    let all = client.events(&thread).await;
    let seq = |event: &Value| event["seq"].as_u64().unwrap();
    for (place, event) in all.iter().enumerate().take(all.len() - 1) {
        let rest = client
            .events_until(&thread, seq(event), "turn.completed")
            .await;
        assert_eq!(rest, all[place + 1..]);
        assert_eq!(rest[0]["previous_seq"], event["seq"]);
    }
    // Behind the end, while the next turn is being written.
    let last = seq(all.last().unwrap());
    client.scene.model.push(Reply::says("Once more."));
    let (live, _) = tokio::join!(
        client.events_until(&thread, last, "turn.completed"),
        client.start(&thread, "Again."),
    );
    let again = client.events_until(&thread, last, "turn.completed").await;
    assert_eq!(live, again);
    let links = live.windows(2);
    assert!(
        links
            .into_iter()
            .all(|pair| pair[1]["previous_seq"] == pair[0]["seq"])
    );
}

#[tokio::test]
async fn point_07_frames_are_lines_with_the_name_before_the_data() {
    let client = Client::new().await;
    client
        .scene
        .model
        .push(Reply::says("Two\r\nlines\u{2028}."));
    let thread = client.thread(json!({})).await;
    client.start(&thread, "Say it.").await;
    let events = client.events(&thread).await;
    let said: String = events
        .iter()
        .filter(|event| event["event"] == "item.delta")
        .map(|event| event["payload"]["delta"].as_str().unwrap())
        .collect();
    assert_eq!(said, "Two\r\nlines\u{2028}.");
    // The bound after which silence is broken is told; that it is kept is seen beside the code.
    let info: Value = client.get("/v1/runtime/info").await.read(200);
    assert_eq!(info["limits"]["keepalive_seconds"], 15);
}

#[tokio::test]
async fn point_14_the_one_shot_stream_tells_one_turn_and_closes() {
    let client = Client::new().await;
    client.scene.model.push(Reply::says("Hello."));
    let request = client.scene.app.request("POST", "/v1/stream");
    let request = request.json(&json!({ "prompt": "Say hello." }));
    let answer = client.scene.app.send(request).await;
    assert_eq!(answer.status, 200);
    let lines = answer.text().lines();
    let events: Vec<&str> = lines.filter_map(|it| it.strip_prefix("event: ")).collect();
    assert_eq!(events.first(), Some(&"turn.started"));
    assert_eq!(events[events.len() - 2..], ["turn.completed", "done"]);
    let live: Value = client.get("/v1/threads").await.read(200);
    assert_eq!(live, json!([]));
    let archived = client.get("/v1/threads?archived_only=true").await;
    assert_eq!(archived.read::<Vec<Value>>(200).len(), 1);
}
