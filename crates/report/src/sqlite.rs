//! Writes runs into an `SQLite` database. `sqlite/schema.sql` is its schema, and `docs/sqlite.md` explains it.

mod rows;

use std::io;
use std::path::Path;

use casebook_record::Run;
use rusqlite::{Connection, params};

use crate::test_row::end_of;
use rows::Rows;

/// The statements that create the tables.
pub const SCHEMA: &str = include_str!("sqlite/schema.sql");

/// A new database. It is complete only after [`finish`](Database::finish).
pub struct Database(Connection);

impl Database {
    /// Creates the tables in an empty or missing file.
    pub fn create(path: &Path) -> io::Result<Database> {
        let connection = Connection::open(path).map_err(sql_error)?;
        // Nobody reads the file before it is complete, so it needs no protection from a crash.
        let setup = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN;";
        let database = Database(connection);
        database.execute(setup)?;
        database.execute(SCHEMA)?;
        Ok(database)
    }

    /// Adds a run with its tests, or nothing if it cannot be read. Returns whether the run was not in the database yet.
    pub fn add(&self, run: &Run) -> io::Result<bool> {
        self.execute("SAVEPOINT run")?;
        let added = self.add_all(run);
        if added.is_err() {
            self.execute("ROLLBACK TO run")?;
        }
        self.execute("RELEASE run")?;
        added
    }

    fn add_all(&self, run: &Run) -> io::Result<bool> {
        if !self.add_run(run)? {
            return Ok(false);
        }
        let mut rows = Rows::new(&self.0, &run.run_id).map_err(sql_error)?;
        for example in run.each_example() {
            rows.add(&*example?).map_err(sql_error)?;
        }
        Ok(true)
    }

    /// Writes everything to the file.
    pub fn finish(self) -> io::Result<()> {
        self.execute("COMMIT")?;
        self.0.close().map_err(|(_, error)| sql_error(error))
    }

    fn execute(&self, statements: &str) -> io::Result<()> {
        self.0.execute_batch(statements).map_err(sql_error)
    }

    /// Whether the run is new.
    fn add_run(&self, run: &Run) -> io::Result<bool> {
        let end = end_of(run)?;
        let insert = "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?)";
        let added = self.0.execute(
            insert,
            params![
                run.run_id,
                run.started_at.to_string(),
                run.finished_at.map(|end| end.to_string()),
                end.millis_since(run.started_at),
                run.git_commit,
                run.seed.as_ref().map(ToString::to_string),
            ],
        );
        Ok(added.map_err(sql_error)? > 0)
    }
}

fn sql_error(error: rusqlite::Error) -> io::Error {
    io::Error::other(error)
}
