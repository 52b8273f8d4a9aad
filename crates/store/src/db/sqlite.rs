//! SQLite: one file, write-ahead log, statements prepared once per connection.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::types::ToSqlOutput;
use rusqlite::{OpenFlags, ToSql};

use super::{Error, Value};
use crate::limits;

/// Where a database lives.
#[derive(Clone, Debug)]
pub(crate) enum Location {
    File(PathBuf),
    Memory,
}

/// A connection with its prepared statements.
pub(crate) struct Connection {
    inner: rusqlite::Connection,
}

impl Connection {
    /// Opens for writing; makes the file when there is none.
    pub(crate) fn open_writer(location: &Location) -> Result<Self, Error> {
        let connection = match location {
            Location::File(path) => Self::open(path, OpenFlags::SQLITE_OPEN_CREATE)?,
            Location::Memory => Self::configured(rusqlite::Connection::open_in_memory()?)?,
        };
        connection
            .inner
            .pragma_update(None, "journal_mode", "wal")?;
        connection.set_cache_kib(limits::WRITER_CACHE_KIB)?;
        Ok(connection)
    }

    /// Opens a database that exists, for reading.
    pub(crate) fn open_reader(path: &PathBuf) -> Result<Self, Error> {
        let connection = Self::open(path, OpenFlags::empty())?;
        connection.inner.pragma_update(None, "query_only", true)?;
        connection.set_cache_kib(limits::READER_CACHE_KIB)?;
        Ok(connection)
    }

    /// Opens a database that exists, to move its log along.
    pub(crate) fn open_checkpointer(path: &PathBuf) -> Result<Self, Error> {
        Self::open(path, OpenFlags::empty())
    }

    fn open(path: &PathBuf, extra: OpenFlags) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | extra;
        Self::configured(rusqlite::Connection::open_with_flags(path, flags)?)
    }

    fn configured(inner: rusqlite::Connection) -> Result<Self, Error> {
        inner.busy_timeout(Duration::from_millis(limits::BUSY_WAIT_MS))?;
        inner.set_prepared_statement_cache_capacity(limits::STATEMENTS_CACHED);
        inner.pragma_update(None, "temp_store", "memory")?;
        Ok(Self { inner })
    }

    fn set_cache_kib(&self, kib: i64) -> Result<(), Error> {
        Ok(self.inner.pragma_update(None, "cache_size", -kib)?)
    }

    /// Runs a statement and says how many rows it changed.
    pub(crate) fn execute(&self, sql: &'static str, args: &[Value<'_>]) -> Result<usize, Error> {
        let mut statement = self.inner.prepare_cached(sql)?;
        Ok(statement.execute(rusqlite::params_from_iter(args))?)
    }

    /// Hands each row to `each` until it says stop.
    pub(crate) fn for_each<E: From<Error>>(
        &self,
        sql: &'static str,
        args: &[Value<'_>],
        mut each: impl FnMut(&Row<'_, '_>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut statement = self.inner.prepare_cached(sql).map_err(Error::from)?;
        let mut rows = statement
            .query(rusqlite::params_from_iter(args))
            .map_err(Error::from)?;
        while let Some(row) = rows.next().map_err(Error::from)? {
            if !each(&Row(row))? {
                break;
            }
        }
        Ok(())
    }

    /// All rows of a query.
    pub(crate) fn query<T>(
        &self,
        sql: &'static str,
        args: &[Value<'_>],
        mut read: impl FnMut(&Row<'_, '_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        self.for_each(sql, args, |row| {
            all.push(read(row)?);
            Ok::<_, Error>(true)
        })?;
        Ok(all)
    }

    /// The first row of a query, if there is one.
    pub(crate) fn query_one<T>(
        &self,
        sql: &'static str,
        args: &[Value<'_>],
        mut read: impl FnMut(&Row<'_, '_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut first = None;
        self.for_each(sql, args, |row| {
            first = Some(read(row)?);
            Ok::<_, Error>(false)
        })?;
        Ok(first)
    }

    /// Whether the schema has a table of this name.
    pub(crate) fn has_table(&self, name: &str) -> Result<bool, Error> {
        const HAS_TABLE: &str = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
        Ok(self
            .query_one(HAS_TABLE, &[name.into()], |row| row.int(0))?
            .is_some())
    }

    /// Runs several statements; for migrations only.
    pub(crate) fn execute_script(&self, sql: &str) -> Result<(), Error> {
        // `seq` and stream ids are row ids: SQLite wants that spelled in its own way.
        Ok(self
            .inner
            .execute_batch(&sql.replace("BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY"))?)
    }

    /// Begins a transaction that may write, waiting for other writers first.
    pub(crate) fn begin_write(&self) -> Result<(), Error> {
        self.execute("BEGIN IMMEDIATE", &[]).map(drop)
    }

    /// Begins a transaction that sees one moment of the database.
    pub(crate) fn begin_read(&self) -> Result<(), Error> {
        self.execute("BEGIN", &[]).map(drop)
    }

    pub(crate) fn commit(&self) -> Result<(), Error> {
        self.execute("COMMIT", &[]).map(drop)
    }

    /// Ends a transaction without its effects. There may be none: some failures end it by
    /// themselves.
    pub(crate) fn rollback(&self) {
        if !self.inner.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK", &[])
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }

    /// Chooses whether commits wait for the disk. Between transactions only.
    pub(crate) fn set_synced(&self, synced: bool) -> Result<(), Error> {
        let sql = match synced {
            true => "PRAGMA synchronous = FULL",
            false => "PRAGMA synchronous = NORMAL",
        };
        self.execute(sql, &[]).map(drop)
    }

    /// A number that changes when another connection has committed.
    pub(crate) fn foreign_changes(&self) -> Result<i64, Error> {
        let version = self.query_one("PRAGMA data_version", &[], |row| row.int(0))?;
        Ok(version.unwrap_or(0))
    }

    /// How many pages the write-ahead log holds.
    pub(crate) fn log_pages(&self) -> Result<i64, Error> {
        let pages = self.query_one("PRAGMA wal_checkpoint(NOOP)", &[], |row| row.int(1))?;
        Ok(pages.unwrap_or(0))
    }

    /// Moves what is in the write-ahead log to the database file, as far as readers allow.
    pub(crate) fn checkpoint(&self) -> Result<(), Error> {
        self.query_one("PRAGMA wal_checkpoint(PASSIVE)", &[], |_| Ok(()))
            .map(drop)
    }

    /// Turns automatic checkpoints off: the store does them where they do not delay a commit.
    pub(crate) fn disable_automatic_checkpoint(&self) -> Result<(), Error> {
        Ok(self.inner.pragma_update(None, "wal_autocheckpoint", 0)?)
    }

    /// Writes a consistent copy of the whole database to a new file.
    pub(crate) fn copy_to(&self, path: &str) -> Result<(), Error> {
        self.execute("VACUUM INTO ?1", &[path.into()]).map(drop)
    }
}

/// One row of an answer.
pub(crate) struct Row<'a, 's>(&'a rusqlite::Row<'s>);

impl Row<'_, '_> {
    pub(crate) fn int(&self, column: usize) -> Result<i64, Error> {
        Ok(self.0.get(column)?)
    }

    pub(crate) fn unsigned(&self, column: usize) -> Result<u64, Error> {
        Ok(u64::try_from(self.int(column)?).unwrap_or(0))
    }

    pub(crate) fn text(&self, column: usize) -> Result<&str, Error> {
        let value = self.0.get_ref(column)?;
        value
            .as_str()
            .map_err(|error| Error::from(rusqlite::Error::from(error)))
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<&str>, Error> {
        let value = self.0.get_ref(column)?;
        value
            .as_str_or_null()
            .map_err(|error| Error::from(rusqlite::Error::from(error)))
    }

    /// A column that holds a record.
    pub(crate) fn record<T: serde::de::DeserializeOwned>(&self, column: usize) -> Result<T, Error> {
        Ok(serde_json::from_str(self.text(column)?)?)
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        use rusqlite::types::ValueRef;
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Null => ValueRef::Null,
        }))
    }
}
