//! Giving memory back: what a burst of turns took stays with the allocator until it is told that
//! nothing more comes.

use std::time::Duration;

use codewhale_runtime::Runtime;

/// How long nothing may run before memory is given back.
const QUIET: Duration = Duration::from_millis(500);

/// Gives memory back whenever the turns have ended, for as long as it is polled.
pub(crate) async fn give_back_when_quiet(runtime: &Runtime) -> std::convert::Infallible {
    loop {
        runtime.quiet().await;
        tokio::time::sleep(QUIET).await;
        give_back();
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_back() {
    #[expect(
        unsafe_code,
        reason = "the allocator of the C library has no safe interface; the call takes no pointer"
    )]
    // SAFETY: `malloc_trim` may be called at any time from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators do it by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}
