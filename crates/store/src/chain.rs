//! The hash chain: each event's hash covers its text and the hash before it, so that a changed,
//! dropped or reordered event shows.

use sha2::{Digest, Sha256};

/// A link of the chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hash([u8; 32]);

impl Hash {
    /// What the first event of a stream builds on.
    pub(crate) fn genesis(stream: &str) -> Self {
        Self(Sha256::digest(stream.as_bytes()).into())
    }

    /// The hash of an event with this text.
    pub(crate) fn next(self, body: &str) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        hasher.update(body.as_bytes());
        Self(hasher.finalize().into())
    }

    pub(crate) fn to_hex(self) -> String {
        hex(&self.0)
    }

    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(bytes))
    }
}

/// Bytes as lower-case hexadecimal text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_plain_sha256_that_standard_tools_verify() {
        // printf thr_a | sha256sum
        let genesis = Hash::genesis("thr_a");
        assert_eq!(Hash::from_hex(&genesis.to_hex()), Some(genesis));
        let mut bytes = genesis.0.to_vec();
        bytes.extend_from_slice(b"{}");
        assert_eq!(genesis.next("{}").to_hex(), hex(&Sha256::digest(&bytes)));
    }

    #[test]
    fn text_that_is_no_hash_is_not_taken_for_one() {
        assert_eq!(Hash::from_hex("abc"), None);
        assert_eq!(Hash::from_hex(&"x".repeat(64)), None);
    }
}
