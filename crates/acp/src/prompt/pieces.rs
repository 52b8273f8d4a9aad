//! What a prompt consists of.

use crate::error::RpcError;
use crate::wire::{ContentBlock, EmbeddedResource};

/// One piece of a prompt.
#[derive(PartialEq, Debug)]
pub(super) enum Piece {
    Text(String),
    /// A picture or a sound, in base64. What it is shows in its bytes.
    Attached(String),
}

/// The prompt in its pieces, in order.
pub(super) fn read(blocks: Vec<ContentBlock>) -> Result<Vec<Piece>, RpcError> {
    let mut pieces: Vec<Piece> = blocks.into_iter().map(piece).collect();
    pieces.retain(|piece| match piece {
        Piece::Text(text) => !text.trim().is_empty(),
        Piece::Attached(_) => true,
    });
    match pieces.is_empty() {
        true => Err(RpcError::invalid_params("the prompt is empty")),
        false => Ok(pieces),
    }
}

fn piece(block: ContentBlock) -> Piece {
    match block {
        ContentBlock::Text { text } => Piece::Text(text),
        ContentBlock::Image { data, .. } | ContentBlock::Audio { data, .. } => {
            Piece::Attached(data)
        }
        ContentBlock::ResourceLink {
            uri,
            name,
            title,
            description,
        } => {
            let name = title.unwrap_or(name);
            let about = description.map_or_else(String::new, |text| format!(": {text}"));
            Piece::Text(format!("[{name}]({uri}){about}"))
        }
        ContentBlock::Resource { resource } => match resource {
            EmbeddedResource::Text { uri, text } => Piece::Text(format!(
                "<resource uri={uri:?}>\n{}\n</resource>",
                text.trim_end_matches('\n')
            )),
            EmbeddedResource::Blob { blob, .. } => Piece::Attached(blob),
        },
    }
}

/// The texts of a prompt that has nothing else.
pub(super) fn texts(pieces: &[Piece]) -> Option<Vec<String>> {
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => Some(text.clone()),
        Piece::Attached(_) => None,
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(blocks: Value, expected: Result<Vec<Piece>, i64>) {
        let blocks: Vec<ContentBlock> = serde_json::from_value(blocks).unwrap();
        assert_eq!(read(blocks).map_err(|error| error.code), expected);
    }

    #[test]
    fn a_prompt_keeps_the_order_of_its_pieces() {
        let blocks = json!([
            { "type": "text", "text": "look at" },
            { "type": "resource_link", "uri": "file:///a.rs", "name": "a.rs", "size": 3 },
            { "type": "resource", "resource": { "uri": "file:///b.rs", "text": "fn b() {}\n" } },
            { "type": "text", "text": " " },
        ]);
        let expected = [
            "look at",
            "[a.rs](file:///a.rs)",
            "<resource uri=\"file:///b.rs\">\nfn b() {}\n</resource>",
        ];
        let expected = expected.map(|text| Piece::Text(text.to_owned()));
        check(blocks, Ok(expected.into()));
    }

    #[test]
    fn pictures_and_sounds_keep_their_places_whatever_they_are_wrapped_in() {
        let blocks = json!([
            { "type": "image", "data": "AA==", "mimeType": "image/png" },
            { "type": "text", "text": "and" },
            { "type": "audio", "data": "AQ==", "mimeType": "audio/wav" },
            { "type": "resource", "resource": { "uri": "file:///x", "blob": "Ag==" } },
        ]);
        let attached = |data: &str| Piece::Attached(data.to_owned());
        let and = Piece::Text("and".to_owned());
        let expected = vec![attached("AA=="), and, attached("AQ=="), attached("Ag==")];
        check(blocks, Ok(expected));
    }

    #[test]
    fn a_prompt_without_anything_in_it_is_refused() {
        for blocks in [json!([]), json!([{ "type": "text", "text": "\n" }])] {
            check(blocks, Err(-32602));
        }
    }
}
