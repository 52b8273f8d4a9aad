//! Tells text from the rest by its first bytes.

/// What a file seems to be, if it is not text.
pub(crate) fn binary_kind(start: &[u8]) -> Option<&'static str> {
    let named = SIGNATURES
        .iter()
        .find(|(offset, signature, _)| {
            start
                .get(*offset..)
                .is_some_and(|rest| rest.starts_with(signature))
        })
        .map(|(.., kind)| *kind);
    named.or_else(|| start.contains(&0).then_some("unknown format"))
}

/// Where in the file, which bytes, what it is then.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF87a", "GIF image"),
    (0, b"GIF89a", "GIF image"),
    (8, b"WEBPVP8", "WebP image"),
    (0, b"\0\0\x01\0", "icon"),
    (0, b"%PDF-", "PDF document"),
    (0, b"PK\x03\x04", "ZIP archive or Office document"),
    (0, b"\x1f\x8b", "gzip archive"),
    (0, b"\x28\xb5\x2f\xfd", "zstd archive"),
    (0, b"\xfd7zXZ\0", "xz archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (257, b"ustar", "tar archive"),
    (0, b"\x7fELF", "ELF program or library"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O program or library"),
    (0, b"\0asm", "WebAssembly module"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (0, b"wOF2", "WOFF2 font"),
    (4, b"ftyp", "MP4 video or audio"),
    (0, b"OggS", "Ogg audio or video"),
    (0, b"\xff\xfe", "UTF-16 text"),
    (0, b"\xfe\xff", "UTF-16 text"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_text_in_any_script_and_everything_else_has_a_kind() {
        for text in [
            "",
            "plain\r\n",
            "grüße 日本 🐳",
            "\u{feff}with a mark",
            "PK",
            "GIF",
        ] {
            assert_eq!(binary_kind(text.as_bytes()), None, "{text}");
        }
        assert_eq!(binary_kind(b"latin \xe9"), None);
        assert_eq!(binary_kind(b"\x89PNG\r\n\x1a\n..."), Some("PNG image"));
        assert_eq!(binary_kind(b"\xff\xfeh\0i\0"), Some("UTF-16 text"));
        assert_eq!(binary_kind(b"a\0b"), Some("unknown format"));
    }
}
