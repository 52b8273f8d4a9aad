//! Operations over HTTP.

use codewhale_client::HttpService;
use codewhale_protocol::operations::{
    ApprovalsDecide, ThreadsCreate, ThreadsGet, ThreadsPatch, ThreadsSummary, TurnsInterrupt,
};
use codewhale_protocol::runtime::{
    ApprovalDecision, ApprovalId, ApprovalReceipt, ApprovalsDecideParams, ThreadParams,
    ThreadsCreateParams, ThreadsSummaryParams, TurnId, TurnsInterruptParams,
};
use codewhale_protocol::{ErrorBody, ErrorCode};
use serde_json::json;

use crate::server::{Answer, Server};
use crate::{client, client_of, thread};

/// Answers everything with this.
async fn server(status: &'static str, body: &'static str) -> Server {
    Server::start(move |_| Answer::json(status, body)).await
}

#[tokio::test]
async fn a_body_goes_out_as_json_and_the_answer_comes_back_typed() {
    let receipt = r#"{"ok":true,"approval_id":"appr_1","decision":"allow","delivered":true}"#;
    let server = server("200 OK", receipt).await;
    let params = ApprovalsDecideParams {
        approval_id: ApprovalId::from("appr_1"),
        decision: "allow".into(),
        reason: None,
        remember: Some(true),
    };
    let answer = client_of(&server).call::<ApprovalsDecide>(params).await;
    let expect = ApprovalReceipt {
        ok: true,
        approval_id: ApprovalId::from("appr_1"),
        decision: ApprovalDecision::Allow,
        delivered: true,
    };
    assert_eq!(answer, Ok(expect));
    let request = server.only_request();
    assert_eq!(request.method, "POST");
    assert_eq!(request.target, "/v1/approvals/appr_1");
    assert_eq!(request.header("authorization"), Some("Bearer the-token"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.body, r#"{"decision":"allow","remember":true}"#);
}

#[tokio::test]
async fn a_query_is_encoded_and_has_no_body() {
    let server = server("200 OK", "[]").await;
    let params = ThreadsSummaryParams {
        limit: Some(5),
        search: Some("a b&c=ü".into()),
        ..ThreadsSummaryParams::default()
    };
    let answer = client_of(&server).call::<ThreadsSummary>(params).await;
    assert_eq!(answer, Ok(Vec::new()));
    let request = server.only_request();
    assert_eq!(
        request.target,
        "/v1/threads/summary?limit=5&search=a+b%26c%3D%C3%BC"
    );
    assert_eq!(
        (request.method.as_str(), request.body.as_str()),
        ("GET", "")
    );
    assert_eq!(request.header("content-type"), None);
}

#[tokio::test]
async fn an_id_stays_one_part_of_the_path_whatever_it_holds() {
    let server = server(
        "404 Not Found",
        r#"{"error":{"message":"no","status":404}}"#,
    )
    .await;
    let client = client_of(&server);
    let params = TurnsInterruptParams {
        thread_id: thread("../a/b"),
        turn_id: TurnId::from("c d?e#ü%2F"),
    };
    let answer = client.call::<TurnsInterrupt>(params).await;
    assert_eq!(answer, Err(ErrorBody::new(ErrorCode::NotFound, "no")));
    let request = server.only_request();
    assert_eq!(
        request.target,
        "/v1/threads/..%2Fa%2Fb/turns/c%20d%3Fe%23%C3%BC%252F/interrupt"
    );
    assert_eq!(
        (request.method.as_str(), request.body.as_str()),
        ("POST", "")
    );
    assert_eq!(request.header("content-type"), None);

    for id in ["", ".", ".."] {
        let thread_id = thread(id);
        let answer = client.call::<ThreadsGet>(ThreadParams { thread_id }).await;
        assert_eq!(answer.unwrap_err().code, ErrorCode::NotFound);
    }
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_body_that_may_be_left_out_is_sent_all_the_same_for_older_servers() {
    let server = server("503 Service Unavailable", "busy").await;
    let params = ThreadsCreateParams {
        model: Some("m".into()),
        ..ThreadsCreateParams::default()
    };
    let answer = client_of(&server).call::<ThreadsCreate>(params).await;
    let error = answer.unwrap_err();
    assert_eq!(error.code, ErrorCode::Unavailable);
    assert!(
        error
            .message
            .ends_with("answered 503 Service Unavailable: busy")
    );
    let body: serde_json::Value = serde_json::from_str(&server.only_request().body).unwrap();
    assert_eq!(body["model"], json!("m"));
}

#[tokio::test]
async fn errors_keep_their_code_and_data() {
    let body = r#"{"error":{"message":"taken","status":409,"code":"conflict","data":{"decision":"deny"}}}"#;
    let server = server("409 Conflict", body).await;
    let params = serde_json::from_value(json!({"thread_id": "thr_1", "title": "t"})).unwrap();
    let answer = client_of(&server).call::<ThreadsPatch>(params).await;
    let expect =
        ErrorBody::new(ErrorCode::Conflict, "taken").with_data(json!({"decision": "deny"}));
    assert_eq!(answer, Err(expect));
    assert_eq!(server.only_request().method, "PATCH");
}

#[tokio::test]
async fn answers_that_are_not_ours_are_told_from_those_that_are() {
    let ask = async |server: &Server| {
        let client = client_of(server);
        let answer = client.call::<ThreadsSummary>(ThreadsSummaryParams::default());
        let error = answer.await.unwrap_err();
        (
            error.code,
            error.message.replace(&server.base_url(), "<server>"),
        )
    };
    let page = server("200 OK", "<html>").await;
    let expect = "<server> answered with something that is not JSON; is this a CodeWhale server?";
    assert_eq!(ask(&page).await, (ErrorCode::Unavailable, expect.into()));

    let other = server("200 OK", "{}").await;
    let (code, message) = ask(&other).await;
    assert_eq!(code, ErrorCode::Internal);
    assert!(message.starts_with("the contents of the answer of threads/summary do not read"));

    let cut = Server::start(|_| {
        Answer::ThenClose(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[".into())
    })
    .await;
    let expect = "<server> broke off in the middle of its answer";
    assert_eq!(ask(&cut).await, (ErrorCode::Unavailable, expect.into()));

    let moved = Server::start(|_| {
        Answer::ThenClose(
            b"HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".into(),
        )
    })
    .await;
    let expect =
        "<server> answered 307 Temporary Redirect, which is not followed; name the final address";
    assert_eq!(ask(&moved).await, (ErrorCode::Unavailable, expect.into()));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let service = HttpService::new("http://127.0.0.1:1", None).unwrap();
    let answer = client(service)
        .call::<ThreadsSummary>(ThreadsSummaryParams::default())
        .await;
    let expect = "http://127.0.0.1:1 could not be reached; is it running?";
    assert_eq!(answer, Err(ErrorBody::new(ErrorCode::Unavailable, expect)));
}

#[tokio::test]
async fn without_a_token_no_header_is_sent() {
    let server = server("200 OK", "[]").await;
    let client = client(HttpService::new(&server.base_url(), None).unwrap());
    let answer = client.call::<ThreadsSummary>(ThreadsSummaryParams::default());
    assert_eq!(answer.await, Ok(Vec::new()));
    assert_eq!(server.only_request().header("authorization"), None);
}
