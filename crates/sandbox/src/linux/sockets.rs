//! Sockets with a path that programs of this machine listen on.

use std::fs;
use std::path::PathBuf;

/// Those that are there now.
pub(super) fn bound() -> Vec<PathBuf> {
    let list = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    paths(&list).flat_map(fs::canonicalize).collect()
}

/// The paths in the kernel's list of sockets: the eighth word of a line, if it has one and it is
/// no nameless socket.
fn paths(list: &str) -> impl Iterator<Item = &str> {
    let paths = list.lines().filter_map(|line| {
        let mut rest = line;
        for _ in 0..7 {
            rest = rest.trim_start().split_once(' ')?.1;
        }
        Some(rest.trim_start())
    });
    paths.filter(|path| path.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_sockets_is_read() {
        let list = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                    0000: 00000002 00000000 00010000 0001 01   123 /run/a b.sock\n\
                    0000: 00000002 00000000 00010000 0001 01 12345 @nameless\n\
                    0000: 00000003 00000000 00000000 0001 03   124\n";
        let paths: Vec<_> = paths(list).collect();
        assert_eq!(paths, ["/run/a b.sock"]);
    }
}
