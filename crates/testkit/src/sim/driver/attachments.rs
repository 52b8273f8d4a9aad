//! Requests about pictures.

use codewhale_protocol::operations::Op;
use serde_json::json;

use super::Driver;
use crate::sim::Violation;

/// The beginning of a PNG picture, in base64, and the id that follows from it.
const PICTURE: &str = "iVBORw0KGgoAAAAA";
const ID: &str = "att_1b56b50ac4e976f488f128cabdcdffb2fc9331d6974bb9968131a415d14ade24";

impl Driver {
    /// Gives a thread a picture, looks at it, or has the agent look.
    pub(super) fn show_a_picture(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let ways = [
            (3, Op::AttachmentsAdd),
            (3, Op::AttachmentsGet),
            (2, Op::TurnsStart),
        ];
        match *self.dice.weighted(&ways) {
            Op::AttachmentsAdd => {
                let params = json!({ "thread_id": thread, "data": PICTURE });
                self.order(Op::AttachmentsAdd, params);
            }
            Op::AttachmentsGet => {
                let params = json!({ "thread_id": thread, "attachment_id": ID });
                self.order(Op::AttachmentsGet, params);
            }
            _ => {
                let input = json!({ "input": [{ "type": "image", "id": ID }] });
                self.start_turn_of(thread, input, |_, _| {});
            }
        }
        Ok(())
    }
}
