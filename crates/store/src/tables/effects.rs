//! The ledger of outside effects: meant before, settled after.

use codewhale_protocol::runtime::{ItemId, Timestamp, TurnId};

use crate::db::{Connection, Error};

/// A call that is about to reach outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intent {
    /// The item of the call.
    pub item: ItemId,
    /// Its turn.
    pub turn: TurnId,
    /// SHA-256 over exactly what will run.
    pub digest: String,
    /// When.
    pub at: Timestamp,
}

// Asked again with wider walls, the call of an item is meant anew.
const INTEND: &str = "INSERT INTO effect (item_id, turn_id, digest, intended_at)
    VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (item_id) DO UPDATE SET digest = excluded.digest,
        intended_at = excluded.intended_at, settled_at = NULL";

pub(crate) fn intend(connection: &Connection, intent: &Intent) -> Result<(), Error> {
    let args = [
        intent.item.as_str().into(),
        intent.turn.as_str().into(),
        intent.digest.as_str().into(),
        intent.at.into(),
    ];
    connection.execute(INTEND, &args).map(drop)
}

const SETTLE: &str = "UPDATE effect SET settled_at = ?2 WHERE item_id = ?1 AND settled_at IS NULL";

pub(crate) fn settle(connection: &Connection, item: &ItemId, at: Timestamp) -> Result<(), Error> {
    let args = [item.as_str().into(), at.into()];
    connection.execute(SETTLE, &args).map(drop)
}

const OPEN: &str = "SELECT item_id FROM effect WHERE turn_id = ?1 AND settled_at IS NULL";

/// The items of a turn whose calls were begun and have no end.
pub(crate) fn open(connection: &Connection, turn: &TurnId) -> Result<Vec<ItemId>, Error> {
    connection.query(OPEN, &[turn.as_str().into()], |row| {
        Ok(ItemId::from(row.text(0)?))
    })
}
