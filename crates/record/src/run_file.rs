//! `run.json`: run data in one file, whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::SCHEMA_VERSION;
use crate::compress::{self, Writer};
use crate::layout;
use crate::model::RunData;

/// Why a `run.json` cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadRunError {
    /// The file cannot be read at all.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not run data.
    #[error("{}:{line}:{column}: {reason}{}", path.display(), at.as_deref().map(|at| format!(" (at {at})")).unwrap_or_default())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// Where in the document, such as `examples.abc.status`.
        at: Option<String>,
        /// What is wrong there.
        reason: String,
    },
    /// It was written by a later version in a format that this one does not know.
    #[error("{} has the format `{version}`; this version reads up to `{SCHEMA_VERSION}`: use a newer casebook", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        version: String,
    },
}

/// Why a `run.json` cannot be written. What stood there before still stands there.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteRunError {
    path: PathBuf,
    source: io::Error,
}

/// Reads run data; `.gz` and `.zst` are decompressed.
pub fn read_run(path: &Path) -> Result<RunData, ReadRunError> {
    let bytes = read_whole(path).map_err(|source| ReadRunError::Io {
        path: path.into(),
        source,
    })?;
    // Checked once and whole, which is faster than string by string.
    let json = std::str::from_utf8(&bytes)
        .map_err(|error| not_utf8(path, &bytes[..error.valid_up_to()]))?;
    match serde_json::from_str::<RunData>(json) {
        Ok(run) => match run.schema_version.as_ref().and_then(unsupported_version) {
            Some(version) => Err(ReadRunError::Newer {
                path: path.into(),
                version,
            }),
            None => Ok(run),
        },
        Err(error) => Err(explain(path, json, &error)),
    }
}

fn not_utf8(path: &Path, before: &[u8]) -> ReadRunError {
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |index| index + 1);
    ReadRunError::Invalid {
        path: path.into(),
        line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
        column: before.len() - line_start + 1,
        at: None,
        reason: "not valid UTF-8".into(),
    }
}

pub(crate) fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut reader = compress::open(path)?;
    let size = if compress::is_compressed(path) {
        0
    } else {
        fs::metadata(path)?.len()
    };
    // One spare byte lets the reader see the end without growing the buffer to twice the file.
    let mut json = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    reader.read_to_end(&mut json)?;
    Ok(json)
}

/// Writes run data, pretty-printed: to a temporary file beside `path`, synced, then renamed. Missing parent folders
/// are made.
pub fn write_run(path: &Path, run: &RunData) -> Result<(), WriteRunError> {
    replace_file(path, run).map_err(|source| WriteRunError {
        path: path.into(),
        source,
    })
}

fn replace_file(path: &Path, run: &RunData) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let temporary = tempfile::Builder::new()
        .prefix(".run-")
        .permissions(default_permissions())
        .tempfile_in(folder)?;
    let mut out = BufWriter::with_capacity(1 << 16, Writer::new(path, temporary.as_file())?);
    layout::write_pretty(&mut out, run)?;
    out.into_inner()?.finish()?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

/// Lets a new or renamed file's name survive a power cut, where the system lets folders be synced.
pub(crate) fn sync_folder(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Readable by whoever the user's umask allows, as any file they make, not private as temporary files are.
#[cfg(unix)]
pub(crate) fn default_permissions() -> Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

/// The slow way through the file, to tell where in the document the trouble is.
fn explain(path: &Path, json: &str, error: &serde_json::Error) -> ReadRunError {
    if let Some(version) = version_of(json).as_ref().and_then(unsupported_version) {
        return ReadRunError::Newer {
            path: path.into(),
            version,
        };
    }
    let mut track = serde_path_to_error::Track::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    let located = RunData::deserialize(serde_path_to_error::Deserializer::new(
        &mut reader,
        &mut track,
    ));
    let place = track.path().to_string();
    // A file that was cut off ends in a field whose name nobody knows.
    let place = place.trim_end_matches(".?");
    let text = located
        .err()
        .map_or_else(|| error.to_string(), |error| error.to_string());
    ReadRunError::Invalid {
        path: path.into(),
        line: error.line(),
        column: error.column().max(1),
        at: (place != "." && place != "?").then(|| place.to_owned()),
        reason: text.split(" at line ").next().unwrap_or(&text).to_owned(),
    }
}

fn version_of(json: &str) -> Option<Value> {
    #[derive(Deserialize)]
    struct Versioned {
        schema_version: Value,
    }
    serde_json::from_str::<Versioned>(json)
        .ok()
        .map(|versioned| versioned.schema_version)
}

/// The version, if it is one of ours with a higher number. Another program's version is its own affair.
pub(crate) fn unsupported_version(version: &Value) -> Option<String> {
    let number = |text: &str| {
        text.strip_prefix("casebook/")?
            .split('.')
            .next()?
            .parse::<u64>()
            .ok()
    };
    let text = version.as_str()?;
    (number(text)? > number(SCHEMA_VERSION)?).then(|| text.to_owned())
}
