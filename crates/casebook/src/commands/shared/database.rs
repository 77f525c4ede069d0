//! Writes an `SQLite` database completely or not at all.

use std::io;
use std::path::Path;

use casebook_report::sqlite::Database;

use super::atomic_file;

/// Writes the file with the runs that `fill` adds.
pub(crate) fn write(path: &Path, fill: impl FnOnce(&Database) -> io::Result<()>) -> io::Result<()> {
    atomic_file::write_file(path, |temporary| {
        let database = Database::create(temporary)?;
        fill(&database)?;
        database.finish()
    })
}
