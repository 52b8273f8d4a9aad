//! Makes sure that a file is still the one that was read.

use crate::Output;
use crate::digest::sha256_hex;
use crate::limits::HASH_DIGITS_MIN;
use crate::paths::Place;

/// Compares a file with the SHA-256 that the model knows of it, of which the first digits do.
pub(crate) fn check_expected(
    place: &Place,
    bytes: Option<&[u8]>,
    expected: &str,
) -> Result<(), Output> {
    let shown = &place.shown;
    let digits = expected.trim().trim_start_matches("sha256:").to_lowercase();
    let is_hash = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_hash || digits.len() < HASH_DIGITS_MIN {
        return Err(Output::failure(format!(
            "expected_hash is not a SHA-256: give at least its first {HASH_DIGITS_MIN} \
             hexadecimal digits, or leave it out"
        )));
    }
    let Some(bytes) = bytes else {
        return Err(Output::failure(format!(
            "`{shown}` does not exist, though expected_hash says it was read; nothing was written"
        )));
    };
    let now = sha256_hex(bytes);
    if now.starts_with(&digits) {
        return Ok(());
    }
    Err(Output::failure(format!(
        "`{shown}` is not what was expected: its SHA-256 is {} now. Nothing was written; read it \
         again first",
        short(&now)
    )))
}

/// As much of a hash as the model needs.
pub(crate) fn short(hash: &str) -> &str {
    &hash[..HASH_DIGITS_MIN]
}
