//! Text of open items on its way into the log: what the model says, and what calls print while they
//! run. The first becomes the item's own; the second is only told, and the call's result stands for
//! itself.

use codewhale_protocol::runtime::{ItemId, ItemKind, Timestamp};

use super::desk::{Desk, OpenItem};

/// Deltas between two looks whether the writer keeps up.
const LOOK_EVERY: u32 = 32;

/// The last thing that is told of a call that prints more than is told.
const CUT: &str = "\n[... it prints more; that is told when it is over ...]\n";

impl Desk {
    /// Adds text to an open item. True when it is time to see if the writer keeps up.
    pub(crate) fn text(&self, id: &ItemId, text: &str) -> bool {
        let now = self.core.env.now();
        let mut state = self.state();
        let mut open = state.open.iter_mut().rev();
        if let Some(item) = open.find(|item| item.record.id == *id) {
            match item.record.kind.is_tool() {
                true => self.print(item, text, now),
                false => item.say(text, now),
            }
        }
        state.unchecked = (state.unchecked + 1) % LOOK_EVERY;
        state.unchecked == 0
    }

    /// Waits while the writer is far behind.
    pub(crate) async fn room(&self) {
        self.core.store.room().await;
    }

    /// Tells what a call prints, up to a bound.
    fn print(&self, item: &mut OpenItem, text: &str, now: Timestamp) {
        let Some(room) = item.room_to_print else {
            return;
        };
        // Most calls print nothing.
        let writer = item.writer.get_or_insert_with(|| {
            let ids = (&self.thread, &self.turn, &item.record.id);
            let by = &self.agents().talker.id;
            self.core.store.delta_writer(ids, ItemKind::ToolCall, by)
        });
        let shown = &text[..text.floor_char_boundary(room)];
        writer.push(now, shown, &mut item.text);
        item.text.clear();
        item.room_to_print = Some(room - shown.len());
        if shown.len() < text.len() {
            writer.cut(now, CUT);
            item.room_to_print = None;
        }
    }
}

impl OpenItem {
    fn say(&mut self, text: &str, now: Timestamp) {
        if let Some(writer) = &mut self.writer {
            writer.push(now, text, &mut self.text);
        }
    }

    /// Sends on what the redactor has held back.
    pub(crate) fn flush(&mut self, now: Timestamp) {
        if let Some(writer) = &mut self.writer {
            writer.finish(now, &mut self.text);
        }
    }
}
