//! Two runs compared.

use casebook_record::{RunData, load};
use casebook_report::diff::Diff;

use crate::project::Project;

/// The differences as JSON; the error is for the user.
pub(super) fn of(project: &Project, base: &str, new: &str) -> Result<Vec<u8>, String> {
    let base = read(project, base)?;
    let new = read(project, new)?;
    serde_json::to_vec(&Diff::of(&base, &new)).map_err(|error| error.to_string())
}

fn read(project: &Project, name: &str) -> Result<RunData, String> {
    let dir = project.run_dir(name);
    let dir = dir.ok_or_else(|| format!("unknown run {name}"))?;
    let path = project
        .store
        .file_in(&dir)
        .map_err(|error| error.to_string())?;
    let loaded = load(&path, &project.redactor).map_err(|error| error.to_string())?;
    Ok(loaded.run)
}
