//! Attachments: given to a thread, named by a prompt, shown to a model that can take them.

use codewhale_model::{ErrorKind, Message, Route, Routes, Senses};
use codewhale_protocol::operations::{
    AttachmentsAdd, AttachmentsGet, ThreadsFork, ThreadsList, ThreadsRetry, TurnsStart,
};
use codewhale_protocol::runtime::{
    AttachmentId, AttachmentRecord, InputPart, MediaType, ThreadDetail, ThreadId, TurnRecord,
    TurnStatus,
};
use codewhale_protocol::{ErrorBody, ErrorCode};
use codewhale_store::{Place, Writing};
use serde_json::{Value, json};

use crate::model::{Piece, says, wants};
use crate::world::{World, open};

/// The beginning of a PNG picture, in base64; nobody here looks at the rest.
const PICTURE: &str = "iVBORw0KGgoAAAAA";

async fn attach(
    world: &World,
    thread: &ThreadId,
    data: &str,
) -> Result<AttachmentRecord, ErrorBody> {
    let params = json!({ "thread_id": thread, "data": data });
    world.call::<AttachmentsAdd>(params).await
}

/// Starts a turn about a picture.
async fn look(world: &World, thread: &ThreadId, id: &AttachmentId) -> Result<(), ErrorBody> {
    let input = json!([{ "type": "image", "id": id }, { "type": "text", "text": "What is it?" }]);
    let params = json!({ "thread_id": thread, "prompt": "Look:", "input": input });
    world.call::<TurnsStart>(params).await.map(drop)
}

async fn looked(world: &World, thread: &ThreadId, id: &AttachmentId) -> TurnRecord {
    look(world, thread, id).await.unwrap();
    world.ended(thread).await
}

fn said(detail: &ThreadDetail) -> (Option<&str>, Option<&[InputPart]>) {
    let item = &detail.items[0];
    (item.detail.as_deref(), item.input.as_deref())
}

#[tokio::test]
async fn a_picture_is_shown_to_the_model_in_every_later_request_and_told_by_its_number() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let record = attach(&world, &thread, PICTURE).await.unwrap();
    assert_eq!((record.media_type, record.bytes), (MediaType::Png, 12));
    looked(&world, &thread, &record.id).await;
    let detail = world.detail(&thread).await;
    let parts = [
        InputPart::text("Look:"),
        InputPart::Image {
            id: record.id.clone(),
        },
        InputPart::text("What is it?"),
    ];
    let text = "Look:\n\n[image 1]\n\nWhat is it?";
    assert_eq!(said(&detail), (Some(text), Some(&parts[..])));
    world.turn(&thread, "And now?").await;
    let requests = world.model.requests();
    let first = Message::User {
        text: text.to_owned(),
        attachments: vec![record.id.clone()],
    };
    assert_eq!(requests[1][0], first);
    let shown = [record.id.clone()];
    assert_eq!(world.model.shown(), [shown.clone(), shown]);
    // The log says which picture it was, and not what is in it.
    let log = serde_json::to_string(&world.envelopes(&thread)).unwrap();
    assert!(log.contains(record.id.as_str()) && !log.contains(PICTURE));
}

#[tokio::test]
async fn what_is_attached_is_read_back_and_the_same_bytes_are_the_same_attachment() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let first = attach(&world, &thread, PICTURE).await.unwrap();
    // Some programs break long lines.
    let again = attach(&world, &thread, "iVBORw0K\r\nGgoAAAAA")
        .await
        .unwrap();
    assert_eq!(first, again);
    let params = json!({ "thread_id": thread, "attachment_id": first.id });
    let read = world.call::<AttachmentsGet>(params).await.unwrap();
    assert_eq!((read.attachment, &*read.data), (first.clone(), PICTURE));
    let other = world.thread(json!({})).await;
    let params = json!({ "thread_id": other, "attachment_id": first.id });
    let error = world.call::<AttachmentsGet>(params).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    let error = look(&world, &other, &first.id).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
}

#[tokio::test]
async fn what_no_model_takes_is_refused_in_words() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let large = format!("iVBORw0KGgoA{}", "AAAA".repeat(5 * 1024 * 1024 / 3));
    for (data, words) in [
        ("%%%", "base64"),
        ("", "image/png"),
        ("PHN2Zz4=", "image/png"),
        (large.as_str(), "5 MiB"),
    ] {
        let error = attach(&world, &thread, data).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidParams);
        assert!(error.message.contains(words), "{}", error.message);
    }
    let error = attach(&world, &ThreadId::from("thr_x"), PICTURE).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::NotFound);
    let record = attach(&world, &thread, PICTURE).await.unwrap();
    let start = |input: Value| {
        let params = json!({ "thread_id": thread, "prompt": "Look", "input": input });
        world.call::<TurnsStart>(params)
    };
    let many = vec![json!({ "type": "image", "id": record.id }); 21];
    let wrong_kind = json!([{ "type": "audio", "id": record.id }]);
    for input in [json!(many), wrong_kind, json!([{ "type": "smell" }])] {
        start(input).await.unwrap_err();
    }
    assert!(world.detail(&thread).await.turns.is_empty());
}

#[tokio::test]
async fn a_model_that_cannot_see_is_not_asked_to() {
    let world = World::with_routes(|model| {
        Routes::only(Route {
            senses: Senses::NONE,
            ..Route::to("p", "blind", model.clone())
        })
    })
    .await;
    let thread = world.thread(json!({})).await;
    let record = attach(&world, &thread, PICTURE).await.unwrap();
    let error = look(&world, &thread, &record.id).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert!(
        error.message.contains("p/blind cannot see"),
        "{}",
        error.message
    );
    assert!(world.detail(&thread).await.turns.is_empty());
}

#[tokio::test]
async fn a_provider_that_refuses_pictures_does_not_spoil_the_thread() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let record = attach(&world, &thread, PICTURE).await.unwrap();
    world.model.then(vec![Piece::Fail(ErrorKind::Rejected)]);
    world.model.then(says("I cannot see it."));
    let turn = looked(&world, &thread, &record.id).await;
    assert_eq!(turn.status, TurnStatus::Completed);
    assert_eq!(world.model.shown(), [vec![record.id], Vec::new()]);
    let detail = world.detail(&thread).await;
    let lines = detail.items.iter().map(|item| item.summary.as_str());
    assert!(
        lines
            .clone()
            .any(|line| line.contains("without what is attached"))
    );
}

#[tokio::test]
async fn a_picture_outlives_the_process_and_goes_along_with_copies() {
    let home = tempfile::tempdir().unwrap();
    let (thread, id, sent) = {
        let world = World::at(home.path()).await;
        let thread = world.thread(json!({})).await;
        let id = attach(&world, &thread, PICTURE).await.unwrap().id;
        looked(&world, &thread, &id).await;
        world.turn(&thread, "And now?").await;
        world.runtime.shutdown().await.unwrap();
        (thread, id, world.model.sent().pop().unwrap())
    };
    let world = World::at(home.path()).await;
    let params = json!({ "thread_id": thread });
    let copy = world.call::<ThreadsFork>(params).await.unwrap().id;
    for thread in [&thread, &copy] {
        world.turn(thread, "Go on.").await;
        let told = world.model.sent().pop().unwrap();
        assert_eq!(told[..sent.len()], sent[..]);
        assert_eq!(world.model.shown().pop(), Some(vec![id.clone()]));
    }
    let params = json!({ "thread_id": copy, "attachment_id": id });
    assert_eq!(
        world.call::<AttachmentsGet>(params).await.unwrap().data,
        PICTURE
    );
}

#[tokio::test]
async fn a_prompt_that_is_tried_again_has_its_pictures_again() {
    let world = World::new().await;
    let thread = world.thread(json!({})).await;
    let id = attach(&world, &thread, PICTURE).await.unwrap().id;
    looked(&world, &thread, &id).await;
    let params = json!({ "thread_id": thread });
    let retried = world.call::<ThreadsRetry>(params).await.unwrap();
    world.ended(&retried.thread.id).await;
    let requests = world.model.requests();
    assert_eq!(requests[0], requests[1]);
    assert_eq!(world.model.shown()[1], [id]);
}

#[tokio::test]
async fn a_retry_that_the_model_could_not_take_leaves_nothing_behind() {
    let home = tempfile::tempdir().unwrap();
    let world = World::at(home.path()).await;
    let thread = world.thread(json!({})).await;
    let id = attach(&world, &thread, PICTURE).await.unwrap().id;
    looked(&world, &thread, &id).await;
    world.runtime.shutdown().await.unwrap();
    let store = open(Place::Home(home.path().to_owned()), Writing::Inline);
    let world = World::made(store, |options, model| {
        options.routes = Routes::only(Route {
            senses: Senses::NONE,
            ..Route::to("p", "blind", model.clone())
        });
    })
    .await;
    let params = json!({ "thread_id": thread });
    let error = world
        .call::<ThreadsRetry>(params.clone())
        .await
        .unwrap_err();
    assert!(error.message.contains("cannot see"), "{}", error.message);
    let threads = world.call::<ThreadsList>(json!({})).await.unwrap();
    assert_eq!(threads.len(), 1);
    // In words it can be tried.
    let mut params = params;
    params["prompt"] = json!("It was a whale.");
    world.call::<ThreadsRetry>(params).await.unwrap();
}

#[tokio::test]
async fn what_a_result_shows_is_kept_with_the_thread_and_told_again() {
    let home = tempfile::tempdir().unwrap();
    let world = World::at(home.path()).await;
    let thread = world.thread(json!({})).await;
    world
        .model
        .then(wants("a", "look", &json!({ "way": "picture" })));
    world.turn(&thread, "Take a picture.").await;
    let detail = world.detail(&thread).await;
    let item = detail.items.iter().find(|it| it.kind.is_tool()).unwrap();
    let ids = item.attachments();
    assert_eq!(world.model.shown(), [vec![], ids.clone()]);
    let params = json!({ "thread_id": thread, "attachment_id": ids[0] });
    assert_eq!(
        world.call::<AttachmentsGet>(params).await.unwrap().data,
        PICTURE
    );
    world.turn(&thread, "And now?").await;
    let sent = world.model.sent().pop().unwrap();
    world.runtime.shutdown().await.unwrap();
    let world = World::at(home.path()).await;
    world.turn(&thread, "Go on.").await;
    let told = world.model.sent().pop().unwrap();
    assert_eq!(told[..sent.len()], sent[..]);
    assert_eq!(world.model.shown(), [ids]);
}
