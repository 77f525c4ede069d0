//! The gems, engines and packs of a repository. Each has its own source directories, and its specs are next to them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Directories that contain components.
const PARENTS: [&str; 5] = ["components", "engines", "gems", "packages", "packs"];

/// How deep `engine.rb` is below `lib`: `lib/shop/api/engine.rb`.
const ENGINE_DEPTH: usize = 3;

/// Finds the components of files. Every directory is examined once, because the search for an engine lists all of `lib`.
#[derive(Debug, Default)]
pub struct Components {
    libraries: HashMap<PathBuf, bool>,
}

impl Components {
    /// The directory of the component that contains a file: relative to the root with `/` at its end, or empty for the root
    /// itself.
    pub(crate) fn component_of<'f>(&mut self, file: &'f str, root: &Path) -> &'f str {
        let ends = file.rmatch_indices('/').map(|(at, _)| at);
        let mut dirs = ends.map(|end| &file[..=end]);
        dirs.find(|dir| self.is_component(dir, root))
            .unwrap_or_default()
    }

    fn is_component(&mut self, dir: &str, root: &Path) -> bool {
        let path = root.join(dir);
        let mut names = dir.trim_end_matches('/').rsplit('/').skip(1);
        let is_listed = names.next().is_some_and(|name| PARENTS.contains(&name));
        // Checked first, because few directories have one, and listing all of them takes long.
        let has_sources = || ["app", "lib"].iter().any(|name| path.join(name).is_dir());
        is_listed || has_sources() && (path.join("package.yml").is_file() || self.is_library(&path))
    }

    /// Whether a directory is that of a gem or an engine.
    pub(super) fn is_library(&mut self, dir: &Path) -> bool {
        if let Some(known) = self.libraries.get(dir) {
            return *known;
        }
        let found = is_library(dir);
        self.libraries.insert(dir.to_owned(), found);
        found
    }
}

/// The component of a single file.
pub(crate) fn component_of<'f>(file: &'f str, root: &Path) -> &'f str {
    Components::default().component_of(file, root)
}

fn is_library(dir: &Path) -> bool {
    has_gemspec(dir) || has_engine(&dir.join("lib"), ENGINE_DEPTH)
}

pub(crate) fn has_gemspec(dir: &Path) -> bool {
    let is_gemspec = |entry: fs::DirEntry| {
        let name = entry.file_name();
        Path::new(&name)
            .extension()
            .is_some_and(|end| end == "gemspec")
    };
    fs::read_dir(dir).is_ok_and(|entries| entries.flatten().any(is_gemspec))
}

fn has_engine(dir: &Path, depth: usize) -> bool {
    if dir.join("engine.rb").is_file() {
        return true;
    }
    let inner = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut inner = inner.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    depth > 1 && inner.any(|entry| has_engine(&entry.path(), depth - 1))
}

/// Whether the specs of a component have their own configuration, so that RSpec runs in its directory.
pub(crate) fn runs_own_specs(dir: &Path) -> bool {
    let own = [".rspec", "spec/spec_helper.rb", "spec/rails_helper.rb"];
    own.iter().any(|name| dir.join(name).is_file()) || is_library(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gemspecs_engines_and_packs_mark_components() {
        let root = tempfile::tempdir().unwrap();
        for file in [
            "a.gemspec",
            "gems/b/lib/b.rb",
            "core/core.gemspec",
            "core/lib/core/deep/x.rb",
            "api/lib/shop/api/engine.rb",
            "billing/package.yml",
            "billing/app/public/x.rb",
            "tools/lib/tools.rb",
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        for (file, component) in [
            ("lib/x.rb", ""),
            ("gems/b/lib/b.rb", "gems/b/"),
            ("core/lib/core/deep/x.rb", "core/"),
            ("api/app/models/x.rb", "api/"),
            ("billing/app/public/x.rb", "billing/"),
            ("tools/lib/tools.rb", ""),
            ("engines/new/app/x.rb", "engines/new/"),
        ] {
            assert_eq!(component_of(file, root.path()), component, "{file}");
        }
    }

    #[test]
    fn a_directory_is_examined_once() {
        let root = tempfile::tempdir().unwrap();
        let lib = root.path().join("core/lib");
        fs::create_dir_all(&lib).unwrap();
        let mut components = Components::default();
        assert_eq!(components.component_of("core/lib/a.rb", root.path()), "");
        fs::write(lib.join("engine.rb"), "").unwrap();
        assert_eq!(components.component_of("core/lib/b.rb", root.path()), "");
        assert_eq!(component_of("core/lib/b.rb", root.path()), "core/");
    }
}
