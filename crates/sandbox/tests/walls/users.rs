//! The walls must not depend on who puts them up: what root was kept from, an ordinary user is too.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use codewhale_sandbox::{Command, End, run};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn all_of_this_holds_for_an_ordinary_user_too() {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root || !Path::new("/usr/bin/setpriv").exists() {
        return;
    }
    let place = TempDir::new_in("/var/tmp").unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = place.path().join("escapes");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let mut arguments: Vec<_> = user.map(Into::into).into();
    arguments.push(copy.into());
    arguments.extend(["escapes::", "network::", "work::"].map(Into::into));
    let command = Command {
        arguments,
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        ..Command::new("/usr/bin/setpriv", "/")
    };
    let outcome = run(command, &CancellationToken::new()).await.unwrap();
    let text = &outcome.output.text;
    assert_eq!(outcome.end, End::Exited(0), "{text}");
    assert!(text.contains("test result: ok. "), "{text}");
}
