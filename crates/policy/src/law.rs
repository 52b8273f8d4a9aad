//! What the user has laid down, apart from the settings of a thread.

/// Rules, networks and what else the user has decided once for many calls.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Law {}
