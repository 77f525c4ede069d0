//! Finds Ruby files.

use std::path::{Path, PathBuf};

use crate::metadata::location::find_root;
use crate::skeleton::Components;

/// The Ruby files below these paths, sorted. Files that Git ignores are skipped.
pub fn ruby_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = paths.iter().flat_map(|path| below(path)).collect();
    files.sort();
    files.dedup();
    files
}

fn below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    ignore::WalkBuilder::new(path)
        .require_git(false)
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "rb"))
        .collect()
}

/// The Ruby files of the program below a directory, sorted. Files that Git ignores are skipped.
pub fn source_files(dir: &Path) -> Vec<PathBuf> {
    let root = find_root(dir).unwrap_or_else(|| dir.to_owned());
    let mut components = Components::default();
    let is_listed = |file: &PathBuf| {
        let inside = file.strip_prefix(&root).unwrap_or(file);
        is_source(&inside.to_string_lossy(), &root, &mut components)
    };
    let mut files = ruby_files(&[dir.to_owned()]);
    files.retain(is_listed);
    files
}

/// Directories of a project or a component that contain no code to test.
const OTHER_DIRS: [&str; 19] = [
    "bench",
    "benchmark",
    "benchmarks",
    "bin",
    "config",
    "coverage",
    "db",
    "doc",
    "docs",
    "examples",
    "features",
    "node_modules",
    "script",
    "spec",
    "tasks",
    "test",
    "tmp",
    "vendor",
    "sorbet",
];

/// Whether a file is Ruby code of the program: in `app`, `lib` or another directory of the project or one of its components.
pub(super) fn is_source(file: &str, root: &Path, components: &mut Components) -> bool {
    let inside = &file[components.component_of(file, root).len()..];
    let dirs: Vec<&str> = inside.split('/').rev().skip(1).collect();
    let mut dirs = dirs.into_iter().rev();
    // A library may have a directory such as `lib/rack/test`.
    let has_other = dirs
        .by_ref()
        .take_while(|dir| !matches!(*dir, "app" | "lib"))
        .any(|dir| OTHER_DIRS.contains(&dir) || dir.starts_with('.'));
    let is_template = dirs.any(|dir| dir == "templates");
    let is_test = ["_spec.rb", "_test.rb"]
        .iter()
        .any(|end| file.ends_with(end));
    let is_ruby = Path::new(file).extension().is_some_and(|end| end == "rb");
    !has_other && !is_template && !is_test && is_ruby
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_in_every_source_directory() {
        let root = tempfile::tempdir().unwrap();
        for (file, expected) in [
            ("app/models/cart.rb", true),
            ("lib/cart.rb", true),
            ("lib/rack/test/utils.rb", true),
            ("cart.rb", true),
            ("src/cart.rb", true),
            ("engines/pay/app/models/card.rb", true),
            ("packs/pay/app/public/pay.rb", true),
            ("packs/pay/pay.rb", true),
            ("gems/a/lib/a.rb", true),
            ("gems/a/spec/a_spec.rb", false),
            ("gems/a/spec/support/lib/a.rb", false),
            ("spec/models/cart_spec.rb", false),
            ("test/cart_test.rb", false),
            ("spec/factories/users.rb", false),
            ("config/routes.rb", false),
            ("db/schema.rb", false),
            ("vendor/lib/x.rb", false),
            ("lib/generators/a/templates/a.rb", false),
            ("lib/a_spec.rb", false),
            (".toys/lib/x.rb", false),
            ("lib/tasks/a.rake", false),
        ] {
            let found = is_source(file, root.path(), &mut Components::default());
            assert_eq!(found, expected, "{file}");
        }
    }
}
