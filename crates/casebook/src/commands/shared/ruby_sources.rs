//! The Ruby code of a project.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_design::steps::{StepError, ruby_files, source_files};

/// The Ruby files below these paths, otherwise all source files below the working directory.
pub(crate) fn ruby_sources(paths: &[PathBuf], cwd: &Path) -> Result<Vec<PathBuf>, StepError> {
    if paths.is_empty() {
        return Ok(source_files(cwd));
    }
    let found: Vec<_> = paths.iter().map(|path| cwd.join(path)).collect();
    for (path, found) in paths.iter().zip(&found) {
        fs::metadata(found).map_err(|source| StepError::Unreadable {
            path: path.clone(),
            source,
        })?;
    }
    Ok(ruby_files(&found))
}
