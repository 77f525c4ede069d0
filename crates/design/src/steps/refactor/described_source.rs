//! Finds the source of a spec by the class that it describes, for specs that are elsewhere than their source suggests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::outline::Outline;
use crate::ruby::{methods, snake};
use crate::steps::ruby_files;

/// The path from the root of the file that defines the class in the first `describe`. `None` if no file does, or several do and
/// none or several of them are named after it.
pub(super) fn described_source(outline: &Outline, root: &Path) -> Option<String> {
    let described = outline.groups.first()?.description.as_str();
    let class = described.trim_start_matches("::");
    if !class.starts_with(|first: char| first.is_ascii_uppercase()) {
        return None;
    }
    let last = class.rsplit("::").next().unwrap_or(class);
    let dirs = ["lib", "app"].map(|name| root.join(name));
    let files = ruby_files(&dirs).into_iter();
    let mut defining: Vec<PathBuf> = files.filter(|file| defines(file, class, last)).collect();
    if defining.len() > 1 {
        let name = snake(last);
        defining.retain(|file| file.file_stem().is_some_and(|stem| stem == name.as_str()));
    }
    let [file] = defining.as_slice() else {
        return None;
    };
    Some(file.strip_prefix(root).ok()?.to_str()?.to_owned())
}

/// Whether a file has methods of a class. `last` is the last part of its name.
fn defines(file: &Path, class: &str, last: &str) -> bool {
    let Ok(source) = fs::read_to_string(file) else {
        return false;
    };
    let is_class = |found: &str| {
        let outer = found.strip_suffix(class);
        outer.is_some_and(|outer| outer.is_empty() || outer.ends_with("::"))
    };
    source.contains(last)
        && methods(source.as_bytes()).is_ok_and(|all| all.iter().any(|one| is_class(&one.class)))
}
