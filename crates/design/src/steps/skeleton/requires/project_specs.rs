//! [`ProjectSpecs`]: what the specs of a project require at their start.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::super::super::files::ruby_files;
use super::{RspecOptions, SourceFile};

/// The most specs that are read to find out what the project's specs require.
const MAX_SPECS: usize = 200;

/// The specs of the project, and the directory of their helpers.
pub(super) struct ProjectSpecs {
    dir: PathBuf,
    /// The paths of the specs, and the names that each requires.
    specs: Vec<(PathBuf, Vec<String>)>,
}

impl ProjectSpecs {
    pub(super) fn of(root: &Path, file: &str) -> ProjectSpecs {
        let base = match SourceFile::of(file) {
            SourceFile::Library { base, .. } => base,
            SourceFile::Script | SourceFile::Other => "",
        };
        let own = root.join(base).join("spec");
        let dir = if own.is_dir() { own } else { root.join("spec") };
        let files = if dir.is_dir() {
            ruby_files(std::slice::from_ref(&dir))
        } else {
            Vec::new()
        };
        let specs = files
            .into_iter()
            .filter(|file| file.to_string_lossy().ends_with("_spec.rb"))
            .take(MAX_SPECS)
            .filter_map(|file| {
                let text = fs::read_to_string(&file).ok()?;
                let names = required_names(&text, &file, &dir);
                Some((file, names))
            })
            .collect();
        ProjectSpecs { dir, specs }
    }

    /// The helper that most specs in the closest directory require.
    pub(super) fn helper(&self, spec: &Path) -> Option<String> {
        let above = spec.ancestors().skip(1);
        let dirs = above.take_while(|dir| dir.starts_with(&self.dir));
        let mut dirs: Vec<&Path> = dirs.collect();
        if dirs.is_empty() {
            dirs.push(&self.dir);
        }
        dirs.into_iter()
            .find_map(|dir| self.common_helper(dir, spec))
    }

    fn common_helper(&self, dir: &Path, spec: &Path) -> Option<String> {
        let inside = self.specs.iter();
        let inside: Vec<_> = inside
            .filter(|(file, _)| file.starts_with(dir) && file != spec)
            .collect();
        let is_helper = |name: &&String| self.dir.join(format!("{name}.rb")).is_file();
        let mut counts: Vec<(&String, usize)> = Vec::new();
        let firsts = inside
            .iter()
            .filter_map(|(_, names)| names.iter().find(is_helper).or(names.first()));
        for name in firsts {
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        let (name, count) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
        // Another name may be a helper that Bundler finds, but not one that only a few specs need.
        let is_common = count > 1 && count * 2 > inside.len() && !name.contains('/');
        (is_helper(&name) || is_common).then(|| name.clone())
    }

    /// The helper of a project without other specs.
    pub(super) fn usual_helper(&self, spec: &Path, file: &str) -> Option<String> {
        let has_others = self.specs.iter().any(|(other, _)| other != spec);
        let names: &[&str] = match file.starts_with("lib/") {
            _ if has_others => &[],
            true => &["spec_helper"],
            false => &["rails_helper", "spec_helper"],
        };
        let exists = |name: &&&str| self.dir.join(format!("{name}.rb")).is_file();
        names.iter().find(exists).map(|name| (*name).to_owned())
    }

    /// The texts of the files that are loaded before the spec.
    pub(super) fn text_of_helpers(
        &self,
        helper: Option<&String>,
        options: &RspecOptions,
    ) -> String {
        let names = helper.into_iter().chain(&options.requires);
        let texts =
            names.filter_map(|name| fs::read_to_string(self.dir.join(format!("{name}.rb"))).ok());
        texts.collect()
    }

    /// Whether a spec requires a file of this directory by its path below it, so that it must be on the load path.
    pub(super) fn require_from(&self, lib: &Path) -> bool {
        let is_inside = |name: &String| lib.join(format!("{name}.rb")).is_file();
        self.specs
            .iter()
            .any(|(_, names)| names.iter().any(is_inside))
    }
}

/// The names that the lines at the start of a spec require. A path to a file in `dir` becomes its name there.
fn required_names(text: &str, file: &Path, dir: &Path) -> Vec<String> {
    let lines = text.lines().take_while(|line| !line.contains("describe "));
    lines
        .filter_map(|line| required_name(line.trim(), file, dir))
        .collect()
}

fn required_name(line: &str, file: &Path, dir: &Path) -> Option<String> {
    let rest = line.strip_prefix("require")?;
    let (is_relative, rest) = match rest.strip_prefix("_relative") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let rest = rest.trim_start_matches([' ', '(']);
    let quote = rest
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''))?;
    let name = rest[1..].split(quote).next()?;
    if !is_relative && !name.starts_with('.') {
        return Some(name.to_owned());
    }
    let from = if is_relative {
        file.parent()?
    } else {
        dir.parent()?
    };
    let path = normal(&from.join(name));
    let inside = path.strip_prefix(dir).ok()?.to_string_lossy().into_owned();
    Some(inside.trim_end_matches(".rb").to_owned())
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}
