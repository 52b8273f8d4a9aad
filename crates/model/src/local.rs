//! Finds model servers on this machine: Ollama, LM Studio and llama.cpp, where they listen unless
//! told otherwise. Nothing is sent but a question for the models they have.

use std::pin::Pin;

use http_body::Body;
use serde::Deserialize;
use tokio::time::timeout;

use crate::http::{Http, Reach};
use crate::limits;

/// A server that answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalServer {
    /// What it is.
    pub kind: LocalKind,
    /// Its address, as a provider's `base_url`.
    pub base_url: String,
    /// The models it has, in its own order.
    pub models: Vec<String>,
}

/// Which program serves models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalKind {
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// llama.cpp's server.
    LlamaCpp,
}

impl LocalKind {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::LmStudio => "LM Studio",
            Self::LlamaCpp => "llama.cpp",
        }
    }

    /// Where it tells its models, and what its answer must name so that no other server on the
    /// same port is taken for it.
    fn question(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Ollama => ("/api/tags", None),
            Self::LmStudio => ("/api/v0/models", None),
            Self::LlamaCpp => ("/v1/models", Some("llamacpp")),
        }
    }
}

/// The ports to ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ports {
    /// Ollama's.
    pub ollama: u16,
    /// LM Studio's.
    pub lm_studio: u16,
    /// llama.cpp's.
    pub llama_cpp: u16,
}

impl Default for Ports {
    fn default() -> Self {
        Self {
            ollama: 11434,
            lm_studio: 1234,
            llama_cpp: 8080,
        }
    }
}

/// Asks all ports at once and gives who answered. Takes half a second at most.
pub async fn detect(ports: Ports) -> Vec<LocalServer> {
    let http = Http::new(limits::LOCAL_WAIT);
    let found = tokio::join!(
        ask(&http, LocalKind::Ollama, ports.ollama),
        ask(&http, LocalKind::LmStudio, ports.lm_studio),
        ask(&http, LocalKind::LlamaCpp, ports.llama_cpp),
    );
    [found.0, found.1, found.2].into_iter().flatten().collect()
}

async fn ask(http: &Http, kind: LocalKind, port: u16) -> Option<LocalServer> {
    let host = format!("http://127.0.0.1:{port}");
    let (path, owner) = kind.question();
    let answer = timeout(limits::LOCAL_WAIT, fetch(http, format!("{host}{path}"))).await;
    let models = read(&answer.ok()??, owner)?;
    Some(LocalServer {
        kind,
        base_url: format!("{host}/v1"),
        models,
    })
}

/// The body of a successful answer, unless it is too long.
async fn fetch(http: &Http, url: String) -> Option<Vec<u8>> {
    let client = http.client(Reach::Loopback).ok()?;
    let response = client.get(url).send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let mut body = reqwest::Body::from(response);
    let mut read = Vec::new();
    while let Some(frame) =
        std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
    {
        if let Some(bytes) = frame.ok()?.data_ref() {
            read.extend_from_slice(bytes);
        }
        if read.len() > limits::LOCAL_BYTES_MAX {
            return None;
        }
    }
    Some(read)
}

#[derive(Deserialize)]
struct Listed {
    #[serde(alias = "name")]
    id: String,
    #[serde(default)]
    owned_by: Option<String>,
    /// What LM Studio says it is for.
    #[serde(default, rename = "type")]
    purpose: Option<String>,
}

/// The models an answer lists; none if it is no such list.
fn read(body: &[u8], owner: Option<&str>) -> Option<Vec<String>> {
    let value: serde_json::Value = serde_json::from_slice(body).ok()?;
    // llama.cpp lists its models twice, under both names.
    let list = value.get("data").or_else(|| value.get("models"))?;
    let list: Vec<Listed> = Vec::deserialize(list).ok()?;
    let is_owned = |model: &Listed| owner.is_none_or(|it| model.owned_by.as_deref() == Some(it));
    if !list.iter().all(is_owned) || (owner.is_some() && list.is_empty()) {
        return None;
    }
    let talks = |model: &Listed| model.purpose.as_deref() != Some("embeddings");
    let models = list.into_iter().filter(talks);
    Some(models.map(|model| model.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_models_are_read_and_others_are_not() {
        let tags = r#"{"models":[{"name":"qwen3:8b","model":"qwen3:8b","size":5},{"name":"b","model":"b"}]}"#;
        let studio =
            r#"{"object":"list","data":[{"id":"a","type":"llm"},{"id":"e","type":"embeddings"}]}"#;
        let llama = r#"{"models":[{"name":"x"}],"object":"list","data":[{"id":"x","owned_by":"llamacpp"}]}"#;
        let names = |names: &'static [&'static str]| Some(names);
        let cases = [
            (tags, None, names(&["qwen3:8b", "b"])),
            (studio, None, names(&["a"])),
            (llama, Some("llamacpp"), names(&["x"])),
            (r#"{"models":[]}"#, None, names(&[])),
            (studio, Some("llamacpp"), None),
            (r#"{"data":[]}"#, Some("llamacpp"), None),
            (r#"{"status":"ok"}"#, None, None),
            ("<html></html>", None, None),
        ];
        for (body, owner, expect) in cases {
            let found = read(body.as_bytes(), owner);
            let expect = expect.map(|names| names.iter().map(|it| (*it).to_owned()).collect());
            assert_eq!(found, expect, "{body}");
        }
    }
}
