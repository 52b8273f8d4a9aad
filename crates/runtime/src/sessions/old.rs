//! Sessions that other programs recorded: files of theirs, listed and read, never written.
//!
//! A file is `{metadata, messages, system_prompt}`. What it says is read with patience: a member that is
//! missing or of another shape counts as unsaid, and a file that is no JSON is left out.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use codewhale_protocol::runtime::{
    Mode, SessionBlock, SessionMessage, ThreadId, Timestamp, summarize,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::limits;

/// Where such files are, and what was seen in them.
#[derive(Default)]
pub(crate) struct OldSessions {
    directories: Vec<PathBuf>,
    known: Mutex<BTreeMap<PathBuf, Known>>,
}

/// A file as it was at the last look.
#[derive(Clone)]
struct Known {
    stamp: (Option<SystemTime>, u64),
    /// Nothing when it is broken.
    head: Option<Head>,
}

/// What there is to know of a session without reading it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Head {
    pub(crate) id: ThreadId,
    pub(crate) title: String,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) messages: u64,
    pub(crate) tokens: u64,
    pub(crate) model: String,
    pub(crate) provider: Option<String>,
    pub(crate) workspace: String,
    pub(crate) mode: Mode,
    path: PathBuf,
}

/// A session with everything said in it.
pub(crate) struct Old {
    pub(crate) head: Head,
    pub(crate) messages: Vec<SessionMessage>,
    pub(crate) system_prompt: Option<String>,
}

/// A file as far as it is needed.
#[derive(Deserialize)]
struct File<M> {
    #[serde(default)]
    metadata: Map<String, Value>,
    messages: Vec<M>,
    #[serde(default)]
    system_prompt: Value,
}

impl OldSessions {
    pub(crate) fn new(directories: Vec<PathBuf>) -> Self {
        Self {
            directories,
            known: Mutex::default(),
        }
    }

    /// All that can be read, the last changed first. Reads only what has changed since the last look.
    pub(crate) fn list(&self) -> Vec<Head> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *known);
        let mut heads: Vec<Head> = Vec::new();
        for (path, stamp) in self.files() {
            let same = before.get(&path).filter(|it| it.stamp == stamp);
            let head = match same {
                Some(known) => known.head.clone(),
                None => head_of(&path, stamp.0),
            };
            // The directory that is named first has the say.
            heads.extend(
                head.clone()
                    .filter(|head| heads.iter().all(|it| it.id != head.id)),
            );
            known.insert(path, Known { stamp, head });
        }
        heads.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then(a.id.cmp(&b.id)));
        heads
    }

    /// The session of this id, whole.
    pub(crate) fn read(&self, id: &ThreadId) -> Option<Old> {
        let head = self.list().into_iter().find(|head| head.id == *id)?;
        let text = bytes(&head.path)?;
        let file: File<Value> = serde_json::from_slice(&text).ok()?;
        Some(Old {
            messages: file.messages.iter().filter_map(message).collect(),
            system_prompt: filled(file.system_prompt.as_str()),
            head,
        })
    }

    /// The newest files of each directory that can be sessions.
    fn files(&self) -> Vec<(PathBuf, (Option<SystemTime>, u64))> {
        let mut all = Vec::new();
        for directory in &self.directories {
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            let mut files: Vec<_> = entries
                .take(limits::OLD_ENTRIES_MAX)
                .filter_map(|entry| {
                    let path = entry.path();
                    let is_json = path.extension().is_some_and(|it| it == "json");
                    // Of a link this tells about the link, which is no file.
                    let facts = entry.metadata().ok().filter(|it| is_json && it.is_file())?;
                    Some((path, (facts.modified().ok(), facts.len())))
                })
                .collect();
            files.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
            files.truncate(limits::OLD_FILES_MAX);
            all.append(&mut files);
        }
        all
    }
}

fn bytes(path: &Path) -> Option<Vec<u8>> {
    let max = limits::OLD_FILE_BYTES_MAX;
    let mut text = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(max + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= max).then_some(text)
}

fn head_of(path: &Path, modified: Option<SystemTime>) -> Option<Head> {
    let text = bytes(path);
    let file = text.and_then(|text| serde_json::from_slice::<File<IgnoredAny>>(&text).ok());
    let name = path.file_stem().and_then(|stem| stem.to_str());
    let (Some(file), Some(name)) = (file, name) else {
        let path = path.display();
        tracing::warn!(%path, "an old session is left out: it is too long, or not a session");
        return None;
    };
    let said = |key: &str| filled(file.metadata.get(key).and_then(Value::as_str));
    let number = |key: &str| file.metadata.get(key).and_then(Value::as_u64);
    let moment = |key: &str| {
        let value = file.metadata.get(key)?.clone();
        serde_json::from_value::<Timestamp>(value).ok()
    };
    let since = modified.and_then(|it| it.duration_since(SystemTime::UNIX_EPOCH).ok());
    let modified = since.and_then(|it| i64::try_from(it.as_millis()).ok());
    let updated_at = moment("updated_at").unwrap_or(Timestamp::from_ms(modified.unwrap_or(0)));
    let id = said("id").filter(|id| is_id(id));
    Some(Head {
        id: ThreadId::from(&*id.or(Some(name.to_owned()).filter(|it| is_id(it)))?),
        title: summarize(&said("title").unwrap_or_else(|| name.to_owned())),
        created_at: moment("created_at").unwrap_or(updated_at),
        updated_at,
        messages: number("message_count").unwrap_or(file.messages.len() as u64),
        tokens: number("total_tokens").unwrap_or(0),
        model: said("model").unwrap_or_default(),
        provider: said("model_provider_id").or(said("model_provider")),
        workspace: said("workspace").unwrap_or_default(),
        // Only what does not loosen anything is taken over.
        mode: match said("mode").as_deref() {
            Some("plan") => Mode::Plan,
            _ => Mode::Agent,
        },
        path: path.to_owned(),
    })
}

/// Ids stand in paths of requests.
fn is_id(id: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    id.len() <= limits::OLD_ID_BYTES_MAX && !id.starts_with('.') && id.chars().all(is_plain)
}

fn filled(text: Option<&str>) -> Option<String> {
    let text = text.filter(|text| !text.trim().is_empty());
    text.map(str::to_owned)
}

fn message(value: &Value) -> Option<SessionMessage> {
    let role = match value["role"].as_str()? {
        role @ ("user" | "assistant") => role,
        "tool" => "user",
        _ => return None,
    };
    let content = match &value["content"] {
        Value::String(text) => vec![SessionBlock::Text { text: text.clone() }],
        Value::Array(blocks) => blocks.iter().filter_map(block).collect(),
        _ => Vec::new(),
    };
    Some(SessionMessage {
        role: role.to_owned(),
        content,
    })
}

fn block(value: &Value) -> Option<SessionBlock> {
    let said = |key: &str| value[key].as_str().map(str::to_owned);
    Some(match value["type"].as_str()? {
        "text" => SessionBlock::Text {
            text: said("text")?,
        },
        "thinking" => SessionBlock::Thinking {
            text: said("text").or(said("thinking"))?,
        },
        "tool_use" => SessionBlock::ToolUse {
            id: said("id")?,
            name: said("name")?,
            input: value["input"].clone(),
        },
        "tool_result" => SessionBlock::ToolResult {
            tool_use_id: said("tool_use_id")?,
            content: result(&value["content"], &value["content_blocks"]),
            is_error: value["is_error"] == true,
        },
        _ => return None,
    })
}

/// A result is a text, or blocks with texts in them.
fn result(content: &Value, blocks: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let blocks = content.as_array().or(blocks.as_array());
    let texts = blocks.into_iter().flatten();
    let texts = texts.filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn folder(files: &[(&str, String)]) -> (tempfile::TempDir, OldSessions) {
        let home = tempfile::tempdir().expect("there is room for files");
        for (name, text) in files {
            fs::write(home.path().join(name), text).expect("the directory can be written");
        }
        let old = OldSessions::new(vec![home.path().to_owned(), "/nowhere".into()]);
        (home, old)
    }

    #[test]
    fn a_file_is_told_by_what_it_says_and_else_by_its_name() {
        let whole = json!({
            "metadata": {
                "id": "0d6c", "title": "Roses", "created_at": "2025-01-02T03:04:05Z",
                "updated_at": "2026-01-02T03:04:05Z", "message_count": 9, "total_tokens": 7,
                "model": "m", "model_provider": "deepseek", "workspace": "/w", "mode": "yolo",
                "cost": { "odd": [1] }
            },
            "messages": [{ "role": "user", "content": "hello" }, 7, { "role": "system" }],
            "system_prompt": "be brief", "more": null
        });
        let bare = json!({ "messages": [], "metadata": { "title": 7, "updated_at": "never" } });
        let (_home, old) = folder(&[
            ("whole.json", whole.to_string()),
            ("bare.json", bare.to_string()),
        ]);
        let heads = old.list();
        let head = |id: &str| heads.iter().find(|it| it.id.as_str() == id);
        let roses = head("0d6c").expect("it is listed");
        assert_eq!((roses.title.as_str(), roses.messages), ("Roses", 9));
        assert_eq!((roses.mode, roses.tokens), (Mode::Agent, 7));
        assert_eq!(head("bare").map(|it| it.messages), Some(0));
        let read = old.read(&"0d6c".into()).expect("it can be read");
        assert_eq!(read.messages.len(), 1);
        assert_eq!(read.system_prompt.as_deref(), Some("be brief"));
    }

    #[test]
    fn what_is_no_session_is_left_out_and_what_changed_is_read_again() {
        let (home, old) = folder(&[
            ("broken.json", "{".to_owned()),
            ("other.json", "{}".to_owned()),
            ("notes.txt", "{\"messages\":[]}".to_owned()),
            ("a b.json", "{\"messages\":[]}".to_owned()),
        ]);
        std::os::unix::fs::symlink("/etc/hostname", home.path().join("link.json"))
            .expect("the directory can be written");
        assert_eq!(old.list(), []);
        fs::write(home.path().join("broken.json"), "{\"messages\":[1]}")
            .expect("the directory can be written");
        assert_eq!(old.list().len(), 1);
        assert!(old.read(&"../broken".into()).is_none());
        fs::remove_file(home.path().join("broken.json")).expect("the file is there");
        assert_eq!(old.list(), []);
    }

    #[test]
    fn blocks_of_all_shapes_are_read() {
        let value = json!({ "role": "assistant", "content": [
            { "type": "text", "text": "a" }, { "type": "thinking", "thinking": "b" }, null,
            { "type": "tool_use", "id": "1", "name": "ls", "input": {} },
            { "type": "tool_result", "tool_use_id": "1", "content": [{ "text": "c" }, {}] },
            { "type": "tool_result", "tool_use_id": "2", "content_blocks": [{ "text": "d" }] },
            { "type": "image" },
        ] });
        let read = message(&value).expect("it is a message").content;
        assert_eq!(read.len(), 5);
        let SessionBlock::ToolResult { content, .. } = &read[4] else {
            panic!("{read:?}");
        };
        assert_eq!(content, "d");
    }
}
