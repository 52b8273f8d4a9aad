//! Bringing a database to the schema this program knows.

use std::path::{Path, PathBuf};

use crate::db::{Connection, Error, Location};

/// What a database is made of, and how it came to it.
pub(crate) struct Schema {
    /// Statements that lead from one version to the next. Never edited once released.
    steps: &'static [&'static str],
    /// What they lead to, said at once: a new database need not repeat history, which takes four
    /// times as long.
    whole: Option<&'static str>,
}

/// The one this program knows. The whole of it is written by `cargo xtask gen`.
pub(crate) const SCHEMA: Schema = Schema {
    steps: MIGRATIONS,
    whole: Some(include_str!("../../../generated/schema.sql")),
};

const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_spine.sql"),
    include_str!("../migrations/0002_hands.sql"),
    include_str!("../migrations/0003_agents.sql"),
    include_str!("../migrations/0004_routes.sql"),
    include_str!("../migrations/0005_snapshots.sql"),
    include_str!("../migrations/0006_usage.sql"),
    include_str!("../migrations/0007_sessions.sql"),
    include_str!("../migrations/0008_tasks.sql"),
    include_str!("../migrations/0009_client_calls.sql"),
    include_str!("../migrations/0010_fleet.sql"),
    include_str!("../migrations/0011_counts.sql"),
    include_str!("../migrations/0012_errands.sql"),
    include_str!("../migrations/0013_attachments.sql"),
];

/// What stands in the way of using a database.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MigrateError {
    #[error("its schema has version {found}, and this program knows versions up to {known}")]
    Newer { found: u64, known: u64 },
    #[error(transparent)]
    Database(#[from] Error),
}

/// What was done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Migrated {
    /// The schema is the newest.
    Nothing,
    /// The database was empty and has its schema now.
    Created,
    /// It was older; a copy from before is kept.
    Upgraded { backup: Option<PathBuf> },
}

/// Brings the schema up to date in one transaction, after a backup when there is something to lose.
pub(crate) fn migrate(
    connection: &Connection,
    schema: &Schema,
    file: Option<&Path>,
) -> Result<Migrated, MigrateError> {
    let known = schema.steps.len() as u64;
    let found = version(connection)?;
    if found == known {
        return Ok(Migrated::Nothing);
    }
    if found > known {
        return Err(MigrateError::Newer { found, known });
    }
    let backup = match file {
        Some(file) if found > 0 => Some(back_up(connection, file, found)?),
        _ => None,
    };
    connection.set_synced(true)?;
    connection.begin_write()?;
    match run(connection, schema) {
        Ok(()) => connection.commit()?,
        Err(error) => {
            connection.rollback();
            return Err(error.into());
        }
    }
    Ok(if found == 0 {
        Migrated::Created
    } else {
        Migrated::Upgraded { backup }
    })
}

/// Runs what is missing. Another process may have been faster, so the version is read again under
/// the write lock.
fn run(connection: &Connection, schema: &Schema) -> Result<(), Error> {
    let Schema { steps, whole } = schema;
    let found = version(connection)?;
    match whole {
        Some(whole) if found == 0 => connection.execute_script(whole)?,
        _ => walk(connection, steps, found)?,
    }
    set_meta(connection, "schema_version", &steps.len().to_string())
}

/// Takes the steps that are missing.
fn walk(connection: &Connection, steps: &[&str], found: u64) -> Result<(), Error> {
    if found == 0 {
        connection.execute_script(META)?;
    }
    let missing = usize::try_from(found).unwrap_or(usize::MAX);
    let mut missing = steps.iter().skip(missing);
    missing.try_for_each(|step| connection.execute_script(step))
}

const META: &str = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)";

const OBJECTS: &str = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";

/// What the migrations lead to, as the statements that make it at once.
///
/// # Errors
///
/// When a migration cannot be run.
pub fn whole_schema() -> Result<String, crate::Error> {
    let connection = Connection::open_writer(&Location::Memory)?;
    walk(&connection, MIGRATIONS, 0)?;
    let objects = connection.query(OBJECTS, &[], |row| Ok(row.text(0)?.to_owned()))?;
    let head = "-- What the migrations lead to; a new database begins with it. Written by `cargo xtask gen`.";
    let statements = objects.iter().map(|object| format!("{object};\n"));
    Ok(format!("{head}\n{}", statements.collect::<String>()))
}

/// Zero for an empty database.
fn version(connection: &Connection) -> Result<u64, Error> {
    if !connection.has_table("meta")? {
        return Ok(0);
    }
    let text = meta(connection, "schema_version")?;
    Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
}

fn back_up(connection: &Connection, file: &Path, version: u64) -> Result<PathBuf, Error> {
    let name = |n: u32| {
        let number = if n == 0 {
            String::new()
        } else {
            format!("-{n}")
        };
        file.with_extension(format!("db.backup-v{version}{number}"))
    };
    let free = (0..)
        .map(name)
        .find(|path| !path.exists())
        .expect("some name is free");
    connection.copy_to(&free.to_string_lossy())?;
    Ok(free)
}

const GET_META: &str = "SELECT value FROM meta WHERE key = ?1";

/// A fact about the store as a whole.
pub(crate) fn meta(connection: &Connection, key: &str) -> Result<Option<String>, Error> {
    connection.query_one(GET_META, &[key.into()], |row| Ok(row.text(0)?.to_owned()))
}

const SET_META: &str = "INSERT INTO meta (key, value) VALUES (?1, ?2)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value";

/// Records such a fact.
pub(crate) fn set_meta(connection: &Connection, key: &str, value: &str) -> Result<(), Error> {
    connection
        .execute(SET_META, &[key.into(), value.into()])
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "CREATE TABLE a (x BIGINT PRIMARY KEY); INSERT INTO a (x) VALUES (7);";
    const TWO: &str = "ALTER TABLE a ADD COLUMN y TEXT;";
    const BROKEN: &str = "CREATE TABLE b (x BIGINT); CREATE TABLE b (x BIGINT);";

    const fn steps(steps: &'static [&'static str]) -> Schema {
        Schema { steps, whole: None }
    }

    fn contents(connection: &Connection) -> Vec<String> {
        let rows = |table: &str| -> String {
            let count = format!("SELECT count(*) FROM {table}");
            let count = connection.query_one(count.leak(), &[], |row| row.int(0));
            format!("{table}: {:?}", count.unwrap())
        };
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let tables = connection.query(tables, &[], |row| Ok(row.text(0)?.to_owned()));
        tables.unwrap().iter().map(|table| rows(table)).collect()
    }

    #[test]
    fn a_new_database_is_what_the_migrations_lead_to() {
        let (whole, walked) = (SCHEMA.whole.unwrap(), whole_schema().unwrap());
        assert_eq!(whole, walked, "to write it again: cargo xtask gen");
        let open = || Connection::open_writer(&Location::Memory).unwrap();
        let (new, grown) = (open(), open());
        migrate(&new, &SCHEMA, None).unwrap();
        migrate(&grown, &steps(MIGRATIONS), None).unwrap();
        assert_eq!(contents(&new), contents(&grown));
    }

    fn file_db() -> (tempfile::TempDir, PathBuf, Connection) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runtime.db");
        let connection = Connection::open_writer(&Location::File(path.clone())).unwrap();
        (dir, path, connection)
    }

    #[test]
    fn an_empty_database_gets_the_schema_and_a_second_look_changes_nothing() {
        let connection = Connection::open_writer(&Location::Memory).unwrap();
        assert_eq!(
            migrate(&connection, &SCHEMA, None).unwrap(),
            Migrated::Created
        );
        assert_eq!(
            migrate(&connection, &SCHEMA, None).unwrap(),
            Migrated::Nothing
        );
    }

    #[test]
    fn an_older_database_is_copied_before_it_is_changed() {
        let (_dir, path, connection) = file_db();
        migrate(&connection, &steps(&[ONE]), Some(&path)).unwrap();
        let done = migrate(&connection, &steps(&[ONE, TWO]), Some(&path)).unwrap();
        let Migrated::Upgraded {
            backup: Some(backup),
        } = done
        else {
            panic!("{done:?}")
        };
        let old = Connection::open_reader(&backup).unwrap();
        assert_eq!(version(&old).unwrap(), 1);
        assert_eq!(
            old.query_one("SELECT x FROM a", &[], |row| row.int(0))
                .unwrap(),
            Some(7)
        );
        assert!(
            old.query_one("SELECT y FROM a", &[], |row| row.int(0))
                .is_err()
        );
        assert_eq!(version(&connection).unwrap(), 2);
    }

    #[test]
    fn a_migration_that_fails_leaves_the_database_as_it_was() {
        let (_dir, path, connection) = file_db();
        migrate(&connection, &steps(&[ONE]), Some(&path)).unwrap();
        migrate(&connection, &steps(&[ONE, BROKEN]), Some(&path)).unwrap_err();
        assert_eq!(version(&connection).unwrap(), 1);
        assert!(
            connection
                .query_one("SELECT x FROM b", &[], |row| row.int(0))
                .is_err()
        );
        migrate(&connection, &steps(&[ONE, TWO]), Some(&path)).unwrap();
    }

    #[test]
    fn a_newer_database_is_refused_untouched() {
        let (_dir, path, connection) = file_db();
        migrate(&connection, &steps(&[ONE, TWO]), Some(&path)).unwrap();
        let error = migrate(&connection, &steps(&[ONE]), Some(&path)).unwrap_err();
        assert!(
            matches!(error, MigrateError::Newer { found: 2, known: 1 }),
            "{error}"
        );
        assert_eq!(version(&connection).unwrap(), 2);
    }

    #[test]
    fn what_turns_used_before_there_were_prices_is_kept() {
        let connection = Connection::open_writer(&Location::Memory).unwrap();
        let before = MIGRATIONS
            .iter()
            .position(|script| script.contains("usage_of_route"))
            .unwrap();
        migrate(&connection, &steps(&MIGRATIONS[..before]), None).unwrap();
        let row = "INSERT INTO usage_row VALUES ('turn_1', 'thr_1', 'room_1', 'act_1', 'p', 'm', 7,
            5, 4, 3, 1)";
        connection.execute(row, &[]).unwrap();
        migrate(&connection, &SCHEMA, None).unwrap();
        let kept = "SELECT input_tokens + output_tokens + cached_tokens + cost_microusd
            FROM usage_row WHERE turn_id = 'turn_1' AND actor_id = 'act_1' AND priced_by IS NULL";
        let kept = connection.query_one(kept, &[], |row| row.int(0)).unwrap();
        assert_eq!(kept, Some(12));
        let summed = "SELECT records * 100 + priced_records * 10 + input_tokens FROM usage_day
            WHERE room_id = 'room_1' AND day = 0 AND thread_id = 'thr_1' AND model = 'm'";
        let summed = connection.query_one(summed, &[], |row| row.int(0)).unwrap();
        assert_eq!(summed, Some(105));
    }
}
