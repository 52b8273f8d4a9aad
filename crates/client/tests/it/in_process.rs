//! The typed client over a service in this process.

use codewhale_protocol::frame::{Frames, write_event};
use codewhale_protocol::operations::{Op, ThreadsSummary};
use codewhale_protocol::runtime::{Seq, ThreadsSummaryParams};
use codewhale_protocol::service::{BoxFuture, Cursor};
use codewhale_protocol::{Call, Caller, ErrorBody, ErrorCode, EventStream, Reply, Service, Source};
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::events::envelope;
use crate::{caller, client, thread};

/// Checks what it is asked and answers by the book.
struct Fixed;

impl Service for Fixed {
    fn call<'a>(
        &'a self,
        asking: &'a Caller,
        call: Call,
    ) -> BoxFuture<'a, Result<Reply, ErrorBody>> {
        assert_eq!((asking, call.op), (&caller(), Op::ThreadsSummary));
        assert_eq!(call.params["limit"], json!(3));
        Box::pin(async { Ok(serde_json::value::to_raw_value(&json!([])).unwrap().into()) })
    }

    fn events<'a>(
        &'a self,
        _: &'a Caller,
        source: Source,
        cursor: Cursor,
    ) -> BoxFuture<'a, Result<EventStream, ErrorBody>> {
        assert_eq!(source, Source::Thread(thread("thr_1")));
        assert_eq!(cursor, Cursor::after(Seq(1)));
        let mut two = String::new();
        write_event(&mut two, Seq(2), "turn.started", &envelope("thr_1", 2, "a"));
        write_event(&mut two, Seq(5), "item.delta", &envelope("thr_1", 5, "b"));
        let frames = |text: String, last| {
            let bytes = text.into();
            Ok(Frames { bytes, last })
        };
        let bad = "id: 6\nevent: x\ndata: {}\n\n".to_owned();
        let pieces = [
            frames(two.clone(), Seq(5)),
            frames(bad, Seq(6)),
            frames(two, Seq(5)),
        ];
        Box::pin(async { Ok(stream::iter(pieces).boxed()) })
    }
}

#[tokio::test]
async fn an_operation_is_asked_by_type_in_the_name_of_the_caller() {
    let params = ThreadsSummaryParams {
        limit: Some(3),
        ..ThreadsSummaryParams::default()
    };
    let answer = client(Fixed).call::<ThreadsSummary>(params).await;
    assert_eq!(answer, Ok(Vec::new()));
}

#[tokio::test]
async fn frames_become_events_and_the_first_error_is_the_last_thing() {
    let client = client(Fixed);
    let follow = client.follow(thread("thr_1"), Cursor::after(Seq(1)));
    let events: Vec<_> = follow.await.unwrap().collect().await;
    let [Ok(first), Ok(second), Err(error)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(
        (first.seq, &first.payload),
        (Seq(2), &json!({"delta": "a"}))
    );
    assert_eq!(
        (second.seq, &second.payload),
        (Seq(5), &json!({"delta": "b"}))
    );
    assert_eq!(error.code, ErrorCode::Internal);
    assert!(
        error
            .message
            .starts_with("event 6 does not read as an event: ")
    );
}
