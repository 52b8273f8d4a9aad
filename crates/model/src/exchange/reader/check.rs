//! What the tests of all dialects share: an answer is read whole, cut at every byte, and byte by
//! byte, and all must give the same.

use codewhale_protocol::{Secret, runtime};

use super::*;
use crate::ToolCall;
use crate::{FinishReason, failure::Origin};

/// The chunks, and the error that ended them.
pub(crate) type Outcome = (Vec<Chunk>, Option<(ErrorKind, String)>);

pub(crate) fn origin() -> Arc<Origin> {
    Arc::new(Origin {
        provider: "deepseek".into(),
        host: "h".into(),
        key: Some(Secret::new("sk-secret")),
        key_hint: "Check the key.".into(),
    })
}

/// Everything that comes of the pieces.
fn read<P: Parse>(parse: P, pieces: &[&[u8]]) -> Outcome {
    let mut reader = Reader::new(origin(), parse);
    let mut chunks = Vec::new();
    let mut take = |reader: &mut Reader<P>| -> Result<(), Error> {
        while let Some(chunk) = reader.next()? {
            chunks.push(chunk);
        }
        Ok(())
    };
    let read = pieces
        .iter()
        .try_for_each(|piece| reader.push(piece).and_then(|()| take(&mut reader)))
        .and_then(|()| reader.end())
        .and_then(|()| take(&mut reader));
    assert!(read.is_err() || reader.is_done());
    (chunks, read.err().map(|error| (error.kind, error.message)))
}

/// Reads an answer in all ways of cutting it.
pub(crate) fn outcome<P: Parse>(parse: impl Fn() -> P, answer: &[u8], expect: &Outcome) {
    assert_eq!(&read(parse(), &[answer]), expect);
    for cut in 0..=answer.len() {
        assert_eq!(
            &read(parse(), &[&answer[..cut], &answer[cut..]]),
            expect,
            "cut at {cut}"
        );
    }
    let single: Vec<&[u8]> = answer.chunks(1).collect();
    assert_eq!(&read(parse(), &single), expect);
}

/// An answer that is read to its end, with either kind of line end.
pub(crate) fn chunks<P: Parse>(parse: impl Fn() -> P, answer: &str, expect: &[Chunk]) {
    let expect = (expect.to_vec(), None);
    outcome(&parse, answer.as_bytes(), &expect);
    outcome(&parse, answer.replace('\n', "\r\n").as_bytes(), &expect);
}

/// An answer that ends with an error.
pub(crate) fn error<P: Parse>(
    parse: impl Fn() -> P,
    answer: &str,
    before: &[Chunk],
    kind: ErrorKind,
    message: &str,
) {
    let expect = (before.to_vec(), Some((kind, message.into())));
    outcome(parse, answer.as_bytes(), &expect);
}

pub(crate) fn said(text: &str) -> Chunk {
    Chunk::Text(text.into())
}

pub(crate) fn thought(text: &str) -> Chunk {
    Chunk::Reasoning(text.into())
}

pub(crate) fn called(id: &str, name: &str, arguments: &str) -> Chunk {
    Chunk::Call(ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    })
}

pub(crate) fn used(input_tokens: u64, output_tokens: u64) -> Chunk {
    Chunk::Usage(runtime::Usage {
        input_tokens,
        output_tokens,
        ..runtime::Usage::default()
    })
}

pub(crate) const STOP: Chunk = Chunk::Finished(FinishReason::Stop);
pub(crate) const CALLS: Chunk = Chunk::Finished(FinishReason::ToolCalls);
