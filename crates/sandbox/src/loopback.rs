//! A loopback that several commands share: a network with nobody in it but them. So one command can
//! talk to the server that another one started, and neither to anyone else.

use std::fmt;

/// A network of its own, made when the first command needs it. It lasts as long as someone holds it
/// or a command is in it.
#[derive(Default)]
pub struct Loopback {
    /// Nothing when it could not be made; then each command has one for itself.
    #[cfg(target_os = "linux")]
    rooms: std::sync::OnceLock<Option<crate::linux::SharedRooms>>,
}

impl Loopback {
    /// The namespaces of it. Waits for a short process the first time.
    #[cfg(target_os = "linux")]
    pub(crate) fn rooms(&self) -> Option<&crate::linux::SharedRooms> {
        let made = self
            .rooms
            .get_or_init(|| crate::linux::SharedRooms::make().ok());
        made.as_ref()
    }
}

impl fmt::Debug for Loopback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loopback")
    }
}

/// Two are the same when they are one.
impl PartialEq for Loopback {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Loopback {}
