//! Which workspaces the user trusts, and with which content.

use crate::db::{Connection, Error};

const PUT: &str = "INSERT INTO workspace_trust (path, digest) VALUES (?1, ?2)
    ON CONFLICT (path) DO UPDATE SET digest = excluded.digest";
const REMOVE: &str = "DELETE FROM workspace_trust WHERE path = ?1";

pub(crate) fn set(connection: &Connection, path: &str, digest: Option<&str>) -> Result<(), Error> {
    match digest {
        Some(digest) => connection.execute(PUT, &[path.into(), digest.into()]),
        None => connection.execute(REMOVE, &[path.into()]),
    }
    .map(drop)
}

const GET: &str = "SELECT digest FROM workspace_trust WHERE path = ?1";

pub(crate) fn get(connection: &Connection, path: &str) -> Result<Option<String>, Error> {
    connection.query_one(GET, &[path.into()], |row| Ok(row.text(0)?.to_owned()))
}
