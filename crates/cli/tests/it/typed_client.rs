//! The typed client against the real program: what surfaces in other processes will hold.

use std::sync::Arc;

use codewhale_client::{Client, HttpService};
use codewhale_protocol::operations::{ThreadsCreate, ThreadsGet, TurnsStart};
use codewhale_protocol::runtime::{
    PrincipalId, Seq, ThreadId, ThreadParams, ThreadView, ThreadsCreateParams, TurnOverrides,
    TurnsStartParams,
};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Caller, ErrorCode, Scopes, Secret, Surface};
use codewhale_testkit::model_server::Reply;
use futures_util::StreamExt;

use crate::scene::Scene;

fn client(scene: &Scene, token: &str) -> Client {
    let base_url = format!("http://{}", scene.app.address());
    let service = HttpService::new(&base_url, Some(&Secret::new(token))).unwrap();
    let caller = Caller {
        principal: PrincipalId::from("prn_elsewhere"),
        scopes: Scopes::ALL,
        token_id: None,
        device_id: None,
        surface: Surface::Cli,
        on_behalf_of: None,
    };
    Client::new(Arc::new(service), caller)
}

#[tokio::test]
async fn it_starts_a_turn_and_follows_it_to_what_the_thread_says() {
    let scene = Scene::new().await;
    scene.model.push(Reply::says("Hello from afar"));
    let client = client(&scene, scene.app.token());
    let made = client.call::<ThreadsCreate>(ThreadsCreateParams::default());
    let thread_id = made.await.unwrap().id;
    let start = TurnsStartParams {
        thread_id: thread_id.clone(),
        prompt: "say hello".to_owned(),
        input: None,
        overrides: TurnOverrides::default(),
    };
    client.call::<TurnsStart>(start).await.unwrap();

    let followed = client.follow(thread_id.clone(), Cursor::after(Seq::ZERO));
    let mut events = followed.await.unwrap();
    let mut view = ThreadView::default();
    loop {
        let event = events.next().await.unwrap().unwrap();
        view.apply(&event).unwrap();
        if event.event == "turn.completed" {
            break;
        }
    }
    let thread = client.call::<ThreadsGet>(ThreadParams { thread_id }).await;
    let thread = thread.unwrap();
    assert_eq!(thread.turns.len(), 1);
    assert_eq!(view.into_detail().unwrap(), thread);
}

#[tokio::test]
async fn what_the_server_refuses_comes_back_as_what_it_is() {
    let scene = Scene::new().await;
    let unknown = || ThreadParams {
        thread_id: ThreadId::from("thr_unknown"),
    };
    let check = async |token: &str, expected: ErrorCode| {
        let refused = client(&scene, token).call::<ThreadsGet>(unknown()).await;
        assert_eq!(refused.unwrap_err().code, expected);
    };
    check(scene.app.token(), ErrorCode::NotFound).await;
    check("another-token", ErrorCode::Unauthenticated).await;
}

#[tokio::test]
async fn what_it_sends_again_under_a_key_is_done_once() {
    let scene = Scene::new().await;
    let client = client(&scene, scene.app.token());
    let make = |key| client.call_once::<ThreadsCreate>(key, ThreadsCreateParams::default());
    let made = make("a").await.unwrap();
    assert_eq!(make("a").await.unwrap(), made);
    assert_ne!(make("b").await.unwrap().id, made.id);
}
