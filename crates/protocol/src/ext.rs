//! What the control protocol learned after its types at the crate root were frozen.
//!
//! The root types cannot grow: a new variant would break every `match` written against them, a new
//! field every literal. So the newer protocol has types of its own here, under the same names, each
//! of which says everything its root twin says and a little more. A door that talks to both kinds
//! of program reads and writes these. Reading looks for the newer forms first and leaves the rest
//! to the root type, `Base`; what comes from the root converts with `From`.

mod app_request;
mod event_frame;
mod goal;
mod thread_request;
mod thread_response;
mod user_input;

pub use app_request::AppRequest;
pub use event_frame::EventFrame;
pub use goal::{ThreadGoal, ThreadGoalProgressParams};
pub use thread_request::ThreadRequest;
pub use thread_response::ThreadResponse;
pub use user_input::{
    FREE_TEXT_LABEL, UserInputAnswer, UserInputOption, UserInputQuestion, UserInputRequestEvent,
    UserInputSubmission,
};
