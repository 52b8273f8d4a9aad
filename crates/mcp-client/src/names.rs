//! What a tool of a server is called before the model.

use std::hash::Hasher;

use crate::limits::NAME_BYTES_MAX;

/// `mcp_<server>_<tool>`, in characters every provider takes. A name that is too long ends with a
/// fingerprint of the whole, so that two long ones stay two.
pub(crate) fn shown(server: &str, tool: &str) -> String {
    let whole = format!("mcp_{}_{}", cleaned(server), cleaned(tool));
    if whole.len() <= NAME_BYTES_MAX {
        return whole;
    }
    let fingerprint = fingerprint(&[server, tool]);
    let kept = &whole[..NAME_BYTES_MAX - fingerprint.len() - 1];
    format!("{kept}_{fingerprint}")
}

fn cleaned(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect()
}

/// FNV-1a, which stays the same from one build to the next.
fn fingerprint(words: &[&str]) -> String {
    struct Fnv(u64);
    impl Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    for word in words {
        hasher.write(word.as_bytes());
        hasher.write(&[0]);
    }
    format!("{:08x}", hasher.finish() & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_server_and_tool() {
        for (server, tool, expected) in [
            ("files", "read_file", "mcp_files_read_file"),
            ("git-hub", "get.issue", "mcp_git-hub_get_issue"),
            ("a b", "päd/x", "mcp_a_b_p_d_x"),
        ] {
            assert_eq!(shown(server, tool), expected);
        }
    }

    #[test]
    fn a_long_name_fits_and_stays_itself() {
        let long = "x".repeat(200);
        let (one, two) = (shown("s", &long), shown("s", &format!("{long}y")));
        assert_eq!((one.len(), two.len()), (NAME_BYTES_MAX, NAME_BYTES_MAX));
        assert_ne!(one, two);
        assert_eq!(one, shown("s", &long));
    }
}
