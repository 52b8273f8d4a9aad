//! What a call would do to the world, as far as the law is concerned.

/// The effect that a prepared call asks permission for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// Look at files inside the workspace.
    Read,
    /// Look at files outside it.
    ReadOutside,
    /// Change files inside the workspace.
    Write,
    /// Change files outside it.
    WriteOutside,
    /// Run a command.
    Execute,
}
