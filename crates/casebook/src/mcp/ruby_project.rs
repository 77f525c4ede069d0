//! Checks that the metadata and the specs of Ruby code are below the root: their paths follow from the project, not only from what
//! a client names.

use std::path::{Path, PathBuf};

use casebook_design::metadata::location::{MetadataLocation, find_root};
use casebook_design::metadata::store;
use casebook_design::skeleton::{ControllerPolicy, SpecLocation, spec_location};
use casebook_design::steps::{Subject, Target};

use crate::caller::Root;

/// Fails if the project of the root begins elsewhere, or keeps its files elsewhere.
pub(super) fn check(root: &Root) -> Result<(), String> {
    match find_root(root.dir()) {
        Some(project) if project == root.dir() => check_all(&["tmp", "spec"], root),
        Some(project) => Err(format!(
            "the project of this directory begins at {}, outside of the root of this server; start the server there",
            project.display()
        )),
        None => Err(format!(
            "no project was found: {} contains neither .git nor a Gemfile",
            root.dir().display()
        )),
    }
}

/// Fails if a step for a method, or for a metadata file, would write elsewhere.
pub(super) fn check_outputs(target: &str, root: &Root) -> Result<(), String> {
    check(root)?;
    check_all(&outputs(target, root.dir()), root)
}

/// The files that are written for a target that exists.
fn outputs(target: &str, dir: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    if let Ok(located) = MetadataLocation::of(&Subject::parse(target).file, dir) {
        let base = located.base();
        let policies = [ControllerPolicy::Request, ControllerPolicy::Controller];
        for policy in policies {
            if let SpecLocation::At(spec) = spec_location(&located.relative, &base, policy) {
                paths.push(base.join(spec));
            }
        }
        paths.extend([located.plugin_path(), located.path]);
    }
    if let Ok(target) = Target::find(target, dir)
        && let Ok(document) = store::read(&target.metadata)
    {
        let recorded = [&["automation", "skeleton_file"][..], &["spec_path"]];
        let recorded = recorded
            .into_iter()
            .filter_map(|path| document.at(path)?.as_str());
        paths.extend(recorded.map(|spec| dir.join(spec)));
        paths.push(target.metadata.clone());
    }
    paths
}

fn check_all(paths: &[impl AsRef<Path>], root: &Root) -> Result<(), String> {
    paths.iter().map(AsRef::as_ref).try_for_each(|path| {
        let checked = root.check(path);
        checked.map_err(|error| format!("cannot use {}: {error}", path.display()))
    })
}
