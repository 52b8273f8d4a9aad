//! The document of the API, held against every answer that a test gets: the path, the method, the
//! status, the kind of content and the body must be what it says. Tests need not ask for that.
//!
//! Only what the document is about is judged: paths below `/v1/`, and `/health`. Pages and other
//! protocols on the same port are not.

mod schema;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

pub use schema::Schemas;

/// The document of this build; the version in it does not matter here.
static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    let text = codewhale_app_server::openapi("0.0.0");
    Document::new(serde_json::from_str(&text).expect("the document is JSON"))
});

/// The document, ready to be asked.
pub struct Document {
    paths: Vec<Path>,
    schemas: Schemas,
}

struct Path {
    template: String,
    operations: BTreeMap<String, Value>,
}

/// One operation of the document.
pub struct Described<'a> {
    /// The path, with its parameters in braces.
    pub path: &'a str,
    /// The method, in capitals.
    pub method: &'a str,
    /// What the document says about it.
    pub operation: &'a Value,
}

impl Described<'_> {
    /// Whether it answers with events, for as long as someone reads.
    pub fn is_stream(&self) -> bool {
        let content = &self.operation["responses"]["200"]["content"];
        content.get("text/event-stream").is_some()
    }
}

impl Document {
    /// That of this build.
    pub fn of_this_build() -> &'static Self {
        &DOCUMENT
    }

    fn new(document: Value) -> Self {
        let paths = document["paths"].as_object().expect("there are paths");
        let operations = |methods: &Value| {
            let methods = methods.as_object().expect("a path has methods").iter();
            methods
                .map(|(method, operation)| (method.to_uppercase(), operation.clone()))
                .collect()
        };
        let paths = paths.iter().map(|(template, methods)| Path {
            template: template.clone(),
            operations: operations(methods),
        });
        Self {
            paths: paths.collect(),
            schemas: Schemas::new(document),
        }
    }

    /// Every operation.
    pub fn operations(&self) -> impl Iterator<Item = Described<'_>> {
        self.paths.iter().flat_map(|path| {
            let operations = path.operations.iter();
            operations.map(|(method, operation)| Described {
                path: &path.template,
                method,
                operation,
            })
        })
    }

    /// What values the document allows.
    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// The path that an address leads to. Fixed words go before parameters.
    fn path(&self, address: &str) -> Option<&Path> {
        let parameters = |path: &&Path| path.template.matches('{').count();
        let fitting = self.paths.iter().filter(|path| path.leads_to(address));
        fitting.min_by_key(parameters)
    }

    /// Panics when an answer is not what the document says. Without a body, when only the head of
    /// the answer was read.
    pub(super) fn check(&self, exchange: &Exchange<'_>) {
        if let Err(problem) = self.judge(exchange) {
            let Exchange {
                method,
                target,
                status,
                body,
                ..
            } = exchange;
            let body = String::from_utf8_lossy(body.unwrap_or_default());
            panic!("{method} {target} answered outside the document: {problem}\n{status} {body}");
        }
    }

    fn judge(&self, exchange: &Exchange<'_>) -> Result<(), String> {
        let address = exchange.target.split('?').next().unwrap_or_default();
        let is_described = address.starts_with("/v1/") || address == "/health";
        // What a browser asks before it sends is answered for every path alike.
        if !is_described || exchange.method == "OPTIONS" {
            return Ok(());
        }
        let method = match exchange.method {
            "HEAD" => "GET",
            other => other,
        };
        let Some(path) = self.path(address) else {
            return self.judge_refusal(exchange, "path", &[403, 404]);
        };
        let Some(operation) = path.operations.get(method) else {
            return self.judge_refusal(exchange, "method", &[401, 403, 405]);
        };
        let status = exchange.status.to_string();
        let listed = operation["responses"].get(&status);
        let listed = listed.ok_or_else(|| format!("the status {status} is not listed"))?;
        self.judge_content(exchange, self.schemas.resolve(listed))
    }

    /// Requests that no operation is for.
    fn judge_refusal(
        &self,
        exchange: &Exchange<'_>,
        missing: &str,
        statuses: &[u16],
    ) -> Result<(), String> {
        if !statuses.contains(&exchange.status) {
            return Err(format!(
                "it has no such {missing}, so one of {statuses:?} would be right"
            ));
        }
        let listed = self.schemas.pointer("/components/responses/NotFound");
        self.judge_content(exchange, listed)
    }

    fn judge_content(&self, exchange: &Exchange<'_>, listed: &Value) -> Result<(), String> {
        let Some(kinds) = listed.get("content").and_then(Value::as_object) else {
            let is_empty = exchange.body.unwrap_or_default().is_empty();
            return is_empty
                .then_some(())
                .ok_or("there should be no body".to_owned());
        };
        let kind = exchange.content_type.unwrap_or_default();
        let Some(content) = kinds.get(kind) else {
            return Err(format!("the content type {kind:?} is not listed"));
        };
        match exchange.body {
            Some(body) if kind == "application/json" && exchange.method != "HEAD" => {
                let value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
                self.schemas.check(&content["schema"], &value)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Panics when an event of a thread is not what the document says.
    pub(super) fn check_event(&self, data: &str, envelope: &Value) {
        let events = "/paths/~1v1~1threads~1{thread_id}~1events/get/responses/200/content";
        let described = self.schemas.pointer(events);
        let frames = described["text/event-stream"]["schema"]["oneOf"].as_array();
        let mut frames = frames.expect("each event has its frame").iter();
        let frame = frames.find(|it| it["properties"]["event"]["const"] == envelope["event"]);
        let frame = frame.unwrap_or_else(|| panic!("the document lists no such event: {data}"));
        let schema = &frame["properties"]["data"]["contentSchema"];
        if let Err(problem) = self.schemas.check(schema, envelope) {
            panic!("an event outside the document: {problem}\n{data}");
        }
    }
}

impl Path {
    fn leads_to(&self, address: &str) -> bool {
        let fits = |(part, wanted): (&str, &str)| match wanted.starts_with('{') {
            true => !part.is_empty(),
            false => part == wanted,
        };
        let template = self.template.split('/');
        address.split('/').count() == template.clone().count()
            && address.split('/').zip(template).all(fits)
    }
}

/// A request and what came back.
pub(super) struct Exchange<'a> {
    pub(super) method: &'a str,
    pub(super) target: &'a str,
    pub(super) status: u16,
    pub(super) content_type: Option<&'a str>,
    pub(super) body: Option<&'a [u8]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(method: &str, target: &str, status: u16, body: &str) -> Result<(), String> {
        Document::of_this_build().judge(&Exchange {
            method,
            target,
            status,
            content_type: Some("application/json"),
            body: Some(body.as_bytes()),
        })
    }

    #[test]
    fn what_the_document_says_passes() {
        let health = r#"{"status":"ok","service":"x","mode":"local"}"#;
        assert_eq!(judge("GET", "/health", 200, health), Ok(()));
        assert_eq!(judge("GET", "/v1/threads?limit=1", 200, "[]"), Ok(()));
        let error = r#"{"error":{"message":"m","status":404,"code":"not_found"}}"#;
        assert_eq!(judge("GET", "/v1/threads/thr_x", 404, error), Ok(()));
        assert_eq!(judge("GET", "/v1/nothing", 404, error), Ok(()));
        assert_eq!(judge("GET", "/page", 200, "whatever"), Ok(()));
    }

    #[test]
    fn every_example_is_what_it_is_an_example_of() {
        let document = Document::of_this_build();
        let mut seen = 0;
        for described in document.operations() {
            let answers = described.operation["responses"].as_object().unwrap();
            let answers = answers
                .values()
                .map(|answer| document.schemas.resolve(answer));
            let body = described.operation.get("requestBody");
            for part in answers.chain(body) {
                let Some(content) = part.pointer("/content/application~1json") else {
                    continue;
                };
                let example = &content["example"];
                let checked = document.schemas.check(&content["schema"], example);
                let (method, path) = (described.method, described.path);
                assert_eq!(checked, Ok(()), "{method} {path}: {example}");
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn an_answer_outside_the_document_is_told() {
        let problem =
            |method, target, status, body| judge(method, target, status, body).unwrap_err();
        assert!(problem("GET", "/v1/threads", 418, "[]").contains("418"));
        assert!(problem("GET", "/v1/threads", 200, "{}").contains("array"));
        assert!(problem("GET", "/v1/threads/summary", 404, "[]").contains("404"));
        assert!(problem("GET", "/v1/nothing", 200, "[]").contains("404"));
        assert!(problem("DELETE", "/v1/threads", 200, "[]").contains("405"));
        assert!(problem("GET", "/v1/threads/thr_x", 404, "{}").contains("error"));
        assert!(problem("DELETE", "/v1/sessions/thr_x", 204, "{}").contains("no body"));
    }
}
