//! The bounds of a turn, each with its unit and its reason.

/// Calls of the model in one turn. A turn that needs more has lost its way.
pub(crate) const STEPS_MAX: u32 = 200;

/// Chunks taken in a row before other tasks get their chance.
pub(crate) const CHUNKS_PER_BREATH: u32 = 64;
