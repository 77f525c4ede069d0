//! Did you mean? For paths, one name at a time.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_source::closest_match;

use super::argument::split_line;
use super::{is_suite, stem};

/// The argument that was probably meant; a line stays where it was.
pub(super) fn argument(argument: &str, folder: &Path) -> Option<String> {
    let (path, line) = match split_line(argument) {
        Some((path, line)) => (path, Some(line)),
        None => (argument, None),
    };
    let found = nearest_path(Path::new(path), folder)?;
    let line = line.filter(|_| folder.join(&found).is_file());
    let found = found.to_str()?;
    Some(match line {
        Some(line) => format!("{found}:{line}"),
        None => found.to_owned(),
    })
}

/// The folder that was probably meant.
pub(super) fn folder(path: &Path, folder: &Path) -> Option<String> {
    let found = nearest_path(path, folder)?;
    let found = folder.join(&found).is_dir().then_some(found)?;
    found.to_str().map(str::to_owned)
}

/// The path with every name that does not exist replaced by the one beside it that was probably meant.
fn nearest_path(path: &Path, folder: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        if folder.join(&found).join(part).exists() {
            found.push(part);
        } else {
            let siblings = names(&folder.join(&found));
            found.push(nearest_name(part.as_os_str().to_str()?, &siblings)?);
        }
    }
    folder.join(&found).exists().then_some(found)
}

/// `shop` and `shop.yaml` mean `shop.casebook.yaml`, though they look little like it.
fn nearest_name<'a>(name: &str, siblings: &'a [String]) -> Option<&'a str> {
    let short = stem(Path::new(name));
    let siblings = || siblings.iter().map(String::as_str);
    siblings()
        .find(|sibling| is_suite(Path::new(sibling)) && stem(Path::new(sibling)) == short)
        .or_else(|| closest_match(name, siblings()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
