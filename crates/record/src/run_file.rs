//! `run.json`: run data in one file, replaced atomically.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::SCHEMA_VERSION;
use crate::compress::{self, Writer};
use crate::io_reason::io_reason;
use crate::layout;
use crate::model::RunData;
use crate::wire::syntax;

/// Why a `run.json` cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadRunError {
    /// The file cannot be read at all.
    #[error("cannot read {}: {}", path.display(), io_reason(source))]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It is not run data.
    #[error("{}:{line}:{column}: not a valid run: {reason}{}", path.display(), at.as_deref().map(|at| format!(" (in `{at}`)")).unwrap_or_default())]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// The path within the document, such as `examples.abc.status`.
        at: Option<String>,
        /// The parser's message.
        reason: String,
    },
    /// It was written by a later version in a format that this version does not support.
    #[error("{} has the format `{version}`; this version reads up to `{SCHEMA_VERSION}`; use a newer casebook", path.display())]
    Newer {
        /// The path of the file.
        path: PathBuf,
        /// The version in the file.
        version: String,
    },
}

/// Why a `run.json` cannot be written. An existing file is left unchanged.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {}", path.display(), io_reason(source))]
pub struct WriteRunError {
    path: PathBuf,
    source: io::Error,
}

impl WriteRunError {
    pub(crate) fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

/// Reads run data; `.gz` and `.zst` are decompressed.
pub fn read_run(path: &Path) -> Result<RunData, ReadRunError> {
    let bytes = read_whole(path).map_err(|source| ReadRunError::Io {
        path: path.into(),
        source,
    })?;
    // UTF-8 is validated once for the complete file, which is faster than for each string.
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
    // One spare byte lets the reader detect the end without doubling the buffer.
    let mut json = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    reader.read_to_end(&mut json)?;
    Ok(json)
}

/// Writes run data, pretty-printed: to a temporary file in the same directory, which is synced and renamed to `path`.
/// Missing parent directories are created.
pub fn write_run<E>(path: &Path, run: &RunData<E>) -> Result<(), WriteRunError>
where
    E: Serialize + ?Sized,
{
    replace_file(path, run).map_err(|source| WriteRunError {
        path: path.into(),
        source,
    })
}

fn replace_file<E: Serialize + ?Sized>(path: &Path, run: &RunData<E>) -> io::Result<()> {
    let dir = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(dir)?;
    let temporary = tempfile::Builder::new()
        .prefix(".run-")
        .permissions(default_permissions())
        .tempfile_in(dir)?;
    let mut out = BufWriter::with_capacity(1 << 16, Writer::new(path, temporary.as_file())?);
    layout::write_pretty(&mut out, run)?;
    out.into_inner()?.finish()?;
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    sync_dir(dir);
    Ok(())
}

/// Syncs a directory, so that the name of a new or renamed file survives a power failure. Errors are ignored: some
/// systems cannot sync directories.
pub(crate) fn sync_dir(dir: &Path) {
    let dir = if dir.as_os_str().is_empty() {
        Path::new(".")
    } else {
        dir
    };
    let _ = File::open(dir).and_then(|dir| dir.sync_all());
}

/// The permissions of an ordinary new file, limited by the user's umask. Temporary files are private by default.
#[cfg(unix)]
pub(crate) fn default_permissions() -> Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

/// Parses the file again with a slower parser that tracks the path of an error within the document.
fn explain(path: &Path, json: &str, error: &serde_json::Error) -> ReadRunError {
    if let Some(version) = version_of(json).as_ref().and_then(unsupported_version) {
        return ReadRunError::Newer {
            path: path.into(),
            version,
        };
    }
    let mut track = serde_path_to_error::Track::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    let located = <RunData>::deserialize(serde_path_to_error::Deserializer::new(
        &mut reader,
        &mut track,
    ));
    let location = track.path().to_string();
    // In a truncated file the path can end in a field without a name.
    let location = location.trim_end_matches(".?");
    let text = located
        .err()
        .map_or_else(|| error.to_string(), |error| error.to_string());
    ReadRunError::Invalid {
        path: path.into(),
        line: error.line(),
        column: error.column().max(1),
        at: (location != "." && location != "?").then(|| location.to_owned()),
        reason: syntax(text.split(" at line ").next().unwrap_or(&text)).to_owned(),
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

/// The version, if it is one of Casebook's and higher than supported. Versions of other programs are accepted.
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
