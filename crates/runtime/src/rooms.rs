//! Workrooms: every thread lives in one; without setup that is the room of its workspace.

use std::path::Path;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::Role;
use codewhale_protocol::runtime::{Event, RoomCreated, RoomId, StreamId};
use codewhale_store::{About, Batch, Durability, Guard, MemberRow, RoomRow};

use crate::Error;
use crate::runtime::Core;

impl Core {
    /// The room of a workspace, made on first use for the caller who needs it.
    pub(crate) async fn room_of_workspace(
        &self,
        caller: &Caller,
        workspace: &str,
    ) -> Result<RoomId, Error> {
        // Another process may make the room at the same moment: then its room is the one.
        for _ in 0..2 {
            if let Some(room) = self
                .store
                .read(|reader| reader.room_of_workspace(workspace))?
            {
                return Ok(room);
            }
            let (batch, room) = self.new_room(caller, workspace);
            match self.store.commit(batch).await {
                Ok(_) => return Ok(room),
                Err(codewhale_store::Error::Guard(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    fn new_room(&self, caller: &Caller, workspace: &str) -> (Batch, RoomId) {
        let now = self.env.now();
        let room = RoomId::new(self.env.uuid());
        let name = Path::new(workspace).file_name();
        let title = name.map_or(workspace.into(), |name| name.to_string_lossy());
        let mut batch = self.store.batch(Durability::Synced);
        batch.guard(Guard::WorkspaceFree {
            path: workspace.to_owned(),
        });
        let row = RoomRow {
            id: room.clone(),
            title: batch.seal(&title),
            owner: caller.principal.clone(),
            created_at: now,
        };
        let owner = MemberRow {
            room: room.clone(),
            principal: caller.principal.clone(),
            role: Role::Owner,
            added_by: caller.principal.clone(),
            added_at: now,
        };
        batch.put_room(row, owner, workspace);
        let event = Event::RoomCreated(RoomCreated {
            id: room.clone(),
            title: title.into_owned(),
            workspace: Some(workspace.to_owned()),
        });
        let by = self.caller_stamp(caller);
        let stream = StreamId::Room(room.clone());
        let about = About {
            stream: &stream,
            turn_id: None,
            item_id: None,
            at: now,
            by: &by,
        };
        batch.event(about, &event);
        (batch, room)
    }
}
