//! Where the Ruby code of a project is.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_design::steps::StepError;

/// The named paths, otherwise the usual source directories of Ruby projects.
pub(crate) fn source_paths(typed: &[PathBuf], cwd: &Path) -> Result<Vec<PathBuf>, StepError> {
    let named: Vec<_> = typed.iter().map(|path| cwd.join(path)).collect();
    for (path, found) in typed.iter().zip(&named) {
        fs::metadata(found).map_err(|source| StepError::Unreadable {
            path: path.clone(),
            source,
        })?;
    }
    if !named.is_empty() {
        return Ok(named);
    }
    let usual: Vec<_> = ["app", "lib"]
        .iter()
        .map(|name| cwd.join(name))
        .filter(|path| path.is_dir())
        .collect();
    Ok(if usual.is_empty() {
        vec![cwd.to_owned()]
    } else {
        usual
    })
}
