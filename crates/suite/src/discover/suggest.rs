//! Suggestions for mistyped paths, one component at a time.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_source::closest_match;

use super::argument::split_lines;
use super::{is_suite, stem};

/// The closest existing argument; a line number is kept.
pub(super) fn argument(argument: &str, dir: &Path) -> Option<String> {
    let split = |text| split_lines(text).map(|(path, _)| path);
    let (path, lines) = match split(argument) {
        // In FILE:LINE:COLUMN, as compilers and editors write it, the last number is the column.
        Some(place) => {
            let path = split(place);
            path.map_or((place, &argument[place.len()..]), |path| {
                (path, &place[path.len()..])
            })
        }
        None => (argument, ""),
    };
    let found = closest_path(Path::new(path), dir)?;
    let lines = if dir.join(&found).is_file() {
        lines
    } else {
        ""
    };
    Some(format!("{}{lines}", found.to_str()?))
}

/// The closest existing directory.
pub(super) fn directory(path: &Path, dir: &Path) -> Option<String> {
    let found = closest_path(path, dir)?;
    let found = dir.join(&found).is_dir().then_some(found)?;
    found.to_str().map(str::to_owned)
}

/// The path with every missing component replaced by the closest existing name.
fn closest_path(path: &Path, dir: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        if dir.join(&found).join(part).exists() {
            found.push(part);
        } else {
            let siblings = names(&dir.join(&found));
            found.push(closest_name(part.as_os_str().to_str()?, &siblings)?);
        }
    }
    dir.join(&found).exists().then_some(found)
}

/// The closest name in a directory. `shop` and `shop.yaml` match `shop.casebook.yaml`, although they differ a lot.
fn closest_name<'a>(name: &str, siblings: &'a [String]) -> Option<&'a str> {
    let short = stem(Path::new(name));
    let siblings = || siblings.iter().map(String::as_str);
    siblings()
        .find(|sibling| is_suite(Path::new(sibling)) && stem(Path::new(sibling)) == short)
        .or_else(|| closest_match(name, siblings()))
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
