//! What servers answer, as text. Pictures and sounds are told by their kind and size; pictures are shown
//! to models that see.

use codewhale_tools::{Context, Output, Pictures};
use serde_json::{Value, json};

use crate::Error;
use crate::limits::{RESULT_BYTES_MAX, RESULT_HEAD_BYTES, RESULT_TAIL_BYTES};

/// What came of a call.
pub(crate) async fn of_call(answer: &Value, context: &Context) -> Output {
    let blocks = answer["content"].as_array();
    let mut pictures = Pictures::of(context);
    let mut parts: Vec<String> = Vec::new();
    for block in blocks.into_iter().flatten() {
        let number = picture(block).and_then(|data| pictures.take(data));
        parts.push(told(block));
        parts.extend(number);
    }
    let structured = &answer["structuredContent"];
    // Servers repeat it as text for those who do not know it.
    if parts.is_empty() && !structured.is_null() {
        parts.push(structured.to_string());
    }
    let is_known = blocks.is_some() || !structured.is_null();
    if !is_known {
        parts.push(format!("[an answer of an unknown shape] {answer}"));
    }
    let (text, reference, truncated) = fitted(parts.join("\n"), context).await;
    let text = match text.is_empty() {
        true => "[the tool said nothing]".to_owned(),
        false => text,
    };
    let output = match answer["isError"] == true {
        true => Output::failure(text),
        false => Output::success(text),
    };
    pictures.on(output.with_metadata(json!({"truncated": truncated, "ref": reference})))
}

/// What may be a picture, in base64.
fn picture(block: &Value) -> Option<&str> {
    match block["type"].as_str()? {
        "image" => block["data"].as_str(),
        "resource" => block["resource"]["blob"].as_str(),
        _ => None,
    }
}

/// The text of a resource.
pub(crate) fn of_resource(answer: &Value) -> Result<String, Error> {
    let contents = answer["contents"]
        .as_array()
        .ok_or_else(|| nonsense("contents"))?;
    let parts: Vec<String> = contents.iter().map(resource).collect();
    Ok(parts.join("\n"))
}

/// The text of a prompt: who says what.
pub(crate) fn of_prompt(answer: &Value) -> Result<String, Error> {
    let messages = answer["messages"]
        .as_array()
        .ok_or_else(|| nonsense("messages"))?;
    let messages = messages.iter().map(|message| {
        let role = message["role"].as_str().unwrap_or("user");
        format!("{role}: {}", told(&message["content"]))
    });
    Ok(messages.collect::<Vec<_>>().join("\n\n"))
}

fn nonsense(member: &str) -> Error {
    Error::Nonsense {
        why: format!("it has no list `{member}`"),
    }
}

/// One block of an answer.
fn told(block: &Value) -> String {
    let text = |key: &str| block[key].as_str().unwrap_or_default();
    match text("type") {
        "text" => text("text").to_owned(),
        kind @ ("image" | "audio") => {
            let bytes = text("data").len() / 4 * 3;
            format!("[{kind} of type {}, about {bytes} bytes]", text("mimeType"))
        }
        "resource" => resource(&block["resource"]),
        "resource_link" => format!("[resource {}: {}]", text("uri"), text("name")),
        _ => format!("[a block of an unknown kind] {block}"),
    }
}

fn resource(resource: &Value) -> String {
    let member = |key: &str| resource[key].as_str();
    let uri = member("uri").unwrap_or_default();
    match (member("text"), member("blob")) {
        (Some(text), _) => format!("[resource {uri}]\n{text}"),
        (None, Some(blob)) => {
            let kind = member("mimeType").unwrap_or("unknown type");
            format!(
                "[resource {uri}: {kind}, about {} bytes]",
                blob.len() / 4 * 3
            )
        }
        (None, None) => format!("[resource {uri} without content]"),
    }
}

/// A text that fits. Of a longer one both ends, and a reference to the whole if it was kept.
pub(crate) async fn fitted(text: String, context: &Context) -> (String, Option<String>, bool) {
    if text.len() <= RESULT_BYTES_MAX {
        return (text, None, false);
    }
    let results = context.results.clone();
    let kept = tokio::task::spawn_blocking(move || {
        let reference = results.keep(&text);
        (both_ends(&text, reference.as_deref()), reference)
    });
    match kept.await {
        Ok((text, reference)) => (text, reference, true),
        Err(_) => (
            "[the result was too long and is lost]".to_owned(),
            None,
            true,
        ),
    }
}

fn both_ends(text: &str, reference: Option<&str>) -> String {
    let head = &text[..text.floor_char_boundary(RESULT_HEAD_BYTES)];
    let tail = &text[text.ceil_char_boundary(text.len() - RESULT_TAIL_BYTES)..];
    let missing = text.len() - head.len() - tail.len();
    let rest = match reference {
        Some(reference) => {
            format!("retrieve_tool_result with ref \"{reference}\" reads the whole")
        }
        None => "the whole was not kept, so ask for less at a time".to_owned(),
    };
    format!("{head}\n[... {missing} bytes left out; {rest} ...]\n{tail}")
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;

    async fn check(answer: Value, success: bool, text: &str) {
        let context = Context::new("/", [].into(), CancellationToken::new());
        let output = of_call(&answer, &context).await;
        assert_eq!((output.success, &*output.text), (success, text), "{answer}");
    }

    #[tokio::test]
    async fn pictures_are_shown_to_models_that_see() {
        let picture = "iVBORw0KGgoAAAAA";
        let image = json!({"type": "image", "data": picture, "mimeType": "image/png"});
        let blob = json!({"uri": "x:/a", "blob": picture, "mimeType": "image/png"});
        let answer = json!({"content": [image, {"type": "resource", "resource": blob}]});
        let context = Context::new("/", [].into(), CancellationToken::new());
        let output = of_call(&answer, &context.clone().with_sight(true)).await;
        assert_eq!(
            output.text,
            "[image of type image/png, about 12 bytes]\n[image 1]\n\
             [resource x:/a: image/png, about 12 bytes]\n[image 2]"
        );
        assert_eq!(output.attached.len(), 2);
        let unseen = of_call(&answer, &context).await;
        assert!(unseen.attached.is_empty() && !unseen.text.contains("[image 1]"));
    }

    #[tokio::test]
    async fn an_answer_becomes_text() {
        let text = |text: &str| json!({"type": "text", "text": text});
        check(json!({"content": [text("a"), text("b")]}), true, "a\nb").await;
        check(
            json!({"content": [text("no")], "isError": true}),
            false,
            "no",
        )
        .await;
        check(json!({"content": []}), true, "[the tool said nothing]").await;
        check(
            json!({"content": [], "structuredContent": {"a": 1}}),
            true,
            r#"{"a":1}"#,
        )
        .await;
        check(
            json!({"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}),
            true,
            "[image of type image/png, about 3 bytes]",
        )
        .await;
        check(
            json!({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "c"}}]}),
            true,
            "[resource a:b]\nc",
        )
        .await;
        check(
            json!({"content": "lies"}),
            true,
            r#"[an answer of an unknown shape] {"content":"lies"}"#,
        )
        .await;
    }

    #[tokio::test]
    async fn a_long_answer_shows_both_ends() {
        let long = format!("first{}last", "€".repeat(RESULT_BYTES_MAX));
        let context = Context::new("/", [].into(), CancellationToken::new());
        let answer = json!({"content": [{"type": "text", "text": long}]});
        let output = of_call(&answer, &context).await;
        assert!(output.text.len() < RESULT_BYTES_MAX);
        assert!(output.text.starts_with("first€") && output.text.ends_with("€last"));
        assert!(output.text.contains("the whole was not kept"));
    }
}
