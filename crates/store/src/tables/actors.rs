//! Who acts: written once, the first time it does.

use crate::Stamp;
use crate::db::{Connection, Error};

const PUT: &str = "INSERT INTO actor (id, record) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING";

pub(crate) fn put(connection: &Connection, stamp: &Stamp) -> Result<(), Error> {
    connection
        .execute(PUT, &[stamp.id.as_str().into(), (&stamp.record).into()])
        .map(drop)
}
