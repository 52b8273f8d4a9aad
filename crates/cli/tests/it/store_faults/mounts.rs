//! File systems of the tests' own. They are mounted in a namespace that only the program lives in,
//! so nothing of them is left on the machine.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use codewhale_testkit::app::{App, Home, Program};

use crate::scene::program;

/// The program, started behind a script that mounts something on its home.
pub(crate) async fn mounted(home: &Home, mount: &str) -> Program {
    let script = format!("{mount} && exec \"$@\"");
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let unshare = if is_root {
        "--mount"
    } else {
        "--map-root-user"
    };
    let wrapper = ["unshare", unshare, "--mount", "sh", "-c", &script, "sh"];
    let probe = Program::new("true", home).through(wrapper).run().await;
    assert_eq!(
        probe.code,
        Some(0),
        "this machine does not let tests mount a file system, which full and read-only disks need: \
         run as root with CAP_SYS_ADMIN, or allow user namespaces. {}",
        probe.stderr
    );
    program(home).through(wrapper)
}

/// The home as the program sees it, for those outside of its namespace.
pub(crate) fn inside(app: &App, home: &Home) -> PathBuf {
    let root = PathBuf::from(format!("/proc/{}/root", app.pid()));
    root.join(home.path().strip_prefix(Path::new("/")).unwrap())
}
