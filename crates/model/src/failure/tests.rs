use reqwest::header::HeaderValue;

use super::*;

const KEY: &str = "sk-0123456789abcdef";

fn origin() -> Origin {
    Origin {
        provider: "deepseek".into(),
        host: "api.deepseek.com".into(),
        key: Some(Secret::new(KEY)),
        key_hint: "Check DEEPSEEK_API_KEY.".into(),
    }
}

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
        .collect()
}

fn refused(status: u16, body: &str) -> Error {
    origin().refused(
        StatusCode::from_u16(status).unwrap(),
        &headers(&[]),
        body.as_bytes(),
    )
}

#[test]
fn a_status_decides_what_to_do() {
    let limited = ErrorKind::RateLimited { retry_after: None };
    let cases = [
        (301, ErrorKind::Unusable),
        (400, ErrorKind::Rejected),
        (401, ErrorKind::Auth),
        (402, ErrorKind::Exhausted),
        (403, ErrorKind::Auth),
        (404, ErrorKind::Unusable),
        (408, ErrorKind::Transient),
        (409, ErrorKind::Transient),
        (413, ErrorKind::ContextOverflow),
        (422, ErrorKind::Rejected),
        (425, ErrorKind::Transient),
        (429, limited),
        (500, ErrorKind::Transient),
        (501, ErrorKind::Rejected),
        (502, ErrorKind::Transient),
        (503, ErrorKind::Transient),
        (504, ErrorKind::Transient),
        (522, ErrorKind::Transient),
        (529, ErrorKind::Transient),
    ];
    for (status, expect) in cases {
        assert_eq!(refused(status, "").kind, expect, "{status}");
    }
}

#[test]
fn a_refusal_is_told_in_words() {
    let cases = [
        (
            401,
            r#"{"error":{"message":"no such key"}}"#,
            "deepseek refused the key (HTTP 401): no such key. Check DEEPSEEK_API_KEY.",
        ),
        (
            402,
            r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}"#,
            "deepseek has no quota or balance left for this key (HTTP 402): Insufficient Balance. Top up, or choose another provider",
        ),
        (
            429,
            r#"{"error":{"message":"You exceeded it","type":"insufficient_quota"}}"#,
            "deepseek has no quota or balance left for this key (HTTP 429): You exceeded it. Top up, or choose another provider",
        ),
        (
            429,
            r#"{"error":{"message":"slower"}}"#,
            "deepseek asks to slow down (HTTP 429): slower",
        ),
        (
            404,
            r#"{"error":"model 'x' not found"}"#,
            "deepseek does not know the address or the model (HTTP 404): model 'x' not found. Check base_url and model",
        ),
        (
            400,
            r#"{"detail":"bad\n\tthing"}"#,
            "deepseek refused the request (HTTP 400): bad thing",
        ),
        (
            400,
            r#"[{"error":{"message":"in a list"}}]"#,
            "deepseek refused the request (HTTP 400): in a list",
        ),
        (
            400,
            "plain words",
            "deepseek refused the request (HTTP 400): plain words",
        ),
        (
            502,
            "<html><body>Bad Gateway</body></html>",
            "deepseek failed (HTTP 502): (an HTML page)",
        ),
        (503, "", "deepseek failed (HTTP 503)"),
        (
            302,
            "",
            "deepseek answered with a redirect (HTTP 302), which is not followed: set base_url to the final address",
        ),
        (
            400,
            r#"{"error":{"message":"Provider returned error","metadata":{"raw":"too long"}}}"#,
            "deepseek refused the request (HTTP 400): Provider returned error: too long",
        ),
    ];
    for (status, body, expect) in cases {
        assert_eq!(refused(status, body).to_string(), expect);
    }
}

#[test]
fn an_error_object_in_the_stream_is_classified_by_its_own_words() {
    let limited = ErrorKind::RateLimited { retry_after: None };
    let cases = [
        (r#"{"message":"x","code":429}"#, limited),
        (r#"{"message":"x","code":"502"}"#, ErrorKind::Transient),
        (r#"{"message":"x","code":401}"#, ErrorKind::Auth),
        (r#"{"message":"x","code":402}"#, ErrorKind::Exhausted),
        (r#"{"message":"x","type":"rate_limit_error"}"#, limited),
        (
            r#"{"message":"x","type":"insufficient_quota"}"#,
            ErrorKind::Exhausted,
        ),
        (
            r#"{"message":"x","type":"invalid_request_error","code":"model_not_found"}"#,
            ErrorKind::Unusable,
        ),
        (
            r#"{"message":"x","code":"invalid_api_key"}"#,
            ErrorKind::Auth,
        ),
        (
            r#"{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}"#,
            ErrorKind::ContextOverflow,
        ),
        (
            r#"{"message":"x","type":"server_error"}"#,
            ErrorKind::Transient,
        ),
        (
            r#"{"message":"x","type":"overloaded_error"}"#,
            ErrorKind::Transient,
        ),
        (r#""just a text""#, ErrorKind::Transient),
        ("{}", ErrorKind::Transient),
    ];
    for (error, expect) in cases {
        let complaint = Complaint::from_value(&serde_json::from_str(error).unwrap());
        assert_eq!(origin().complained(&complaint).kind, expect, "{error}");
    }
}

#[test]
fn the_wait_a_provider_asks_for_is_read() {
    let cases = [
        (
            headers(&[("retry-after", "7")]),
            Some(Duration::from_secs(7)),
        ),
        (
            headers(&[("retry-after", " 1.5 ")]),
            Some(Duration::from_millis(1500)),
        ),
        (
            headers(&[("retry-after", "7"), ("retry-after-ms", "250")]),
            Some(Duration::from_millis(250)),
        ),
        (
            headers(&[
                ("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"),
                ("date", "Wed, 21 Oct 2026 07:28:00 GMT"),
            ]),
            Some(Duration::from_secs(30)),
        ),
        (
            headers(&[
                ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"),
                ("date", "Wed, 21 Oct 2026 07:29:00 GMT"),
            ]),
            Some(Duration::ZERO),
        ),
        (
            headers(&[("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")]),
            None,
        ),
        (headers(&[("retry-after", "-3")]), None),
        (headers(&[("retry-after", "soon")]), None),
        (headers(&[]), None),
    ];
    for (headers, expect) in cases {
        assert_eq!(retry_after(&headers), expect, "{headers:?}");
    }
}

#[test]
fn an_overloaded_provider_that_names_a_wait_is_waited_for() {
    let error = origin().refused(
        StatusCode::SERVICE_UNAVAILABLE,
        &headers(&[("retry-after", "2")]),
        b"",
    );
    assert_eq!(
        error.kind,
        ErrorKind::RateLimited {
            retry_after: Some(Duration::from_secs(2))
        }
    );
}

#[test]
fn the_key_is_never_shown() {
    let echo = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}."}}}}"#);
    let long = format!("{}{KEY}{}", "x".repeat(490), "y".repeat(100));
    let object = Complaint {
        text: format!("key {KEY}"),
        tags: String::new(),
        status: None,
    };
    let errors = [
        refused(401, &echo),
        refused(400, &long),
        refused(500, KEY),
        origin().complained(&object),
        origin().garbled("a piece", format!("data {KEY}").as_bytes()),
    ];
    for error in errors {
        let shown = format!("{error} {error:?} {error:#?}");
        assert!(!shown.contains("0123456789"), "{shown}");
        assert!(shown.contains("[key]"), "{shown}");
    }
    assert!(!format!("{:?}", origin()).contains(KEY));
}

#[test]
fn words_are_cut_to_one_short_line() {
    assert_eq!(clip("a  b\n\u{7}c", 10), "a b c");
    assert_eq!(clip("ääää", 3), "äää…");
    assert_eq!(clip(&"x ".repeat(1000), 4), "x x …");
    assert_eq!(clip("abc", 3), "abc");
    assert!(refused(400, &"z".repeat(5000)).message.len() < 600);
}

#[test]
fn a_conversation_that_is_too_long_is_told_by_every_provider_in_its_own_way() {
    let bodies = [
        r#"{"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
        r#"{"error":{"message":"This model's maximum context length is 1000 tokens."}}"#,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
    ];
    for body in bodies {
        let error = refused(400, body);
        assert_eq!(error.kind, ErrorKind::ContextOverflow, "{body}");
        assert!(error.message.contains("Compact it"), "{error}");
    }
    // Too many at once, or a failure of theirs that happens to name it, is something else.
    assert_eq!(
        refused(
            429,
            r#"{"error":{"message":"context window limit per minute"}}"#
        )
        .kind,
        ErrorKind::RateLimited { retry_after: None }
    );
    assert_eq!(
        refused(500, r#"{"error":{"message":"context window"}}"#).kind,
        ErrorKind::Transient
    );
}

#[test]
fn an_empty_account_is_not_waited_for() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}"#;
    let error = refused(400, body);
    assert_eq!(error.kind, ErrorKind::Exhausted);
    assert!(
        error.message.contains("no quota or balance left"),
        "{error}"
    );
}

#[test]
fn a_model_that_is_not_there_is_told_from_a_request_that_is_wrong() {
    let body = r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}"#;
    let error = refused(400, body);
    assert_eq!(error.kind, ErrorKind::Unusable);
    assert!(
        error
            .message
            .contains("does not know the address or the model"),
        "{error}"
    );
}
