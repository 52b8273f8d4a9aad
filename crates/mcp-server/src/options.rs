//! What the door is given.

/// Everything that decides how the door behaves, as plain values.
#[derive(Clone, Debug)]
pub struct Options {
    /// The version told to clients.
    pub version: String,
    /// The directory of tool calls, and of threads that name none.
    pub workspace: String,
    /// The tools that are offered, by their public names or their own; the usual ones when left out.
    pub expose_tools: Option<Vec<String>>,
    /// Whether a person is asked before every call that does more than look.
    pub require_approval: bool,
}
